/** What hooks ask for afterwards, by the real command: listed, shown, and done once where a person says so. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { openSqliteStore } from "../../../src/storage/sqlite/sqlite.ts";
import type { CommandAnswer as Said } from "../../standing-command.ts";
import { command, scratchWith } from "./follow-ups-place.ts";

const openFile = (path: string, more: object = {}): object => ({ kind: "open_file", payload: { path, ...more } });

test("[B32, BT15] follow-ups wait: they are listed and shown in both forms, and nothing of them has happened", (t) => {
  const { hookline, list, run, workspace } = scratchWith(t, [
    openFile("src/a b.ts", { line: 3 }),
    { kind: "open_file", path: "src/b.ts" },
    command("touch happened"),
    { kind: "send_flowers", payload: { to: "Ada\u001b[31m\nLovelace" } },
  ]);
  assert.deepEqual(
    list().map(({ id, number, kind, payload, hookName, done }) => [id, number, kind, payload, hookName, done]),
    [
      [`${run}.1`, 1, "open_file", { path: "src/a b.ts", line: 3 }, "wishes", false],
      [`${run}.2`, 2, "open_file", { path: "src/b.ts" }, "wishes", false],
      [`${run}.3`, 3, "run_command", { command: "touch happened" }, "wishes", false],
      [`${run}.4`, 4, "send_flowers", { to: "Ada\u001b[31m\nLovelace" }, "wishes", false],
    ],
  );
  const shown = hookline("runs", "show", run).stdout;
  assert.match(shown, /follow-up +1 open_file: src\/a b\.ts:3 \(open: run `hookline follow-ups run .*\.1`\)/);
  assert.match(shown, /the follow-up "send_flowers" is none of/);
  assert.equal(JSON.parse(hookline("runs", "show", run, "--json").stdout).followUps.length, 4);
  assert.ok(!`${shown}${hookline("follow-ups", "list").stdout}`.includes("\u001b"));
  const unknown = hookline("follow-ups", "run", `${run}.4`);
  assert.deepEqual(
    [unknown.status, unknown.stderr],
    [1, 'hookline: this Hookline cannot do a follow-up of kind "send_flowers"; it stays open\n'],
  );
  assert.equal(existsSync(join(workspace, "happened")), false);
});

test("[B2, B32] a command runs once, with --yes, in the repository's root, and what it prints is shown", (t) => {
  const { hookline, list, run, workspace } = scratchWith(t, [
    command('echo "in ${PWD##*/}"; echo bad >&2; echo x >> times'),
  ]);
  const asked = hookline("follow-ups", "run", run);
  assert.equal(asked.status, 1);
  assert.match(
    asked.stdout,
    /^command {3}echo "in \$\{PWD.*\nin .*workspace\nasked by {2}the hook wishes \(\.system\/hooks\/wishes\.yaml:1\)\ntrust {5}trusted\n/,
  );
  assert.match(asked.stderr, /nothing ran: use --yes/);
  assert.deepEqual([existsSync(join(workspace, "times")), list().length], [false, 1]);
  const done = hookline("follow-ups", "run", run, "--yes");
  assert.equal(done.status, 0, done.stderr);
  assert.match(done.stdout, /\nin workspace\n$/);
  assert.equal(done.stderr, "bad\n");
  const again = hookline("follow-ups", "run", `${run}.1`, "--yes");
  assert.deepEqual([again.status, again.stderr], [1, "hookline: this follow-up is already done\n"]);
  assert.equal(readFileSync(join(workspace, "times"), "utf8"), "x\n");
  assert.deepEqual([list(), list("--all").map((one) => one.done)], [[], [true]]);
  assert.match(hookline("runs", "show", run).stdout, /follow-up +1 run_command: .* \(done\)/);
  assert.equal(hookline("follow-ups", "list").stdout, "no follow-up is open\n");
});

test("[B32] a command that fails exits 1 and shows how; arguments stay arguments; a folder below the root is its own", (t) => {
  const { hookline, run, workspace } = scratchWith(t, [
    command("exit 3"),
    command("printf", { args: ["%s|", "a b", "$(touch pwned)"], cwd: "src" }),
    command("pwd", { cwd: "../.." }),
    command("curl -H 'Authorization: Bearer abcdefghijklmnop1234567890'"),
    command("  "),
    command("true", { args: "no list" }),
  ]);
  const of = (number: number): Said => hookline("follow-ups", "run", `${run}.${number}`, "--yes", "--json");
  const failed = of(1);
  const { id: _id, ...facts } = JSON.parse(failed.stdout);
  assert.deepEqual(
    [failed.status, facts],
    [1, { kind: "run_command", done: true, exitCode: 3, reason: "exit 3", stdout: "", stderr: "" }],
  );
  assert.equal(JSON.parse(of(2).stdout).stdout, "a b|$(touch pwned)|");
  const reasons = [3, 4, 5, 6].map((number) => JSON.parse(of(number).stdout).reason);
  assert.match(reasons[0], /is not a folder of the repository/);
  assert.match(reasons[1], /holds only a part of the command/);
  assert.deepEqual(reasons.slice(2), Array(2).fill("it names no command; it stays open"));
  assert.equal(existsSync(join(workspace, "src", "pwned")), false);
});

test("[B32] a file is named with its whole path where there is no terminal, and only if it is in the repository", (t) => {
  const { hookline, list, run, workspace } = scratchWith(
    t,
    [
      openFile("src/a b.ts", { line: 3 }),
      openFile("src/gone.ts"),
      openFile("../x"),
      openFile("/etc/passwd"),
      openFile("link"),
      openFile(""),
    ],
    { EDITOR: "touch edited" },
  );
  symlinkSync("/etc/passwd", join(workspace, "link"));
  const of = (number: number): Said => hookline("follow-ups", "run", `${run}.${number}`);
  assert.deepEqual(
    [of(1).stdout, of(1).stderr],
    [`${join(workspace, "src/a b.ts")}:3\n`, "hookline: this follow-up is already done\n"],
  );
  assert.match(of(2).stderr, /gone\.ts no longer exists/);
  for (const number of [3, 4, 5]) assert.match(of(number).stderr, /is outside the repository/, String(number));
  assert.match(of(6).stderr, /it names no file/);
  assert.equal(existsSync(join(workspace, "edited")), false);
  assert.equal(list().length, 5);
});

test("[B32] where arguments are given, each is shown as one word, so that a person cannot agree to another command", (t) => {
  const { hookline, run } = scratchWith(t, [
    command("git", { args: ["commit", "-m", "a b; rm -rf ~", "it's"] }),
    command("npm test && echo 'a b'"),
    command("true", { args: [""] }),
  ]);
  const shown = hookline("follow-ups", "run", `${run}.1`).stdout;
  assert.match(shown, /^command {3}git commit -m 'a b; rm -rf ~' 'it'\\''s'$/m);
  assert.match(hookline("follow-ups", "run", `${run}.2`).stdout, /^command {3}npm test && echo 'a b'$/m);
  assert.match(hookline("follow-ups", "run", `${run}.3`).stdout, /^command {3}true ''$/m);
});

test("[B32] a list that did not look through all runs says so", async (t) => {
  const { hookline, list, store: path } = scratchWith(t, [command("true")]);
  const all = hookline("follow-ups", "list");
  assert.deepEqual([all.stderr, list().length], ["", 1]);
  const store = openSqliteStore({ path });
  const [first] = await store.runs({ limit: 1 });
  assert.ok(first);
  for (let count = 0; count < 1000; count++)
    await store.saveRun({ ...first, id: `z${count}`, outcome: {}, startedAt: first.startedAt + 1 + count });
  store.close();
  const cut = hookline("follow-ups", "list");
  assert.equal(cut.stdout, "no follow-up is open in the newest 1000 runs\n");
  assert.match(cut.stderr, /this list covers the newest 1000 runs/);
  assert.deepEqual(list(), []);
});

test("[B32] a task is made once, in the project of the repository, with all fields that its hook gave", (t) => {
  const { hookline, list, run } = scratchWith(t, [
    {
      kind: "create_task",
      payload: { title: "Fix the build", priority: 1, description: "src/a.ts:3", severity: "high", name: "build" },
    },
    { kind: "create_task", description: "Look at the log\nof yesterday" },
    { kind: "create_task", payload: { title: "Elsewhere", project_id: "nowhere" } },
    { kind: "create_task", payload: { priority: 1 } },
  ]);
  const of = (number: number, ...words: string[]): Said => hookline("follow-ups", "run", `${run}.${number}`, ...words);
  const made = of(1, "--json");
  const { id: _id, task, ...facts } = JSON.parse(made.stdout);
  assert.deepEqual([made.status, facts], [0, { kind: "create_task", done: true, title: "Fix the build" }]);
  const kept = JSON.parse(hookline("task", "show", task, "--json").stdout);
  assert.deepEqual(
    [kept.title, kept.priority, kept.description, kept.status, kept.context_entries],
    [
      "Fix the build",
      1,
      "src/a.ts:3",
      "DEFINED",
      [
        { type: "text", label: "name", content: "build" },
        { type: "text", label: "severity", content: "high" },
      ],
    ],
  );
  assert.deepEqual([of(1).status, of(1).stderr], [1, "hookline: this follow-up is already done\n"]);
  assert.match(of(2).stdout, /^task {6}\S+ {2}Look at the log\n$/);
  assert.match(of(3).stderr, /no task was created: .*nowhere.*; it stays open/);
  assert.match(of(4).stderr, /it has no title for the task; it stays open/);
  assert.deepEqual(
    [list().map(({ number }) => number), JSON.parse(hookline("task", "list", "--json").stdout).length],
    [[3, 4], 2],
  );
});

test("[B32] wrong use says which follow-ups there are", (t) => {
  const { hookline, run } = scratchWith(t, [openFile("a"), openFile("b")]);
  const said = (...words: string[]): [number | null, string] => {
    const { status, stderr } = hookline("follow-ups", ...words);
    return [status, stderr];
  };
  assert.match(said("run", run).join(), new RegExp(`^2,hookline: which one\\? The run has ${run}\\.1, ${run}\\.2 `));
  assert.match(said("run", `${run}.3`).join(), /^2,hookline: the run has /);
  assert.match(said("run", "nothing").join(), /^2,hookline: no run or event is called "nothing"/);
  assert.match(said("run").join(), /^2,hookline: missing argument RUN/);
  assert.match(said("burn").join(), /^2,hookline: follow-ups has no action "burn"/);
});
