import { defineHook } from "hookline";
import { protectedFolder } from "./protected.ts";

console.log("this must not reach the agent");
process.stdout.write("nor this\n");

export default [
  defineHook({
    on: "PreToolUse",
    name: "protect the schema",
    matcher: "Write|Edit",
    role: "guard",
    run(event) {
      const path = String(event.data.tool_input["file_path"]);
      console.log("asked about", path);
      return path.includes(protectedFolder) ? { deny: `${protectedFolder} is generated` } : undefined;
    },
  }),
  defineHook({ on: "UserPromptSubmit", name: "house rules", run: () => ({ context: "Use tabs." }) }),
];
