/** A store that takes nothing for a while: decisions go on, what must be durable is refused, and rows are written afterwards. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setTimeout as moment } from "node:timers/promises";
import { advance } from "../../src/engine/events.ts";
import type { Observation } from "../../src/engine/ports.ts";
import { defineHook } from "../../src/hosts/library/definition.ts";
import { createHookline } from "../../src/index.ts";
import { ringOfRows, withDegradedMode } from "../../src/storage/degraded.ts";
import { createRing } from "../../src/storage/degraded-rows.ts";
import { openSqliteStore } from "../../src/storage/sqlite/sqlite.ts";
import { anEvent, aRun, codeOf, noHooks, testStore } from "./contract.ts";
import { comesBack, count, full, newPath, opened } from "./degrading.ts";
import { locked } from "./lock.ts";

testStore("sqlite in groups with the degraded mode", ({ now, ...given } = {}) =>
  withDegradedMode(() => openSqliteStore({ path: newPath(), groups: true, ...given, ...(now ? { now } : {}) }), {
    ring: ringOfRows,
    complain: assert.fail,
  }),
);

const isLocked = (error: unknown): boolean => codeOf(error) === "store_locked";
const isFull = (error: unknown): boolean => codeOf(error) === "store_unusable";
const once = { key: "k", max: 1, refusal: "used" };

test("[F10] a decision continues from what was known while another process holds the lock, waits for that once, and is written afterwards", async (context) => {
  const { real, store, path, said } = opened(context);
  await store.record(anEvent({ session: "s" }), noHooks, advance);
  await store.pendingChecks("s", new Map([["first", { files: ["a"] }]]));
  await store.pause("paused", 1);
  await store.committed();
  const release = locked(context, path);
  const event = anEvent({ session: "s" });
  const { turn, paused } = await store.record(event, noHooks, advance);
  assert.deepEqual([turn.toolCalls, [...paused.keys()]], [2, ["paused"]], "what can be read counts");
  assert.equal(real.database.get<{ timeout: number }>("pragma busy_timeout")?.timeout, 0, "it waits no second time");
  assert.deepEqual([...(await store.pendingChecks("s", new Map([["second", {}]]))).keys()].sort(), ["first", "second"]);
  await store.saveRun(aRun({ id: "r", eventId: event.id }));
  await store.answered(event.id, { verdict: { is: "deny", by: "h" } }, 4);
  await assert.rejects(store.committed(), isLocked);
  assert.match(store.loss()?.reason ?? "", /stayed locked — /);
  assert.equal(said.length, 1, String(said));
  release();
  await comesBack(store);
  assert.equal((await store.event(event.id))?.outcome?.verdict?.is, "deny");
  assert.deepEqual([count(path, "event"), count(path, "run")], [2, 1]);
  assert.equal((await store.turn("s")).toolCalls, 2);
  assert.equal(store.rowsLost(), 0);
});

test("[F10, R8] counts of all processes together cannot be made while the store takes nothing, and continue from there afterwards", async (context) => {
  const { store, path } = opened(context);
  await store.record(anEvent({ session: "s" }), noHooks, advance);
  assert.equal(await store.claim([once], 1), undefined);
  assert.equal(await store.spend("s", "reprompts", 2), true);
  await store.committed();
  const release = locked(context, path);
  assert.throws(() => store.spend("s", "reprompts", 2), isLocked);
  assert.throws(() => store.claim([{ ...once, key: "other" }], 2), isLocked);
  assert.equal((await store.peek([once], 2))?.refusal, "used", "what can be read");
  release();
  await comesBack(store);
  assert.deepEqual([await store.spend("s", "reprompts", 2), await store.spend("s", "reprompts", 2)], [true, false]);
  assert.equal(await store.claim([{ ...once, key: "other" }], 3), undefined);
});

test("[F10] what must be durable is refused while the store takes nothing, and taken as soon as it does", async (context) => {
  const { store, path } = opened(context);
  const release = locked(context, path);
  const refuse = (): unknown => store.record(anEvent(), noHooks, advance, true);
  assert.throws(refuse, isLocked);
  assert.throws(refuse, isLocked);
  assert.throws(() => store.pause("a hook", 1), isLocked);
  release();
  await store.record(anEvent(), noHooks, advance, true);
  await store.committed();
  assert.equal(count(path, "event"), 1, "what was refused is not written later");
});

test("[F10] rows of a group that was lost are written later, with what came of them, and each counts once", async (context) => {
  context.mock.timers.enable({ apis: ["Date"] }); // a group that lasts too long ends early
  const { real, store } = opened(context);
  await store.record(anEvent({ session: "s" }), noHooks, advance);
  await store.committed();
  const makeRoom = full(real);
  const events = [1, 2, 3].map(() => anEvent({ session: "s", data: { text: "z".repeat(9_000) } }));
  for (const event of events) {
    await store.record(event, noHooks, advance);
    await store.saveRun(aRun({ id: `run of ${event.id}`, eventId: event.id, status: "running" }));
  }
  await store.post("s", { context: ["posted in it"] });
  await assert.rejects(store.committed(), isFull);
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
  assert.equal((await store.turn("s")).toolCalls, 4);
  assert.deepEqual(await store.collect("s"), [{ outcome: { context: ["posted in it"] } }]);
});

test("[F10] a group that is lost is found although nothing more happens", async (context) => {
  const { real, store, path } = opened(context);
  await store.record(anEvent({ session: "s" }), noHooks, advance);
  await store.committed();
  const makeRoom = full(real);
  await store.record(anEvent({ session: "s", data: { text: "z".repeat(90_000) } }), noHooks, advance);
  await assert.rejects(store.committed(), isFull);
  makeRoom();
  while (count(path, "event") < 2) await moment(20);
  assert.equal(count(path, "event"), 2);
});

test("what comes of an event that was refused when its group was lost is not written", async (context) => {
  const { real, store, path } = opened(context);
  const [kept, lost] = [anEvent(), anEvent({ data: { text: "z".repeat(90_000) } })];
  await store.record(kept, noHooks, advance, true);
  await store.committed();
  const makeRoom = full(real);
  await store.record(lost, noHooks, advance, true);
  await store.saveRun(aRun({ eventId: lost.id }));
  await assert.rejects(store.committed(), isFull);
  for (const { id } of [kept, lost]) await store.saveRun(aRun({ id: `run of ${id}`, eventId: id }));
  makeRoom();
  await comesBack(store);
  assert.deepEqual([count(path, "event"), count(path, "run")], [1, 1]);
  assert.ok(await store.run(`run of ${kept.id}`));
});

test("what a turn had brought onto the disk before the rest of it was lost is not written again", async (context) => {
  const { real, store } = opened(context);
  await store.record(anEvent({ session: "s" }), noHooks, advance);
  real.database.run("update meta set value = value"); // ends the group, not the turn
  const makeRoom = full(real);
  await store.record(anEvent({ session: "s", data: { text: "z".repeat(90_000) } }), noHooks, advance);
  await assert.rejects(store.committed(), isFull);
  makeRoom();
  await comesBack(store);
  assert.equal((await store.turn("s")).toolCalls, 2);
});

test("messages of that time are delivered once, or wait in the store afterwards", async (context) => {
  const { store, path } = opened(context);
  await store.record(anEvent({ session: "s" }), noHooks, advance);
  await store.committed();
  const release = locked(context, path);
  const saying = (text: string) => ({ outcome: { context: [text] } });
  await store.post("s", saying("first").outcome);
  assert.deepEqual(await store.collect("s"), [saying("first")]);
  await store.post("s", saying("second").outcome);
  await store.post("other", saying("third").outcome);
  release();
  await comesBack(store);
  assert.deepEqual(await store.collect("s"), [saying("second")]);
  assert.deepEqual(await store.collect("other"), [saying("third")]);
  assert.deepEqual(await store.collect("s"), []);
});

for (const when of ["before the store took nothing", "since"])
  test(`[R49] an event that came before the store took nothing, and was answered ${when}, has its answer`, async (context) => {
    const { store, path } = opened(context);
    const told = (by: string) => anEvent({ session: "s", delivery: { id: "call", by } });
    const first = told("user");
    const answer = (): unknown => store.answered(first.id, { verdict: { is: "deny", by: "h" } }, 1);
    await store.record(first, noHooks, advance);
    if (when !== "since") await answer();
    await store.committed();
    const release = locked(context, path);
    await store.record(anEvent({ session: "t" }), noHooks, advance);
    if (when === "since") await answer();
    const { given, turn } = await store.record(told("project"), noHooks, advance);
    assert.deepEqual([given?.verdict?.is, turn.toolCalls], ["deny", 1]);
    release();
    await comesBack(store);
    assert.equal((await store.turn("s")).toolCalls, 1);
  });

test("[F10] if the ring is full the oldest rows are dropped, counted and reported", async (context) => {
  const { store, path, said } = opened(context, { ring: 3 });
  const release = locked(context, path);
  const events = [1, 2, 3, 4, 5].map(() => anEvent());
  for (const event of events) await store.record(event, noHooks, advance);
  assert.equal(store.rowsLost(), 2);
  release();
  await comesBack(store);
  assert.deepEqual(
    (await store.events(9)).map(({ event }) => event.id),
    events
      .slice(2)
      .map(({ id }) => id)
      .reverse(),
  );
  assert.match(String(said.at(-1)), /^2 rows of what has happened since .* did not come into the store: .*locked/);
  assert.equal(count(path, "event"), 3);
});

test("rows that are large are kept up to 64 MB, however few they are", () => {
  const ring = createRing(10);
  const text = "x".repeat(30 * 1024 * 1024);
  for (const key of ["a", "b", "c"]) ring.add(key, { of: { text }, to: () => {} });
  assert.deepEqual([ring.lost(), ring.first(9).map(([key]) => key)], [1, ["b", "c"]]);
});

test("rows are written when the process ends, or it says that they are not", async (context) => {
  for (const isFree of [true, false]) {
    const { store, path, said } = opened(context);
    const release = locked(context, path);
    await store.record(anEvent(), noHooks, advance);
    if (isFree) release();
    store.close();
    assert.equal(count(path, "event"), isFree ? 1 : 0);
    assert.equal(
      said.some((one) => one.startsWith("1 row of what has happened since")),
      !isFree,
      String(said),
    );
    if (!isFree) release();
  }
});

test("pauses and messages of other processes are seen after an outage", async (context) => {
  const { store, path } = opened(context);
  const release = locked(context, path);
  await store.record(anEvent({ session: "s" }), noHooks, advance);
  release();
  await comesBack(store);
  const other = openSqliteStore({ path });
  other.pause("a hook", 1);
  other.post("s", { context: ["hello"] });
  other.close();
  assert.deepEqual([...(await store.record(anEvent({ session: "s" }), noHooks, advance)).paused.keys()], ["a hook"]);
  assert.equal((await store.collect("s")).length, 1);
});

test("rows are written in parts, between which others write", async (context) => {
  const { store, path } = opened(context);
  const release = locked(context, path);
  const many = 3_000;
  for (let index = 0; index < many; index++) await store.record(anEvent({ session: "s" }), noHooks, advance);
  release();
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

test("[F10] the process of one event keeps no rows: it says so once, and its decision continues", async (context) => {
  const { real, store, path, said } = opened(context, { ring: 0 });
  real.database.hurry(true);
  const release = locked(context, path);
  const event = anEvent({ session: "s" });
  assert.equal((await store.record(event, noHooks, advance)).turn.toolCalls, 1);
  await store.saveRun(aRun({ eventId: event.id }));
  assert.throws(() => store.spend("s", "reprompts", 3), isLocked);
  release();
  await store.answered(event.id, {}, 1);
  store.close();
  assert.deepEqual([count(path, "event"), count(path, "run")], [0, 0]);
  assert.equal(said.length, 1, String(said));
  assert.match(said[0] ?? "", /^the store stayed locked .*\(nothing more of this is recorded\)$/);
});

test("[F10] a program's own line continues to decide while its store takes nothing, and what it decided is in it afterwards", async (context) => {
  const path = newPath();
  const seen: string[] = [];
  openSqliteStore({ path }).close();
  const observe = (one: Observation): void => void (one.is === "log" && seen.push(one.message));
  const line = await createHookline({ store: path, files: false, environment: {}, observe });
  context.after(() => line.close());
  line.use(defineHook({ name: "no", on: "PreToolUse", run: () => ({ deny: "not here" }) }));
  const other = new DatabaseSync(path);
  context.after(() => other.close());
  other.exec("create trigger broken before insert on event begin select raise(abort, 'no space is left'); end");
  for (const tool_name of ["Bash", "Read"]) {
    const { verdict } = await line.emit("PreToolUse", { tool_name, tool_input: {} }, { session: "s" });
    assert.equal(verdict?.reason, "not here");
  }
  assert.equal(seen.filter((one) => one.includes("no space is left")).length, 1, String(seen));
  other.exec("drop trigger broken");
  while (count(path, "event") < 2) await moment(20);
  assert.deepEqual([count(path, "event"), count(path, "run")], [2, 2]);
});
