/** What hooks do to a real Qwen Code: judged by what lies on disk and by what reaches its model, never by its screen. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { isCovered } from "./covered.ts";
import { real, runsByItself } from "./first-run.ts";
import { obeys } from "./obeys.ts";
import { startAgent } from "./session.ts";

runsByItself("qwen");
isCovered("qwen");
obeys("qwen", { rewrite: "instead", permission: "none" });

test("a deny holds beside a hook of the person's that allows the call", real("qwen"), async (t) => {
  const session = await startAgent(t, "qwen", ({ shell }) => ({
    turns: [shell("touch pushed.txt && git push"), { text: "done" }],
  }));
  await session.register({
    PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "echo no >&2; exit 2", role: "guard" }] }],
  });
  const file = join(session.home, ".qwen/settings.json");
  const settings = JSON.parse(await readFile(file, "utf8"));
  const allows = `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'`;
  settings.hooks.PreToolUse.push({ hooks: [{ type: "command", command: allows }] });
  await writeFile(file, JSON.stringify(settings));
  await session.run();
  assert.equal(session.has("pushed.txt"), false);
});
