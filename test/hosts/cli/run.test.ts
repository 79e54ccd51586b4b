/** Hooks that a person runs, runs again, pauses and lets go, by the real command. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync, watch } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { bin } from "../../program.ts";
import { command, hooksFile, scratchWith, script } from "./run-place.ts";

test("run runs one hook alone, by its id, name, file or path, and exits 1 when it denies", (t) => {
  const { hookline, told, write, workspace } = scratchWith(t, {
    ...hooksFile({ Stop: [command("tests", "test ! -e broken || { echo red >&2; exit 2; }")] }),
    "workspace/.claude/settings.json": JSON.stringify({ hooks: { Stop: [command("other", "exit 2")] } }),
  });
  const good = told("run", "tests");
  assert.deepEqual(
    [good.status, good.event.name, good.outcome, good.runs.map(({ status }) => status)],
    [0, "Stop", {}, ["completed"]],
  );
  write("workspace/broken", "");
  const id = good.runs[0]?.hook ?? "";
  for (const name of [id, "tests", "hooks.json", ".hookline/hooks.json", join(workspace, ".hookline", "hooks.json")]) {
    const bad = told("run", name);
    assert.deepEqual([bad.status, bad.outcome.verdict?.reason, bad.runs.length], [1, "red", 1], name);
  }
  const shown = hookline("run", "tests");
  assert.equal(shown.status, 1);
  assert.match(shown.stdout, /Stop {2}deny: red/);
});

test("run gives the hook the payload it is given, and says why a hook that this does not match was not run", (t) => {
  const guard = { matcher: "Bash", ...command("no rm", 'grep -q "rm -rf" && { echo no >&2; exit 2; }; exit 0') };
  const { hookline } = scratchWith(t, hooksFile({ PreToolUse: [guard] }));
  const denied = hookline("run", "no rm", "--data", '{"tool_name":"Bash","tool_input":{"command":"rm -rf build"}}');
  assert.equal(denied.status, 1);
  assert.match(denied.stdout, /deny: no/);
  const unmatched = hookline("run", "no rm", "--data", '{"tool_name":"Read","tool_input":{}}');
  assert.equal(unmatched.status, 0);
  assert.match(unmatched.stdout, /no rm did not run: .*Bash/);
});

test("run reports a name that no hook or several hooks have, and names the likely ones", (t) => {
  const { hookline } = scratchWith(
    t,
    hooksFile({ Stop: [command("lint", "exit 0")], SessionEnd: [command("lint", "exit 1")] }),
  );
  const unknown = hookline("run", "lnit");
  assert.equal(unknown.status, 2);
  assert.match(unknown.stderr, /no hook is called "lnit" .* did you mean "lint"\?/);
  const several = hookline("run", "lint");
  assert.equal(several.status, 2);
  assert.match(
    several.stderr,
    /2 hooks are called "lint" .* say which: settings:\S+:Stop:\S+ or settings:\S+:SessionEnd:\S+/,
  );
  assert.equal(hookline("run").status, 2);
  assert.match(hookline("run", "lint", "--all").stderr, /2 hooks are called/);
});

test("run asks past disabled, limits and pauses, and leaves what the session may spend and waits for alone", (t) => {
  const { hookline, told, read } = scratchWith(t, {
    "workspace/.hookline/rules/rules.yaml": `hooks:
  - id: told_once
    on: turn_end
    enabled: false
    max_fires: 1
    cooldown: 3600
    condition: { type: always }
    action: { type: shell, command: "echo ran >> log" }
`,
    ...hooksFile({ Stop: [command("deny", "echo again >&2; exit 2")] }),
  });
  for (let times = 0; times < 2; times++) assert.equal(told("run", "told_once").runs[0]?.status, "completed");
  assert.equal(read("workspace/log"), "ran\nran\n");
  assert.equal(hookline("pause", "deny").status, 0);
  for (let times = 0; times < 5; times++)
    assert.equal(told("run", "deny", "--session", "s").outcome.verdict?.reason, "again");
  assert.equal(hookline("resume", "deny").status, 0);
  for (let times = 0; times < 3; times++)
    assert.equal(told("emit", "Stop", "--session", "s").outcome.verdict?.is, "deny");
  assert.equal(told("emit", "Stop", "--session", "s").outcome.verdict, undefined); // the fourth that counts
});

test("run waits for a hook in the background, and exits 1 when that failed", (t) => {
  const slow = { hooks: [{ type: "command", name: "slow", async: true, command: "sleep 0.1; exit 3" }] };
  const { told } = scratchWith(t, hooksFile({ Stop: [slow] }));
  const { status, runs } = told("run", "slow");
  assert.deepEqual([status, runs.map((run) => run.status)], [1, ["failed"]]);
});

test("run that is interrupted ends the hook, and exits 3", async (t) => {
  const { workspace, environment } = scratchWith(t, hooksFile({ Stop: [command("slow", "touch begun; sleep 3600")] }));
  const watcher = watch(workspace);
  const child = spawn(process.execPath, [bin, "run", "slow"], { cwd: workspace, env: environment, stdio: "ignore" });
  while (!existsSync(join(workspace, "begun"))) await once(watcher, "change");
  watcher.close();
  child.kill("SIGINT");
  const [code] = await once(child, "exit");
  assert.equal(code, 3);
});

test("rerun sends the same event again to the current hook, as a new run", (t) => {
  const { told, write } = scratchWith(
    t,
    hooksFile({ PreToolUse: [{ matcher: "Bash", ...command("guard", "cat > seen; exit 2") }] }),
  );
  const data = { tool_name: "Bash", tool_input: { command: "ls" } };
  const first = told("emit", "PreToolUse", "--session", "s", "--data", JSON.stringify(data));
  const run = first.runs[0]?.id ?? "";
  const second = told("rerun", run);
  assert.equal(second.status, 1);
  assert.deepEqual(second.event.data, data);
  assert.notEqual(second.event.id, first.event.id);
  assert.notEqual(second.runs[0]?.id, run);
  write("workspace/note", ""); // the hook's definition is today's, so a new file is loaded if it is edited
  const third = told("rerun", second.runs[0]?.id ?? "");
  assert.equal(third.status, 1);
  assert.deepEqual(third.event.data, data);
});

test("rerun says which run it does not know, and that half an event cannot be sent again", (t) => {
  const scratch = scratchWith(t, hooksFile({ Stop: [command("tests", "exit 0")] }));
  const unknown = scratch.hookline("rerun", "nope");
  assert.equal(unknown.status, 2);
  assert.match(unknown.stderr, /no run or event is called "nope"/);
  const answer = "x".repeat(300_000);
  scratch.write("workspace/data.json", JSON.stringify({ last_assistant_message: answer }));
  const [cut] = scratch.told("emit", "Stop", "--data", "@data.json").runs;
  const refused = scratch.hookline("rerun", cut?.id ?? "");
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, /cannot be sent again: the store holds only a part of its payload/);
  const [run] = scratch.told("emit", "Stop").runs;
  rmSync(join(scratch.workspace, ".hookline", "hooks.json"));
  assert.match(scratch.hookline("rerun", run?.id ?? "").stderr, /no hook is called .* — run \w+ —/);
});

test("pause and resume say what they changed, guards stay on watch, and list and status show it", (t) => {
  const { hookline, told } = scratchWith(
    t,
    hooksFile({
      Stop: [command("tests", "exit 2")],
      PreToolUse: [{ hooks: [{ type: "command", name: "guard", role: "guard", command: "exit 2" }] }],
    }),
  );
  assert.match(
    hookline("pause").stdout,
    /^this project is paused: to resume, run `hookline resume`\n1 guard stays active/,
  );
  assert.match(hookline("pause").stdout, /^this project was already paused/);
  assert.equal(told("emit", "Stop").runs[0]?.reason, "paused with its project: hookline resume lets them run again");
  assert.equal(told("emit", "PreToolUse").outcome.verdict?.is, "deny");
  assert.match(hookline("list").stdout, /^tests .* paused /m);
  assert.doesNotMatch(hookline("list").stdout, /^guard .* paused /m);
  assert.match(hookline("status").stdout, /paused +\. but for its guards/);
  const refused = hookline("pause", "guard");
  assert.equal(refused.status, 1);
  assert.match(
    refused.stderr,
    /guard is a guard — a person switches it off for a time: `hookline guard off \S+ --for 1h`/,
  );
  assert.match(hookline("resume").stdout, /^this project runs again\n/);
  assert.match(hookline("resume").stdout, /^this project was not paused\n/);
  assert.equal(told("emit", "Stop").outcome.verdict?.is, "deny");
  assert.match(hookline("resume", "guard").stdout, /^guard was not paused/);
  assert.equal(told("emit", "PreToolUse").outcome.verdict?.is, "deny");
  assert.equal(hookline("pause", "nobody").status, 2);
});
/** Reads its names between NULs, as they may hold anything. */
const complains = script(
  'names="$HOOKLINE_CHANGED_FILES_0"; tr "\\0" "|" < "$names" >> log; ! xargs -0 grep -l bad < "$names"',
);

test("run of a file script without changed files says so; --all runs it on every file that matches", (t) => {
  const scratch = scratchWith(t, {
    "workspace/.hookline/hooks/go-fmt.sh": complains,
    "workspace/.gitignore": "log\nignored.go\n",
    "workspace/a.go": "good\n",
    "workspace/ignored.go": "bad\n",
    "workspace/deep/er/b.go": "good\n",
    "workspace/gone.go": "bad\n",
    "workspace/ü name with a 'quote.go": "good\n",
    "workspace/c.txt": "bad\n",
  });
  scratch.commit();
  rmSync(join(scratch.workspace, "gone.go"));
  const log = (): string => scratch.read("workspace/log");
  scratch.commit();
  const idle = scratch.hookline("run", "go-fmt.sh");
  assert.equal(idle.status, 0);
  assert.match(idle.stdout, /Go format check did not run: .*\nuse --all to run it on every matching file/);
  assert.ok(!existsSync(join(scratch.workspace, "log")));
  const data = scratch.told("run", "go-fmt.sh", "--all").event.data;
  assert.deepEqual(data.changed_files, [
    ".gitignore",
    ".hookline/hooks/go-fmt.sh",
    "a.go",
    "c.txt",
    "deep/er/b.go",
    "ü name with a 'quote.go",
  ]);
  assert.equal(log(), "a.go|deep/er/b.go|ü name with a 'quote.go|");
  scratch.write("workspace/new.go", "bad\n");
  const bad = scratch.hookline("run", ".hookline/hooks/go-fmt.sh", "--all");
  assert.equal(bad.status, 1);
  assert.match(bad.stdout, /deny: \[Hookline Hook Failed\] "Go format check"/);
  const dirty = scratch.told("run", "Go format check");
  assert.deepEqual([dirty.status, log().endsWith("quote.go|new.go|")], [1, true]);
});

test("[ET16] run again by hand, a failing script asks for its fix and is pending, a passing one is done", (t) => {
  const { hookline, told, write, commit } = scratchWith(t, {
    "workspace/.hookline/hooks/go-fmt.sh": complains,
    "workspace/a.go": "good\n",
  });
  commit();
  told("emit", "SessionStart", "--session", "s");
  write("workspace/a.go", "bad\n");
  const [first] = told("emit", "Stop", "--session", "s").runs;
  const failing = told("rerun", first?.id ?? "");
  assert.equal(failing.status, 1);
  assert.match(failing.outcome.verdict?.reason ?? "", /^\[Hookline Hook Failed\] "Go format check".*a\.go/s);
  assert.equal(failing.owed, true);
  assert.match(hookline("rerun", first?.id ?? "").stdout, /session s still waits for this check/);
  write("workspace/a.go", "good again\n");
  const passing = told("rerun", failing.runs[0]?.id ?? "");
  assert.deepEqual([passing.status, passing.outcome, passing.owed], [0, {}, false]);
  assert.notEqual(passing.runs[0]?.id, failing.runs[0]?.id);
  assert.equal(hookline("rerun", "unknown").status, 2);
});

test("[ET18] a paused script stays pending, and resume says in which session it will run", (t) => {
  const { hookline, told, write, commit } = scratchWith(t, {
    "workspace/.hookline/hooks/go-fmt.sh": complains,
    "workspace/a.go": "good\n",
  });
  commit();
  told("emit", "SessionStart", "--session", "s");
  assert.equal(hookline("pause", "go-fmt.sh").status, 0);
  write("workspace/a.go", "bad\n");
  assert.match(told("emit", "Stop", "--session", "s").runs[0]?.reason ?? "", /^paused/);
  assert.match(hookline("resume", "go-fmt.sh").stdout, /at the end of the next turn of session s \(1 file\)/);
  assert.equal(told("emit", "Stop", "--session", "s").outcome.verdict?.is, "deny");
});
