/** What hooks do to a real pi: judged by what lies on disk and by what reaches its model, never by its screen. */
import { runsByItself } from "./first-run.ts";

runsByItself("pi");
