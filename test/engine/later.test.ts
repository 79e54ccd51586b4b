/** What an answer does not wait for: a store, a queue and observers that take their time, counted call by call. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turnIsOver } from "node:timers/promises";
import { conditions } from "../../src/conditions/index.ts";
import { loadPatterns } from "../../src/conditions/patterns.ts";
import { createEngine, type Engine } from "../../src/engine/engine.ts";
import type { HookEvent } from "../../src/engine/event.ts";
import { isThenable } from "../../src/engine/flow.ts";
import type { Hook } from "../../src/engine/hook.ts";
import { emitRecorded } from "../../src/engine/later.ts";
import type { Handler, Observation, Ports, Queue } from "../../src/engine/ports.ts";
import type { Store } from "../../src/engine/record.ts";
import { anything } from "../../src/engine/schema.ts";
import { createInlineQueue } from "../../src/runtime/queues/inline.ts";
import { systemPorts } from "../../src/runtime/system.ts";
import { openMemoryStore } from "../../src/storage/memory/memory.ts";
import { aHook } from "./a-hook.ts";

const hookOf = (id: string, given: Partial<Hook> = {}): Hook => aHook(id, "says", given);

let counter = 0;
const anEvent = (): HookEvent => ({
  id: `event-${++counter}`,
  name: "PreToolUse",
  at: 1,
  cwd: "/project",
  sender: "emit",
  session: "s",
  data: { tool_name: "Bash", tool_input: {} },
});

interface World {
  engine: Engine;
  store: Store;
  /** What the store and the queue were asked for, in order; a call that is under way has not got an "ok" behind it. */
  calls: string[];
  seen: Observation[];
  /** Lets everything go on that waits, and all that comes after. */
  release(failure?: Error): void;
}

type Slow = "saveRun" | "answered" | "post" | "checkPassed";

/** @param slow methods that resolve only when told to */
async function worldOf(
  hooks: Hook[],
  slow: readonly Slow[],
  queue?: (wait: World["release"]) => Queue,
): Promise<World> {
  const memory = openMemoryStore();
  const calls: string[] = [];
  const seen: Observation[] = [];
  const gate = Promise.withResolvers<void>();
  let failure: Error | undefined;
  const slowly =
    <A extends unknown[], R>(name: string, work: (...given: A) => R) =>
    async (...given: A): Promise<Awaited<R>> => {
      calls.push(name);
      await gate.promise;
      if (failure) throw failure;
      const result = await work(...given);
      calls.push(`${name} ok`);
      return result;
    };
  const store: Store = {
    ...memory,
    ...(slow.includes("saveRun") && {
      saveRun: (run) => slowly(`${run.hook} ${run.status}`, memory.saveRun)(run),
    }),
    ...(slow.includes("answered") && { answered: slowly("answered", memory.answered) }),
    ...(slow.includes("post") && { post: slowly("post", memory.post) }),
    ...(slow.includes("checkPassed") && { checkPassed: slowly("checkPassed", memory.checkPassed) }),
  };
  const release = (given?: Error): void => {
    failure = given;
    gate.resolve();
  };
  const says: Handler = {
    params: anything as Handler["params"], // it takes any fields
    run: ({ outcome }) => ({ ok: true, output: {}, outcome: outcome === undefined ? {} : (outcome as object) }),
  };
  const slowQueue = queue?.(release);
  const held: Queue | undefined = slowQueue && {
    ...slowQueue,
    async add(item, caller) {
      calls.push("add");
      await gate.promise;
      if (failure) throw failure;
      return slowQueue.add(item, caller);
    },
  };
  const ports: Ports = {
    ...systemPorts(),
    store,
    queue: held ?? createInlineQueue(),
    hooks: () => ({ id: "set", hooks }),
    registry: { handlers: new Map([["says", says]]), conditions },
    patterns: await loadPatterns(),
    observe: (one) => void seen.push(one),
  };
  return { engine: createEngine(ports), store, calls, seen, release };
}

const denies = { outcome: { verdict: { is: "deny", reason: "no", by: "?" } } };
const saying = (outcome: object): Partial<Hook> => ({
  steps: [{ uses: "says", with: { outcome } as Hook["steps"][0]["with"], timeout: 5, onError: "stop" }],
});

test("an answer is there before the store has written one run of it, and waits for no promise", async () => {
  const hooks = [hookOf("a"), hookOf("b", saying(denies.outcome)), hookOf("c")];
  const { engine, calls, release, store } = await worldOf(hooks, ["saveRun", "answered", "post", "checkPassed"]);
  const outcome = engine.emit(anEvent());
  assert.equal(isThenable(outcome), false);
  assert.deepEqual({ ...outcome }, { verdict: { is: "deny", reason: "no", by: "b" } });
  assert.deepEqual(calls, ["a running"], "one write is under way, and the others come in their order");
  release();
  await engine.close();
  const runs = (await store.runs({})).map(({ hook, status }) => `${hook} ${status}`);
  assert.deepEqual(runs, ["c skipped", "b completed", "a completed"]);
  assert.deepEqual(
    calls.filter((call) => call.startsWith("a ")),
    ["a running", "a running ok", "a completed", "a completed ok"],
    "each write of a run begins when the one before has ended, and says how it stood then",
  );
  assert.deepEqual(calls.slice(-2), ["answered", "answered ok"]);
});

test("context that goes with a later event is posted after the answer", async () => {
  const later = saying({ messages: [{ to: "model", text: "later" }] });
  const { engine, calls, release, store } = await worldOf([hookOf("a", later)], ["post"]);
  const outcome = engine.emit({ ...anEvent(), accepts: ["verdict"] });
  assert.deepEqual([isThenable(outcome), calls], [false, ["post"]]);
  release();
  await engine.close();
  assert.equal((await store.collect("s")).length, 1);
});

test("a queue that takes its time delays no answer, and what it refuses is in the run", async () => {
  const queue = (): Queue => ({ ...createInlineQueue(), add: () => ({ is: "skipped", reason: "no place" }) });
  const { engine, calls, release, store } = await worldOf([hookOf("a", { mode: "async" })], [], queue);
  const outcome = engine.emit(anEvent());
  assert.deepEqual([isThenable(outcome), calls], [false, ["add"]]);
  release();
  await engine.close();
  const [run] = await store.runs({});
  assert.deepEqual([run?.status, run?.reason], ["skipped", "no place"]);
});

test("an async hook that goes into a slow store runs all the same, before the engine is closed", async () => {
  const { engine, release, store } = await worldOf([hookOf("a", { mode: "async" })], ["saveRun"]);
  assert.equal(isThenable(engine.emit(anEvent())), false);
  setImmediate(() => release());
  await engine.close();
  assert.deepEqual(
    (await store.runs({})).map(({ status }) => status),
    ["completed"],
  );
});

test("closing the engine waits for what the answer did not wait for, and so does a send that must be stored", async () => {
  const { engine, release, calls } = await worldOf([hookOf("a")], ["answered"]);
  const over: string[] = [];
  const sent = emitRecorded(engine, anEvent(), {}).then(() => over.push("sent"));
  const closed = engine.close().then(() => over.push("closed"));
  await turnIsOver();
  await turnIsOver();
  assert.deepEqual(over, []);
  release();
  await Promise.all([sent, closed]);
  assert.deepEqual(over.sort(), ["closed", "sent"]);
  assert.deepEqual(calls, ["answered", "answered ok"]);
});

test("[F10] a write that fails after the answer is reported to a caller that needs to be sure of the event, and observed", async () => {
  const { engine, release, seen } = await worldOf([hookOf("a")], ["saveRun"]);
  const sent = emitRecorded(engine, anEvent(), {});
  release(new Error("no space"));
  await assert.rejects(sent, /no space/);
  const logs = seen.flatMap((one) => (one.is === "log" ? one.message : []));
  assert.match(String(logs), /what became of PreToolUse could not be written down: no space/);
  await engine.close();
});

test("a hook that has passed is not pending at the next event, however slow its store is", async () => {
  const untilPass = hookOf("a", { limits: { overlap: "queue", untilPass: true } });
  const { engine, release, calls } = await worldOf([untilPass], ["checkPassed"]);
  assert.equal(isThenable(engine.emit(anEvent())), false);
  const next = engine.emit(anEvent());
  assert.equal(isThenable(next), true, "what it has to do depends on that");
  release();
  await next;
  await engine.close();
  assert.deepEqual(calls.slice(0, 2), ["checkPassed", "checkPassed ok"]);
});

test("an observer that is slow delays nothing: what it gives is not waited for", async () => {
  const memory = openMemoryStore();
  const ports: Ports = {
    ...systemPorts(),
    store: memory,
    queue: createInlineQueue(),
    hooks: () => ({ id: "set", hooks: [hookOf("a")] }),
    registry: { handlers: new Map(), conditions },
    patterns: await loadPatterns(),
    observe: () => new Promise<void>(() => {}),
  };
  assert.equal(isThenable(createEngine(ports).emit(anEvent())), false);
});
