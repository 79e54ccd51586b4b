/** What of an answer counts: reports, refusals that a person lifts for one call, and questions where nobody can answer. */
import assert from "node:assert/strict";
import test from "node:test";
import { allowedOnce, refusedIn, switchedOff } from "../../src/engine/admit.ts";
import { howToAllow } from "../../src/engine/counting.ts";
import { createEngine } from "../../src/engine/engine.ts";
import type { Fields, HookEvent } from "../../src/engine/event.ts";
import type { Hook } from "../../src/engine/hook.ts";
import type { Outcome, VerdictKind } from "../../src/engine/outcome.ts";
import type { Handler, Patterns, Ports } from "../../src/engine/ports.ts";
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

const now = 1_750_000_000_000;
const minute = 60_000;

interface World {
  store: Store;
  emit(given?: Partial<HookEvent>): Promise<Outcome>;
  run(hook: string): Run | undefined;
  /** Waits for what runs in the background. */
  close(): Promise<void>;
}

function worldOf(hooks: Hook[], given: Partial<Ports> = {}): World {
  const store = openMemoryStore();
  const runs: Run[] = [];
  const answers: Handler = {
    params: anything as Handler["params"], // any fields will do
    isLiftable: true,
    run: ({ outcome }) => ({ ok: true, output: {}, outcome: outcome as Outcome }), // each hook's parameters hold one
  };
  const ports: Ports = {
    ...systemPorts(),
    now: () => now,
    store,
    queue: createInlineQueue(),
    hooks: () => ({ id: "set", hooks }),
    registry: {
      handlers: new Map([
        ["gate", answers],
        ["program", { ...answers, isLiftable: undefined } as unknown as Handler], // as one that has never heard of it
      ]),
      conditions: new Map(),
    },
    patterns: noPatterns,
    projectOf: () => "/project",
    nameOfRefusal: ({ hook, session, input }) => `${hook}-${session}-${String(input.command)}`,
    observe: (seen) => void (seen.is === "run" && runs.push(seen.run)),
    ...given,
  };
  const engine = createEngine(ports);
  let events = 0;
  return {
    store,
    close: () => engine.close(),
    run: (hook) => runs.findLast((run) => run.hook === hook),
    emit: async (more) =>
      engine.emit({
        id: `event-${++events}`,
        name: "PreToolUse",
        at: now,
        cwd: "/project",
        data: { tool_name: "Bash", tool_input: { command: "push" } },
        sender: "emit",
        session: "s",
        ...more,
      }),
  };
}

const answering = (id: string, outcome: Outcome, given: Partial<Hook> = {}, uses = "gate"): Hook =>
  aHook(id, uses, {
    steps: [{ uses, with: { outcome } as unknown as Fields, timeout: 5, onError: "stop" }], // plain JSON
    role: "guard",
    onFailure: "block",
    ...given,
  });
const saying = (id: string, is: VerdictKind, given: Partial<Hook> = {}, uses = "gate"): Hook =>
  answering(id, { verdict: { is, reason: "because", by: id } }, given, uses);

const messagesOf = ({ messages = [] }: Outcome): string[] => messages.map(({ text }) => text);

test("what a hook that reports answers counts nowhere, and its run says what it would have done", async () => {
  const everything: Outcome = {
    verdict: { is: "deny", reason: "because", by: "a" },
    stop: { reason: "halt" },
    context: ["c"],
    updatedInput: { command: "other" },
    messages: [{ to: "person", text: "m" }],
  };
  const world = worldOf([answering("a", everything, { report: true }), saying("b", "allow", { role: "observe" })]);
  const outcome = await world.emit();
  assert.deepEqual(outcome, { verdict: { is: "allow", reason: "because", by: "b" } });
  const run = world.run("a");
  assert.deepEqual([run?.outcome, run?.withheld?.because, run?.withheld?.outcome], [{}, "report", everything]);
  assert.equal(run?.reason, "would have denied: because");
});

test("a guard that reports and fails blocks nothing, with a store and without one", async () => {
  const failing = saying("a", "deny", { report: true }, "missing");
  const world = worldOf([failing]);
  assert.deepEqual(await world.emit(), {});
  assert.match(world.run("a")?.reason ?? "", /missing/);
  assert.equal(world.run("a")?.withheld?.outcome.verdict?.is, "deny");
  const store: Store = {
    ...openMemoryStore(),
    record() {
      throw new Error("the disk is full");
    },
  };
  assert.deepEqual(await worldOf([failing], { store }).emit(), {});
  assert.equal(
    (await worldOf([{ ...failing, report: undefined } as unknown as Hook], { store }).emit()).verdict?.is,
    "deny",
  );
});

test("a hook that reports in the background says nothing to anyone", async () => {
  const world = worldOf([
    answering(
      "a",
      { context: ["c"], messages: [{ to: "person", text: "m" }] },
      { report: true, mode: "async", role: "observe" },
    ),
  ]);
  await world.emit();
  await world.close();
  assert.deepEqual(await world.store.collect("s"), []);
  assert.equal(world.run("a")?.reason, "would have answered context, messages");
});

test("a hook that reports never stands in the place of the same hook that counts", async () => {
  const world = worldOf([saying("a", "deny", { report: true }), saying("b", "deny")]);
  const same = await world.emit();
  assert.equal(same.verdict?.by, "b");
});

test("a refused call tells the person how to allow it and holds no key, and is kept for five minutes; allowed, it passes once", async () => {
  const world = worldOf([saying("a", "deny")]);
  const refused = await world.emit();
  assert.deepEqual([refused.verdict?.reason, messagesOf(refused)], ["because", [howToAllow]]);
  const kept = refusedIn("/project", await world.store.paused(), now);
  assert.deepEqual(
    kept.map(({ call, run, at }) => [call, run, at]),
    [["a-s-push", world.run("a")?.id, now]],
  );
  assert.deepEqual(refusedIn("/project", await world.store.paused(), now + 5 * minute), []);
  assert.deepEqual(refusedIn("/proj", await world.store.paused(), now), []);
  await world.store.pause(allowedOnce("a-s-push", "PreToolUse"), now, now + 5 * minute);
  const others: Partial<HookEvent>[] = [
    { session: "t" },
    { data: { tool_name: "Bash", tool_input: { command: "pull" } } },
  ];
  for (const other of others) assert.equal((await world.emit(other)).verdict?.is, "deny");
  assert.deepEqual(await world.emit(), {});
  const run = world.run("a");
  assert.deepEqual([run?.outcome, run?.withheld?.because], [{}, "allowed once"]);
  assert.equal(run?.reason, "allowed once by a person; it would have denied: because");
  assert.equal((await world.emit()).verdict?.is, "deny", "it is used up");
});

test("a guard that is asked twice about one call, before it and for its permission, lets it pass both times", async () => {
  const world = worldOf([saying("a", "deny", { on: { event: ["PreToolUse", "PermissionRequest"] } })]);
  const ofOneCall = ["PreToolUse", "PermissionRequest"] as const;
  for (const name of ofOneCall) await world.store.pause(allowedOnce("a-s-push", name), now, now + minute);
  for (const name of ofOneCall) assert.deepEqual(await world.emit({ name }), {}, name);
  for (const name of ofOneCall) assert.equal((await world.emit({ name })).verdict?.is, "deny", name);
});

test("of two calls at once one is allowed", async () => {
  const world = worldOf([saying("a", "deny")]);
  await world.store.pause(allowedOnce("a-s-push", "PreToolUse"), now, now + minute);
  const both = await Promise.all([world.emit(), world.emit()]);
  assert.deepEqual(both.map(({ verdict }) => verdict?.is).sort(), ["deny", undefined]);
});

test("what was allowed for a time that is over is refused", async () => {
  const world = worldOf([saying("a", "ask")]);
  await world.store.pause(allowedOnce("a-s-push", "PreToolUse"), now - 6 * minute, now - minute);
  assert.equal((await world.emit()).verdict?.is, "ask");
});

test("another guard's refusal of the same call stands, and can be allowed by itself", async () => {
  const world = worldOf([
    saying("a", "ask"),
    saying("b", "deny", {
      steps: [{ uses: "gate", with: { outcome: { verdict: { is: "deny", by: "b" } } }, timeout: 6, onError: "stop" }],
    }),
  ]);
  await world.store.pause(allowedOnce("a-s-push", "PreToolUse"), now, now + minute);
  const outcome = await world.emit();
  assert.equal(outcome.verdict?.by, "b");
  assert.deepEqual(messagesOf(outcome), [howToAllow]);
});

test("a managed guard, a program and an event that is no call before it happens cannot be allowed", async () => {
  const managed = worldOf([saying("a", "deny", { origin: { dialect: "rules", layer: "managed" } })]);
  const program = worldOf([saying("a", "deny", {}, "program")]);
  const stop = worldOf([saying("a", "deny", { on: { event: ["Stop", "PostToolUse"] } })]);
  for (const world of [managed, program]) {
    await world.store.pause(allowedOnce("a-s-push", "PreToolUse"), now, now + minute);
    const { verdict, messages } = await world.emit();
    assert.deepEqual([verdict?.is, messages], ["deny", undefined]);
  }
  assert.equal((await stop.emit({ name: "Stop", data: {} })).messages, undefined);
  assert.equal((await stop.emit({ name: "PostToolUse" })).messages, undefined);
});

test("an agent that takes no messages gets the reason alone, and no later event says how an old one is allowed", async () => {
  const world = worldOf([saying("a", "deny")]);
  assert.equal((await world.emit({ accepts: ["verdict", "context"] })).messages, undefined);
  assert.deepEqual(await world.store.collect("s"), []);
  assert.deepEqual(world.run("a")?.notes, [howToAllow]);
});

test("a guard that a person has switched off does not run in that project until the time is over, and a managed one runs", async () => {
  const managed = saying("m", "ask", { origin: { dialect: "rules", layer: "managed" } });
  const off = worldOf([saying("a", "deny"), managed]);
  for (const id of ["a", "m"]) await off.store.pause(switchedOff(id, "/project"), now, now + minute);
  assert.equal((await off.emit()).verdict?.by, "m");
  assert.equal(off.run("a")?.reason, "switched off by a person until 2025-06-15 15:07 UTC");
  const elsewhere = worldOf([saying("a", "deny")], { projectOf: () => "/other" });
  await elsewhere.store.pause(switchedOff("a", "/project"), now, now + minute);
  assert.equal((await elsewhere.emit()).verdict?.is, "deny");
  const over = worldOf([saying("a", "deny")]);
  await over.store.pause(switchedOff("a", "/project"), now - 2 * minute, now - minute);
  assert.equal((await over.emit()).verdict?.is, "deny");
});

test("where nobody can answer a question becomes a deny that says how to allow it, or what the settings say", async () => {
  const asked = async (unanswered: Ports["unanswered"], given: Partial<Hook> = {}) => {
    const world = worldOf([saying("a", "ask", given)], unanswered ? { unanswered } : {});
    return { outcome: await world.emit(), run: world.run("a") };
  };
  const denied = await asked(() => "deny");
  assert.deepEqual(denied.outcome.verdict, {
    is: "deny",
    by: "a",
    reason:
      "because\nNo person can be asked in this session: a person can allow it once with `hookline allow-once` at a terminal, or with an exception in the hook.",
  });
  assert.deepEqual(
    [denied.run?.outcome?.verdict?.is, denied.run?.notes[0]],
    ["ask", "ask became deny: no person can be asked in this session"],
  );
  assert.equal((await asked(() => "allow")).outcome.verdict?.is, "allow");
  assert.deepEqual((await asked(() => "pass")).outcome, {});
  assert.equal((await asked(() => undefined)).outcome.verdict?.is, "ask");
  const managed: Partial<Hook> = { origin: { dialect: "rules", layer: "managed" } };
  for (const wanted of ["allow", "pass"] as const)
    assert.equal((await asked(() => wanted, managed)).outcome.verdict?.is, "deny");
});

test("[R98] the main agent, each subagent and each teammate has three continuations of its own per prompt of a person", async () => {
  const events = ["Stop", "SubagentStop", "TeammateIdle"] as const;
  const world = worldOf([saying("a", "deny", { on: { event: [...events] } })]);
  const agents: Partial<HookEvent>[] = [
    { name: "Stop" },
    { name: "SubagentStop", agent: { id: "one" } },
    { name: "SubagentStop", agent: { id: "two" } },
    { name: "TeammateIdle", data: { teammate_name: "ann" } },
    { name: "TeammateIdle", data: { teammate_name: "bob" } },
  ];
  const held = async (): Promise<(string | undefined)[][]> => {
    const kinds: (string | undefined)[][] = agents.map(() => []);
    for (let time = 0; time < 4; time++)
      for (const [index, given] of agents.entries()) kinds[index]?.push((await world.emit(given)).verdict?.is);
    return kinds;
  };
  const threeTimes = agents.map(() => ["deny", "deny", "deny", undefined]);
  assert.deepEqual(await held(), threeTimes);
  await world.emit({ name: "UserPromptSubmit", data: { prompt: "a task has ended", source: "task" } });
  assert.deepEqual(
    await held(),
    agents.map(() => [undefined, undefined, undefined, undefined]),
  );
  await world.emit({ name: "UserPromptSubmit", data: { prompt: "again" } });
  assert.deepEqual(await held(), threeTimes);
});
