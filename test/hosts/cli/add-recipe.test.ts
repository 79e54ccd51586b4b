/** hookline add RECIPE, by the real command: the parts that fit a project are written, hold at once and do what they say. */
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { projectWith, testsOf, usual } from "./recipe-place.ts";

testsOf(usual);

test("run twice it changes nothing, and a file that its owner has changed stays until --update", (t) => {
  const { hookline, read, workspace } = projectWith(t, {});
  assert.match(hookline("add", "push").stdout, /\+ {2}- id: people-push[\s\S]*written: \.hookline\/rules\/push\.yaml/);
  const first = read(".hookline/rules/push.yaml");
  assert.match(hookline("add", "push").stdout, /^nothing to do/);
  writeFileSync(join(workspace, ".hookline/rules/push.yaml"), first.replace("ask", "deny"));
  assert.match(hookline("add", "push").stdout, /nothing to do: .* is there already; hookline add push --update/);
  assert.match(read(".hookline/rules/push.yaml"), /deny/);
  assert.match(hookline("add", "push", "--update").stdout, /-.*decision: deny[\s\S]*\+.*decision: ask/);
  assert.equal(read(".hookline/rules/push.yaml"), first);
});

test("push asks before a push, however it is written, and about nothing else", (t) => {
  const { hookline } = projectWith(t, {});
  hookline("add", "push");
  const verdict = (command: string): unknown => {
    const data = JSON.stringify({ tool_name: "Bash", tool_input: { command } });
    return JSON.parse(hookline("emit", "PreToolUse", "--data", data, "--json").stdout).outcome.verdict?.is;
  };
  for (const command of ["git push", "cd lib && git push origin main", "git -C lib push -f"])
    assert.equal(verdict(command), "ask", command);
  for (const command of ["git status", "git commit -m 'git push'", "git push --dry-run"])
    assert.equal(verdict(command), undefined, command);
});

test("tests run before a turn ends that changed code, and a failure goes to the model", (t) => {
  const { hookline, program, read } = projectWith(t, {
    "package.json": '{"scripts":{"test":"x"}}',
    "a.ts": "",
    "b.md": "",
  });
  hookline("add", "tests");
  program("npm", 1);
  const failed = hookline("run", "tests-node.sh", "--all");
  assert.equal(failed.status, 1, failed.stdout + failed.stderr);
  assert.equal(read("called"), "npm test --silent\n");
  program("npm");
  assert.equal(hookline("run", "tests-node.sh", "--all").status, 0);
});

test("format hands the changed files to the formatter, by any name", (t) => {
  const { hookline, program, read } = projectWith(t, { "pyproject.toml": "[tool.ruff]\n", "a b.py": "", "c.txt": "" });
  hookline("add", "format");
  program("ruff");
  const { status, stdout, stderr } = hookline("run", "format-ruff.sh", "--all");
  assert.equal(status, 0, stdout + stderr);
  assert.equal(read("called"), "ruff format --quiet -- a b.py\n");
});

test("waits tells the person when an agent waits", (t) => {
  const { hookline, program, read } = projectWith(t, {});
  hookline("add", "waits");
  program("notify-send");
  assert.equal(hookline("emit", "Notification", "--data", '{"message":"ready"}').status, 0);
  assert.equal(read("called"), "notify-send Your agent waits for you\n");
});

test("--user writes to one's own hook files, and --list says what fits here", (t) => {
  const { hookline, home } = projectWith(t, { "go.mod": "" });
  assert.equal(hookline("add", "format", "--user").status, 0);
  assert.ok(existsSync(join(home, ".config/hookline/hooks/format-gofmt.sh")));
  assert.match(hookline("add", "--list").stdout, /^tests: .*\n {2}fits here: go test/m);
});
