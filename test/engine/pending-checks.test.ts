/** Must-pass checks: what the engine itself does about pending checks, pauses and cancelled work, whatever the handlers are. */
import assert from "node:assert/strict";
import test from "node:test";
import { createEngine, type Engine } from "../../src/engine/engine.ts";
import type { Changes, HookEvent } from "../../src/engine/event.ts";
import type { Hook, HookSet } from "../../src/engine/hook.ts";
import type { Handler, Patterns, Ports, StepResult, Tracking } from "../../src/engine/ports.ts";
import type { Run, Store } from "../../src/engine/record.ts";
import { anything } from "../../src/engine/schema.ts";
import { createInlineQueue } from "../../src/runtime/queues/inline.ts";
import { systemPorts } from "../../src/runtime/system.ts";
import { openMemoryStore } from "../../src/storage/memory/memory.ts";
import { aHook } from "./a-hook.ts";

const noPatterns: Patterns = {
  regex: () => () => false,
  glob: () => () => false,
  commands: () => ({ commands: [], unknown: [] }),
  expression: () => null,
};

const mustPass = (id: string, given: Partial<Hook> = {}): Hook =>
  aHook(id, "answer", {
    on: { event: ["Stop"] },
    steps: [{ uses: "answer", with: { id }, timeout: 5, onError: "stop" }],
    limits: { untilPass: true, overlap: "queue" },
    ...given,
  });

const passes: StepResult = { ok: true, output: {} };
const failing = (failure: "exit" | "cancelled", deny?: string): StepResult => ({
  ok: false,
  output: {},
  failure,
  reason: "it failed",
  ...(deny ? { outcome: { verdict: { is: "deny", reason: deny, by: "?" } } } : {}),
});

interface World {
  engine: Engine;
  store: Store;
  /** What each hook answers next; passes unless said. */
  answers: Map<string, StepResult>;
  runs(): Run[];
  stop(given?: Partial<HookEvent>): Promise<Awaited<ReturnType<Engine["emit"]>>>;
}

function worldOf(hooks: Hook[], tracking?: Tracking): World {
  const answers = new Map<string, StepResult>();
  const set: HookSet = { id: "set", hooks };
  const store = openMemoryStore();
  const runs = new Map<string, Run>();
  const answer: Handler = { params: anything as Handler["params"], run: ({ id }) => answers.get(String(id)) ?? passes }; // any fields will do
  const ports: Ports = {
    ...systemPorts(),
    store,
    queue: createInlineQueue(),
    hooks: () => set,
    registry: { handlers: new Map([["answer", answer]]), conditions: new Map() },
    patterns: noPatterns,
    observe: (seen) => void (seen.is === "run" && runs.set(seen.run.id, structuredClone(seen.run))),
    ...(tracking ? { tracking } : {}),
  };
  const engine = createEngine(ports);
  let count = 0;
  return {
    engine,
    store,
    answers,
    runs: () => [...runs.values()],
    stop: async (given = {}) =>
      engine.emit({
        id: `e${++count}`,
        name: "Stop",
        at: 0,
        cwd: "/project",
        data: {},
        sender: "test",
        session: "s",
        ...given,
      }),
  };
}
const statuses = (runs: readonly Run[]): string[] => runs.map(({ hook, status }) => `${hook} ${status}`);
const pendingOf = async (store: Store): Promise<string[]> => [...(await store.pendingChecks("s")).keys()];

test("[E32, E33] the first failure ends the evaluation without a verdict too, and later hooks stay pending", async () => {
  const world = worldOf([mustPass("a"), mustPass("b"), mustPass("c", { limits: { overlap: "queue" } })]);
  world.answers.set("a", failing("exit"));
  assert.deepEqual(await world.stop(), {});
  assert.deepEqual(statuses(world.runs()), ["a failed", "b skipped", "c completed"]);
  assert.equal(world.runs()[1]?.reason, "it waits for a to pass");
  assert.deepEqual(await pendingOf(world.store), ["a", "b"]);
});

test("[E31, E34] once it passes, those that waited run in their order, and no check is pending", async () => {
  const world = worldOf([mustPass("a"), mustPass("b")]);
  world.answers.set("a", failing("exit", "fix a"));
  assert.equal((await world.stop()).verdict?.reason, "fix a");
  world.answers.clear();
  assert.deepEqual(await world.stop(), {});
  assert.deepEqual(statuses(world.runs()), ["a failed", "b skipped", "a completed", "b completed"]);
  assert.deepEqual(await pendingOf(world.store), []);
});

test("[E22, E35] cancelled work answers nothing, also if its failure would block, and stays pending", async () => {
  const world = worldOf([mustPass("a", { onFailure: "block" }), mustPass("b")]);
  world.answers.set("a", failing("cancelled"));
  assert.deepEqual(await world.stop(), {});
  assert.deepEqual(statuses(world.runs()), ["a cancelled", "b skipped"]);
  assert.deepEqual(await pendingOf(world.store), ["a", "b"]);
});

test("[ET18] a paused hook does not run but stays pending, a project's pause reaches all but its guards, and force runs it", async () => {
  const world = worldOf([mustPass("a", { name: "Check a" }), mustPass("guard", { role: "guard", onFailure: "block" })]);
  await world.store.pause("a", 0);
  await world.stop();
  assert.match(world.runs()[0]?.reason ?? "", /^paused: hookline resume/);
  await world.store.resume("a");
  await world.store.pause("/project", 0);
  await world.stop();
  assert.deepEqual(statuses(world.runs().slice(2)), ["a skipped", "guard completed"]);
  assert.match(world.runs()[2]?.reason ?? "", /^paused with its project/);
  assert.deepEqual(await pendingOf(world.store), ["a"]);
  await world.stop({ to: { hook: "a" } });
  assert.equal(world.runs().at(-1)?.status, "skipped", "an event for it alone is not asked for by a person");
  await world.stop({ to: { hook: "a", force: true } });
  assert.equal(world.runs().at(-1)?.status, "completed");
});

test("explain shows a pause", async () => {
  const world = worldOf([mustPass("a")]);
  await world.store.pause("a", 0);
  const [told] = await world.engine.explain({ id: "x", name: "Stop", at: 0, cwd: "/", data: {}, sender: "test" });
  assert.equal(told?.would, "skip");
  assert.match(told?.because ?? "", /^paused/);
});

test("tracking gets every event of a session before its hooks and after its outcome, and how the hooks that ran ended", async () => {
  const seen: string[] = [];
  const changes: Changes = { base: "/project", files: ["a"], earlier: [], removed: [] };
  const world = worldOf([mustPass("a"), mustPass("off", { enabled: false })], {
    begin: (event) => void seen.push(`begin ${event.name}`),
    end: (event, asked) => void seen.push(`end ${event.turn?.number} ${asked?.join()}`),
  });
  await world.stop({ changes });
  await world.engine.emit({ id: "x", name: "Stop", at: 0, cwd: "/", data: {}, sender: "test" });
  assert.deepEqual(seen, ["begin Stop", "end 0 completed"]);
});
