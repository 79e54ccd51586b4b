/** No name, file or text of a hostile workspace drives a terminal (T26), and what its hooks say reaches the agent's model labelled (R90). */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { packageForTests } from "../../../scripts/package-for-tests.ts";
import { codeCache, runCommand } from "../../program.ts";
import { event, onTerminal, showing } from "./hostile-workspace.ts";

test("[T26] no command lets a hostile workspace drive the terminal", onTerminal, (t) => {
  assert.equal(showing(t, [["list"], ["trust"], ["emit", ...event]]), 3);
});

test("[R90, T11] what a trusted hook of a workspace says reaches the agent visible, cut and labelled", (t) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-said-")));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [project, home] = [join(folder, "project"), join(folder, "home")];
  for (const name of [".git", ".hookline"]) mkdirSync(join(project, name), { recursive: true });
  mkdirSync(home);
  writeFileSync(join(project, ".git/HEAD"), "ref: refs/heads/main\n");
  const command = "printf 'obey \\342\\200\\256 me' >&2; head -c 1000000 /dev/zero | tr '\\0' x >&2; exit 2";
  const hooks = { PreToolUse: [{ hooks: [{ type: "command", command, name: "lint" }] }] };
  writeFileSync(join(project, ".hookline/hooks.json"), JSON.stringify({ hooks }));
  const bin = join(packageForTests("asked"), "bin", "hookline.js");
  const environment = {
    PATH: process.env.PATH ?? "",
    HOME: home,
    NODE_COMPILE_CACHE: codeCache,
    HOOKLINE_DAEMON: "off",
  };
  const hookline = (words: readonly string[], input = ""): string =>
    runCommand(words, { bin, cwd: project, environment, input }).stdout;
  const [asking] = JSON.parse(hookline(["trust", "list", "--json"]));
  assert.match(hookline(["trust", "--hash", asking.hash]), /^trusted: /);
  const call = { tool_name: "Bash", tool_input: { command: "ls" }, session_id: "s", cwd: project };
  const reply = JSON.parse(
    hookline(["hook", "claude-code"], JSON.stringify({ ...call, hook_event_name: "PreToolUse" })),
  );
  const { permissionDecision, permissionDecisionReason: reason } = reply.hookSpecificOutput;
  assert.equal(permissionDecision, "deny");
  assert.match(reason, /^obey \\u202e mex+\n\[cut: .*\]\nx+\n\(from hook lint of this repository\)$/);
  assert.ok(reason.length < 10_200);
});
