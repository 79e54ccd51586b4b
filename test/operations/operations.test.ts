import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { type TestContext, test } from "node:test";
import { createHandlers } from "../../src/actions/index.ts";
import { createEngine, type Engine } from "../../src/engine/engine.ts";
import type { EventName, Fields, HookEvent, Json } from "../../src/engine/event.ts";
import type { Tools } from "../../src/engine/external-services.ts";
import type { Hook } from "../../src/engine/hook.ts";
import type { Patterns } from "../../src/engine/ports.ts";
import type { Run, Store } from "../../src/engine/record.ts";
import { createOperations, operations } from "../../src/operations/index.ts";
import { startPipedProcess } from "../../src/runtime/processes/piped-process.ts";
import { createInlineQueue } from "../../src/runtime/queues/inline.ts";
import { systemPorts } from "../../src/runtime/system.ts";
import { createTools } from "../../src/services/mcp/index.ts";
import { openMemoryStore } from "../../src/storage/memory/memory.ts";
import { aHook } from "../engine/a-hook.ts";
import { error, never } from "../services/mcp/tools.ts";

interface Line {
  engine: Engine;
  store: Store;
  tools: Tools;
  /** The first run that fails. */
  failing: Promise<Run>;
  emit(name: EventName, data?: Fields): ReturnType<Engine["emit"]>;
  ask(operation: string, input?: Fields, event?: HookEvent): Promise<Json>;
}

/** A hook that calls an operation when something happens. */
const hook = (id: string, on: EventName, action: string, params: Fields = {}): Hook => ({
  ...aHook(id, "module_action"),
  on: { event: [on] },
  steps: [
    {
      uses: "module_action",
      with: { module: "hookline", action, params },
      timeout: 10,
      onError: "stop",
      templates: true,
    },
  ],
  tags: ["t"],
  origin: { dialect: "rules", layer: "project", file: "/p/.hookline/rules/a.yaml", line: 3 },
});

const eventOf = (name: EventName, data: Fields = {}): HookEvent => ({
  id: `event-${name}`,
  name,
  at: 1000,
  cwd: tmpdir(),
  data,
  sender: "test",
  session: "session-1",
});

function lineOf(context: TestContext, hooks: Hook[]): Line {
  const store = openMemoryStore();
  const basics = systemPorts();
  const failing = Promise.withResolvers<Run>();
  const inForce = () => ({ id: "set-1", hooks });
  const engine = createEngine({
    ...basics,
    store,
    queue: createInlineQueue(),
    hooks: inForce,
    registry: { handlers: createHandlers(new Map()), conditions: new Map() },
    patterns: {} as Patterns, // hooks without conditions ask for none
    tools: async () => tools,
    observe: (seen) => seen.is === "run" && seen.run.status === "failed" && failing.resolve(seen.run),
  });
  const tools = createTools({
    servers: { other: { command: "never-started" } },
    operations: createOperations({
      ...{ engine, store, cwd: tmpdir(), home: "/home", now: basics.now, id: basics.id },
      active: () => ({ set: inForce() }),
    }),
    start: startPipedProcess,
    environment: {},
    cwd: tmpdir(),
    complain: () => {},
  });
  context.after(() => Promise.all([engine.close(), tools.close()]));
  return {
    engine,
    store,
    tools,
    failing: failing.promise,
    emit: (name, data) => engine.emit(eventOf(name, data)),
    ask: async (operation, input = {}, event) =>
      (await tools.call(`hookline.${operation}`, input, never, event)).output,
  };
}

test("the engine's own operations are the module hookline, next to the project's servers", async (context) => {
  const { tools } = lineOf(context, []);
  const list = (await tools.list(never)).filter(({ name }) => name.startsWith("hookline."));
  assert.deepEqual(
    list.map(({ name, readOnly }) => [name, readOnly]),
    [...operations].map(([name, { readOnly }]) => [`hookline.${name}`, readOnly]),
  );
  assert.ok(list.every(({ description, input }) => description && input?.type === "object"));
  const reads = /\.(hooks|explain|runs?|why|follow_ups|status|coverage)$|_(list|show|search|runs|export|stats)$/;
  for (const { name, readOnly } of list) assert.equal(readOnly, reads.test(name), name);
});

test("unknown operations and wrong input are reported in a sentence", async (context) => {
  const { tools } = lineOf(context, []);
  const call = (name: string, input: Fields = {}) => tools.call(name, input, never);
  await assert.rejects(call("hookline.rnus"), error("tool_unknown", /did you mean "hookline\.runs"\?/));
  await assert.rejects(call("hookline.zzzz"), error("tool_unknown", /it has: hooks, explain, runs/));
  await assert.rejects(call("hooklin.runs"), error("tool_unknown", /did you mean "hookline\.runs"\?/));
  await assert.rejects(
    call("hookline.runs", { limit: "x" }),
    error("tool_failed", /limit must be a whole number from 1 to 10000, not "x"/),
  );
  await assert.rejects(call("hookline.runs", { lmit: 1 }), error("tool_failed", /unknown field "lmit"/));
  await assert.rejects(call("hookline.run"), error("tool_failed", /missing id: the run's id/));
  await assert.rejects(tools.call("hookline.status", {}, AbortSignal.abort()), error("tool_failed", /stopped/));
});

test("hooks: the active ones in running order, or only those of one event by any of its names", async (context) => {
  const { ask } = lineOf(context, [hook("a", "PostToolUse", "status"), hook("b", "deploy.done", "status")]);
  const all = await ask("hooks");
  assert.ok(Array.isArray(all));
  assert.deepEqual(all[0], {
    id: "a",
    name: "a",
    on: "PostToolUse",
    uses: ["module_action"],
    layer: "project",
    dialect: "rules",
    file: "/p/.hookline/rules/a.yaml",
    line: 3,
    mode: "sync",
    role: "observe",
    onFailure: "continue",
    priority: 100,
    enabled: true,
    report: false,
    trusted: true,
    tags: ["t"],
    ...{ when: "always", lastFired: null, paused: false, offUntil: null },
  });
  const ids = async (event: string) => ((await ask("hooks", { event })) as { id: string }[]).map(({ id }) => id); // rows
  assert.deepEqual([await ids("tool_end"), await ids("deploy.done"), await ids("Stop")], [["a"], ["b"], []]);
  await assert.rejects(ask("hooks", { event: "tool_ned" }), error("tool_failed", /did you mean "tool_end"\?/));
});

test("runs and run: what ran, newest first, and one of them whole", async (context) => {
  const { ask, emit } = lineOf(context, [hook("good", "a.one", "status"), hook("bad", "a.two", "nothing")]);
  await emit("a.one");
  await emit("a.two");
  const runs = (await ask("runs")) as unknown as { id: string; hook: string; status: string; startedAt: string }[]; // rows
  assert.deepEqual(
    runs.map(({ hook: id, status }) => [id, status]),
    [
      ["bad", "failed"],
      ["good", "completed"],
    ],
  );
  assert.match(runs[0]?.startedAt ?? "", /^\d{4}-\d\d-\d\dT/);
  const failed = (await ask("runs", { status: "failed", limit: 5 })) as unknown as { hook: string; reason: string }[]; // rows
  assert.deepEqual(
    failed.map(({ hook: id }) => id),
    ["bad"],
  );
  assert.match(failed[0]?.reason ?? "", /no tool is called "hookline\.nothing"/);
  const whole = (await ask("run", { id: runs[1]?.id ?? "" })) as unknown as Run; // a run as JSON
  assert.deepEqual([whole.hook, whole.steps[0]?.uses, whole.steps[0]?.output.hooks], ["good", "module_action", 2]);
  await assert.rejects(ask("run", { id: "no-such" }), error("tool_failed", /no run or event is called "no-such"/));
});

test("status: how many hooks and runs there are, and the last event", async (context) => {
  const { ask, emit } = lineOf(context, [hook("a", "a.one", "status")]);
  const seen = async () => {
    const { hooks, set, store, daemon } = JSON.parse(JSON.stringify(await ask("status")));
    return { hooks, set, store, daemon };
  };
  const before = { hooks: 1, set: "set-1", daemon: null };
  assert.deepEqual(await seen(), { ...before, store: { running: 0, lastEvent: null } });
  await emit("a.one");
  assert.deepEqual(await seen(), { ...before, store: { running: 0, lastEvent: "1970-01-01T00:00:01.000Z" } });
});

test("explain: why each hook would run, and nothing does", async (context) => {
  const { ask, store } = lineOf(context, [hook("a", "PostToolUse", "status"), hook("b", "a.one", "status")]);
  const explained = (await ask("explain", { event: "tool_end", data: { tool_name: "Bash" } })) as unknown as {
    hook: string;
    would: string;
  }[]; // rows
  assert.deepEqual(
    explained.map(({ hook: id, would }) => [id, would]),
    [
      ["a", "run"],
      ["b", "skip"],
    ],
  );
  assert.deepEqual(await store.runs({}), []);
  await assert.rejects(ask("explain", { event: "tool_nd" }), error("tool_failed", /did you mean "tool_end"\?/));
});

test("emit: an application event goes down the line, where the asking hook's event happened", async (context) => {
  const { ask, emit, store } = lineOf(context, [
    hook("first", "PostToolUse", "emit", { event: "file.written", data: { path: "{{tool.params.path}}" } }),
    hook("second", "file.written", "status"),
  ]);
  await emit("PostToolUse", { tool_name: "Write", tool_input: { path: "a.ts" } });
  const [event] = (await store.events(1)).map((stored) => stored.event);
  assert.deepEqual(
    [event?.name, event?.data, event?.cwd, event?.session, event?.sender],
    ["file.written", { path: "a.ts", hookline_depth: 1 }, tmpdir(), "session-1", "hookline"],
  );
  const runs = await store.runs({});
  assert.deepEqual(
    new Set(runs.map(({ hook: id, status }) => `${id} ${status}`)),
    new Set(["first completed", "second completed"]),
  );
  const answer = await ask("emit", { event: "file.written", data: { hookline_depth: -7 } });
  const [direct] = (await store.events(1)).map((stored) => stored.event);
  const { event: sent, outcome, runs: ran } = answer as unknown as { event: HookEvent; outcome: object; runs: Run[] }; // its rows
  assert.deepEqual([sent.id, outcome, ran.map(({ status }) => status)], [direct?.id, {}, ["completed"]]);
  assert.deepEqual(direct?.data, {});
});

test("emit: an event of an agent cannot be faked by a hook, whose agent counts by prompts", async (context) => {
  const { ask, store } = lineOf(context, []);
  for (const event of ["Stop", "PreToolUse", "tool_start"])
    await assert.rejects(
      ask("emit", { event }, eventOf("PostToolUse")),
      error("tool_failed", /hooks send application events/),
    );
  assert.deepEqual(await store.events(5), []);
});

for (const mode of ["sync", "async"] as const)
  test(`hooks that answer each other's events by emitting end 5 events deep (${mode})`, async (context) => {
    const { emit, failing, engine, store } = lineOf(context, [
      {
        ...hook("ping", "loop.ping", "emit", { event: "loop.pong", data: { hookline_depth: 0 } }),
        mode,
        limits: { overlap: "queue" },
      },
      { ...hook("pong", "loop.pong", "emit", { event: "loop.ping" }), mode, limits: { overlap: "queue" } },
    ]);
    await emit("loop.ping");
    assert.match((await failing).reason ?? "", /5 events deep/);
    await engine.close();
    const runs = await store.runs({ limit: 100 });
    assert.equal(runs.length, 6);
    assert.equal(runs.filter(({ status }) => status === "failed").length, 1);
  });

test("every parameter of an operation says what it is for", () => {
  for (const [name, { params, summary }] of operations) {
    assert.notEqual(summary, "", name);
    const properties = params.json.properties as Record<string, Fields>; // an object's schema has them
    for (const [key, schema] of Object.entries(properties)) assert.ok(schema.description, `${name}.${key}`);
  }
});
