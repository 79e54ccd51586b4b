/** hookline init, by the real command: from nothing to an agent whose push is refused, and nothing is written that was not shown. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
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

test("init --team writes what Hookline is into the repository's own page, shown as a diff first, and once", (t) => {
  const { hookline, files } = machine(t, { "shop/README.md": "# Shop\n" }, false);
  const shown = hookline("init", "--team", "--dry-run");
  assert.match(shown.stdout, /README\.md[\s\S]*\+ ?## Hooks of coding agents/);
  assert.equal(hookline("init", "--team", "--yes").status, 0);
  const page = Object.entries(files()).find(([path]) => path.endsWith("shop/README.md"))?.[1] ?? "";
  assert.match(page, /^# Shop\n\n## Hooks of coding agents\n\n[\s\S]*npm install -g hookline[\s\S]*HOOKLINE_DISABLE=1/);
  assert.match(hookline("init", "--team", "--yes").stdout, /nothing to do: README\.md tells the team of Hookline/);
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

/** Makes a terminal, if the one of this system knows these flags. */
const terminalMaker = ["/usr/bin/script", "/bin/script"].find(
  (path) => existsSync(path) && spawnSync(path, ["-qec", "true", "/dev/null"]).status === 0,
);

test("at a terminal it asks one question at a time, Enter takes the default, and n leaves a change out", {
  skip: !terminalMaker,
}, async (t) => {
  const { workspace, environment, files } = machine(t);
  const program = join(packageForTests(), "bin", "hookline.js");
  const child = spawn(terminalMaker ?? "", ["-qec", `'${process.execPath}' '${program}' init`, "/dev/null"], {
    ...{ cwd: workspace, env: environment, stdio: ["pipe", "pipe", "inherit"] as const },
  });
  // Each answer comes when its question has been read.
  const answers = new Map([
    [/Add guard\?.*\[.\/.\] /, "\r"],
    [/Add push\?.*\[.\/.\] /, "n"],
    [/Add waits\?.*\[.\/.\] /, "y"],
    [/VS Code know.*\[.\/.\] /, "\r"],
    [/with Claude Code\?.*\[.\/.\] /, "\r"],
    [/with Codex\?.*\[.\/.\] /, "n"],
  ]);
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    for (const [question, answer] of answers)
      if (question.test(stdout)) {
        answers.delete(question);
        child.stdin.write(answer);
      }
  });
  await once(child, "close");
  assert.match(
    stdout,
    /Add guard\? \[Y\/n\][\s\S]*Add push\? \[Y\/n\] n[\s\S]*\[y\/N\][\s\S]*with Codex\? \[Y\/n\] n[\s\S]*written: /,
  );
  const written = Object.keys(files()).map((path) => path.slice(workspace.length - "shop".length));
  assert.ok(written.includes("shop/.hookline/rules/guard.yaml") && written.includes("shop/.hookline/rules/waits.yaml"));
  assert.ok(!written.includes("shop/.hookline/rules/push.yaml") && !written.includes("shop/.vscode/settings.json"));
  assert.ok(written.includes(".claude/settings.json") && !written.includes(".codex/hooks.json"));
});
