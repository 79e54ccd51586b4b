/** What hooks do to a real Gemini CLI: judged by what lies on disk and by what reaches its model, never by its screen. */
import { runsByItself } from "./first-run.ts";

runsByItself("gemini");
