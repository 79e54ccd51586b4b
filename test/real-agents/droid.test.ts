/** What hooks do to a real Factory Droid: judged by what lies on disk and by what reaches its model, never by its screen. */
import { obeys } from "./obeys.ts";

obeys("droid", { permission: "none", "context of a prompt": "no" }, ["deny subagent"]);
