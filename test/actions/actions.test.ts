import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createHandlers } from "../../src/actions/index.ts";
import {
  applyChange,
  compactContext,
  injectMessage,
  log,
  notify,
  transformParams,
  transformResult,
} from "../../src/actions/rules/actions.ts";
import { gate } from "../../src/actions/rules/gate.ts";
import type { Fields, Json } from "../../src/engine/event.ts";
import type { Handler, Observation, StepResult } from "../../src/engine/ports.ts";
import { contextOf, type Surroundings } from "./context.ts";

interface Ran {
  result: StepResult;
  seen: Observation[];
}
async function run<P>(handler: Handler<P>, params: P, wish: Surroundings = {}): Promise<Ran> {
  const seen: Observation[] = [];
  const context = contextOf(wish);
  const ports = { ...context.ports, observe: (one: Observation) => void seen.push(one) };
  return { result: await handler.run(params, { ...context, ports }), seen };
}

const names = "gate inject_message transform_params transform_result compact_context log notify shell".split(" ");

test("[D49, D50, D53-D57, D59] every action is there under its name, with a summary and a word about each parameter", () => {
  const handlers = createHandlers(new Map());
  for (const name of names) {
    const handler = handlers.get(name);
    assert.match(handler?.action?.summary ?? "", /^[A-Z].*\.$/, name);
    const properties = handler?.params.json.properties ?? {};
    for (const [key, one] of Object.entries(properties as { [key: string]: Fields }))
      assert.equal(typeof one.description, "string", `${name}.${key}`);
  }
});

test("[D55, R20, DT15] a gate blocks unless it says allow, with its reason or the usual one", async () => {
  const { result } = await run(gate, { reason: "no writes today", allow: false });
  assert.deepEqual(result.outcome, { verdict: { is: "deny", reason: "no writes today", by: "hook-1" } });
  for (const params of [{}, { reason: " " }, { allow: false }])
    assert.equal((await run(gate, params)).result.outcome?.verdict?.reason, "Blocked by hook policy");
  assert.deepEqual((await run(gate, { allow: true })).result.outcome, { verdict: { is: "allow", by: "hook-1" } });
});

test("[D55, R52] a gate that may block is a guard, one that only allows is not; it needs events that can be decided", () => {
  assert.deepEqual(
    [{}, { allow: false }, { allow: true }].map((params) => gate.action?.role(params)),
    ["guard", "guard", "observe"],
  );
  const events = gate.action?.events ?? [];
  for (const name of ["PreToolUse", "Stop", "PermissionRequest", "activation"]) assert.ok(events.includes(name), name);
  for (const name of ["SessionStart", "StopFailure"]) assert.equal(events.includes(name), false, name);
});

test("[D50] a message goes to the model, by default from the user, and an empty one is not sent", async () => {
  assert.deepEqual((await run(injectMessage, { content: "Mind the tests" })).result.outcome, {
    messages: [{ to: "model", role: "user", text: "Mind the tests" }],
  });
  assert.deepEqual((await run(injectMessage, { content: "x", role: "system", placeholder: "rules" })).result.outcome, {
    messages: [{ to: "model", role: "system", text: "x", placeholder: "rules" }],
  });
  const { result } = await run(injectMessage, { content: " \n" });
  assert.equal(result.outcome, undefined);
  assert.match(result.notes?.[0] ?? "", /empty/);
});

test("[D49] a compaction is asked for with its strategy and what to keep", async () => {
  assert.deepEqual((await run(compactContext, {})).result.outcome, { compact: { strategy: "truncate" } });
  assert.deepEqual((await run(compactContext, { strategy: "summarize", keep_last: 5 })).result.outcome, {
    compact: { strategy: "summarize", keepLast: 5 },
  });
  assert.equal(compactContext.params.check({ strategy: "shrink" })[0]?.path[0], "strategy");
  assert.equal(compactContext.params.check({ keep_last: -1 }).length, 1);
});

test("[D53] a log is one line, by default on level info, and warning is warn", async () => {
  const { result, seen } = await run(log, { message: "hello" });
  assert.deepEqual(seen, [{ is: "log", level: "info", message: "hello", hook: "hook-1", run: "run-1" }]);
  assert.deepEqual(result, { ok: true, output: { level: "info", message: "hello" } });
  for (const [written, level] of [
    ["warning", "warn"],
    ["error", "error"],
    ["debug", "debug"],
  ] as const)
    assert.deepEqual((await run(log, { message: "m", level: written })).result.output, { level, message: "m" });
  assert.equal(log.params.check({ message: "m", level: "loud" }).length, 1);
});

test("[D59, DT11] observers get a notice once, and the person gets it once in the agent", async () => {
  const { result, seen } = await run(notify, { title: "Tests", message: "3 failed", level: "error", tag: "tests" });
  assert.deepEqual(seen, [
    {
      is: "notice",
      notice: { title: "Tests", message: "3 failed", level: "error", tag: "tests" },
      hook: "hook-1",
      run: "run-1",
    },
  ]);
  assert.deepEqual(result.outcome, {
    messages: [{ to: "person", text: "3 failed", title: "Tests", level: "error", tag: "tests" }],
  });
  assert.deepEqual((await run(notify, { message: "m" })).result.outcome, {
    messages: [{ to: "person", text: "m", level: "info" }],
  });
});

const call = (input: Fields): Surroundings => ({ data: { tool_name: "deploy", tool_input: input } });
const transformed = async (transformation: Fields, input: Fields): Promise<StepResult> =>
  (await run(transformParams, { transformation }, call(input))).result;

test("[D56, R20, DT16] parameters are set and removed, and what is handed on is the whole input", async () => {
  const flat = await transformed({ safety: "high" }, { path: "a" });
  assert.deepEqual(flat.outcome, { updatedInput: { path: "a", safety: "high" } });
  const long = await transformed({ set: { a: 1 }, remove: ["b"] }, { a: 0, b: 2, c: 3 });
  assert.deepEqual(long.outcome, { updatedInput: { a: 1, c: 3 } });
  assert.deepEqual((await transformed({ remove: ["b"] }, { b: 1 })).outcome, { updatedInput: {} });
  assert.deepEqual((await transformed({ set: { x: 1 }, path: "p" }, {})).outcome, {
    updatedInput: { set: { x: 1 }, path: "p" },
  });
});

test("[D56] a change that changes nothing says so and hands nothing on, and so does an event without tool input", async () => {
  const same = await transformed({ set: { a: 1 }, remove: ["gone"] }, { a: 1 });
  assert.equal(same.outcome, undefined);
  assert.match(same.notes?.[0] ?? "", /like this already/);
  const { result } = await run(transformParams, { transformation: { a: 1 } }, { name: "Stop", data: {} });
  assert.deepEqual([result.ok, result.outcome], [true, undefined]);
  assert.match(result.notes?.[0] ?? "", /no tool input/);
});

test("[D57, DT16] a result is changed likewise; one that has no keys is a failure that says so, never nothing", async () => {
  const change = async (response: Json | undefined): Promise<StepResult> => {
    const data = { tool_name: "x", tool_input: {}, ...(response === undefined ? {} : { tool_response: response }) };
    return (await run(transformResult, { transformation: { f: 1 } }, { name: "PostToolUse", data })).result;
  };
  assert.deepEqual((await change({ ok: true })).outcome, { updatedOutput: { ok: true, f: 1 } });
  for (const response of ["text", 5, null]) {
    const result = await change(response);
    assert.ok(!result.ok && /no object/.test(result.reason), String(response));
  }
  assert.match((await change([1])).notes?.join() ?? "", /"f" was not set.*nothing was changed/);
  assert.match((await change(undefined)).notes?.[0] ?? "", /no tool result/);
});

test("[D56, R41] dotted keys walk into objects and lists, and a key that holds the dot itself comes first", async () => {
  const changed = async (transformation: Fields, input: Fields): Promise<Json | undefined> =>
    (await transformed(transformation, input)).outcome?.updatedInput;
  assert.deepEqual(await changed({ "a.b": 1 }, { a: { c: 2 } }), { a: { c: 2, b: 1 } });
  assert.deepEqual(await changed({ "a.b.c": 1 }, {}), { a: { b: { c: 1 } } });
  assert.deepEqual(await changed({ "a.b": 1 }, { "a.b": 0, a: { b: 0 } }), { "a.b": 1, a: { b: 0 } });
  assert.deepEqual(await changed({ "l.1.x": 1, "l.2": "new" }, { l: [{ x: 0 }, { x: 0 }] }), {
    l: [{ x: 0 }, { x: 1 }, "new"],
  });
  assert.deepEqual(await changed({ remove: ["a.b", "l.0"] }, { a: { b: 1, c: 2 }, l: [1, 2] }), {
    a: { c: 2 },
    l: [2],
  });
  const blocked = await transformed({ "a.b": 1, c: 2 }, { a: "text" });
  assert.deepEqual(blocked.outcome?.updatedInput, { a: "text", c: 2 });
  assert.match(blocked.notes?.[0] ?? "", /"a.b" was not set: there is text/);
});

test("[D56] a change never touches what it was given, nor anything but data", () => {
  const before = { a: { b: [1, { c: 2 }] } };
  applyChange(before, { set: { "a.b.1.c": 3, "a.b.0": 9 }, remove: ["a.b.1"] });
  assert.deepEqual(before, { a: { b: [1, { c: 2 }] } });
  const { value } = applyChange({}, { set: JSON.parse('{"__proto__":{"bad":1},"constructor.x":2}'), remove: [] });
  assert.equal(({} as Fields).bad, undefined);
  assert.deepEqual(Object.keys(value as Fields), ["__proto__", "constructor"]);
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.array(fc.string()),
      (value, set, remove) => {
        const given = JSON.stringify(value);
        applyChange(value as Json, { set: set as Fields, remove });
        assert.equal(JSON.stringify(value), given);
      },
    ),
  );
});

test("[D56, R20] what a transformation cannot be is found when the file is read", () => {
  const pathsOf = (transformation: Fields) =>
    transformParams.inspect?.({ transformation }).map(({ path }) => path.join("."));
  assert.deepEqual(pathsOf({}), ["transformation"]);
  assert.deepEqual(pathsOf({ set: 1 }), ["transformation.set"]);
  assert.deepEqual(pathsOf({ set: {}, remove: [1] }), ["transformation.remove"]);
  for (const fine of [{ a: 1 }, { set: { a: 1 } }, { remove: "a" }, { remove: ["a"] }, { set: 1, other: 2 }])
    assert.deepEqual(pathsOf(fine), []);
  assert.equal(transformParams.params.check({})[0]?.path[0], "transformation");
});
