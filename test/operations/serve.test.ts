import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { HooklineError } from "../../src/engine/error.ts";
import { integer, object, text } from "../../src/engine/schema.ts";
import type { Operation, OperationContext } from "../../src/operations/operation.ts";
import {
  answerOverHttp,
  type Choice,
  type OperationTable,
  type ServedOperations,
  serveOperations,
} from "../../src/operations/serve.ts";
import { openMemoryStore } from "../../src/storage/memory/memory.ts";

const operation = (readOnly: boolean, run: Operation<unknown>["run"]): Operation<unknown> => ({
  summary: "a thing of the tests",
  params: object({ name: text("its name") }, { count: integer("how many", 1) }),
  readOnly,
  run,
});

const table: OperationTable = new Map([
  ["box_show", operation(true, (params) => ({ shown: params as string }))],
  ["box_create", operation(false, (_params, { cwd = "" }) => ({ made: cwd }))],
  [
    "box_delete",
    operation(false, () => {
      throw new Error("Box 'a' not found");
    }),
  ],
  [
    "jar_show",
    operation(true, () => {
      throw new HooklineError("store_locked", { where: "hookline.db" });
    }),
  ],
]);

function servedOf(t: TestContext, choice?: Choice): ServedOperations {
  const store = openMemoryStore();
  t.after(() => store.close());
  const context: OperationContext = {
    engine: { emit: () => ({}), committed: async () => {}, explain: () => [] },
    store,
    active: () => ({ set: { id: "none", hooks: [] } }),
    ...{ cwd: "/", home: "/home" },
    cwd: "/project",
  };
  return serveOperations(table, context, choice);
}
const { signal } = new AbortController();
const input = { name: "a" };

test("there is one schema check and one form of answer for every caller", async (t) => {
  const { call } = servedOf(t);
  assert.deepEqual(await call("box_create", input, { signal }), {
    is: "done",
    ...{ result: { made: "/project" }, found: { made: "/project" }, notes: [] },
  });
  const messages = async (name: string, given: object): Promise<[string, string]> => {
    const answer = await call(name, given, { signal });
    assert.ok(answer.is !== "done");
    return [answer.is, answer.message];
  };
  assert.deepEqual(await messages("box_shwo", input), [
    "unknown",
    'no operation is called "box_shwo"; did you mean "box_show"?',
  ]);
  assert.deepEqual(await messages("box_show", {}), ["invalid", "missing name: its name"]);
  assert.deepEqual(await messages("box_show", { ...input, count: 0 }), [
    "invalid",
    "count must be a whole number of at least 1, not 0",
  ]);
  assert.deepEqual(await messages("box_show", { ...input, nmae: 1 }), ["invalid", 'unknown field "nmae"']);
  assert.deepEqual(await messages("box_delete", input), ["refused", "Box 'a' not found"]);
  assert.equal((await messages("jar_show", input))[0], "broken");
  const stopped = await call("box_create", input, { signal: AbortSignal.abort() });
  assert.equal(stopped.is, "broken");
});

test("[R28] a list names operations, all of a kind or all that begin so; what only reads can be asked for alone", async (t) => {
  const names = (choice: Choice): string[] =>
    servedOf(t, choice)
      .list()
      .map(({ name }) => name);
  assert.deepEqual(names({ only: ["box"] }), ["box_show", "box_create", "box_delete"]);
  assert.deepEqual(names({ only: ["box_c*", "jar_show"] }), ["box_create", "jar_show"]);
  assert.deepEqual(names({ readOnly: true }), ["box_show", "jar_show"]);
  assert.deepEqual(names({ readOnly: true, only: ["box_*"] }), ["box_show"]);
  const answer = await servedOf(t, { readOnly: true }).call("box_create", input, { signal });
  assert.equal(answer.is, "unknown", "what is not in the list cannot be called either");
});

test("each operation says whether it changes or only adds something", (t) => {
  const told = servedOf(t)
    .list()
    .map(({ name, readOnly, destructive }) => [name, readOnly, destructive]);
  assert.deepEqual(told, [
    ["box_show", true, false],
    ["box_create", false, false],
    ["box_delete", false, true],
    ["jar_show", true, false],
  ]);
});

test("over HTTP: the result itself, or an error with its code; GET changes nothing", async (t) => {
  const served = servedOf(t);
  const ask = async (method: "GET" | "POST", name: string, given: { name?: string } = input): Promise<unknown[]> => {
    const { status, body } = await answerOverHttp({ method, name, input: given, signal }, served);
    return [status, body];
  };
  const error = (code: string, message: string, advice: string): object => ({ error: { code, message, advice } });
  assert.deepEqual(await ask("POST", "box_create"), [200, { made: "/project" }]);
  assert.deepEqual(await ask("GET", "box_show"), [200, { shown: input }]);
  assert.deepEqual(await ask("GET", "box_create"), [
    405,
    error("method_not_allowed", "box_create changes something", "use POST"),
  ]);
  assert.deepEqual((await ask("POST", "nothing"))[0], 404);
  assert.deepEqual(await ask("POST", "box_show", {}), [
    400,
    error("input_invalid", "missing name: its name", "GET /operations shows what it takes"),
  ]);
  assert.deepEqual(await ask("POST", "box_delete"), [
    422,
    error("operation_refused", "Box 'a' not found", "see the message"),
  ]);
  assert.deepEqual((await ask("GET", "jar_show"))[0], 507);
});
