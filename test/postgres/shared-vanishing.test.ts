/** A server that vanishes while a run is added to the shared queue or ends there: its process is killed before the commit, and after it. */
import assert from "node:assert/strict";
import { after, before, beforeEach, type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { Member } from "../../src/engine/shared-work.ts";
import { openConnection } from "../../src/storage/postgres/connection.ts";
import { durableHook, itemOf, marking } from "../runtime/queues/world.ts";
import { database, type Prepared, startPrepared, writer } from "./prepared.ts";
import { type Sender, senderFor } from "./shared-world.ts";

let cluster: Prepared;
before(async () => {
  cluster = await startPrepared();
});
beforeEach(() => cluster.empty());
after(() => cluster.close());

interface Moment {
  called: string;
  /** What the process that is killed waits for then. */
  waitsFor: string;
  /** From now on it waits there. Gives the undo. */
  hold(): Promise<() => Promise<void>>;
}

const moments: readonly Moment[] = [
  {
    called: "in the middle of the transaction",
    waitsFor: "relation",
    async hold() {
      const locking = openConnection({ url: cluster.url("postgres", database) });
      const [isHeld, ends] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const lock = locking.transaction({ again: false }, async (query) => {
        await query("lock table hookline.run in share mode"); // it may be read
        isHeld.resolve();
        await ends.promise;
      });
      lock.catch(() => {}); // it is lost with the server
      await isHeld.promise;
      return async () => {
        ends.resolve();
        await locking.close();
      };
    },
  },
  {
    called: "after the commit, before it has said so",
    waitsFor: "SyncRep",
    async hold() {
      setStandby("set synchronous_standby_names = 'nobody'");
      return async () => setStandby("reset synchronous_standby_names");
    },
  },
];

function setStandby(change: string): void {
  cluster.sql(`alter system ${change}`);
  cluster.sql("select pg_reload_conf()");
}

/** The server's process is killed once it has come so far in this work; the server then starts anew, as after a crash. */
async function vanishing<T>({ hold, waitsFor }: Moment, work: () => Promise<T>): Promise<T> {
  const release = await hold();
  const working = work();
  const query = `select pid from pg_stat_activity where usename = '${writer}' and wait_event = '${waitsFor}'`;
  let pid = "";
  while (pid === "") {
    pid = cluster.sql(query);
    await pause(10);
  }
  process.kill(Number(pid), "SIGKILL");
  while (!isBack()) await pause(20);
  await release();
  return working;
}

function isBack(): boolean {
  try {
    return cluster.sql("select 1") === "1";
  } catch {
    return false; // it recovers
  }
}

const member: Member = { id: "one", token: "t", where: "here" };
const hook = durableHook("h", [marking("a")]);

function queueFor(context: TestContext): Sender["work"] {
  return senderFor(context, cluster.store).work;
}
const rows = (): string => cluster.sql("select run, status from hookline.work order by seq", database);

for (const moment of moments) {
  test(`a run is added once where the server vanishes ${moment.called}`, async (context) => {
    const work = queueFor(context);
    const first = itemOf(hook, "r1");
    assert.deepEqual(await vanishing(moment, () => work.add(first)), { is: "queued", ended: [] });
    await work.add(itemOf(hook, "r2"));
    assert.equal(rows(), "r1|waiting\nr2|behind");
    assert.equal(cluster.sql("select id, status from hookline.run order by id", database), "r1|queued\nr2|queued");
  });

  test(`a run ends once where the server vanishes ${moment.called}, and the next of its hook is its turn`, async (context) => {
    const work = queueFor(context);
    await work.makePlaces(1);
    await work.join(member, 600);
    for (const id of ["r1", "r2"]) await work.add(itemOf(hook, id));
    const take = () => work.begin({ member, cap: 1, limit: 1, elsewhere: [] });
    const [begun] = await take();
    assert.ok(begun);
    const { item, hold } = begun;
    const ended = { ...item.run, status: "completed" as const, ms: 7 };
    assert.equal(await vanishing(moment, () => work.save(hold, ended)), true);
    assert.deepEqual([...(await work.left([item.run])).values()], [ended]);
    await work.adrift(600, async () => {}); // as each worker looks
    assert.deepEqual(
      (await take()).map(({ item: next }) => next.run.id),
      ["r2"],
    );
    assert.equal(await work.save(hold, { ...ended, ms: 8 }), false, "what comes later does not count");
    assert.equal(rows(), "r2|running");
  });
}
