import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { loadPatterns } from "../../src/conditions/patterns.ts";
import { isGone } from "../runtime/processes/gone.ts";
import { PATH } from "./context.ts";
import { outputOf, runStep, stepNamed, temporaryFolder } from "./step-context.ts";

const patterns = await loadPatterns();

test("[A25, AT13] a shell step gives the output and the exit code of its line, and no exit code is a failure", async (t) => {
  const root = temporaryFolder(t);
  const hello = await runStep("shell", { command: "echo hello; echo oh >&2" }, { root });
  assert.deepEqual(hello, {
    ok: true,
    output: { stdout: "hello\n", stderr: "oh\n", exit_code: 0, _step_index: 0 },
  });
  const failing = await runStep("shell", { command: "exit 42" }, { root });
  assert.deepEqual([failing.ok, failing.output.exit_code], [true, 42]);
  assert.deepEqual((await outputOf("shell", {}, { root })).exit_code, 0);
});

test("[A25, AT13, X2] a line that takes too long is ended with all that it started, and says so", async (t) => {
  const root = temporaryFolder(t);
  const tree = 'echo $$ >> pids; (trap "" HUP; sleep 3600 & echo $! >> pids; wait) & echo begun; wait';
  for (const [command, timeout] of [
    ["sleep 3600", 1],
    [tree, 5], // a slow machine has begun it all by then
  ] as const) {
    const result = await runStep("shell", { command, timeout }, { root });
    const said = `Command timed out after ${timeout}s`;
    assert.ok(!result.ok && result.failure === "timeout" && result.reason === said);
    assert.equal(result.output.exit_code, -1);
    assert.equal(result.output.stderr, said);
    assert.equal(result.output.stdout, command.startsWith("sleep") ? "" : "begun\n");
  }
  const pids = readFileSync(join(root, "pids"), "utf8").trim().split("\n").map(Number);
  assert.equal(pids.length, 2);
  for (const pid of pids) assert.ok(isGone(pid), `${pid} is still there`);
});

test("[X2] a run that is ended ends the line, and the result says that it was not the line's own limit", async (t) => {
  const root = temporaryFolder(t);
  const result = await runStep("shell", { command: "sleep 60" }, { root, signal: AbortSignal.timeout(200) });
  assert.ok(!result.ok && result.failure === "cancelled");
  assert.deepEqual([result.output.exit_code, result.output.stderr], [-1, "Command was ended with its run"]);
});

test("[A25] streams are cut at 50,000 and 10,000 characters, and the run's notes say so", async (t) => {
  const root = temporaryFolder(t);
  const flood = `node -e 'process.stdout.write("a" + "é".repeat(69998) + "b"); process.stderr.write("x".repeat(70000))'`;
  const { output, notes } = await runStep("shell", { command: flood }, { root });
  const mark = "\\n\\[cut: \\d+ of 70000 characters are left out here\\]\\n";
  assert.match(String(output.stdout), new RegExp(`^a(é+)${mark}\\1é*b$`));
  assert.match(String(output.stderr), new RegExp(`^(x+)${mark}\\1x*$`));
  for (const [stream, most] of [
    [output.stdout, 50_000],
    [output.stderr, 10_000],
  ] as const)
    assert.ok(String(stream).length <= most && String(stream).length > most - 50);
  assert.deepEqual(notes, ["stdout was cut at 50000 characters", "stderr was cut at 10000 characters"]);
  const late = await outputOf("shell", { command: "head -c 20000 /dev/zero | tr '\\0' x >&2; sleep 600", timeout: 5 });
  const stderr = String(late.stderr);
  assert.ok(stderr.length <= 10_000);
  assert.ok(stderr.endsWith("x\nCommand timed out after 5s"));
});

test("[A25] a program that cannot run, or dies of a signal, has failed", async (t) => {
  const root = temporaryFolder(t);
  const missing = await runStep("shell", { command: "hookline-has-no-such-program" }, { root });
  assert.ok(!missing.ok && missing.failure === "launch");
  assert.equal(missing.output.exit_code, 127);
  const killed = await runStep("shell", { command: "kill -9 $$" }, { root });
  assert.ok(!killed.ok && killed.failure === "exit" && killed.reason === "it was ended by SIGKILL");
  assert.equal(killed.output.exit_code, -9);
});

test("[A25] it runs in the project's workspace with the event on its input; where that is gone it says so", async (t) => {
  const root = temporaryFolder(t);
  await runStep(
    "shell",
    { command: 'cat > event.json; echo "$HOOKLINE_EVENT" > name' },
    { root, name: "note.created" },
  );
  assert.deepEqual(readdirSync(root).sort(), ["event.json", "name"]);
  assert.equal(JSON.parse(readFileSync(join(root, "event.json"), "utf8")).hook_event_name, "note.created");
  assert.equal(readFileSync(join(root, "name"), "utf8"), "note.created\n");
  const gone = join(root, "gone");
  assert.deepEqual(await outputOf("shell", { command: "pwd" }, { root: gone }), {
    error: `the folder ${gone} does not exist`,
    _step_index: 0,
  });
});

test("[A24a, AT48, R18] a value arrives as one argument, whatever it holds", async (t) => {
  const root = temporaryFolder(t);
  const nasty = `it's "quoted" $(touch broken) \`touch broken\`; touch broken\n\\ * {{event}} $HOME`;
  const results = [{ uses: "context_shell", ok: true, output: { stdout: nasty }, ms: 0 }];
  const command = `printf '%s' {{step_0.stdout}}; printf '|%s' "a{{step_0.stdout}}b"; printf '|%s' 'c{{step_0}}d'`;
  const { stdout } = await outputOf("shell", { command }, { root, results });
  assert.equal(stdout, `${nasty}|a${nasty}b|c${nasty}d`);
  assert.deepEqual(readdirSync(root), []);
});

test("[A24a, R18] where a value could become more than an argument, the step is refused when it is written and when it runs", async (t) => {
  const command = 'bash -c "echo {{event.name}}"';
  const [fault] = stepNamed("shell").inspect?.({ command }, patterns) ?? [];
  assert.deepEqual(fault?.path, ["command"]);
  assert.match(fault?.found ?? "", /a script of its own takes any value: \.\/script\.sh \{\{event\.name\}\}/);
  assert.deepEqual(stepNamed("shell").inspect?.({ command: "echo {{event.name}}" }, patterns), []);
  const { error } = await outputOf("shell", { command }, { root: temporaryFolder(t) });
  assert.match(String(error), /^command needs each value to stay one argument/);
});

test("[A24a, R18] a value that a program would take for an option is an error of the step", async (t) => {
  const root = temporaryFolder(t);
  const given = { root, data: { name: "--delete" } };
  const { error } = await outputOf("shell", { command: "ls {{event.name}}" }, given);
  assert.match(String(error), /no "-" at its beginning/);
  assert.equal((await outputOf("shell", { command: "printf %s -- {{event.name}}" }, given)).exit_code, 0);
});

test("a step's files are for those whom the caller's own files are for, as those of every hook's program", async (t) => {
  const root = temporaryFolder(t);
  const caller = { environment: { PATH }, umask: 0o077 };
  assert.equal((await outputOf("shell", { command: "umask" }, { root, caller })).stdout, "0077\n");
});
