/** A run against a journal: what has ended is not done again, whoever begins it anew. */
import assert from "node:assert/strict";
import test from "node:test";
import { conditions } from "../../src/conditions/index.ts";
import { loadPatterns } from "../../src/conditions/patterns.ts";
import { createEngine } from "../../src/engine/engine.ts";
import type { Fields, HookEvent } from "../../src/engine/event.ts";
import type { Hook, Step } from "../../src/engine/hook.ts";
import type { ConditionKind, Handler, Item, Ports, Steps } from "../../src/engine/ports.ts";
import type { Run } from "../../src/engine/record.ts";
import { anything } from "../../src/engine/schema.ts";
import { createInlineQueue } from "../../src/runtime/queues/inline.ts";
import { systemPorts } from "../../src/runtime/system.ts";
import { openMemoryStore } from "../../src/storage/memory/memory.ts";
import { anAutomation } from "./a-hook.ts";

const fields = anything as Handler["params"]; // it takes any fields

/** Keeps results as JSON, and forgets no attempt. `lose` makes the run another worker's from this step on. */
function journal(): { kept: Map<string, string>; saved: Run[]; lose(at: string): void; steps(): Steps } {
  const kept = new Map<string, string>();
  const saved: Run[] = [];
  let losing: string | undefined;
  return {
    kept,
    saved,
    lose: (at) => {
      losing = at;
    },
    steps() {
      let lost = false;
      return {
        async step(name, work) {
          const known = kept.get(name);
          if (known !== undefined) return JSON.parse(known);
          const result = await work(`run:${name}`);
          if (losing === name) {
            losing = undefined;
            lost = true;
            throw new Error("the run is another worker's");
          }
          kept.set(name, JSON.stringify(result));
          return result;
        },
        save(run) {
          if (lost) throw new Error("the run is another worker's");
          saved.push(structuredClone(run));
        },
        isLost: () => lost,
      };
    },
  };
}

interface World {
  calls: string[];
  perform(item: Item, steps: Steps): Promise<void>;
  claims(): Promise<unknown>;
}

async function worldOf(): Promise<World> {
  const calls: string[] = [];
  const store = openMemoryStore();
  const say: Handler = {
    params: fields,
    run(params, context) {
      calls.push(String(params.word));
      context.progress?.({ halfway: true });
      if (params.fails === true) return { ok: false, output: { error: "boom" }, failure: "error", reason: "boom" };
      return { ok: true, output: { stdout: `${params.word}!`, seen: context.scope.results.length }, tokens: 5 };
    },
  };
  const enough: ConditionKind<Fields> = {
    params: fields,
    compile: () => (scope) => (scope.results.length >= 1 ? { reason: "step_0: enough was gathered" } : false),
  };
  const ports: Ports = {
    ...systemPorts(),
    store,
    queue: createInlineQueue(),
    hooks: () => ({ id: "none", hooks: [] }),
    registry: {
      handlers: new Map([["say", say]]),
      conditions: new Map([...conditions, ["enough", enough as unknown as ConditionKind]]), // the registry forgets the type
    },
    patterns: await loadPatterns(),
  };
  const engine = createEngine(ports);
  return {
    calls,
    perform: (item, steps) => engine.perform(item, { steps }),
    claims: async () => store.peek([{ key: `cooldown:${hookOf([]).id}`, gap: 60, refusal: "cooldown" }], Date.now()),
  };
}

const step = (word: string, more: Partial<Step> & { fails?: boolean } = {}): Step => {
  const { fails, ...rest } = more;
  return { uses: "say", with: { word, ...(fails ? { fails } : {}) }, timeout: 5, onError: "continue", ...rest };
};

const hookOf = (steps: Step[]): Hook =>
  anAutomation("a", {
    on: { event: ["task.completed"] },
    steps: steps as Hook["steps"], // each test gives one at least
    limits: { overlap: "coalesce", cooldown: 60 },
  });

function itemOf(steps: Step[], event: Partial<HookEvent> = {}): Item {
  const hook = hookOf(steps);
  const run: Run = {
    id: "0123456789ab",
    hook: hook.id,
    hookName: hook.name,
    eventId: "e",
    eventName: "task.completed",
    status: "queued",
    cause: "event:task.completed",
    startedAt: 0,
    steps: [],
    notes: [],
    asked: 0,
  };
  return {
    run,
    hook,
    event: { id: "e", name: "task.completed", at: 0, cwd: "/", data: {}, sender: "test", ...event },
  };
}

test("[A24, AT49] a run that is begun again repeats only the step that had not ended", async () => {
  const { calls, perform } = await worldOf();
  const { kept, saved, lose, steps } = journal();
  const item = itemOf([step("one"), step("two"), step("three")]);
  lose("1:say");
  await perform(item, steps());
  assert.deepEqual(calls, ["one", "two"]);
  assert.deepEqual([...kept.keys()], ["admission", "0:say"]);
  assert.equal(saved.at(-1)?.status, "running", "whoever lost the run closes nothing");
  await perform(item, steps());
  assert.deepEqual(calls, ["one", "two", "two", "three"]);
  const ended = saved.at(-1);
  assert.equal(ended?.status, "completed");
  assert.deepEqual(
    ended?.steps.map(({ output }) => output),
    [
      { stdout: "one!", seen: 0 },
      { stdout: "two!", seen: 1 },
      { stdout: "three!", seen: 2 },
    ],
  );
  assert.equal(ended?.tokens, 15);
});

test("[A20, A23] a run claims its cooldown once, however often it is begun; the next one is refused with the reason", async () => {
  const { perform, claims } = await worldOf();
  const first = journal();
  first.lose("0:say");
  await perform(itemOf([step("one")]), first.steps());
  assert.ok(await claims(), "taken by the first attempt");
  await perform(itemOf([step("one")]), first.steps());
  assert.equal(first.saved.at(-1)?.status, "completed");
  const second = journal();
  await perform(itemOf([step("one")]), second.steps());
  assert.deepEqual(
    second.saved.map(({ status, reason }) => [status, reason]),
    [["skipped", "cooldown: 60 s have not passed"]],
  );
});

test("[A21] who fires by hand is not refused by the cooldown, and starts it", async () => {
  const { perform, claims } = await worldOf();
  const byHand = { to: { hook: "automation:p/a", force: true } } as const;
  for (const _attempt of [1, 2]) {
    const { saved, steps } = journal();
    await perform(itemOf([step("one")], byHand), steps());
    assert.equal(saved.at(-1)?.status, "completed");
  }
  assert.ok(await claims(), "what comes by itself has to wait now");
});

test("[A38, A39] a condition that skips a step may give the reason in its own words", async () => {
  const { calls, perform } = await worldOf();
  const { saved, steps } = journal();
  await perform(itemOf([step("one"), step("two", { skipIf: { is: "enough", with: {} } })]), steps());
  assert.deepEqual(calls, ["one"]);
  assert.deepEqual([saved.at(-1)?.status, saved.at(-1)?.reason], ["skipped", "step_0: enough was gathered"]);
});

test("[A24, A47] the row fills as the run continues: what a step has done so far, what it gave, and what failed", async () => {
  const { perform } = await worldOf();
  const { saved, steps } = journal();
  await perform(itemOf([step("one"), step("two", { fails: true }), step("three")]), steps());
  const outputs = saved.map(({ status, steps: done }) => [status, ...done.map(({ output }) => output)]);
  assert.deepEqual(outputs[1], ["running", { halfway: true }]);
  assert.ok(outputs.some((row) => row.length === 3 && JSON.stringify(row[2]) === '{"error":"boom"}'));
  assert.equal(saved.at(-1)?.status, "completed", "a step that fails ends no run");
  assert.deepEqual(saved.at(-1)?.steps[1]?.reason, "boom");
});
