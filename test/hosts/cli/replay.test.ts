/** hookline replay by the real command: what would change of recorded events, without running a program. */
import assert from "node:assert/strict";
import { readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { world } from "../../world.ts";

const guard = (command: string, reason = "a person pushes"): string => `hooks:
  - id: no-push
    on: tool_start
    condition: { type: shell, runs: "${command}" }
    action: { type: gate, reason: ${reason} }
`;
const program = (exit: number): string =>
  `#!/bin/sh\necho x >> "$HOOKLINE_PROJECT_DIR/ran"\necho "said $0" | sed 's|said .*/|said |' >&2\nexit ${exit}\n`;
const programHook = JSON.stringify({
  hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ name: "checked", type: "command", command: "sh check.sh" }] }] },
});

interface Replayed {
  events: number;
  changed: number;
  open: number;
  changes: {
    event: { name: string; session: string | null };
    is: string;
    verdict?: { old: string; new: string };
    runs: { hook: string; old: string | null; new: string; open?: string }[];
  }[];
  notReplayed: { because: string }[];
}

function projectWith(t: TestContext, files: Readonly<Record<string, string>>) {
  const here = world(t, files);
  const { hookline } = here;
  const bash = (command: string, session = "one"): void => {
    const data = JSON.stringify({ tool_name: "Bash", tool_input: { command } });
    hookline("emit", "PreToolUse", "--session", session, "--data", data);
  };
  const replayed = (...words: string[]): Replayed =>
    JSON.parse(hookline("replay", ...words, "--json").stdout) as Replayed; // its own JSON
  const timesRun = (): number => (here.has("workspace/ran") ? here.read("workspace/ran").length / 2 : 0);
  return { ...here, bash, replayed, timesRun };
}

test("[R91] a session with the hooks of today prints only what changes, verdict and runs", (t) => {
  const { bash, hookline, replayed, write } = projectWith(t, {
    "workspace/.hookline/rules/guard.yaml": guard("git push *"),
  });
  for (const command of ["ls", "git push", "git pull"]) bash(command);
  assert.deepEqual([replayed("one").events, replayed("one").changed], [3, 0]);
  assert.match(hookline("replay", "one").stdout, /^3 events, 0 change\n$/);
  write("workspace/.hookline/rules/guard.yaml", guard("git pull *"));
  const { events, changed, changes } = replayed("one");
  assert.deepEqual([events, changed], [3, 2]);
  assert.deepEqual(
    changes.map(({ verdict }) => verdict),
    [
      { old: "deny: a person pushes (no-push)", new: "none" },
      { old: "none", new: "deny: a person pushes (no-push)" },
    ],
  );
  assert.match(changes[0]?.runs[0]?.new ?? "", /^does not run: .*git pull/);
  assert.match(hookline("replay", "one").stdout, /3 events, 2 change\n$/);
});

test("[R91] a settings file that the project has not is added, and what is no hook file is refused", (t) => {
  const { bash, folder, hookline, replayed } = projectWith(t, { "workspace/notes.txt": "" });
  bash("git push");
  for (const name of ["hooks.json", "other.json"]) {
    writeFileSync(join(folder, name), '{ "deny": ["Bash(git push *)"] }');
    assert.match(replayed("last", "--with", join(folder, name)).changes[0]?.verdict?.new ?? "", /^deny/, name);
  }
  writeFileSync(join(folder, "notes"), "root:x:0:0\n");
  const { status, stderr } = hookline("replay", "last", "--with", join(folder, "notes"));
  assert.equal(status, 2);
  assert.match(stderr, /notes is no hook file/);
});

test("a run, the last event and a day can be replayed, and a changed file may take the place of the project's", (t) => {
  const { bash, folder, workspace, replayed, hookline } = projectWith(t, {
    "workspace/.hookline/rules/guard.yaml": guard("git push *"),
  });
  bash("git push");
  bash("ls", "two");
  const changed = join(folder, "guard.yaml");
  writeFileSync(changed, guard("ls *", "nobody lists"));
  const [run] = JSON.parse(hookline("runs", "--json").stdout) as [{ id: string }]; // its own JSON
  const shown = run.id.slice(0, 13); // as lists show it
  for (const id of [run.id, shown]) assert.equal(replayed(id, "--with", changed).changes[0]?.verdict?.new, "none", id);
  assert.equal(replayed("last", "--with", changed).changes[0]?.verdict?.new, "deny: nobody lists (no-push)");
  assert.deepEqual([replayed("today", "--with", changed).events, replayed("today").changed], [2, 0]);
  assert.equal(readFileSync(join(workspace, ".hookline/rules/guard.yaml"), "utf8"), guard("git push *"));
});

test("[R91] a program that is unchanged gives its recorded answer, one that has changed is not run, and --run runs it in a copy", (t) => {
  const { bash, replayed, hookline, write, workspace, timesRun } = projectWith(t, {
    "workspace/.hookline/hooks.json": programHook,
    "workspace/check.sh": program(2),
  });
  const before = new Date(Date.now() - 60_000);
  utimesSync(join(workspace, "check.sh"), before, before);
  bash("ls");
  assert.deepEqual([replayed("one").changed, replayed("one").open, timesRun()], [0, 0, 1]);
  write("workspace/check.sh", program(0));
  const { changed, open, changes } = replayed("one");
  assert.deepEqual([changed, open, timesRun()], [0, 1, 1]);
  assert.equal(changes[0]?.runs[0]?.open, "check.sh has changed since");
  assert.match(
    hookline("replay", "one").stdout,
    /1 event, 0 change, 1 not known: their programs did not run\n--run runs/,
  );
  const { changes: ran } = replayed("one", "--run");
  assert.deepEqual(ran[0]?.verdict, { old: "deny: said check.sh (checked)", new: "none" });
  assert.equal(timesRun(), 1);
});

test("limits count by the times of the record", (t) => {
  const cooldown = guard("git push *").replace("    condition", "    cooldown: 3600\n    condition");
  const { bash, replayed } = projectWith(t, { "workspace/.hookline/rules/guard.yaml": cooldown });
  bash("git push");
  bash("git push");
  assert.deepEqual([replayed("one").events, replayed("one").changed], [2, 0]);
});

test("what is unknown is an error that says what may have been meant", (t) => {
  const { bash, hookline } = projectWith(t, { "workspace/.hookline/rules/guard.yaml": guard("git push *") });
  bash("ls", "session-of-monday");
  const said = (...words: string[]) => {
    const { status, stderr } = hookline("replay", ...words);
    return [status, stderr.trimEnd()];
  };
  assert.deepEqual(said("session-of-mondy"), [
    2,
    'hookline: no run, event, session or day is called "session-of-mondy" — the store — did you mean session-of-monday?',
  ]);
  assert.match(String(said("nothing")[1]), /the newest session is session-of-monday; hookline runs lists runs$/);
  assert.match(String(said("2020-02-03")[1]), /the store holds no event of 2020-02-03/);
  assert.equal(said()[0], 2);
  assert.equal(said("last", "--with", "absent.yaml")[0], 2);
});
