/** hookline test by the real command: what passes, what fails and how it says so, and what it leaves alone. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parse } from "yaml";
import { packageForTests } from "../../../scripts/package-for-tests.ts";
import { testsSchema } from "../../../src/formats/hook-tests/fields.ts";
import { readTestsText } from "../../../src/formats/hook-tests/file.ts";
import { runCommand } from "../../program.ts";
import { type Answered, projectWith, rules } from "./hook-tests-place.ts";

test("a test that fails says what was expected, what came, where that stands, and why other hooks did not run", (t) => {
  const { hookline, json } = projectWith(t, {
    ".hookline/rules/guard.yaml": rules,
    ".hookline/rules/guard.hooktest.yaml": `tests:
  - name: a push is refused
    commands: [git push]
    expect: { verdict: deny, by: no-push, reason: a person, runs: [no-push] }
  - name: a write is refused
    event: PreToolUse
    data: { tool_name: Write, tool_input: { file_path: "{{project}}/a" } }
    expect:
      verdict: deny
      runs: { no-push: not matched, writes-are-fine: completed }
`,
  });
  const { status, stdout } = hookline("test");
  assert.equal(status, 1);
  assert.match(stdout, /a write is refused\n\s+\.hookline\/rules\/guard\.hooktest\.yaml:5:5/);
  assert.match(stdout, /verdict {2}\S+guard\.hooktest\.yaml:9:7\n\s+expected {2}deny\n\s+found {5}none/);
  assert.match(stdout, /did not run:\n\s+no-push: .*no command/s);
  const { passed, failed, files } = json();
  assert.deepEqual([passed, failed], [1, 1]);
  const [first, second] = files[0]?.tests ?? [];
  assert.deepEqual([first?.name, first?.passed], ["a push is refused: git push", true]);
  assert.deepEqual(second?.failures, [{ field: "verdict", line: 9, column: 7, expected: "deny", actual: "none" }]);
  assert.match(second?.events[0]?.ran[0] ?? "", /^writes-are-fine: completed/);
});

test("a broken test file fails alone, with the place of each mistake", (t) => {
  const { workspace, json } = projectWith(t, {
    ".hookline/rules/guard.yaml": rules,
    "a.hooktest.yaml": `tests:
  - name: a
    event: PreTolUse
    expect: { verdict: deny }
  - name: b
    commands: [ls]
`,
    "b.hooktest.yaml": "tests:\n  - name: [\n",
    "d.hooktest.yaml": "tests: []\n",
    "e.hooktest.yaml": "tests:\n  - name: none\n    commands: []\n    expect: { verdict: deny }\n",
    "c.hooktest.yaml": "tests:\n  - name: c\n    commands: [git push]\n    expect: { verdict: deny }\n",
    "f.hooktest.yaml":
      "files:\n  ../a: x\ntests:\n  - name: f\n    commands: [ls]\n    files:\n      a/.git/config: x\n    expect: { verdict: none }\n",
    "g.hooktest.yaml":
      "hooks: [.hookline/rules/guard.yaml,\n  gone.yaml]\ntests:\n  - name: g\n    commands: [ls]\n    expect: { verdict: none }\n",
  });
  const { passed, failed, files } = json();
  assert.deepEqual([passed, failed], [1, 6], "one that performs nothing has not passed");
  const places = files[0]?.problems.map(({ line, column, message }) => [line, column, message]);
  assert.deepEqual(places, [
    [3, 12, 'no event is called "PreTolUse"'],
    [5, 5, 'the test "b" expects nothing'],
  ]);
  assert.equal(files[1]?.problems[0]?.line, 2);
  const ofCopy = files.slice(5).flatMap(({ problems }) => problems.map((one) => [one.line, one.column, one.message]));
  assert.deepEqual(ofCopy, [
    [2, 3, 'the file "../a" lies outside of the project'],
    [7, 7, 'the file "a/.git/config" belongs to git: a test writes none of those'],
    [2, 3, `there is no hook file ${join(workspace, "gone.yaml")}`],
  ]);
});

test("events of one session follow each other in one copy, and what they write reaches no file and no store of the person", (t) => {
  const { workspace, folder, json } = projectWith(t, {
    ".hookline/hooks.json": JSON.stringify({
      hooks: {
        PreToolUse: [
          {
            hooks: [
              {
                name: "count",
                type: "command",
                command: "echo x >> count; [ $(wc -l < count) -lt 2 ] || { echo twice >&2; exit 2; }",
              },
            ],
          },
        ],
        Stop: [{ hooks: [{ name: "once", type: "command", command: "true", once: true }] }],
      },
    }),
    "count.hooktest.yaml": `tests:
  - name: the second call is refused
    events:
      - { event: PreToolUse, data: { tool_name: Bash, tool_input: { command: ls } }, expect: { verdict: none } }
      - { event: PreToolUse, data: { tool_name: Bash, tool_input: { command: ls } }, expect: { verdict: deny, reason: twice } }
  - name: the next test begins with a copy of its own
    commands: [ls]
    expect: { verdict: none }
  - name: limits count in the session of the test
    events:
      - { event: Stop, expect: { runs: [once] } }
      - { event: Stop, expect: { runs: { once: skipped } } }
`,
  });
  assert.deepEqual(
    json().files[0]?.tests.filter(({ passed }) => !passed),
    [],
  );
  assert.deepEqual(readdirSync(workspace).sort(), [".hookline", "count.hooktest.yaml"]);
  assert.equal(existsSync(join(folder, "state", "hookline", "hookline.db")), false);
});

test("hooks names the files that are tested, files adds to the copy, and a cooldown needs no waiting", (t) => {
  const { json } = projectWith(t, {
    ".hookline/rules/guard.yaml": rules,
    "pack/limits.yaml": `hooks:
  - id: slow
    on: tool_start
    cooldown: 60
    condition: { type: tool_name, match: Bash }
    action: { type: inject_message, role: system, content: slow down }
`,
    "pack/limits.hooktest.yaml": `hooks: [limits.yaml]
files:
  .hookline/rules/more.yaml: |
    hooks:
      - id: rewrites
        on: tool_start
        condition: { type: expression, expr: 'tool.name == "Bash"' }
        action: { type: transform_params, transformation: { timeout: 5 } }
tests:
  - name: the rules of the project take no part
    commands: [git push]
    expect: { verdict: none, input: { timeout: 5 }, runs: [slow, rewrites] }
  - name: a minute later it speaks again
    events:
      - { event: PreToolUse, data: { tool_name: Bash, tool_input: { command: ls } }, expect: { runs: { slow: completed } } }
      - { event: PreToolUse, data: { tool_name: Bash, tool_input: { command: ls } }, after: 30, expect: { runs: { slow: { status: skipped, reason: cooldown } } } }
      - { event: PreToolUse, data: { tool_name: Bash, tool_input: { command: ls } }, after: 31, expect: { runs: { slow: completed } } }
`,
  });
  assert.deepEqual(
    json("pack").files[0]?.tests.filter(({ passed }) => !passed),
    [],
  );
});

test("tests may be written in TypeScript, and a failure stands where the test's name does", (t) => {
  const { json } = projectWith(t, {
    ".hookline/rules/guard.yaml": rules,
    "guard.hooktest.ts": `import { defineHookTests } from "hookline";
const remotes: readonly string[] = ["origin", "fork"];
export default defineHookTests({
  tests: remotes.map((remote) => ({
    name: \`nobody pushes to \${remote}\`,
    commands: [\`git push \${remote}\`],
    expect: { verdict: remote === "fork" ? "ask" : "deny" },
  })),
});
`,
  });
  const [first, second] = json().files[0]?.tests ?? [];
  assert.deepEqual([first?.passed, second?.passed, second?.line], [true, false, 5]);
});

test("a test is made of a recorded run, and passes until the hook changes", (t) => {
  const { hookline, write, workspace } = projectWith(t, { ".hookline/rules/guard.yaml": rules });
  const data = JSON.stringify({ tool_name: "Bash", tool_input: { command: `git push ${workspace}` } });
  hookline("emit", "PreToolUse", "--session", "s", "--data", data);
  assert.match(hookline("test", "--from", "last").stdout, /command: git push \{\{project\}\}\n/);
  assert.equal(hookline("test", "--from", "last", "made.hooktest.yaml").status, 0);
  assert.equal(hookline("test", "made.hooktest.yaml").status, 0);
  assert.equal(hookline("test", "--from", "last", "made.hooktest.yaml").status, 2);
  write(".hookline/rules/guard.yaml", rules.replace("git push *", "git pull *"));
  assert.equal(hookline("test", "made.hooktest.yaml").status, 1);
});

test("wrong use exits 2 and says what to write", (t) => {
  const { hookline } = projectWith(t, { "a.txt": "" });
  const said = (...words: string[]) => {
    const { status, stderr } = hookline("test", ...words);
    return [status, stderr.split(" — ")[0]];
  };
  assert.deepEqual(said(), [2, "hookline: no hook tests are here"]);
  assert.deepEqual(said("b.hooktest.yaml"), [2, 'hookline: no file or folder is called "b.hooktest.yaml"']);
  assert.equal(said("a.txt")[0], 2);
  assert.deepEqual(said("--from", "nothing")[0], 2);
});

test("no link and no path of a test leads out of the copy", (t) => {
  const { folder, workspace, json } = projectWith(t, {
    "a.hooktest.yaml":
      "files: { link/a: stolen }\ntests:\n  - name: a\n    commands: [ls]\n    expect: { verdict: none }\n",
    "b.hooktest.yaml": "hooks: [../home]\ntests:\n  - name: b\n    commands: [ls]\n    expect: { verdict: none }\n",
    "c.hooktest.yaml":
      "tests:\n  - name: c\n    commands: [ls]\n    files: { link/c: stolen }\n    expect: { verdict: none }\n",
    "d.hooktest.yaml":
      "tests:\n  - name: d\n    commands: [ls]\n    files: { ../d: stolen, note: kept }\n    expect: { verdict: none }\n",
    "e.hooktest.yaml":
      "tests:\n  - name: e\n    commands: [ls]\n    files: { note: new }\n    expect: { verdict: none }\n",
  });
  symlinkSync(join(folder, "home"), join(workspace, "link"));
  writeFileSync(join(folder, "target"), "of the person");
  symlinkSync(join(folder, "target"), join(workspace, "note"));
  const { passed, failed } = json();
  assert.deepEqual([passed, failed], [1, 4]);
  assert.deepEqual(readdirSync(join(folder, "home")), []);
  assert.equal(readFileSync(join(folder, "target"), "utf8"), "of the person");
  assert.deepEqual(readdirSync(folder).sort().includes("d"), false);
});

test("in a folder that no person trusts a test runs none of its programs, and is no program itself", (t) => {
  const { workspace, environment, folder } = projectWith(t, {
    ".hookline/hooks.json": JSON.stringify({
      hooks: { PreToolUse: [{ hooks: [{ name: "touch", type: "command", command: `touch ${"$HOME"}/ran` }] }] },
    }),
    ".hookline/rules/guard.yaml": rules,
    "a.hooktest.yaml":
      "tests:\n  - name: a\n    commands: [git push]\n    expect: { verdict: deny, runs: [no-push] }\n",
    "b.hooktest.yaml":
      "environment: { PATH: . }\ntests:\n  - name: b\n    commands: [ls]\n    expect: { verdict: none }\n",
    "c.hooktest.mjs": `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(join(import.meta.dirname, "ran"))}, "");`,
    "d.hooktest.yaml": "tests:\n  - name: d\n    commands: [ls]\n    expect: { runs: [touch] }\n",
  });
  const program = join(packageForTests("asked"), "bin", "hookline.js");
  const run = (...words: string[]) => runCommand(words, { bin: program, cwd: workspace, environment });
  const { stdout, stderr } = run("test", "--json");
  const { passed, files } = JSON.parse(stdout) as Answered; // its own JSON
  assert.match(stderr, /2 hooks here do not run until you trust them|3 hooks here do not run/);
  assert.equal(passed, 1);
  assert.match(files[1]?.problems[0]?.message ?? "", /sets variables, and you have not trusted its folder/);
  assert.match(files[2]?.problems[0]?.message ?? "", /is a program, and you have not trusted its folder/);
  assert.equal(existsSync(join(import.meta.dirname, "ran")), false);
  const [{ hash }] = JSON.parse(run("trust", "list", "--json").stdout) as [{ hash: string }]; // its own JSON
  assert.equal(run("trust", ".", "--hash", hash).status, 0);
  assert.match(run("test", "b.hooktest.yaml", "d.hooktest.yaml").stdout, /2 passed, 0 failed/);
  assert.equal(existsSync(join(folder, "home", "ran")), false);
});

test("the JSON Schema takes what the reader takes, and refuses what it refuses", () => {
  const validate = new Ajv2020({ strict: false }).compile(testsSchema());
  const texts = [
    "tests: [{ name: a, commands: [ls], expect: { verdict: none } }]",
    "tests: [{ name: a, event: Stop, data: {}, after: 1, expect: { runs: { a: { status: skipped, reason: b } }, input: none } }]",
    "tests: [{ name: a, events: [{ event: Stop, expect: { context: [] } }] }]\nx-own: 1",
    "tests: [{ name: a, commands: [ls], expect: { verdict: maybe } }]",
    "tests: [{ commands: [ls], expect: { verdict: deny } }]",
    "test: []",
    "tests: [{ name: a, commands: ls, expect: { runs: { a: never } } }]",
  ];
  for (const text of texts)
    assert.equal(validate(parse(text)), readTestsText(text, "a.hooktest.yaml").problems.length === 0, text);
});
