/** The scenarios whose programs take long to start. */
import { stories, tell } from "./story.ts";

for (const name of stories("slow")) tell(name);
