/** Rules whose actions need neither tools nor models, from YAML down the line and back. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Run } from "../../src/engine/record.ts";
import { compile, file, lineOf, type RuleLine, rule, write } from "../formats/rules-helpers.ts";
import { temporaryFolder } from "./context.ts";

type Written = { [name: string]: string };

/** Rules that are valid, with these fields. */
function rules(...written: Written[]): ReturnType<typeof compile> {
  const compiled = compile(file(...written.map((fields, index) => rule({ id: `r${index}`, ...fields }))));
  assert.deepEqual(compiled.problems, []);
  return compiled;
}
const runOf = (line: RuleLine, name = "r0"): Run =>
  line.observed.flatMap((one) => (one.is === "run" && one.run.hookName === name ? [one.run] : [])).at(-1) ??
  assert.fail(`no run of ${name}`);
const deploy = { tool_name: "deploy", tool_input: { count: 3, b: 1 } };

test("[DT10, D53, D65] a log line says which tool fired", async (t) => {
  const line = lineOf(t, rules({ action: '{ type: log, message: "{{tool.name}} fired", level: warn }' }));
  await line.emit("PreToolUse", { tool_name: "x.y", tool_input: {} });
  assert.deepEqual(
    line.observed.flatMap((one) => (one.is === "log" ? [`${one.level} ${one.message}`] : [])),
    ["warn x.y fired"],
  );
});

test("[DT11, D59] a notice with templates is reported exactly once, and the person sees it in the agent", async (t) => {
  const action =
    '{ type: notify, title: "{{tool.name}}", message: "wrote {{tool.params.file_path}}", level: error, tag: w }';
  const line = lineOf(t, rules({ action }));
  const outcome = await line.emit("PreToolUse", write);
  const about = { title: "Write", level: "error", tag: "w" };
  assert.deepEqual(outcome, { messages: [{ to: "person", text: "wrote /a.ts", ...about }] });
  const notices = line.observed.flatMap((one) => (one.is === "notice" ? [one.notice] : []));
  assert.deepEqual(notices, [{ message: "wrote /a.ts", ...about }]);
});

test("[DT12, D50] an injected message has its role and its template filled", async (t) => {
  const line = lineOf(
    t,
    rules({ action: '{ type: inject_message, role: system, content: "Reminder: {{tool.name}}" }' }),
  );
  assert.deepEqual(await line.emit("PreToolUse", deploy), {
    messages: [{ to: "model", role: "system", text: "Reminder: deploy" }],
  });
});

const twice = `
  type: chain
  actions:
    - { type: inject_message, content: first }
    - { type: inject_message, content: "second, after {{previous.content}}" }
`.replaceAll("\n", "\n  ");

test("[DT14, D50, D58] two messages of a chain arrive in order, and so do those of two rules", async (t) => {
  const line = lineOf(t, rules({ action: twice }, { action: "{ type: inject_message, content: third }" }));
  const { messages = [] } = await line.emit("PreToolUse", deploy);
  assert.deepEqual(
    messages.map(({ text }) => text),
    ["first", "second, after first", "third"],
  );
});

test("[DT15, D55, R20] a gate denies a tool with its reason, denies without allow, and allows explicitly", async (t) => {
  const cases: [string, object][] = [
    ["{ type: gate, allow: false, reason: 'not {{tool.name}}' }", { is: "deny", reason: "not deploy" }],
    ["{ type: gate }", { is: "deny", reason: "Blocked by hook policy" }],
    ["{ type: gate, allow: true }", { is: "allow" }],
  ];
  for (const [action, verdict] of cases) {
    const compiled = rules({ action });
    const { by, ...given } = (await lineOf(t, compiled).emit("PreToolUse", deploy)).verdict ?? {};
    assert.deepEqual([given, by], [verdict, compiled.hooks[0]?.id]);
  }
});

test("[DT16, DT35, D56, R20] parameters are changed with their types kept, and the change is the whole input", async (t) => {
  const action =
    '{ type: transform_params, transformation: { set: { n: "{{tool.params.count}}", t: "n={{tool.params.count}}" }, remove: [b] } }';
  const { updatedInput } = await lineOf(t, rules({ action })).emit("PreToolUse", deploy);
  assert.deepEqual(updatedInput, { count: 3, n: 3, t: "n=3" });
});

test("[DT16, D57] a result gets a key; where the sender takes no changed result, the run says what was lost", async (t) => {
  const compiled = rules({ on: "tool_end", action: "{ type: transform_result, transformation: { f: 1 } }" });
  const data = { ...deploy, tool_response: { ok: true } };
  const line = lineOf(t, compiled);
  assert.deepEqual(await line.emit("PostToolUse", data), { updatedOutput: { ok: true, f: 1 } });
  assert.deepEqual(await line.emit("PostToolUse", data, { accepts: ["verdict", "context", "messages"] }), {});
  assert.match(runOf(line).notes.join(), /updatedOutput is not accepted on this event: dropped/);
});

test("[D57] a result without keys fails the run with the reason, and the event continues", async (t) => {
  const line = lineOf(t, rules({ on: "tool_end", action: "{ type: transform_result, transformation: { f: 1 } }" }));
  assert.deepEqual(await line.emit("PostToolUse", { ...deploy, tool_response: "plain" }), {});
  assert.deepEqual([runOf(line).status, /no object/.test(runOf(line).reason ?? "")], ["failed", true]);
});

test("[D56, D55, R6] a gate is evaluated on the input that a transformation made", async (t) => {
  const line = lineOf(
    t,
    rules(
      {
        action: "{ type: gate, reason: no force }",
        condition: `{ type: expression, expr: "tool.params.force == True" }`,
      },
      { action: "{ type: transform_params, transformation: { force: true } }" },
    ),
  );
  const { verdict } = await line.emit("PreToolUse", deploy);
  assert.deepEqual([verdict?.is, verdict?.reason], ["deny", "no force"]);
});

test("[DT19, D63a] an action that fails blocks nothing, ends nothing, and counts as a fire", async (t) => {
  const action = "{ type: shell, command: 'exit 7', on_error: raise }";
  const line = lineOf(t, rules({ action, max_fires: "1" }, { action: "{ type: log, message: still here }" }));
  assert.deepEqual(await line.emit("PreToolUse", deploy), {});
  assert.deepEqual(await line.emit("PreToolUse", deploy), {});
  await line.close();
  assert.deepEqual(line.logged(), ["still here", "still here"]);
  const runs = line.observed.flatMap((one) => (one.is === "run" && one.run.hookName === "r0" ? [one.run] : []));
  const ended = runs.filter(({ status }) => status !== "queued").map(({ status, reason }) => `${status} ${reason}`);
  assert.deepEqual(ended.sort(), ["failed exit 7", "skipped max fires: it has run 1 times"]);
});

test("[R14] a run whose shell action was past its time has the status timeout, and the action behind it has run", async (t) => {
  for (const policy of ["log", "ignore", "raise"]) {
    const slow = `{ type: shell, command: 'sleep 60', timeout: 0.2, on_error: ${policy} }`;
    const line = lineOf(t, rules({ action: `{ type: chain, actions: [${slow}, { type: log, message: behind }] }` }));
    assert.deepEqual(await line.emit("PreToolUse", deploy), {});
    await line.close();
    const { status, reason } = runOf(line);
    assert.equal(status, "timeout", policy);
    assert.match(reason ?? "", /did not end within 0.2 s/);
    assert.equal(line.logged().includes("behind"), policy !== "raise", policy);
  }
});

test("[D54] a shell action is waited for: what it writes is there when the agent continues", async (t) => {
  const cwd = temporaryFolder(t);
  const line = lineOf(t, rules({ action: "{ type: shell, command: 'sleep 0.2; touch done' }" }));
  await line.emit("PreToolUse", deploy, { cwd });
  assert.equal(existsSync(join(cwd, "done")), true);
});

test("[DT29, D55, R8] a gate that always denies a turn's end makes the agent continue three times per prompt, then the person gets a message", async (t) => {
  const line = lineOf(t, rules({ on: "turn_end", action: "{ type: gate, allow: false, reason: not done }" }));
  const stop = async (): Promise<string | undefined> => (await line.emit("Stop", {})).verdict?.is;
  for (const prompt of ["one", "two"]) {
    await line.emit("UserPromptSubmit", { prompt });
    assert.deepEqual(
      [await stop(), await stop(), await stop(), await stop(), await stop()],
      ["deny", "deny", "deny", undefined, undefined],
    );
  }
  const { messages } = await line.emit("Stop", {});
  assert.match(messages?.[0]?.text ?? "", /would go on.*not done/);
  assert.equal(messages?.[0]?.to, "person");
});

test("[D50, R8] twenty messages reach the model per prompt; the person gets a message about the others", async (t) => {
  const line = lineOf(t, rules({ action: twice }));
  const told = async (): Promise<string[]> =>
    (await line.emit("PreToolUse", deploy)).messages?.map(({ to }) => to) ?? [];
  await line.emit("UserPromptSubmit", { prompt: "go" });
  for (let count = 0; count < 10; count++) assert.deepEqual(await told(), ["model", "model"]);
  const { messages } = await line.emit("PreToolUse", deploy);
  assert.deepEqual(
    messages?.map(({ to }) => to),
    ["person"],
  );
  assert.match(messages?.[0]?.text ?? "", /2 messages were not shown to the model: it has had 20/);
  await line.emit("UserPromptSubmit", { prompt: "again" });
  assert.deepEqual(await told(), ["model", "model"]);
});

test("[D50, R7] where a message would start a new round of an agent, it waits for the next event; the person's does not", async (t) => {
  const action = "{ type: chain, actions: [{ type: inject_message, content: later }, { type: notify, message: now }] }";
  const line = lineOf(t, rules({ on: "turn_end", action }));
  const accepts = ["verdict", "stop", "context", "messages"];
  assert.deepEqual(await line.emit("Stop", {}, { accepts }), {
    messages: [{ to: "person", text: "now", level: "info" }],
  });
  assert.match(runOf(line).notes.join(), /goes with the next event: here it would start a new round/);
  const next = await line.emit("UserPromptSubmit", { prompt: "x" }, { accepts });
  assert.deepEqual(next.messages, [{ to: "model", role: "user", text: "later" }]);
});

test("[D49, R7] the agent is asked to compact the conversation; if it takes no such request, the person is asked", async (t) => {
  const line = lineOf(
    t,
    rules({ on: "turn_end", action: "{ type: compact_context, strategy: summarize, keep_last: 6 }" }),
  );
  assert.deepEqual(await line.emit("Stop", {}), { compact: { strategy: "summarize", keepLast: 6 } });
  const { compact, messages } = await line.emit("Stop", {}, { accepts: ["verdict", "context", "messages"] });
  assert.equal(compact, undefined);
  assert.match(messages?.[0]?.text ?? "", /compact the context \(summarize, keep the last 6/);
  assert.equal(messages?.[0]?.to, "person");
});

test("[D54, D66, R18] a shell action gets a tool's parameter as one argument, from YAML to the program", async (t) => {
  const cwd = temporaryFolder(t);
  const line = lineOf(
    t,
    rules({ action: "{ type: shell, command: 'printf \"<%s>\" {{tool.params.path}}; cat >event' }" }),
  );
  const path = "a b'; touch canary; '$(touch canary)";
  await line.emit("PreToolUse", { tool_name: "x", tool_input: { path } }, { cwd });
  await line.close();
  assert.equal(runOf(line).steps[0]?.output.stdout, `<${path}>`);
  assert.deepEqual([existsSync(join(cwd, "event")), existsSync(join(cwd, "canary"))], [true, false]);
});

test("[R18, R33] a value in an unsafe place is found when the file is read, and its neighbours load", () => {
  const unsafe = rule({ id: "bad", action: "{ type: shell, command: 'eval {{tool.params.x}}' }" });
  const { hooks, problems } = compile(file(unsafe, rule({ id: "good" })));
  assert.deepEqual(
    hooks.map(({ name }) => name),
    ["good"],
  );
  assert.equal(problems[0]?.severity, "error");
  assert.match(`${problems[0]?.message} ${problems[0]?.suggestion}`, /\{\{tool.params.x\}\} as an argument of eval/);
});
