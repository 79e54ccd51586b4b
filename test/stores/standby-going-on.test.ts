/** What a store that takes nothing for a while had, and was given: nothing of it begins again, is lost, or counts twice. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setTimeout as moment } from "node:timers/promises";
import { advance } from "../../src/core/events.ts";
import { anEvent, aRun, codeOf, noHooks } from "./contract.ts";
import { locked } from "./lock.ts";
import { comesBack, count, full, opened, triedAgain } from "./store-with-standby.ts";

test("[F10] events of a group that was lost are written down later, with their runs and answers", async (context) => {
  const { real, store } = opened(context);
  await store.record(anEvent({ session: "s" }), noHooks, advance);
  await store.committed();
  const makeRoom = full(real);
  const events = [1, 2, 3].map(() => anEvent({ session: "s", data: { text: "z".repeat(9_000) } }));
  for (const { id } of events) {
    const event = events.find((one) => one.id === id) ?? assert.fail();
    await store.record(event, noHooks, advance);
    await store.saveRun(aRun({ id: `run of ${id}`, eventId: id, status: "running" }));
  }
  await store.claim([{ key: "k", max: 1, refusal: "used" }], 1);
  await store.post("s", { context: ["posted in it"] });
  await assert.rejects(store.committed(), (error) => codeOf(error) === "store_unusable");
  assert.equal((await store.claim([{ key: "k", max: 1, refusal: "used" }], 2))?.refusal, "used");
  assert.equal((await store.turn("s")).toolCalls, 4);
  for (const { id } of events) {
    await store.saveRun(aRun({ id: `run of ${id}`, eventId: id }));
    await store.answered(id, { verdict: { is: "deny", by: "h" } }, 1);
  }
  makeRoom();
  await comesBack(store);
  for (const { id } of events) {
    assert.equal((await store.event(id))?.outcome?.verdict?.is, "deny");
    assert.equal((await store.run(`run of ${id}`))?.status, "completed");
  }
  assert.equal((await store.turn("s")).toolCalls, 4, "each counts once");
  assert.deepEqual(await store.collect("s"), [{ outcome: { context: ["posted in it"] } }]);
  assert.ok(await store.claim([{ key: "k", max: 1, refusal: "used" }], 3));
});

test("what a turn had brought onto the disk before the rest of it was lost is not written again", async (context) => {
  const { real, store } = opened(context);
  await store.record(anEvent({ session: "s" }), noHooks, advance);
  real.database.run("update meta set value = value"); // ends the group, not the turn
  const makeRoom = full(real);
  await store.record(anEvent({ session: "s", data: { text: "z".repeat(90_000) } }), noHooks, advance);
  await assert.rejects(store.committed(), (error) => codeOf(error) === "store_unusable");
  makeRoom();
  await comesBack(store);
  assert.equal((await store.turn("s")).toolCalls, 2);
});

test("of an event that is more than is kept, neither runs nor an answer are written", async (context) => {
  const { store, path } = opened(context);
  const release = await locked(context, path);
  const events = [1, 2, 3].map(() => anEvent({ data: { text: "x".repeat(4_000_000) } }));
  for (const event of events) {
    await store.record(event, noHooks, advance);
    await store.saveRun(aRun({ eventId: event.id }));
  }
  await release();
  await comesBack(store);
  assert.deepEqual([count(path, "event"), count(path, "run")], [2, 2]);
});

test("what comes of an event that must last is written with it, and not without it", async (context) => {
  const { real, store, path } = opened(context);
  const [kept, lost] = [anEvent(), anEvent({ data: { text: "z".repeat(90_000) } })];
  await store.record(kept, noHooks, advance, true);
  await store.committed();
  const makeRoom = full(real);
  await store.record(lost, noHooks, advance, true);
  await store.saveRun(aRun({ eventId: lost.id }));
  await assert.rejects(store.committed(), (error) => codeOf(error) === "store_unusable");
  for (const { id } of [kept, lost]) await store.saveRun(aRun({ id: `run of ${id}`, eventId: id }));
  makeRoom();
  await comesBack(store);
  assert.deepEqual([count(path, "event"), count(path, "run")], [1, 1]);
  assert.ok(await store.run(`run of ${kept.id}`));
});

test("[R8] budgets and turns go on from what was used before the store took nothing", async (context) => {
  const { store, path } = opened(context);
  const claim = { key: "k", max: 3, refusal: "used" };
  for (let at = 1; at <= 2; at++) {
    await store.record(anEvent({ session: "s" }), noHooks, advance);
    await store.claim([claim], at);
    assert.equal(await store.spend("s", "reprompts", 3), true);
  }
  await store.committed();
  const release = await locked(context, path);
  const spent = [1, 2].map(() => store.spend("s", "reprompts", 3));
  assert.deepEqual(await Promise.all(spent), [true, false]);
  const refused = [3, 4].map((at) => store.claim([claim], at));
  assert.deepEqual(await Promise.all(refused), [undefined, claim]);
  const { turn } = await store.record(anEvent({ session: "s" }), noHooks, advance);
  assert.equal(turn.toolCalls, 3);
  await release();
  await comesBack(store);
  const { toolCalls, spent: after } = await store.turn("s");
  assert.deepEqual([toolCalls, after.reprompts], [3, 3]);
});

test("a debt that is paid while the store takes nothing is owed no more", async (context) => {
  const { store, path } = opened(context);
  const owed = async (): Promise<string[]> => [...(await store.owe("s", new Map())).keys()];
  await store.owe(
    "s",
    new Map([
      ["first", {}],
      ["second", {}],
    ]),
  );
  await store.committed();
  const release = await locked(context, path);
  await store.paid("s", "first");
  assert.deepEqual(await owed(), ["second"]);
  await release();
  await comesBack(store);
  assert.deepEqual(await owed(), ["second"]);
});

test("messages that could not be written down either are delivered, and once", async (context) => {
  const given = opened(context);
  const { real, store, path } = given;
  await store.record(anEvent({ session: "s" }), noHooks, advance);
  await store.committed();
  const release = await locked(context, path);
  const message = { context: ["z".repeat(90_000)] };
  for (const session of ["s", "s", "other"]) await store.post(session, message);
  const makeRoom = full(real);
  await release();
  await triedAgain(given);
  assert.deepEqual(await store.collect("s"), [{ outcome: message }, { outcome: message }]);
  makeRoom();
  await comesBack(store);
  assert.deepEqual([await store.collect("s"), await store.collect("other")], [[], [{ outcome: message }]]);
});

test("messages that are neither delivered nor written down when the process ends are said to be lost", async (context) => {
  for (const isDelivered of [true, false]) {
    const { store, path, said } = opened(context);
    const release = await locked(context, path);
    await store.post("s", { context: ["a message"] });
    if (isDelivered) await store.collect("s");
    store.close();
    assert.equal(said.filter((one) => one.startsWith("not all")).length, isDelivered ? 0 : 1, String(said));
    await release();
  }
});

for (const when of ["before the store took nothing", "since"])
  test(`[R49] a happening that was told before the store took nothing, and answered ${when}, has its answer`, async (context) => {
    const { store, path } = opened(context);
    const told = (by: string) => anEvent({ session: "s", delivery: { id: "call", by } });
    const first = told("user");
    const answer = (): unknown => store.answered(first.id, { verdict: { is: "deny", by: "h" } }, 1);
    await store.record(first, noHooks, advance);
    if (when !== "since") await answer();
    await store.committed();
    const release = await locked(context, path);
    if (when === "since") await answer();
    const { given, turn } = await store.record(told("project"), noHooks, advance);
    assert.deepEqual([given?.verdict?.is, turn.toolCalls], ["deny", 1]);
    await release();
    await comesBack(store);
    assert.equal((await store.turn("s")).toolCalls, 1);
  });

test("what was missed is written in parts, between which others write", async (context) => {
  const { store, path } = opened(context);
  const release = await locked(context, path);
  const many = 3_000;
  for (let index = 0; index < many; index++) await store.record(anEvent({ session: "s" }), noHooks, advance);
  await release();
  const other = new DatabaseSync(path, { timeout: 0 });
  context.after(() => other.close());
  let isBetween = false;
  while (store.loss()) {
    const written = count(path, "event");
    if (written > 0 && written < many) {
      other.exec("begin immediate; rollback");
      isBetween = true;
    }
    await moment(1);
  }
  assert.ok(isBetween, "others had their turn");
  assert.equal(count(path, "event"), many);
  assert.equal((await store.turn("s")).toolCalls, many);
});
