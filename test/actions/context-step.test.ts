import assert from "node:assert/strict";
import { test } from "node:test";
import { contextStep, isOverLimit } from "../../src/actions/context-steps/context-step.ts";
import { createHandlers } from "../../src/actions/index.ts";
import type { Fields } from "../../src/engine/event.ts";
import type { Handler, StepContext } from "../../src/engine/ports.ts";
import type { StepRecord } from "../../src/engine/record.ts";
import { integer, object } from "../../src/engine/schema.ts";
import { contextOf } from "./context.ts";

const use = { type: "odd", summary: "It is odd.", limit: 5 };
const step = (run: (context: StepContext) => Promise<Fields>, limit = 5): Handler<{ count?: number }> =>
  contextStep(
    { ...use, limit },
    {
      params: object({}, { count: integer(undefined, 1) }),
      run: async (_params, context) => ({ ok: true, output: await run(context) }),
    },
  );
const earlier: StepRecord = { uses: "log", ok: true, output: {}, ms: 0 };

function after(results: StepRecord[]): StepContext {
  const context = contextOf();
  return { ...context, scope: { ...context.scope, results } };
}

test("[A24] every result says which step it is, also where a later step has begun in the meantime", async () => {
  const results = [earlier, earlier];
  const odd = step(async () => {
    results.push(earlier);
    return { content: "three" };
  });
  assert.deepEqual((await odd.run({}, after(results))).output, { content: "three", _step_index: 2 });
});

test("[A24] what a step throws is the error of its result", async () => {
  const odd = step(async () => {
    throw new Error("no ground");
  });
  assert.deepEqual(await odd.run({}, after([earlier])), {
    ok: false,
    output: { error: "no ground", _step_index: 1 },
    failure: "error",
    reason: "no ground",
  });
});

test("[A24] a parameter that a placeholder has filled with another thing is an error that names it", async () => {
  const odd = step(async () => ({ content: "" }));
  const wrong: Fields = { count: "many" };
  const { output } = await odd.run(wrong as { count?: number }, after([]));
  assert.match(String(output.error), /^count needs a whole number of at least 1 but has "many" — /);
});

test("[R40, X2] a step that takes too long is ended, and its error says how long it had", async () => {
  let was: StepContext | undefined;
  const odd = step((context) => {
    was = context;
    return new Promise((_resolve, reject) => {
      context.signal.addEventListener("abort", () => reject(new Error("something else")));
    });
  }, 0.05);
  const result = await odd.run({}, after([]));
  assert.deepEqual(result.output, { error: "it did not end within 0.05 s", _step_index: 0 });
  assert.ok(!result.ok && result.failure === "timeout");
  assert.ok(was && isOverLimit(was.signal) && was.timeout === 0.05);
});

test("[R40] who ends the run ends the step, and that is no limit of its own", async () => {
  const giving = new AbortController();
  const odd = step((context) => {
    queueMicrotask(() => giving.abort());
    return new Promise((_resolve, reject) => {
      context.signal.addEventListener("abort", () => reject(new Error("stopped")));
    });
  });
  const result = await odd.run({}, { ...after([]), signal: giving.signal });
  assert.deepEqual(result.output, { error: "stopped", _step_index: 0 });
});

test("[A24] what a running step reports in the meantime says which step it is too", async () => {
  const told: Fields[] = [];
  const odd = step(async ({ progress }) => {
    progress?.({ content: "half" });
    return { content: "whole" };
  });
  await odd.run({}, { ...after([earlier]), progress: (output) => void told.push(output) });
  assert.deepEqual(told, [{ content: "half", _step_index: 1 }]);
});

const withoutProjects = ["shell", "read_file", "http", "git_diff", "run_tests", "list_files", "file_diff"];

test("[A24] each step has a type of its own, and every parameter of it is described", () => {
  const steps = [...createHandlers(new Map()).values()].flatMap(({ contextStep: known, params }) =>
    known ? [{ type: known.type, params }] : [],
  );
  const types = steps.map(({ type }) => type);
  assert.equal(new Set(types).size, types.length);
  for (const one of withoutProjects) assert.ok(types.includes(one), one);
  for (const { params, type } of steps) {
    if (withoutProjects.includes(type)) assert.deepEqual(params.check({}), [], `${type} needs none of its parameters`);
    for (const [name, schema] of Object.entries(params.json.properties ?? {}))
      assert.ok((schema as Fields).description, `${type}.${name}`); // a schema of JSON Schema is an object
  }
});
