/** A store with a standby, and with rows that were acknowledged before its transaction: where that fails, decisions know them all the same. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { setTimeout as moment } from "node:timers/promises";
import { advance } from "../../src/core/events.ts";
import type { Fate } from "../../src/stores/group-commit.ts";
import { openSqliteStore } from "../../src/stores/sqlite.ts";
import { storeWithStandby } from "../../src/stores/standby.ts";
import { thisProcess } from "../../src/system.ts";
import { anEvent, aRun, codeOf, noHooks, testStore } from "./contract.ts";
import { locked } from "./lock.ts";
import { comesBack, count, full, newPath, type Opened, opened } from "./store-with-standby.ts";

testStore("sqlite in groups with rows beside it and a standby", ({ now, ...given } = {}) =>
  storeWithStandby(
    openSqliteStore({ path: newPath(), groups: true, ahead: thisProcess, ...given, ...(now ? { now } : {}) }),
    { complain: assert.fail },
  ),
);

interface Locked extends Opened {
  release(): Promise<void>;
  /** Resolves once a group was lost. */
  lost: Promise<unknown>;
}

/** Resolves once that has become of what was written. */
const becoming = ({ real }: Opened, fate: Fate): Promise<unknown> =>
  new Promise((resolve) => real.database.watch((one) => one === fate && resolve(one)));

/** With one event of the session "s" in it; the hook set is known, so that all else of events and runs can lie beside it. */
async function lockedWithOne(context: TestContext, { hasSpent = false } = {}): Promise<Locked> {
  const given = opened(context, { ahead: thisProcess });
  await given.store.record(anEvent({ session: "s" }), noHooks, advance);
  if (hasSpent) await given.store.spend("s", "reprompts", 1);
  await given.store.committed();
  const release = await locked(context, given.path);
  const lost = becoming(given, "lost");
  return { ...given, release, lost };
}

const told = (by: string) => anEvent({ session: "s", delivery: { id: "call", by } });
const denied = { verdict: { is: "deny", by: "h" } } as const;

for (const when of ["is lost", "still waits"])
  test(`[F10, R49] what was acknowledged counts while the store takes nothing, where its group ${when}`, async (context) => {
    const { store, path, release, lost } = await lockedWithOne(context);
    const first = told("user");
    await store.record(first, noHooks, advance);
    await store.saveRun(aRun({ id: "r", eventId: first.id }));
    await store.answered(first.id, denied, 1);
    await store.committed();
    if (when === "is lost") await lost;
    if (when === "still waits") await store.claim([{ key: "k", max: 1, refusal: "used" }], 1);
    const { given, turn } = await store.record(told("project"), noHooks, advance);
    assert.deepEqual([given?.verdict?.is, turn.toolCalls], ["deny", 2]);
    assert.equal((await store.record(anEvent({ session: "s" }), noHooks, advance)).turn.toolCalls, 3);
    await assert.rejects(store.committed(), (error) => codeOf(error) === "store_locked");
    await release();
    await comesBack(store);
    assert.deepEqual([count(path, "event"), count(path, "run")], [4, 1]);
    assert.equal((await store.turn("s")).toolCalls, 3, "each counts once");
    assert.equal((await store.event(first.id))?.outcome?.verdict?.is, "deny");
  });

test("an event whose hook set cannot be written goes on from what was acknowledged", async (context) => {
  const { store, path, release } = await lockedWithOne(context);
  await store.record(anEvent({ session: "s" }), noHooks, advance);
  await store.committed();
  const others = { ...noHooks, id: "not in the store yet" };
  assert.equal((await store.record(anEvent({ session: "s" }), others, advance)).turn.toolCalls, 3);
  await release();
  await comesBack(store);
  assert.deepEqual([count(path, "event"), (await store.turn("s")).toolCalls], [3, 3]);
});

test("an event that the store refuses at once goes on from what was acknowledged", async (context) => {
  const { real, store, path } = opened(context, { ahead: thisProcess });
  await store.record(anEvent({ session: "s" }), noHooks, advance);
  await store.committed();
  real.database.get("pragma query_only = 1");
  await store.record(anEvent({ session: "s" }), noHooks, advance);
  await store.committed();
  const others = { ...noHooks, id: "not in the store yet" };
  assert.equal((await store.record(anEvent({ session: "s" }), others, advance)).turn.toolCalls, 3);
  await assert.rejects(store.committed(), (error) => codeOf(error) === "store_unusable");
  real.database.get("pragma query_only = 0");
  await comesBack(store);
  assert.deepEqual([count(path, "event"), (await store.turn("s")).toolCalls], [3, 3]);
});

test("[R8] a counter that cannot be written goes on from the turn that was acknowledged", async (context) => {
  const { store, release } = await lockedWithOne(context, { hasSpent: true });
  await store.record(anEvent({ name: "UserPromptSubmit", session: "s", data: { prompt: "next" } }), noHooks, advance);
  await store.committed();
  assert.equal(await store.spend("s", "reprompts", 1), true, "a prompt begins a new count");
  await release();
  await comesBack(store);
});

test("whoever asks for the turn when a group was lost has it with what was acknowledged", async (context) => {
  const { store, release, lost } = await lockedWithOne(context);
  await store.record(anEvent({ session: "s" }), noHooks, advance);
  await store.committed();
  await lost;
  assert.equal((await store.turn("s")).toolCalls, 2);
  await release();
  await comesBack(store);
  assert.equal((await store.turn("s")).toolCalls, 2);
});

test("an event that must last and was acknowledged counts while the store takes nothing", async (context) => {
  const { store, path, release, lost } = await lockedWithOne(context);
  await store.record(anEvent({ session: "s" }), noHooks, advance, true);
  await store.committed();
  await lost;
  assert.equal((await store.record(anEvent({ session: "s" }), noHooks, advance)).turn.toolCalls, 3);
  await release();
  await comesBack(store);
  assert.deepEqual([count(path, "event"), (await store.turn("s")).toolCalls], [3, 3]);
});

test("of a group with a part that was acknowledged the other part is missed, and both are written once", async (context) => {
  const { store, path, release } = await lockedWithOne(context);
  const claim = { key: "k", max: 5, refusal: "used" };
  await store.record(anEvent({ session: "s" }), noHooks, advance);
  await store.committed();
  await store.record(anEvent({ session: "s" }), noHooks, advance);
  await store.claim([claim], 1);
  await assert.rejects(store.committed(), (error) => codeOf(error) === "store_locked");
  assert.equal((await store.turn("s")).toolCalls, 3);
  await release();
  await comesBack(store);
  assert.deepEqual([count(path, "event"), (await store.turn("s")).toolCalls], [3, 3]);
});

test("what is in the store does not count again when it takes nothing later", async (context) => {
  const given = opened(context, { ahead: thisProcess });
  const { store, path } = given;
  for (let index = 0; index < 3; index++) {
    const isWritten = becoming(given, "written");
    await store.record(anEvent({ session: "s" }), noHooks, advance);
    await store.committed();
    await isWritten;
  }
  const release = await locked(context, path);
  const lost = becoming(given, "lost");
  await store.record(anEvent({ session: "s" }), noHooks, advance);
  await store.committed();
  await lost;
  assert.equal((await store.record(anEvent({ session: "s" }), noHooks, advance)).turn.toolCalls, 5);
  await release();
  await comesBack(store);
  assert.deepEqual([count(path, "event"), (await store.turn("s")).toolCalls], [5, 5]);
});

test("a work that throws leaves nothing that is written later", async (context) => {
  const { store, path } = opened(context, { ahead: thisProcess });
  await store.record(anEvent({ session: "s" }), noHooks, advance);
  await store.committed();
  assert.throws(
    () =>
      store.batch?.(() => {
        store.record(anEvent({ session: "s" }), noHooks, advance);
        throw new TypeError("of the work");
      }),
    TypeError,
  );
  const release = await locked(context, path);
  await store.claim([{ key: "k", max: 1, refusal: "used" }], 1);
  await release();
  await comesBack(store);
  assert.deepEqual([count(path, "event"), (await store.turn("s")).toolCalls], [1, 1]);
});

test("whoever asks for the turn and so finds that the store takes nothing has it with what was acknowledged", async (context) => {
  const { store, release } = await lockedWithOne(context);
  await store.record(anEvent({ session: "s" }), noHooks, advance);
  await store.committed();
  assert.equal((await store.turn("s")).toolCalls, 2);
  await release();
  await comesBack(store);
});

test("what was acknowledged and lost comes into the store although nothing more happens, and a lasting lock shows", async (context) => {
  const { store, path, release, lost } = await lockedWithOne(context);
  await store.record(anEvent({ session: "s" }), noHooks, advance);
  await store.committed();
  await lost;
  for (const end = Date.now() + 10_000; !store.loss() && Date.now() < end; ) await moment(10);
  assert.equal(store.loss()?.reason.startsWith("the store stayed locked"), true);
  await release();
  await comesBack(store);
  assert.equal(count(path, "event"), 2);
});

test("what was missed is written once, although another program has the lock as soon as it is written", async (context) => {
  const { store, path, real, release } = await lockedWithOne(context);
  await store.claim([{ key: "k", max: 3, refusal: "used" }], 1);
  await store.spend("s", "reprompts", 3);
  const other = new DatabaseSync(path, { timeout: 0 });
  context.after(() => other.close());
  let times = 0;
  real.database.watch((fate) => {
    if (fate !== "written" || ++times > 2) return;
    other.exec("begin immediate");
    setTimeout(() => other.exec("rollback"), 20);
  });
  await release();
  await comesBack(store);
  assert.equal(times > 1, true);
  const claimed = other.prepare("select count from claim").get();
  assert.deepEqual([claimed?.count, (await store.turn("s")).spent.reprompts], [1, 1]);
});

test("what others have paused or posted is seen behind an outage", async (context) => {
  const { store, path, release } = await lockedWithOne(context);
  await store.record(anEvent({ session: "s" }), noHooks, advance);
  await store.claim([{ key: "k", max: 3, refusal: "used" }], 1);
  await release();
  await comesBack(store);
  const other = openSqliteStore({ path });
  other.pause("a hook", 1);
  other.post("s", { context: ["hello"] });
  other.close();
  assert.deepEqual([...(await store.record(anEvent({ session: "s" }), noHooks, advance)).paused], ["a hook"]);
  assert.equal((await store.collect("s")).length, 1);
});

for (const [when, others, turn] of [
  ["before", "UserPromptSubmit", [1, 1, 0]],
  ["behind", "PreToolUse", [1, 0, 0]],
] as const)
  test(`[R8] a turn that was acknowledged and lost is moved on from what another process has written ${when} it`, async (context) => {
    const { store, path, lost, release } = await lockedWithOne(context, { hasSpent: true });
    const own = others === "PreToolUse" ? "UserPromptSubmit" : "PreToolUse";
    await store.record(anEvent({ name: own, session: "s", data: { prompt: "next" } }), noHooks, advance);
    await store.committed();
    await lost;
    await release();
    const other = openSqliteStore({ path });
    await other.record(anEvent({ name: others, session: "s", data: { prompt: "next" } }), noHooks, advance);
    other.close();
    await comesBack(store);
    await store.record(anEvent({ session: "t" }), noHooks, advance);
    await store.committed();
    const { number, toolCalls, spent } = await store.turn("s");
    assert.deepEqual([number, toolCalls, spent.reprompts], turn);
  });

test("a turn that was acknowledged behind a look into what was kept stays, whatever becomes of what comes next", async (context) => {
  const { real, store } = opened(context, { ahead: thisProcess });
  const prompt = async (): Promise<number> => {
    const event = anEvent({ name: "UserPromptSubmit", session: "s", data: { prompt: "x" } });
    const { turn } = await store.record(event, noHooks, advance);
    await store.committed();
    return turn.number;
  };
  assert.equal(await prompt(), 1);
  await moment(30); // it is in the store
  assert.equal(await prompt(), 2);
  await store.turn("s");
  assert.equal(await prompt(), 3);
  const empty = full(real);
  await store.record(anEvent({ session: "t", data: { command: "x".repeat(100_000) } }), noHooks, advance);
  await moment(100);
  empty();
  await comesBack(store);
  assert.equal((await store.turn("s")).number, 3);
  assert.equal(await prompt(), 4);
});
