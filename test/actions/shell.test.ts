import assert from "node:assert/strict";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createHandlers } from "../../src/actions/index.ts";
import { type ShellParams, shell } from "../../src/actions/rules/shell.ts";
import { loadPatterns } from "../../src/conditions/patterns.ts";
import { HooklineError } from "../../src/engine/error.ts";
import { type Fields, firstTurn } from "../../src/engine/event.ts";
import type { Handler, Observation, StepResult } from "../../src/engine/ports.ts";
import { contextOf, PATH, type Surroundings, temporaryFolder } from "./context.ts";

const patterns = await loadPatterns();

interface Ran {
  result: StepResult;
  logged: string[];
}
async function run(params: ShellParams, wish: Surroundings = {}): Promise<Ran> {
  const logged: string[] = [];
  const context = contextOf(wish);
  const observe = (one: Observation): void => {
    if (one.is === "log") logged.push(`${one.level} ${one.message}`);
  };
  return { result: await shell.run(params, { ...context, ports: { ...context.ports, observe } }), logged };
}

/** As a step with templates is run. */
async function runFilled(params: Fields, data: Fields, wish: Surroundings = {}): Promise<Ran> {
  const { event } = contextOf({ ...wish, data });
  const scope = { event, turn: firstTurn, names: [], results: [] };
  return run((await shell.render?.(params, scope)) as unknown as ShellParams, { ...wish, data });
}

test("[D54] a shell action gives the output and the exit code of its command", async () => {
  const { result, logged } = await run({ command: "echo out; echo; echo err >&2" });
  assert.deepEqual(result, {
    ok: true,
    output: { stdout: "out", stderr: "err\n", exit_code: 0 },
    evidence: { exitCode: 0, stdout: "out\n\n", stderr: "err\n", containment: "pgroup" },
  });
  assert.deepEqual(logged, []);
});

test("[D54, R15] it runs under bash, with the event on its standard input and the variables of every command", async () => {
  const { result } = await run({ command: 'x=(a b); echo "${#x[@]} $HOOKLINE_EVENT $HOOKLINE_HOOK_ID"; cat' });
  const [first = "", ...rest] = String(result.output.stdout).split("\n");
  assert.equal(first, "2 PreToolUse hook-1");
  assert.equal(JSON.parse(rest.join("\n")).hook_event_name, "PreToolUse");
});

test("[D54] exit 2 is no decision, and neither is what it prints", async () => {
  const answer = `echo '{"decision":"block","continue":false}'; exit 2`;
  const { result } = await run({ command: answer });
  assert.equal(result.outcome, undefined);
  assert.equal(result.output.exit_code, 2);
});

test("[D54, R17] a failure is logged, ignored or raised", async () => {
  const failing = "echo gone >&2; exit 3";
  const logged = await run({ command: failing });
  assert.deepEqual([logged.result.ok, logged.result.output.exit_code], [true, 3]);
  assert.deepEqual(logged.logged, [`warn ${failing}: exit 3: gone`]);
  assert.deepEqual(logged.result.notes, [`${failing}: exit 3: gone`]);
  const ignored = await run({ command: failing, on_error: "ignore" });
  assert.deepEqual([ignored.result.ok, ignored.result.output.exit_code, ignored.logged], [true, 3, []]);
  assert.equal(ignored.result.notes, undefined);
  const raised = await run({ command: failing, on_error: "raise" });
  assert.ok(!raised.result.ok && raised.result.failure === "exit" && raised.result.reason === "exit 3: gone");
  assert.deepEqual([raised.result.output.exit_code, raised.logged], [3, []]);
});

test("[D54, R14] a command that takes too long is ended, and on_error says what that is", async () => {
  const params = { command: "sleep 60", timeout: 0.2 };
  const raised = await run({ ...params, on_error: "raise" });
  assert.ok(!raised.result.ok && raised.result.failure === "timeout");
  for (const policy of ["log", "ignore"] as const) {
    const { result, logged } = await run({ ...params, on_error: policy });
    assert.deepEqual([result.ok, result.output.exit_code, logged.length], [true, null, policy === "log" ? 1 : 0]);
    assert.match(result.notes?.join() ?? "", /did not end within 0.2 s/);
  }
  assert.equal(shell.action?.limit?.({ timeout: 60 }), 63);
  assert.equal(shell.action?.limit?.({}), 33);
  assert.equal(shell.params.check({ command: "x", timeout: 0 }).length, 1);
});

test("[D54] a command that cannot be started is reported even where failures are ignored", async () => {
  const missing = await run({ command: "no-such-program-here", on_error: "ignore" });
  assert.ok(missing.result.ok && /no-such-program-here/.test(missing.result.notes?.join() ?? ""));
  const nowhere = await run({ command: "pwd", cwd: "not/there", on_error: "raise" });
  assert.ok(!nowhere.result.ok && nowhere.result.failure === "launch" && /does not exist/.test(nowhere.result.reason));
  const logged = await run({ command: "pwd", cwd: "not/there" });
  assert.deepEqual([logged.result.ok, logged.result.output], [true, { exit_code: null }]);
});

test("[D54, R34] cwd starts from the folder of the project's rules, for a user's from the event's", async (context) => {
  const [root, cwd] = [temporaryFolder(context), temporaryFolder(context)];
  for (const folder of [root, cwd]) mkdirSync(join(folder, "sub"));
  const ranIn = async (params: Partial<ShellParams>, layer: "project" | "user"): Promise<unknown> =>
    (await run({ command: "pwd -P", ...params }, { cwd, origin: { layer, root } })).result.output.stdout;
  assert.equal(await ranIn({}, "project"), cwd);
  assert.equal(await ranIn({ cwd: "sub" }, "project"), join(root, "sub"));
  assert.equal(await ranIn({ cwd: "sub" }, "user"), join(cwd, "sub"));
  assert.equal(await ranIn({ cwd: root }, "user"), root);
});

test("[D54, D66, R18] a value reaches the program as it is, and nothing of it runs", async (context) => {
  const cwd = temporaryFolder(context);
  const path = `it's "$(touch canary)"; touch canary\n\`touch canary\` *`;
  const line = `printf '%s|' {{tool.params.path}} "{{ tool.params.path }}" '{{tool.params.path}}' {{tool.params.none}} {{nothing}}`;
  const { result } = await runFilled({ command: line }, { tool_name: "Write", tool_input: { path } }, { cwd });
  assert.equal(result.output.stdout, `${path}|${path}|${path}||{{nothing}}|`);
  assert.deepEqual(readdirSync(cwd), []);
});

test("[R18] cwd is filled as text, and a line without placeholders runs as it is", async (context) => {
  const cwd = temporaryFolder(context);
  mkdirSync(join(cwd, "7"));
  const { result } = await runFilled({ command: "pwd -P", cwd: "{{event.n}}" }, { n: 7 }, { cwd });
  assert.equal(result.output.stdout, join(cwd, "7"));
});

test("[R18] where a value could be more than an argument, the file says so when it is read, and the run when it was not", async () => {
  const params = { command: 'bash -c "ls {{tool.params.path}}"' };
  const [found, ...others] = shell.inspect?.(params, patterns) ?? [];
  assert.deepEqual([found?.path, others], [["command"], []]);
  assert.match(
    found?.found ?? "",
    /^\{\{tool.params.path\}\} in a line with bash that does more than run a script: .* \(a script of its own takes any value/,
  );
  assert.match(found?.expected ?? "", /one argument of a program that the line names/);
  await assert.rejects(runFilled(params, {}), HooklineError);
  assert.deepEqual(shell.inspect?.({ command: "ls {{tool.params.path}}" }, patterns), []);
});

test("[R18] a value that no program can be given is a failed step, whatever on_error says", async () => {
  const params = { command: "echo {{event.v}}", on_error: "ignore" };
  await assert.rejects(runFilled(params, { v: "a\0b" }), { code: "parameters_invalid" });
  await assert.rejects(runFilled(params, { v: "x".repeat(100_001) }), { code: "parameters_invalid" });
  assert.equal((await runFilled(params, { v: "x".repeat(100_000) })).result.output.exit_code, 0);
});

/** Filling in placeholders is loaded beside the handler itself. */
const command = createHandlers(new Map()).get("command") as Handler; // the table has it

async function commandSaid(params: Fields, data: Fields): Promise<string> {
  const { event } = contextOf({ data });
  const filled = await command.render?.(params, { event, turn: firstTurn, names: [], results: [] });
  const result = await command.run(filled as never, contextOf({ data, caller: { environment: { PATH } } })); // as its schema says
  return result.outcome?.verdict?.reason ?? JSON.stringify(result);
}

test("[R18] a command step with placeholders takes values in its line, in its arguments and in its variables", async () => {
  const v = `$(touch canary) \${HOOKLINE_HOOK_ID} 'x'`;
  const line = `printf '%s|' {{event.v}} "$MY" >&2; exit 2`;
  assert.equal(await commandSaid({ command: line, env: { MY: "{{event.n}}" } }, { v, n: 3 }), `${v}|3|`);
  const args = ["-c", `printf '%s|' "$@" >&2; exit 2`, "_", "a {{event.v}}", "{{event.n}}", "${HOOKLINE_HOOK_ID}"];
  assert.equal(await commandSaid({ command: "sh", args }, { v, n: [1] }), `a ${v}|[1]|hook-1|`);
});

test("[R18] a command has no placeholder in the program's name or in a line for PowerShell", () => {
  const found = (params: Fields): string | undefined => command.inspect?.(params, patterns)[0]?.found;
  assert.match(found({ command: "{{event.x}}", args: [] }) ?? "", /as the program itself/);
  assert.match(found({ command: "echo {{event.x}}", shell: "powershell" }) ?? "", /PowerShell/);
  assert.match(found({ command: "eval {{event.x}}" }) ?? "", /reads it as code/);
  for (const fine of [{ command: "echo {{event.x}}" }, { command: "x", args: ["{{event.x}}"] }, { command: "x" }])
    assert.equal(found(fine), undefined);
});
