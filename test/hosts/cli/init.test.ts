/** hookline init, by the real command: from nothing to an agent whose push is refused, and nothing is written that was not shown. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { packageForTests } from "../../../scripts/package-for-tests.ts";
import { runCommand } from "../../program.ts";
import { type Machine, machine, nodeProject } from "./init-place.ts";

/** What the agent would be told. */
function asked(program: string, command: string, { workspace, environment }: Machine): unknown {
  const payload = {
    ...{ session_id: "s", cwd: workspace, hook_event_name: "PreToolUse", tool_use_id: "t", permission_mode: "default" },
    ...{ tool_name: "Bash", tool_input: { command } },
  };
  const { stdout, stderr } = runCommand(["hook", "claude-code", "--event", "PreToolUse"], {
    bin: program,
    cwd: workspace,
    environment: { ...environment, HOOKLINE_HEADLESS: "1" },
    input: JSON.stringify(payload),
  });
  return stdout === "" ? stderr : JSON.parse(stdout).hookSpecificOutput;
}

test("init --yes takes a project from nothing to a refused push, in the package that asks for trust", (t) => {
  const world = machine(t, nodeProject);
  const program = join(packageForTests("asked"), "bin", "hookline.js");
  const { status, stdout, stderr } = runCommand(["init", "--yes"], {
    ...{ bin: program, cwd: world.workspace, environment: world.environment },
  });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /agents +Claude Code, Codex\n +languages +TypeScript, JavaScript\n +tests +npm test\n/);
  assert.match(stdout, /ask for a `git push`[\s\S]*hookline runs tail[\s\S]*hookline why last/);
  for (const command of ["git push", "git push --force"]) {
    const found = Object(asked(program, command, world));
    assert.equal(found.permissionDecision, "deny", command);
    assert.match(found.permissionDecisionReason, /No person can be asked in this session/);
  }
  assert.equal(asked(program, "git status", world), "");
  assert.ok(!existsSync(join(world.workspace, "ran")));
});

test("without a terminal and without --yes it only shows, and says what to type", (t) => {
  const { hookline, files } = machine(t, nodeProject);
  const before = files();
  const { status, stdout } = hookline("init");
  assert.equal(status, 0);
  assert.match(
    stdout,
    /guard\.yaml \(new\)[\s\S]*\+ {2}- id: people-push[\s\S]*settings\.json \(new\)[\s\S]*Nothing was written\. To write what is shown, run `hookline init --yes`\./,
  );
  assert.deepEqual(files(), before);
});
