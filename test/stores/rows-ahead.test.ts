import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { advance } from "../../src/core/events.ts";
import { recoverRowsAhead } from "../../src/stores/rows-ahead.ts";
import { openSqliteStore, type SqliteStore, type SqliteStoreOptions } from "../../src/stores/sqlite.ts";
import { isAlive, thisProcess } from "../../src/system.ts";
import { anEvent, aRun, noHooks, testStore } from "./contract.ts";
import { locked } from "./lock.ts";
import { startWriter } from "./start-writer.ts";

const folder = mkdtempSync(join(tmpdir(), "hookline-ahead-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
let counter = 0;
const newPath = (): string => join(folder, `${++counter}`, "store.db");

testStore("sqlite in groups, with rows beside it", (given) =>
  openSqliteStore({ path: newPath(), groups: true, ahead: thisProcess, ...given }),
);

function opened(context: TestContext, given: Partial<SqliteStoreOptions> = {}): SqliteStore & { path: string } {
  const path = given.path ?? newPath();
  const store = openSqliteStore({ groups: true, ahead: thisProcess, ...given, path });
  context.after(() => store.close());
  return { ...store, path };
}

function countIn(path: string, table: string): number {
  const connection = new DatabaseSync(path, { timeout: 0 });
  try {
    return Number(connection.prepare(`select count(*) as n from ${table}`).get()?.n);
  } finally {
    connection.close();
  }
}

const besides = (path: string): string[] => readdirSync(dirname(path)).filter((name) => name.includes("-ahead-"));
/** What lies beside the store, in bytes. */
const heldBeside = (path: string): number =>
  besides(path).reduce((sum, name) => sum + statSync(join(dirname(path), name)).size, 0);

async function until(isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + 10_000; !isSo(); await wait(2))
    if (Date.now() > end) throw new Error("it never was so");
}

async function tell(store: SqliteStore, id: string): Promise<void> {
  await store.record(anEvent({ id, session: "s" }), noHooks, advance);
  await store.saveRun(aRun({ id, eventId: id }));
  await store.answered(id, {}, 3);
}

/** What the store does now has no place: its file may not grow. */
function fillDisk({ database }: SqliteStore): () => void {
  const pages = Number(database.get<{ page_count: number }>("pragma page_count")?.page_count);
  database.get(`pragma max_page_count = ${pages}`);
  return () => database.get("pragma max_page_count = 1000000");
}
const large = { context: ["x".repeat(100_000)] };

/** With one event in it; a run was acknowledged, and the disk was full when its group was to be written. */
async function owing(context: TestContext): Promise<{ store: ReturnType<typeof opened>; free: () => void }> {
  const notices: string[] = [];
  const store = opened(context, { onNotice: (notice) => notices.push(notice) });
  await tell(store, "first");
  await store.committed();
  const free = fillDisk(store);
  await store.saveRun(aRun({ id: "kept", outcome: large }));
  await store.committed();
  await until(() => notices.length === 1);
  return { store, free };
}

test("what a turn has told is acknowledged before its transaction, and in the store soon after it", async (context) => {
  const store = opened(context);
  await tell(store, "first"); // the first of a hook set goes to the store itself
  await store.committed();
  await tell(store, "second");
  await store.committed();
  assert.deepEqual([countIn(store.path, "event"), countIn(store.path, "run")], [1, 1], "not yet");
  assert.ok(heldBeside(store.path) > 0);
  assert.equal((await store.event("second"))?.ms, 3, "it sees its own writes");
  await until(() => countIn(store.path, "run") === 2);
  await until(() => heldBeside(store.path) === 0);
});

test("others may write while what was acknowledged waits, and what they have moved on of a session is moved on from there", async (context) => {
  const store = opened(context);
  await tell(store, "first");
  await store.committed();
  await tell(store, "second");
  await store.committed();
  const other = openSqliteStore({ path: store.path });
  const connection = new DatabaseSync(store.path, { timeout: 0 });
  context.after(() => {
    other.close();
    connection.close();
  });
  connection.exec("begin immediate; rollback"); // no lock is held
  await tell(other, "between");
  assert.equal(await other.spend("s", "reprompts", 3), true);
  assert.equal(countIn(store.path, "event"), 2, "or it shows nothing");
  await until(() => countIn(store.path, "event") === 3);
  const { toolCalls, spent } = await other.turn("s");
  assert.deepEqual([toolCalls, spent.reprompts], [3, 1]);
});

test("what is more than rows of events and runs is acknowledged by its transaction", async (context) => {
  const store = opened(context);
  await tell(store, "first");
  await store.committed();
  await tell(store, "second");
  await store.claim([{ key: "once", max: 1, refusal: "used" }], Date.now());
  await store.committed();
  assert.deepEqual([countIn(store.path, "event"), countIn(store.path, "claim")], [2, 1]);
});

test("what is large goes to the store itself instead of to both", async (context) => {
  const store = opened(context, { payloadLimitInBytes: 1_000_000 });
  await tell(store, "first");
  await store.committed();
  await store.record(anEvent({ id: "large", data: { text: "x".repeat(300_000) } }), noHooks, advance);
  await store.committed();
  assert.equal(countIn(store.path, "event"), 2);
  assert.equal(heldBeside(store.path), 0);
});

test("nobody else may read what lies beside the store, and it is gone once that is closed", async (context) => {
  const store = opened(context);
  await tell(store, "first");
  await store.committed();
  await tell(store, "second");
  await store.committed();
  const [name = ""] = besides(store.path);
  assert.equal(statSync(join(dirname(store.path), name)).mode & 0o777, 0o600);
  store.close();
  assert.deepEqual(besides(store.path), []);
  assert.equal(countIn(store.path, "event"), 2);
});

test("[X8] what was acknowledged by a process that was killed in that moment is there for whoever opens the store next", async (context) => {
  const path = newPath();
  opened(context, { path }).close();
  const { child, ended } = startWriter(path, "acknowledge", "5");
  await ended;
  assert.ok(countIn(path, "event") < 5, "or it shows nothing");
  const store = opened(context, { path, groups: false });
  const owner = (await store.run(`${child.pid}:3`))?.owner ?? "";
  assert.deepEqual(
    (await store.events(10)).map(({ event, outcome, ms }) => ({
      id: event.id,
      calls: event.turn?.toolCalls,
      outcome,
      ms,
    })),
    [4, 3, 2, 1, 0].map((index) => ({ id: `${child.pid}:${index}`, calls: index + 1, outcome: {}, ms: 3 })),
  );
  assert.deepEqual(
    (await store.runs({})).map(({ status }) => status),
    ["completed", "running", "completed", "running", "completed"],
  );
  assert.equal((await store.turn("shared")).toolCalls, 5);
  assert.equal(isAlive(owner), false);
  assert.equal(await store.repair(isAlive, Date.now()), 2, "what it left running is closed");
  assert.deepEqual(besides(path), []);
});

for (const [thing, when] of [
  ["spend", "later"],
  ["otherSpends", "later"],
  ["otherSpends", "at once"],
] as const)
  test(`[R8] what was spent stays spent after a kill: ${thing}, ${when}`, async (context) => {
    const path = newPath();
    opened(context, { path }).close();
    await startWriter(path, "doAndDie", thing, when).ended;
    const store = opened(context, { path });
    const { spent, toolCalls } = await store.turn("s");
    assert.deepEqual([spent.reprompts, toolCalls], [1, 2]);
    assert.deepEqual(
      (await store.events(9)).map(({ event }) => event.id),
      ["second", "first"],
    );
  });

test("what was forgotten does not come back after a kill", async (context) => {
  const path = newPath();
  opened(context, { path }).close();
  await startWriter(path, "doAndDie", "purge", "later").ended;
  assert.deepEqual(await opened(context, { path }).events(9), []);
});

test("a hook set that another process is writing down at the same time is no failure", async (context) => {
  const store = opened(context);
  await tell(store, "first");
  await store.committed();
  const locker = startWriter(store.path, "insertSet", "newly made");
  assert.equal(await locker.next(), "inserted");
  await store.record(anEvent({ id: "second" }), { id: "newly made", hooks: [] }, advance);
  await store.committed();
  assert.deepEqual((await store.events(9)).length, 2);
});

test("what is owed is written although its file was tidied away, and the store is closed without it", async (context) => {
  const { store, free } = await owing(context);
  for (const name of besides(store.path)) rmSync(join(dirname(store.path), name));
  free();
  await tell(store, "after");
  await store.committed();
  assert.deepEqual((await store.runs({})).map(({ id }) => id).toSorted(), ["after", "first", "kept"]);
  store.close();
});

test("[X8] of several who open a store at once after a kill, one takes in what was acknowledged, and once", async (context) => {
  const path = newPath();
  opened(context, { path }).close();
  await startWriter(path, "acknowledge", "40").ended;
  const takers = Array.from({ length: 4 }, () => startWriter(path, "takeIn"));
  for (const { next } of takers) assert.equal(await next(), "ready");
  for (const { child } of takers) child.stdin.write("go\n");
  for (const { next } of takers) assert.equal(await next(), "done");
  assert.deepEqual([countIn(path, "event"), countIn(path, "run")], [40, 40]);
  assert.deepEqual(besides(path), []);
});

test("what a live process has acknowledged is its own to write", async (context) => {
  const store = opened(context);
  await tell(store, "first");
  await store.committed();
  await tell(store, "second");
  await store.committed();
  const held = besides(store.path);
  const taker = startWriter(store.path, "takeIn");
  await taker.next();
  taker.child.stdin.write("go\n");
  assert.equal(await taker.next(), "done");
  assert.deepEqual(besides(store.path), held);
});

test("what was acknowledged and did not come into the store is written once that takes it again", async (context) => {
  const { store, free } = await owing(context);
  assert.ok(heldBeside(store.path) > 100_000);
  assert.throws(() => store.saveRun(aRun({ id: "refused" })), { code: "store_unusable" }, "from now on none is");
  free();
  await tell(store, "after");
  await store.committed();
  assert.deepEqual((await store.runs({})).map(({ id }) => id).toSorted(), ["after", "first", "kept"]);
  await until(() => heldBeside(store.path) === 0);
});

test("what was acknowledged and is still not in the store when that is closed is left for whoever opens it next", async (context) => {
  const notices: string[] = [];
  const store = opened(context, { onNotice: (notice) => notices.push(notice) });
  await tell(store, "first");
  await store.committed();
  fillDisk(store);
  await store.saveRun(aRun({ id: "kept", outcome: large }));
  await store.committed();
  store.close();
  assert.equal(countIn(store.path, "run"), 1);
  const next = opened(context, { path: store.path });
  assert.equal((await next.run("kept"))?.status, "completed");
  assert.deepEqual(besides(store.path), []);
});

test("a line that a machine that went down has left half, or a row that no store takes, keeps out none of the others", async (context) => {
  const path = newPath();
  opened(context, { path }).close();
  const { child, ended } = startWriter(path, "acknowledge", "3");
  await ended;
  const [name = ""] = besides(path);
  const file = join(dirname(path), name);
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const mark = lines[0]?.split(" ")[0];
  const strange = [
    "run [null,1]",
    "\0\0\0\0",
    "grant [1]",
    "run {}",
    "session [1",
    `event ${JSON.stringify(["x"])}`,
    "",
  ];
  const mixed = lines.flatMap((line, index) => [`${mark} ${strange[index % strange.length]}`, line]);
  const [stale = ""] = lines.filter((line) => line.includes(" event "));
  const half = `${stale.slice(0, 40)}${lines.at(-1)?.slice(40)}`; // of an earlier time, behind what a machine that went down has written
  const old = stale.replace(String(mark), "0123456789").replace(`${child.pid}:`, "stale:");
  writeFileSync(
    file,
    `${mixed.join("\n")}\n${half}\n${mark} session 15 ["s","{}",1,1,1]\n${old}\n${mark} session ["half`,
  );
  const store = opened(context, { path });
  assert.equal((await store.events(10)).length, 3, "and what is left over from before is none of them");
  assert.deepEqual(besides(path), []);
});

test("[X8] after many groups what is taken in is the last, whatever lies behind it in the file", async (context) => {
  const path = newPath();
  opened(context, { path }).close();
  const { child, ended } = startWriter(path, "acknowledge", "60", "8");
  await ended;
  const store = opened(context, { path });
  assert.deepEqual(
    (await store.events(100)).map(({ event }) => event.id),
    Array.from({ length: 60 }, (_, index) => `${child.pid}:${59 - index}`),
  );
  assert.equal((await store.runs({})).length, 60);
});

test("where the store is locked, what was left is taken in by the next who opens it", async (context) => {
  const path = newPath();
  opened(context, { path }).close();
  await startWriter(path, "acknowledge", "3").ended;
  const held = besides(path);
  const unlock = await locked(context, path);
  const notices: string[] = [];
  const early = opened(context, { path, onNotice: (notice) => notices.push(notice) });
  assert.match(notices[0] ?? "", /^what an earlier process has told is not all in the store yet: /);
  assert.deepEqual(besides(path), held);
  early.close();
  await unlock();
  assert.equal((await opened(context, { path }).events(10)).length, 3);
});

test("where nothing can lie beside the store, all is acknowledged by its transaction", async (context) => {
  const path = newPath();
  const store = opened(context, { path, ahead: { owner: () => "none/such:1", isAlive } }); // a name in a folder that is not there
  await tell(store, "first");
  await store.committed();
  await tell(store, "second");
  await store.committed();
  assert.equal(countIn(store.path, "event"), 2);
});

test("a file of the same name is another's, and is left alone", async (context) => {
  const path = newPath();
  opened(context, { path }).close();
  const earlier = opened(context, { path });
  await tell(earlier, "first");
  await earlier.committed();
  await tell(earlier, "second");
  await earlier.committed();
  const [taken = ""] = besides(path);
  earlier.close();
  const name = join(dirname(path), taken);
  writeFileSync(name, "");
  const store = opened(context, { path });
  await tell(store, "third");
  await store.committed();
  await tell(store, "fourth");
  await store.committed();
  assert.equal(statSync(name).size, 0);
  assert.ok(heldBeside(path) > 0);
});

test("a session goes back to no earlier turn, whoever was killed in the belief that it was still in that", async (context) => {
  const path = newPath();
  opened(context, { path }).close();
  await startWriter(path, "doAndDie", "otherPrompts", "at once").ended;
  const store = opened(context, { path });
  assert.equal((await store.turn("s")).number, 1);
  assert.equal((await store.events(9)).length, 4);
});

test("a file beside the store that cannot be read keeps no others out, and is told of", async (context) => {
  const path = newPath();
  opened(context, { path }).close();
  const unreadable = ["0", "zzz"].map((name) => `${path}-ahead-${name}`); // before it and behind it
  for (const place of unreadable) mkdirSync(place);
  const { child, ended } = startWriter(path, "acknowledge", "5");
  await ended;
  const notices: string[] = [];
  const store = opened(context, { path, onNotice: (notice) => notices.push(notice) });
  assert.equal((await store.event(`${child.pid}:4`))?.event.id, `${child.pid}:4`);
  assert.match(notices.join(), /not all in the store yet: .*EISDIR/);
  for (const place of unreadable) rmSync(place, { recursive: true });
});

for (const [what, errcode] of [
  ["is locked", 5],
  ["is damaged", 11],
] as const)
  test(`where the store ${what} one file beside it is tried, and all are left as they are`, (context) => {
    const path = newPath();
    opened(context, { path }).close();
    const names = ["0", "1"].map((name) => `${basename(path)}-ahead-${name}`);
    for (const name of names) writeFileSync(join(dirname(path), name), "mark event 2 []\n");
    let tries = 0;
    const failing = (): void => {
      tries += 1;
      throw Object.assign(new Error(what), { code: "ERR_SQLITE_ERROR", errcode });
    };
    assert.throws(() => recoverRowsAhead(path, thisProcess, failing), new RegExp(what));
    assert.deepEqual([tries, besides(path).toSorted()], [1, names]);
  });
