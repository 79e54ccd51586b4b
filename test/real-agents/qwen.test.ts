/** What hooks do to a real Qwen Code: judged by what lies on disk and by what reaches its model, never by its screen. */
import { runsByItself } from "./first-run.ts";

runsByItself("qwen");
