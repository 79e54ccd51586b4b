/** What the hooks of a workspace say reaches a person as it is, and the agent's model labelled (R90). */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { packageForTests } from "../../../scripts/package-for-tests.ts";
import { codeCache, runCommand } from "../../program.ts";
import { emptyRepository } from "../../repository.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

interface Trusted {
  project: string;
  hookline(words: readonly string[], input?: string): { stdout: string; stderr: string };
}

/** A repository with these files of a person's, all of them trusted. */
function trusted(t: TestContext, files: Readonly<Record<string, string>>): Trusted {
  const folder = temporaryFolder(t);
  const [project, home] = [join(folder, "project"), join(folder, "home")];
  for (const place of [project, home]) mkdirSync(place);
  emptyRepository(project);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), text, { mode: 0o755 });
  }
  const bin = join(packageForTests("asked"), "bin", "hookline.js");
  const environment = {
    PATH: process.env.PATH ?? "",
    HOME: home,
    NODE_COMPILE_CACHE: codeCache,
    HOOKLINE_DAEMON: "off",
  };
  const hookline: Trusted["hookline"] = (words, input = "") =>
    runCommand(words, { bin, cwd: project, environment, input });
  const [asking] = JSON.parse(hookline(["trust", "list", "--json"]).stdout);
  assert.match(hookline(["trust", "--hash", asking.hash]).stdout, /^trusted: /);
  return { project, hookline };
}

test("[R97] what a trusted script prints at a commit reaches the person as it is, without its source beside it", (t) => {
  const { project, hookline } = trusted(t, {
    "a.txt": "a",
    ".hookline/hooks/tabs.sh": "#!/bin/sh\n#---\n# type: pre-commit\n# pattern: '*'\n#---\necho 'no tabs'; exit 1\n",
  });

  execFileSync("git", ["add", "a.txt"], { cwd: project });
  const { stderr } = hookline(["git", "run", "pre-commit"]);
  assert.match(stderr, /no tabs/);
  assert.doesNotMatch(stderr, /untrusted|of this repository/);
});

test("[R90, R97, T11] what a trusted hook of a workspace says reaches the agent visible, cut and with the hook's name", (t) => {
  const command = "printf 'obey \\342\\200\\256 me' >&2; head -c 1000000 /dev/zero | tr '\\0' x >&2; exit 2";
  const hooks = { PreToolUse: [{ hooks: [{ type: "command", command, name: "lint" }] }] };
  const { project, hookline } = trusted(t, { ".hookline/hooks.json": JSON.stringify({ hooks }) });
  const call = { tool_name: "Bash", tool_input: { command: "ls" }, session_id: "s", cwd: project };
  const reply = JSON.parse(
    hookline(["hook", "claude-code"], JSON.stringify({ ...call, hook_event_name: "PreToolUse" })).stdout,
  );
  const { permissionDecision, permissionDecisionReason: reason } = reply.hookSpecificOutput;
  assert.equal(permissionDecision, "deny");
  assert.match(reason, /^obey \\u202e mex+\n\[cut: .*\]\nx+\n\(from hook lint of this repository\)$/);
  assert.ok(reason.length < 10_200);
});
