import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { setImmediate as turnIsOver } from "node:timers/promises";
import { advance } from "../../src/engine/events.ts";
import { openSqliteStore, type SqliteStore, type SqliteStoreOptions } from "../../src/storage/sqlite/sqlite.ts";
import { anEvent, aRun, codeOf, noHooks, testStore } from "./contract.ts";

const folder = mkdtempSync(join(tmpdir(), "hookline-groups-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
let counter = 0;
const newPath = (): string => join(folder, `${++counter}`, "store.db");

testStore("sqlite in groups", (given) => openSqliteStore({ path: newPath(), groups: true, ...given }));

function opened(context: TestContext, given: Partial<SqliteStoreOptions> = {}): SqliteStore & { path: string } {
  const path = given.path ?? newPath();
  const store = openSqliteStore({ groups: true, ...given, path });
  context.after(() => store.close());
  return { ...store, path };
}

/** What another process would find. */
function elsewhere(context: TestContext, path: string): { count(table: string): number; connection: DatabaseSync } {
  const connection = new DatabaseSync(path, { timeout: 0 });
  context.after(() => connection.close());
  return {
    connection,
    count: (table) => Number(connection.prepare(`select count(*) as n from ${table}`).get()?.n),
  };
}

/** What the store does now has no place: its file may not grow. */
function fillDisk({ database }: SqliteStore): () => void {
  const pages = Number(database.get<{ page_count: number }>("pragma page_count")?.page_count);
  database.get(`pragma max_page_count = ${pages}`);
  return () => database.get("pragma max_page_count = 1000000");
}

const large = { context: ["x".repeat(200_000)] };

test("all writes of one turn of the event loop are one transaction, which others see once it is committed", async (context) => {
  context.mock.timers.enable({ apis: ["Date"] }); // a turn that lasts too long is more than one
  const store = opened(context);
  const other = elsewhere(context, store.path);
  const event = anEvent({ session: "s" });
  await store.record(event, noHooks, advance);
  await store.saveRun(aRun({ id: "r" }));
  await store.answered(event.id, {}, 3);
  assert.deepEqual([other.count("event"), other.count("run")], [0, 0], "not yet");
  assert.equal((await store.event(event.id))?.ms, 3, "it sees its own writes");
  await store.committed();
  assert.deepEqual([other.count("event"), other.count("run")], [1, 1]);
});

test("what one turn wrote is committed at its end without a request", async (context) => {
  const store = opened(context);
  const other = elsewhere(context, store.path);
  await store.saveRun(aRun());
  await turnIsOver();
  assert.equal(other.count("run"), 1);
  other.connection.exec("begin immediate; rollback"); // and nobody waits for it
});

test("an event alone waits for no other: its group ends with the turn of the event loop, although the next turn brings more", async (context) => {
  const store = opened(context);
  const other = elsewhere(context, store.path);
  await store.saveRun(aRun());
  const first = store.committed();
  await turnIsOver();
  assert.equal(other.count("run"), 1);
  await store.saveRun(aRun());
  assert.notEqual(store.committed(), first, "those who come later wait for a transaction of their own");
  await store.committed();
  assert.equal(other.count("run"), 2);
});

test("with nothing to write there is nothing to wait for, and two who wait get one promise", async (context) => {
  const store = opened(context);
  await store.committed();
  await store.saveRun(aRun());
  assert.equal(store.committed(), store.committed());
  await store.committed();
});

test("a method that fails undoes itself alone, and the others of its turn are written", async (context) => {
  const store = opened(context);
  const other = elsewhere(context, store.path);
  const failure = new Error("the caller's own");
  await store.saveRun(aRun({ id: "before" }));
  assert.throws(
    () =>
      store.batch?.(() => {
        store.saveRun(aRun({ id: "undone" }));
        throw failure;
      }),
    failure,
  );
  const event = anEvent({ session: "s" });
  assert.throws(
    () =>
      store.record(event, noHooks, () => {
        throw failure;
      }),
    failure,
  );
  await store.saveRun(aRun({ id: "after" }));
  await store.committed();
  assert.equal(await store.run("undone"), undefined);
  assert.equal(await store.event(event.id), undefined);
  assert.equal(other.count("run"), 2);
});

test("what is to be on disk at once comes after the group and does not wait for its end", async (context) => {
  const store = opened(context);
  const other = elsewhere(context, store.path);
  await store.saveRun(aRun());
  await store.pause("h", 1);
  assert.deepEqual([other.count("run"), other.count("pause")], [1, 1]);
  await store.committed();
});

test("[F10] a group that cannot be committed is reported to all who wait for it, nothing of it is there, and the next one works", async (context) => {
  const store = opened(context);
  await store.saveRun(aRun({ id: "first" }));
  await store.committed();
  const makeRoom = fillDisk(store);
  const failures = await Promise.allSettled(
    ["a", "b"].map(async (id) => {
      try {
        await store.saveRun(aRun({ id, outcome: large }));
      } finally {
        await store.committed();
      }
    }),
  );
  assert.deepEqual(
    failures.map((one) => one.status === "rejected" && codeOf(one.reason)),
    ["store_unusable", "store_unusable"],
  );
  makeRoom();
  await store.saveRun(aRun({ id: "later" }));
  await store.committed();
  assert.deepEqual(
    (await store.runs({})).map(({ id }) => id),
    ["later", "first"],
  );
});

test("a loss in a turn is reported to a caller that asks later in that turn, also after a write that succeeded", async (context) => {
  const store = opened(context);
  await store.saveRun(aRun({ id: "first" }));
  await store.committed();
  const makeRoom = fillDisk(store);
  await store.saveRun(aRun({ id: "lost", outcome: large }));
  assert.equal(await store.pause("h", 1), true, "it comes after the group, and has a place");
  const lost = (error: unknown): boolean => codeOf(error) === "store_unusable";
  assert.throws(() => store.saveRun(aRun()), lost, "what belongs to it is not written without it");
  await assert.rejects(store.committed(), lost);
  makeRoom();
  await store.saveRun(aRun({ id: "of the next turn" }));
  await store.committed();
  assert.deepEqual(
    (await store.runs({})).map(({ id }) => id),
    ["of the next turn", "first"],
  );
  assert.deepEqual([...(await store.paused()).keys()], ["h"]);
});

test("a reader gets an answer while rows wait that cannot be written, and the writers are informed", async (context) => {
  const store = opened(context);
  await store.saveRun(aRun({ id: "first" }));
  await store.committed();
  const makeRoom = fillDisk(store);
  await store.saveRun(aRun({ id: "lost", outcome: large }));
  const committed = store.committed();
  assert.deepEqual(
    (await store.runs({})).map(({ id }) => id),
    ["first"],
  );
  makeRoom();
  await assert.rejects(committed, (error) => codeOf(error) === "store_unusable");
});

test("a run that has begun and ended in one turn is one insert, one that continues is updated, and nothing of either is mixed up", async (context) => {
  const store = opened(context);
  const other = elsewhere(context, store.path);
  const run = aRun({ id: "r", status: "running", notes: ["begun"] });
  await store.saveRun(run);
  run.notes.push("and changed since");
  assert.deepEqual((await store.run("r"))?.notes, ["begun"], "as it was when it was told");
  await store.saveRun({ ...run, status: "completed" });
  await store.committed();
  await store.saveRun(aRun({ id: "q", status: "running" }));
  await store.committed();
  assert.equal(other.count("run where status = 'running'"), 1);
  await store.saveRun(aRun({ id: "q", status: "failed" }));
  await store.committed();
  assert.deepEqual(
    (await store.runs({})).map(({ id, status }) => `${id} ${status}`),
    ["q failed", "r completed"],
  );
});

test("[R49] a second report in the turn of the first one finds it", async (context) => {
  const store = opened(context);
  const first = anEvent({ session: "s", delivery: { id: "d", by: "user" } });
  await store.record(first, noHooks, advance);
  await store.answered(first.id, { verdict: { is: "deny", by: "h" } });
  const again = await store.record(anEvent({ session: "s", delivery: { id: "d", by: "project" } }), noHooks, advance);
  assert.deepEqual(again.given, { verdict: { is: "deny", by: "h" } });
});

test("events of one session in one turn count on from each other, and a hook that changes its turn changes no other's", async (context) => {
  const store = opened(context);
  const first = await store.record(anEvent({ session: "s" }), noHooks, advance);
  first.turn.toolCalls = 99;
  first.turn.spent.reprompts = 99;
  const second = await store.record(anEvent({ session: "s" }), noHooks, advance);
  assert.deepEqual([second.turn.toolCalls, second.turn.spent.reprompts], [2, 0]);
  await store.committed();
  assert.equal((await store.record(anEvent({ session: "s" }), noHooks, advance)).turn.toolCalls, 3);
});

test("closing commits open groups, and the callers that wait are informed", async (context) => {
  const store = opened(context);
  await store.saveRun(aRun());
  const committed = store.committed();
  store.close();
  await committed;
  assert.equal(elsewhere(context, store.path).count("run"), 1);
  await store.committed();
});

test("a long turn is committed in parts, so that others need not wait for all of it", async (context) => {
  const store = opened(context);
  const other = elsewhere(context, store.path);
  for (let index = 0; index < 1_100; index++) await store.saveRun(aRun());
  assert.ok(other.count("run") > 0, "before the turn is over");
  await store.committed();
  assert.equal(other.count("run"), 1_100);
});

test("[X7] a claim in one process's group is not granted to another", async (context) => {
  const store = opened(context);
  const second = openSqliteStore({ path: store.path });
  context.after(() => second.close());
  const once = { key: "k", max: 1, refusal: "used" };
  assert.equal(await store.claim([once], 0), undefined);
  const later = store.committed().then(() => second.claim([once], 0));
  assert.deepEqual(await later, once);
});

test("a store that was replaced while its group was open is followed with the next one", async (context) => {
  const notices: string[] = [];
  const store = opened(context, { onNotice: (notice) => notices.push(notice) });
  await store.saveRun(aRun({ id: "gone" }));
  await store.committed();
  store.close();
  for (const file of readdirSync(dirname(store.path))) if (file !== "store.db") rmSync(join(dirname(store.path), file));
  const damaged = Buffer.alloc(40_960, "not a page");
  const header = Buffer.from("SQLite format 3\0");
  header.copy(damaged);
  writeFileSync(store.path, damaged);
  const again = opened(context, {
    path: store.path,
    usualPath: store.path,
    onNotice: (notice) => notices.push(notice),
  });
  await again.saveRun(aRun({ id: "new" }));
  await again.committed();
  assert.ok(await again.run("new"));
  assert.match(notices.join(), /damaged and a new one was made/);
});

test("the log of a store that is written to without a pause stays bounded, whichever way it is written", async (context) => {
  const store = opened(context);
  const reader = elsewhere(context, store.path).connection;
  let most = 0;
  for (let count = 0; count < 200; count++) {
    if (count % 2 === 0) store.saveRun(aRun({ outcome: large }));
    else store.database.run("insert into meta (key, value) values (?, 1)", "y".repeat(100_000) + count);
    await store.committed();
    const { log } = reader.prepare("pragma wal_checkpoint(noop)").get() ?? {};
    most = Math.max(most, Number(log));
  }
  assert.ok(most > 1_000, `more than SQLite itself would leave: ${most}`);
  assert.ok(most < 8_000, `${most} pages`);
});
