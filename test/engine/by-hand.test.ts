/** Events for one hook alone: what a person runs by hand happens to nobody's conversation. */
import assert from "node:assert/strict";
import test from "node:test";
import { conditions } from "../../src/conditions/index.ts";
import { loadPatterns } from "../../src/conditions/patterns.ts";
import { createEngine, type Engine } from "../../src/engine/engine.ts";
import { firstTurn, type HookEvent } from "../../src/engine/event.ts";
import type { Hook } from "../../src/engine/hook.ts";
import type { Outcome } from "../../src/engine/outcome.ts";
import type { Handler, Ports, Tracking } from "../../src/engine/ports.ts";
import type { Run, Store } from "../../src/engine/record.ts";
import { anything } from "../../src/engine/schema.ts";
import { createInlineQueue } from "../../src/runtime/queues/inline.ts";
import { systemPorts } from "../../src/runtime/system.ts";
import { openMemoryStore } from "../../src/storage/memory/memory.ts";
import { aHook } from "./a-hook.ts";

interface World {
  engine: Engine;
  store: Store;
  runs: Run[];
  send(id: string, given?: Partial<HookEvent>): Promise<Outcome>;
}

const hookOf = (id: string, given: Partial<Hook> = {}): Hook =>
  aHook(id, "deny", { on: { event: ["Stop"] }, ...given });

async function worldOf(hooks: Hook[], tracking?: Tracking): Promise<World> {
  const store = openMemoryStore();
  const runs: Run[] = [];
  const set = { id: "set", hooks };
  const deny: Handler = {
    params: anything as Handler["params"], // it takes any fields
    run: ({ passes }) => ({
      ok: true,
      output: {},
      outcome: passes === true ? {} : { verdict: { is: "deny", reason: "no", by: "?" } },
    }),
  };
  const ports: Ports = {
    ...systemPorts(),
    store,
    queue: createInlineQueue(),
    hooks: () => set,
    registry: { handlers: new Map([["deny", deny]]), conditions },
    patterns: await loadPatterns(),
    observe: (seen) => void (seen.is === "run" && runs.push(seen.run)),
    ...(tracking ? { tracking } : {}),
  };
  const engine = createEngine(ports);
  const send: World["send"] = async (id, given = {}) =>
    engine.emit({ id, name: "Stop", at: 0, cwd: "/project", data: {}, sender: "run", session: "s", ...given });
  return { engine, store, runs, send };
}
const byHand = (hook: string): Partial<HookEvent> => ({ to: { hook, force: true } });

test("an event for one hook alone leaves the session's turn as it is", async () => {
  const { send, store } = await worldOf([hookOf("a", { on: { event: ["UserPromptSubmit"] } })]);
  await send("e1", { name: "UserPromptSubmit", data: { prompt: "hello" } });
  const before = await store.turn("s");
  await send("e2", { name: "UserPromptSubmit", data: { prompt: "by hand" }, ...byHand("a") });
  assert.deepEqual(await store.turn("s"), before);
});

test("a moment of a clock that went by is a run that says why, and nothing is asked or counted", async () => {
  const { send, runs, store } = await worldOf([hookOf("a", { limits: { cooldown: 60, overlap: "queue" } })]);
  const missed = "2 moments went by: the machine slept";
  await send("e1", {
    name: "schedule.due",
    to: { hook: "a", because: "cron", slot: 0, instead: { is: "skipped", because: missed } },
  });
  assert.deepEqual(
    runs.map(({ status, reason, asked }) => [status, reason, asked]),
    [["skipped", missed, 0]],
  );
  assert.equal(await store.peek([{ key: "cooldown:a", gap: 60, refusal: "" }], 1), undefined);
});

test("a run by hand uses no continuation, however often, and waiting notices stay for the model", async () => {
  const { send, store } = await worldOf([hookOf("a")]);
  await store.post("s", { context: ["a notice"] }, "rewakes");
  for (const id of ["e1", "e2", "e3", "e4", "e5"])
    assert.deepEqual(await send(id, byHand("a")), { verdict: { is: "deny", reason: "no", by: "a" } });
  assert.deepEqual((await store.turn("s")).spent, firstTurn.spent);
  assert.equal((await store.collect("s")).length, 1);
});

test("a hook that is addressed is asked only where its condition holds, its matcher included", async () => {
  const shell = hookOf("a", { on: { event: ["PreToolUse"] }, when: { is: "match", with: "Bash" } });
  const { send, runs } = await worldOf([shell]);
  const call = (tool: string): Partial<HookEvent> => ({
    name: "PreToolUse",
    data: { tool_name: tool },
    ...byHand("a"),
  });
  assert.deepEqual(await send("e1", call("Read")), {});
  assert.equal(runs.length, 0);
  assert.equal((await send("e2", call("Bash"))).verdict?.is, "deny");
});

test("a change that one hook alone was given does not count as looked at by the others", async () => {
  const ended: unknown[] = [];
  const { send } = await worldOf([hookOf("a"), hookOf("b")], {
    begin: () => {},
    end: (_event, asked) => void ended.push(asked),
  });
  await send("e1", byHand("a"));
  await send("e2");
  assert.deepEqual(ended, [undefined, ["completed"]]);
});

test("[ET16] run by hand, a hook that fails is pending again, and one that passes is not", async () => {
  const script = hookOf("a", { limits: { untilPass: true, overlap: "queue" } });
  const passing = { ...script, id: "b", steps: [{ ...script.steps[0], with: { passes: true } }] } satisfies Hook;
  const { send, store } = await worldOf([script, passing]);
  await store.pendingChecks("s", new Map([["b", {}]]));
  await send("e1", byHand("a"));
  assert.deepEqual([...(await store.pendingChecks("s")).keys()], ["b", "a"]);
  await send("e2", byHand("b"));
  assert.deepEqual([...(await store.pendingChecks("s")).keys()], ["a"]);
});
