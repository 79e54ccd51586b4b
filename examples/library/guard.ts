import { createHookline, defineHook } from "../../src/index.ts";

const line = await createHookline({ files: false });

line.use(
  defineHook({
    on: "PreToolUse",
    name: "no force push",
    role: "guard", // if it throws or hangs, the call is blocked
    if: "Bash(git push *)",
    run: (event) =>
      String(event.data.tool_input.command).includes("--force") ? { deny: "push without --force" } : undefined,
  }),
);

const outcome = await line.emit("PreToolUse", {
  tool_name: "Bash",
  tool_input: { command: "cd lib && git push --force" },
});
console.log(outcome.verdict?.is, "-", outcome.verdict?.reason); // deny - push without --force
await line.close();
