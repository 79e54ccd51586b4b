/** hookline init at a terminal, for a team, and in homes and projects that are seldom met; init.test.ts has the usual ones. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import test from "node:test";
import { packageForTests } from "../../../scripts/package-for-tests.ts";
import { runCommand } from "../../program.ts";
import { machine, nodeProject } from "./init-place.ts";

test("existing hooks are listed with the agent that runs them itself, and stay as they are", (t) => {
  const settings = '{"hooks":{"Stop":[{"hooks":[{"command":"true"}]}]}}';
  const { hookline, workspace } = machine(t, { "shop/.claude/settings.json": settings });
  assert.match(hookline("init", "--yes").stdout, / 1 in \.claude\/settings\.json, which Claude Code runs itself\n/);
  assert.equal(readFileSync(join(workspace, ".claude/settings.json"), "utf8"), settings);
});

test("a recipe is not proposed where a hook already runs its tool", (t) => {
  const hook = (command: string): string => JSON.stringify({ hooks: [{ type: "command", command }] });
  const { hookline, files } = machine(t, {
    ...nodeProject,
    "shop/.claude/settings.json": `{"permissions":{"allow":["Bash(npm test)"]},"hooks":{"Stop":[${hook("npm run test -- --silent")}]}}`,
    "shop/.hookline/hooks/tidy.sh":
      "#!/bin/sh\n#---\n# name: tidy\n# type: file\n# pattern: '*.ts'\n#---\nnpx prettier --write .\n",
  });
  const { stdout } = hookline("init", "--yes");
  assert.match(stdout, /nothing to do: a hook in \.claude\/settings\.json runs npm test already/);
  assert.match(stdout, /nothing to do: a hook in \.hookline\/hooks\/tidy\.sh runs prettier already/);
  const written = Object.keys(files()).filter((path) => path.includes("/.hookline/hooks/"));
  assert.deepEqual(
    written.map((path) => basename(path)),
    ["tidy.sh"],
  );
});

test("without an agent the hooks are set up, and it says how to see a decision", (t) => {
  const { hookline, workspace } = machine(t, {}, false);
  const { status, stdout } = hookline("init", "--yes");
  assert.equal(status, 0);
  assert.match(
    stdout,
    /agents +none of Claude Code,[\s\S]*No agent calls Hookline yet[\s\S]*hookline emit PreToolUse --data '.*git push/,
  );
  assert.ok(existsSync(join(workspace, ".hookline/rules/guard.yaml")));
});

test("in the home folder it writes to the person's own hook files", (t) => {
  const { home, environment } = machine(t);
  const { status, stderr } = runCommand(["init", "--yes"], { cwd: home, environment });
  assert.equal(status, 0, stderr);
  assert.ok(existsSync(join(home, ".config/hookline/rules/guard.yaml")) && !existsSync(join(home, ".hookline")));
});

test("the second run says that nothing is to do, and changes nothing", (t) => {
  const { hookline, files } = machine(t, nodeProject);
  hookline("init", "--yes");
  const first = files();
  const { status, stdout } = hookline("init", "--yes");
  assert.equal(status, 0);
  assert.match(
    stdout,
    /agents +Claude Code \(calls Hookline\), Codex \(calls Hookline\)[\s\S]*86 in \.hookline\/rules\/guard\.yaml/,
  );
  assert.match(stdout, /\nNothing is to do\.\n/);
  assert.doesNotMatch(stdout, /\(new\)|written/);
  assert.deepEqual(files(), first);
});

test("in a project without tests and formatter it proposes what fits, and only where .vscode is the settings of VS Code", (t) => {
  const { hookline } = machine(t);
  const { changes } = JSON.parse(hookline("init", "--json").stdout);
  assert.deepEqual(
    changes.map(({ name }: { name: string }) => name),
    ["guard", "push", "waits", "claude-code", "codex"],
  );
});

test("what a dry run shows is what --yes writes, and nothing else", (t) => {
  const { hookline, files, workspace, home } = machine(t, {
    ...nodeProject,
    "shop/.vscode/settings.json": '{\n  // mine\n  "editor.tabSize": 2,\n}\n',
  });
  const before = files();
  const dry = JSON.parse(hookline("init", "--dry-run", "--json").stdout);
  assert.deepEqual(files(), before);
  assert.equal(dry.written, false);
  assert.deepEqual(
    dry.changes.map(({ name }: { name: string }) => name),
    ["guard", "push", "tests", "format", "VS Code", "claude-code", "codex"],
  );
  const expected = { ...before };
  for (const { files: changed } of dry.changes)
    for (const { file, before: was, after } of changed) {
      assert.equal(was, before[file] ?? null);
      expected[file] = after;
    }
  assert.equal(JSON.parse(hookline("init", "--yes", "--json").stdout).written, true);
  assert.deepEqual(files(), expected);
  assert.match(hookline("init", "--yes").stdout, /\nNothing is to do\.\n/);
  assert.deepEqual(files(), expected, "the second run changes nothing");
  assert.match(
    files()[join(workspace, ".vscode/settings.json")] ?? "",
    /\{\n {2}\/\/ mine\n[\s\S]*"\.\/\.hookline\/schemas\/rules\.json"/,
  );
  assert.equal(statSync(join(workspace, ".hookline/hooks/tests-node.sh")).mode & 0o111, 0o111);
  assert.ok(existsSync(join(home, ".codex/hooks.json")));
});

test("settings of an agent that cannot be read are told with their place, and the others are registered", (t) => {
  const { hookline, home } = machine(t, { ".claude/settings.json": "{ broken" });
  const { status, stderr } = hookline("init", "--yes");
  assert.equal(status, 3);
  assert.match(stderr, /hookline: .*JSON is broken.*\.claude\/settings\.json:1:3/);
  assert.equal(readFileSync(join(home, ".claude/settings.json"), "utf8"), "{ broken");
  assert.ok(existsSync(join(home, ".codex/hooks.json")));
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
