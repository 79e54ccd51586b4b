/** Durable runs through the engine, in one process: limits, overlap where nobody works yet, secrets, a broken store. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import type { Hook } from "../../../src/engine/hook.ts";
import type { Queue } from "../../../src/engine/ports.ts";
import type { Run } from "../../../src/engine/record.ts";
import { openDurableQueue, openEnqueuing } from "../../../src/hosts/compose/durable-queue.ts";
import { createInlineQueue } from "../../../src/runtime/queues/inline.ts";
import { createRoutedQueue } from "../../../src/runtime/queues/routed.ts";
import { uptime } from "../../../src/runtime/system.ts";
import { withDegradedMode } from "../../../src/storage/degraded.ts";
import { createRedaction } from "../../../src/storage/redaction/redaction.ts";
import { createJournal } from "../../../src/storage/sqlite/journal.ts";
import { openSqliteStore, type SqliteStore } from "../../../src/storage/sqlite/sqlite.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { beginnings, logged, whenLogged } from "./start-worker.ts";
import { durableHook, engineOn, enqueue, itemOf, marking, type Place, placeFor } from "./world.ts";

function opening(context: TestContext): Place & { open(name: string): void } {
  const place = placeFor(context);
  return { ...place, open: (name) => writeFileSync(join(place.folder, name), "") };
}
const own = (store: SqliteStore, cap = 2): ReturnType<typeof openDurableQueue> =>
  openDurableQueue(store, { own: true, cap: () => cap, environment: {} });

const briefly = ({ id, status, reason }: Run): string => `${id} ${status}${reason === undefined ? "" : `: ${reason}`}`;
const runsOf = async (store: SqliteStore): Promise<string[]> => (await store.runs({})).map(briefly).toSorted();

/** Fires a hook, as a trigger does, and waits for what it does. */
async function fire(
  place: { folder: string; store: SqliteStore },
  hook: Hook,
  at: number,
  to: { force?: true } = {},
): Promise<Run> {
  const queue = own(place.store);
  const engine = await engineOn(place.store, queue, place.folder, { hooks: [hook], now: () => at });
  const id = `event at ${at}`;
  await engine.emit({
    id,
    name: "schedule.due",
    at,
    cwd: "/",
    data: {},
    sender: "schedule",
    to: { hook: hook.id, ...to },
  });
  await engine.close();
  const [run = assert.fail("no run")] = await place.store.runs({ eventId: id });
  return run;
}
const start = 1_780_000_000_000;
const seconds = 1000;

test("[A20, AT16, A22] a cooldown of an hour refuses a run after 10 s, with the reason, and lets one through after 3,601 s, whichever process asks", async (context) => {
  const place = placeFor(context);
  const hook = durableHook("h", [marking("a")], { cooldown: 3600 });
  assert.equal((await fire(place, hook, start)).status, "completed");
  const again = await fire(place, hook, start + 10 * seconds);
  assert.deepEqual([again.status, again.reason], ["skipped", "cooldown: 3600 s have not passed"]);
  assert.equal((await fire(place, hook, start + 3601 * seconds)).status, "completed");
});

test("[A19, A20] the cooldown counts from the launch of a run, whether or not that fails", async (context) => {
  const place = placeFor(context);
  const fails = { ...marking("a", { fails: true }), onError: "stop" as const };
  const hook = durableHook("h", [fails], { cooldown: 60 });
  assert.equal((await fire(place, hook, start)).status, "failed");
  assert.equal((await fire(place, hook, start + 59 * seconds)).status, "skipped");
});

test("[A21] a run by hand is not refused by the cooldown, and sets it", async (context) => {
  const place = placeFor(context);
  const hook = durableHook("h", [marking("a")], { cooldown: 60 });
  await fire(place, hook, start);
  const byHand = await fire(place, hook, start + 30 * seconds, { force: true });
  assert.deepEqual([byHand.status, byHand.cause], ["completed", "manual"]);
  assert.equal((await fire(place, hook, start + 80 * seconds)).status, "skipped");
  assert.equal((await fire(place, hook, start + 91 * seconds)).status, "completed");
});

test("[A20, AT17] the run that coalesce lets come after the one that runs is refused by the cooldown, if that has not passed", async (context) => {
  const { folder, store, open } = opening(context);
  const hook = durableHook("h", [marking("a", { until: "go" })], { cooldown: 60, overlap: "coalesce" });
  const queue = own(store);
  const engine = await engineOn(store, queue, folder);
  await enqueue(store, queue, itemOf(hook, "r1"));
  await whenLogged(folder, "begin", "r1", "a");
  await enqueue(store, queue, itemOf(hook, "r2"));
  await enqueue(store, queue, itemOf(hook, "r3"));
  open("go");
  await engine.close();
  assert.deepEqual(await runsOf(store), [
    "r1 completed",
    "r2 skipped: overlap: a later event took its place",
    "r3 skipped: cooldown: 60 s have not passed",
  ]);
  assert.deepEqual(beginnings(folder), { "r1 a": 1 });
});

test("[A7, A17, A23, AT26] of two hooks that are due at once under a cap of 1, one runs, and the other once that has ended", async (context) => {
  const { folder, store, open } = opening(context);
  const queue = own(store, 1);
  const engine = await engineOn(store, queue, folder);
  await enqueue(store, queue, itemOf(durableHook("one", [marking("a", { until: "go" })]), "r1"));
  await enqueue(store, queue, itemOf(durableHook("two", [marking("a")]), "r2"));
  await whenLogged(folder, "begin", "r1", "a");
  assert.deepEqual(await runsOf(store), ["r1 running", "r2 queued"]);
  open("go");
  await engine.close();
  assert.deepEqual(
    logged(folder).map(([what, run]) => `${what} ${run}`),
    ["begin r1", "end r1", "begin r2", "end r2"],
  );
  assert.deepEqual(await runsOf(store), ["r1 completed", "r2 completed"]);
});

test("a run that claimed its limits and died before its first step ended is not refused by its own claim", async (context) => {
  const { folder, store } = opening(context);
  const hook = durableHook("h", [marking("a")], { cooldown: 3600, maxFires: 1 });
  const journal = createJournal(store);
  await enqueue(store, openEnqueuing(store), itemOf(hook, "r1"));
  assert.ok(journal.claim("1:gone", { cap: 2, until: uptime() + 30_000 }));
  assert.throws(
    () =>
      journal.record("1:gone", "r1", "admission", () => {
        assert.equal(store.claim([{ key: `fires:${hook.id}`, max: 1, refusal: "used" }], Date.now()), undefined);
        throw new Error("the disk is full");
      }),
    /disk is full/,
  );
  const claimed = journal.record("1:gone", "r1", "admission", () => {
    const refused = store.claim([{ key: `fires:${hook.id}`, max: 1, refusal: "used" }], Date.now());
    return { started: start, ...(refused ? { refused: "used" } : {}) };
  });
  assert.deepEqual(
    claimed,
    { value: { started: start } },
    "what was claimed before it was written down was given back",
  );
  const worker = openDurableQueue(store, { cap: () => 2, environment: {} });
  await engineOn(store, worker, folder);
  await worker.idle();
  await worker.close();
  assert.deepEqual(await runsOf(store), ["r1 completed"]);
});

test("[R56, AT49] a run whose process ends four times in it is interrupted, and the others run", async (context) => {
  const { folder, store } = opening(context);
  const journal = createJournal(store);
  await enqueue(store, openEnqueuing(store), itemOf(durableHook("h", [marking("a")]), "r1"));
  const begins = (): unknown => journal.claim("1:gone", { cap: 1, until: uptime() + 30_000 });
  for (let recovery = 1; recovery <= 3; recovery++) {
    assert.ok(begins());
    assert.equal(journal.recover({ run: "r1", worker: "1:gone" }, start), undefined);
  }
  assert.ok(begins());
  await enqueue(store, openEnqueuing(store), itemOf(durableHook("other", [marking("a")]), "r2"));
  const worker = openDurableQueue(store, { cap: () => 2, environment: {} });
  await engineOn(store, worker, folder);
  await worker.idle();
  await worker.close();
  const reason = "the process that ran it ended before the run did, 4 times";
  assert.deepEqual(await runsOf(store), [`r1 interrupted: ${reason}`, "r2 completed"]);
  assert.deepEqual(beginnings(folder), { "r2 a": 1 });
});

test("[R56] a run that another worker had begun is reported as resumed, so that its beginning is announced once", async (context) => {
  const { folder, store } = opening(context);
  const journal = createJournal(store);
  for (const id of ["r1", "r2"])
    await enqueue(store, openEnqueuing(store), itemOf(durableHook(id, [marking("a")]), id));
  assert.ok(journal.claim("1:gone", { cap: 1, until: uptime() + 30_000, only: ["r1"] }));
  journal.record("1:gone", "r1", "admission", () => ({ started: start }));
  const begun: unknown[] = [];
  const worker = openDurableQueue(store, { cap: () => 2, environment: {} });
  await engineOn(store, worker, folder, {
    observe(seen) {
      if (seen.is === "run" && seen.run.status === "running" && seen.run.steps.length === 0)
        begun.push([seen.run.id, seen.resumed === true]);
    },
  });
  await worker.idle();
  await worker.close();
  assert.deepEqual(begun.sort(), [
    ["r1", true],
    ["r2", false],
  ]);
});

test("[R23] while no worker runs, coalesce keeps the latest event of each hook, in the place of the first", async (context) => {
  const { folder, store } = opening(context);
  const queue = openEnqueuing(store);
  const [one, two] = [durableHook("one", [marking("a")], { overlap: "coalesce" }), durableHook("two", [marking("a")])];
  await enqueue(store, queue, itemOf(one, "r1"));
  await enqueue(store, queue, itemOf(two, "r2"));
  await enqueue(store, queue, itemOf(one, "r3"));
  const worker = openDurableQueue(store, { cap: () => 1, environment: {} });
  await engineOn(store, worker, folder);
  await worker.idle();
  await worker.close();
  assert.deepEqual(
    logged(folder).flatMap(([what, run]) => (what === "begin" ? [run] : [])),
    ["r3", "r2"],
  );
  assert.deepEqual(await runsOf(store), [
    "r1 skipped: overlap: a later event took its place",
    "r2 completed",
    "r3 completed",
  ]);
});

test("what a person asked for is not displaced by an event that comes later", async (context) => {
  const { folder, store } = opening(context);
  const queue = openEnqueuing(store);
  const hook = durableHook("h", [marking("a")], { overlap: "coalesce" });
  await enqueue(store, queue, itemOf(hook, "r1", { to: { hook: hook.id, force: true } }));
  await enqueue(store, queue, itemOf(hook, "r2"));
  await enqueue(store, queue, itemOf(hook, "r3"));
  const worker = openDurableQueue(store, { cap: () => 1, environment: {} });
  await engineOn(store, worker, folder);
  await worker.idle();
  await worker.close();
  assert.deepEqual(await runsOf(store), [
    "r1 completed",
    "r2 skipped: overlap: a later event took its place",
    "r3 completed",
  ]);
});

test("adding a run twice is adding it once", async (context) => {
  const { folder, store } = opening(context);
  const queue = own(store);
  const engine = await engineOn(store, queue, folder);
  const item = itemOf(durableHook("h", [marking("a")]), "r1");
  await enqueue(store, queue, item);
  assert.deepEqual(await queue.add(item, {}), { is: "queued" });
  await engine.close();
  assert.deepEqual(beginnings(folder), { "r1 a": 1 });
});

test("no secret of an event reaches the store by way of the queue, and a hook that holds one is not queued", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-durable-"));
  const secret = "k7Qz-93hf-aa81-xx20";
  const store = openSqliteStore({
    path: join(folder, "hookline.db"),
    redact: createRedaction({ environment: { API_TOKEN: secret } }),
  });
  context.after(() => {
    store.close();
    rmSync(folder, { recursive: true });
  });
  const queue = openEnqueuing(store);
  await enqueue(store, queue, itemOf(durableHook("h", [marking("a")]), "r1", { data: { note: `use ${secret}` } }));
  const rows = store.database.all<object>("select * from work, work_event");
  assert.ok(rows.length === 1 && !JSON.stringify(rows).includes(secret));
  const item = createJournal(store).claim("1:1:w", { cap: 2, until: uptime() + 30_000 });
  assert.equal(item?.event.data.note, "use [redacted]");
  await assert.rejects(
    async () => queue.add(itemOf(durableHook("bad", [marking(secret)]), "r2"), {}),
    (error: Error) => error.message.includes("secret") && !error.message.includes(secret),
  );
});

test("a durable run next to a broken store fails with the reason, and nothing else suffers", async (context) => {
  const folder = temporaryFolder(context);
  const path = join(folder, "hookline.db");
  mkdirSync(path); // no database can be made of a folder
  const complaints: string[] = [];
  const store = withDegradedMode(() => openSqliteStore({ path }), {
    ring: 0,
    complain: (reason) => complaints.push(reason),
  });
  const other = durableHook("plain", [marking("b")]);
  delete other.durable;
  const queue: Queue = createRoutedQueue({ durable: () => openEnqueuing(store), other: createInlineQueue() });
  const engine = await engineOn(store, queue, folder, { hooks: [durableHook("h", [marking("a")]), other] });
  const outcome = await engine.emit({ id: "e", name: "task.completed", at: start, cwd: "/", data: {}, sender: "test" });
  await engine.close();
  assert.deepEqual(outcome, {});
  assert.equal(complaints.length, 1);
  const runs = await store.runs({});
  const [durable, plain] = ["h", "plain"].map((name) => runs.find(({ hookName }) => hookName === name));
  assert.equal(durable?.status, "failed");
  assert.match(durable?.reason ?? "", /^it could not be queued: the store cannot be used: /);
  assert.equal(plain?.status, "completed");
});

test("what a durable run adds to the other queue, and the other way round, has ended when both are closed", async (context) => {
  const { store } = opening(context);
  const queue = createRoutedQueue({ durable: async () => own(store), other: createInlineQueue() });
  const chain = ["p1", "d1", "p2", "d2", "p3"].map((name) => {
    const hook = durableHook(name, [marking("a")]);
    if (name.startsWith("p")) delete hook.durable;
    return itemOf(hook, name);
  });
  const ran: string[] = [];
  queue.start({
    async perform({ run }, { steps }) {
      await new Promise(setImmediate);
      ran.push(run.id);
      const next = chain[ran.length];
      if (next) await enqueue(store, queue, next);
      await steps?.save({ ...run, status: "completed" });
    },
    drop: async ({ run }, reason) => assert.fail(`${run.id} was dropped: ${reason}`),
  });
  const [first = assert.fail()] = chain;
  await enqueue(store, queue, first);
  await queue.close();
  assert.deepEqual(ran, ["p1", "d1", "p2", "d2", "p3"]);
});

test("[A50] a worker whose run does not stop is closed in time all the same", async (context) => {
  const { folder, store, open } = opening(context);
  const worker = openDurableQueue(store, { cap: () => 1, environment: {} });
  const deaf = durableHook("h", [marking("a", { until: "go", deaf: true })]);
  await engineOn(store, worker, folder);
  await enqueue(store, worker, itemOf(deaf, "r1"));
  await whenLogged(folder, "begin", "r1", "a");
  await worker.close(0.4);
  assert.deepEqual(await runsOf(store), ["r1 queued"]);
  assert.equal(store.database.get<{ recoveries: number }>("select recoveries from work")?.recoveries, 0);
  open("go");
  await whenLogged(folder, "stopped", "r1", "a");
  assert.deepEqual(await runsOf(store), ["r1 queued"], "what it did afterwards counts no more");
});
