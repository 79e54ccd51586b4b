import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { advance } from "../../src/engine/events.ts";
import { isAlive } from "../../src/runtime/system.ts";
import { openSqliteStore } from "../../src/storage/sqlite/sqlite.ts";
import { anEvent, noHooks } from "./contract.ts";
import { acknowledgedStays, allOpenIt, eachKeyOnce, folder, isIntact, newPath, noneIsLost } from "./races.ts";
import { startWriter } from "./start-writer.ts";

test("[X7, R21] two processes claim 50 keys at once: each key is granted exactly once", () => eachKeyOnce(2));

test("two processes that open a store which does not exist yet both succeed", () => allOpenIt(2));

test("[X8] two processes that write 200 runs each into one session lose none, and count every tool call", () =>
  noneIsLost(200));

test("[X8, R26] kill -9 of a writer: nothing that it had acknowledged is lost, and after repair no run is left running", () =>
  acknowledgedStays(1));

test("[X8] what a long-lived process had acknowledged when it was killed is there for the next process that opens the store", async () => {
  const path = newPath();
  const { child, ended } = startWriter(path, "acknowledge", "5");
  await ended;
  const store = openSqliteStore({ path });
  assert.deepEqual(
    (await store.events(10)).map(({ event, outcome, ms }) => [event.id, event.turn?.toolCalls, outcome, ms]),
    [4, 3, 2, 1, 0].map((index) => [`${child.pid}:${index}`, index + 1, {}, 3]),
  );
  assert.deepEqual(
    (await store.runs({})).map(({ status }) => status),
    ["completed", "running", "completed", "running", "completed"],
  );
  assert.equal((await store.turn("shared")).toolCalls, 5);
  assert.equal(await store.repair(isAlive, Date.now()), 2, "what it left running is closed");
  store.close();
  assert.ok(isIntact(path));
});

test("a store that another writer holds for more than 5 seconds says store_locked", async () => {
  const path = newPath();
  openSqliteStore({ path }).close();
  const holder = new DatabaseSync(path);
  holder.exec("begin immediate");
  const { next, ended } = startWriter(path, "record");
  const answer = await next();
  holder.exec("rollback");
  holder.close();
  await ended;
  assert.deepEqual(answer, {
    code: "store_locked",
    message: `the store stayed locked for 5 seconds — ${path} — stop the other writer`,
  });
});

test("a writer that has to wait less than 5 seconds waits and succeeds", async () => {
  const path = newPath();
  openSqliteStore({ path }).close();
  const holder = new DatabaseSync(path);
  holder.exec("begin immediate");
  const { child, next, ended } = startWriter(path, "record");
  await once(child, "spawn");
  setTimeout(() => holder.exec("rollback"), 300).unref();
  assert.equal(await next(), "recorded");
  await ended;
  holder.close();
  mkdirSync(dirname(path), { recursive: true });
});

test("[R36] a report that is not committed yet is known to the next process that reports the same call", async () => {
  const path = newPath();
  const store = openSqliteStore({ path, groups: true });
  const other = startWriter(path, "repeat", join(folder, "asking"));
  await other.next();
  await store.record(anEvent({ id: "first", delivery: { id: "call", by: "user" } }), noHooks, advance);
  other.child.stdin.write("go\n");
  while (!existsSync(join(folder, "asking"))); // this turn does not end before the other asks, so the group is open
  const { unanswered } = (await other.next()) as { unanswered?: string }; // as the store's record gives it
  assert.equal(unanswered, "first");
  await other.ended;
  store.close();
});
