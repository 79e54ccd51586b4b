import { createHookline, defineHook } from "../../src/index.ts";

const line = await createHookline({ files: false });

line.use(
  defineHook({
    on: "PreToolUse",
    name: "quiet tests",
    matcher: "Bash",
    run: (event) => {
      const { command } = event.data.tool_input;
      if (command !== "npm test") return undefined; // no decision
      return {
        updatedInput: { ...event.data.tool_input, command: "npm test --silent" },
        context: "tests run silently",
      };
    },
  }),
);

const call = { tool_name: "Bash", tool_input: { command: "npm test" } };
console.log(await line.emit("PreToolUse", call));
for (const { name, would, because } of await line.explain("PreToolUse", call)) console.log(name, would, because);
await line.close();
