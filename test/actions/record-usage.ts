/** One process of many that record calls of abilities at once: `node record-usage.ts FOLDER ABILITY COUNT`. */
import { usageTracker } from "../../src/actions/builtin/usage-tracker.ts";
import { contextOf } from "./context.ts";

const [folder = "", ability = "", count = "1"] = process.argv.slice(2);
for (let index = 0; index < Number(count); index++) {
  const data = { tool_name: ability, tool_input: { command: "true" }, tool_response: "done", duration_ms: 10 };
  const context = contextOf({ name: "PostToolUse", data, cwd: folder });
  const run = `${process.pid}.${index}`;
  const result = await usageTracker.run({ folder }, { ...context, run, signal: context.signal });
  if (!result.ok) throw new Error(result.reason);
}
