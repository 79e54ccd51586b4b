/** What hooks do to a real Codex: judged by what lies on disk and by what reaches its model, never by its screen. */
import { runsByItself } from "./first-run.ts";

runsByItself("codex");
