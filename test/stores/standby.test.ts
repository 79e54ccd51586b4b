/** A store of a process that stays, whose database takes nothing for a while: decisions go on, and what was missed is written. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turnIsOver } from "node:timers/promises";
import { advance } from "../../src/core/events.ts";
import { openSqliteStore } from "../../src/stores/sqlite.ts";
import { storeWithStandby } from "../../src/stores/standby.ts";
import { anEvent, aRun, codeOf, noHooks, testStore } from "./contract.ts";
import { locked } from "./lock.ts";
import { comesBack, count, newPath, opened } from "./store-with-standby.ts";

testStore("sqlite in groups with a standby", ({ now, ...given } = {}) =>
  storeWithStandby(openSqliteStore({ path: newPath(), groups: true, ...given, ...(now ? { now } : {}) }), {
    complain: assert.fail,
  }),
);

test("[F10] a decision goes on from what was known while another process holds the lock, waits for that once, and is written afterwards", async (context) => {
  const { store, path, said } = opened(context);
  const once = { key: "k", max: 1, refusal: "used" };
  await store.record(anEvent({ session: "s" }), noHooks, advance);
  await store.owe("s", new Map([["first", { files: ["a"] }]]));
  await store.pause("paused", 1);
  await store.committed();
  const release = await locked(context, path);
  const event = anEvent({ session: "s" });
  const started = performance.now();
  const { turn, paused } = await store.record(event, noHooks, advance);
  const waited = performance.now() - started;
  assert.deepEqual([turn.toolCalls, [...paused]], [2, ["paused"]], "what can be read counts");
  assert.ok(waited < 2_000, `it stood still for ${waited} ms`);
  assert.deepEqual([await store.claim([once], 1), await store.claim([once], 2)], [undefined, once]);
  assert.deepEqual([...(await store.owe("s", new Map([["second", {}]]))).keys()].sort(), ["first", "second"]);
  await store.saveRun(aRun({ id: "r", eventId: event.id }));
  await store.answered(event.id, { verdict: { is: "deny", by: "h" } }, 4);
  await assert.rejects(store.committed(), (error) => codeOf(error) === "store_locked");
  assert.match(store.loss()?.reason ?? "", /stayed locked — /);
  assert.equal(said.length, 1, String(said));
  await release();
  await comesBack(store);
  assert.equal((await store.event(event.id))?.outcome?.verdict?.is, "deny");
  assert.deepEqual([count(path, "event"), count(path, "run"), count(path, "debt"), count(path, "claim")], [2, 1, 2, 1]);
  assert.equal((await store.turn("s")).toolCalls, 2);
  assert.equal((await store.claim([once], 3))?.refusal, "used");
});

test("what must last is refused while the store takes nothing, and taken as soon as it does", async (context) => {
  const { store, path } = opened(context);
  const release = await locked(context, path);
  const refuse = (): unknown => store.record(anEvent(), noHooks, advance, true);
  assert.throws(refuse, (error) => codeOf(error) === "store_locked");
  assert.throws(refuse, (error) => codeOf(error) === "store_locked");
  await release();
  await store.record(anEvent(), noHooks, advance, true);
  await store.committed();
  assert.equal(count(path, "event"), 1, "what was refused is not written later");
});

test("[R8] after a group was lost rounds are counted in memory, and messages of that time are delivered once", async (context) => {
  const { real, store } = opened(context);
  await store.record(anEvent({ session: "s" }), noHooks, advance);
  await store.committed();
  const pages = Number(real.database.get<{ page_count: number }>("pragma page_count")?.page_count);
  real.database.get(`pragma max_page_count = ${pages}`);
  await store.saveRun(aRun({ outcome: { context: ["x".repeat(200_000)] } }));
  await assert.rejects(store.committed(), (error) => codeOf(error) === "store_unusable");
  await turnIsOver();
  assert.match(store.loss()?.reason ?? "", /the disk is full/);
  const spent = [1, 2, 3].map(() => store.spend("s", "reprompts", 2));
  assert.deepEqual(await Promise.all(spent), [true, true, false]);
  await store.post("s", { context: ["first"] });
  assert.deepEqual(await store.collect("s"), [{ outcome: { context: ["first"] } }]);
  await store.post("s", { context: ["second"] });
  real.database.get("pragma max_page_count = 1000000");
  await comesBack(store);
  assert.deepEqual(await store.collect("s"), [{ outcome: { context: ["second"] } }]);
  assert.deepEqual(await store.collect("s"), []);
  assert.equal((await store.turn("s")).spent.reprompts >= 2, true);
});

test("what cannot be written when the process ends, or is more than is kept, is said to be lost", async (context) => {
  const { store, path, said } = opened(context);
  const release = await locked(context, path);
  for (let index = 0; index < 3; index++)
    await store.record(anEvent({ data: { text: "x".repeat(4_000_000) } }), noHooks, advance);
  await release();
  await comesBack(store);
  assert.match(String(said.at(-1)), /^not all that has happened since .* is in the store: .*locked/);
  assert.equal(count(path, "event"), 2);
  const again = await locked(context, path);
  await store.record(anEvent(), noHooks, advance);
  store.close();
  assert.equal(said.filter((one) => one.startsWith("not all")).length, 2, String(said));
  await again();
});

test("what is missed is written when the process ends", async (context) => {
  const { store, path } = opened(context);
  const release = await locked(context, path);
  const event = anEvent();
  await store.record(event, noHooks, advance);
  await release();
  store.close();
  assert.equal(count(path, "event"), 1);
});
