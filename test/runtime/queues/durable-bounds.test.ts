/** What a burst of events leaves in the store: so many runs and no more, each event once, and nothing for ever. */
import assert from "node:assert/strict";
import test from "node:test";
import type { Run } from "../../../src/engine/record.ts";
import { openDurableQueue } from "../../../src/hosts/compose/durable-queue.ts";
import { uptime } from "../../../src/runtime/system.ts";
import { createJournal } from "../../../src/storage/sqlite/journal.ts";
import type { SqliteStore } from "../../../src/storage/sqlite/sqlite.ts";
import { durableHook, engineOn, itemOf, marking, placeFor } from "./world.ts";

const hook = durableHook("h", [marking("a")]);
const count = ({ database }: SqliteStore, table: string): number =>
  database.get<{ count: number }>(`select count(*) as count from ${table}`)?.count ?? -1;

/** Runs of other hooks that wait. */
const fill = ({ database }: SqliteStore, hooks: number, each: number): number =>
  database.run(
    `with recursive hook (number) as (select 1 union all select number + 1 from hook where number < ?),
       one (number) as (select 1 union all select number + 1 from one where number < ?)
     insert into work (run, hook, item, event, status, forced, created)
       select 'run ' || hook.number || ' ' || one.number, 'hook ' || hook.number, '{}', 0,
         iif(one.number = 1, 'waiting', 'behind'), 0, 1 from hook, one`,
    hooks,
    each,
  );

test("[R23] 20,000 runs may wait in all, and what comes then is refused with the reason, unless it takes another's place", (context) => {
  const { store, journal } = placeFor(context);
  assert.equal(fill(store, 25, 800), 20_000);
  const refused = { is: "skipped", reason: "queue full: 20000 wait, of all hooks" };
  assert.deepEqual(journal.add(itemOf(hook, "r1"), Date.now()), refused);
  store.database.run("delete from work where run = 'run 1 800'");
  const latest = durableHook("latest", [marking("a")], { overlap: "coalesce" });
  assert.equal(journal.add(itemOf(latest, "r2"), Date.now()).is, "queued");
  assert.deepEqual(journal.add(itemOf(hook, "r3"), Date.now()), refused);
  assert.equal(journal.add(itemOf(latest, "r4"), Date.now()).is, "queued");
  assert.equal(count(store, "work"), 20_000);
});

test("[R23] the queue holds an event once for all hooks that it starts, as each of them saw it, until the last has ended", async (context) => {
  const { store, journal } = placeFor(context);
  const event = { id: "e", at: 1, data: { text: "x".repeat(10_000) } };
  const add = (name: string, given: typeof event): void => {
    const item = itemOf(durableHook(name, [marking("a")]), name, given);
    void store.saveRun(item.run); // it is synchronous
    assert.equal(journal.add(item, Date.now()).is, "queued");
  };
  for (const name of ["one", "two", "three"]) add(name, event);
  assert.equal(count(store, "work_event"), 1);
  add("four", { ...event, data: { text: "rewritten" } });
  assert.equal(count(store, "work_event"), 2);
  assert.equal(journal.cancel("three", Date.now())?.run.status, "skipped");
  const claimed = ["one", "two", "four"].map(() => journal.claim("1:1:w", { cap: 9, until: uptime() + 30_000 }));
  assert.deepEqual(
    claimed.map((item) => [item?.run.id, item?.event.id, item?.event.data]),
    [
      ["one", "e", event.data],
      ["two", "e", event.data],
      ["four", "e", { text: "rewritten" }],
    ],
  );
  for (const item of claimed) if (item) journal.save("1:1:w", { ...item.run, status: "completed" });
  assert.deepEqual([count(store, "work"), count(store, "work_event")], [0, 0]);
});

test("[R55] of a large event the queue keeps as much as its record does, and says what was cut", (context) => {
  const { store, journal } = placeFor(context);
  const data = { text: "x".repeat(600_000), number: 7 };
  journal.add(itemOf(hook, "r1", { data, session: "s" }), Date.now());
  const size = store.database.get<{ size: number }>("select sum(length(event)) as size from work_event")?.size ?? 0;
  assert.ok(size > 1_000 && size <= 262_144 + 1_000, `${size} bytes`);
  const { event } = journal.claim("1:1:w", { cap: 1, until: uptime() + 30_000 }) ?? assert.fail("nothing to do");
  assert.match(String(event.data.text), /^x+…\[cut \d+ bytes\]$/);
  assert.deepEqual([event.data.number, event.session, event.name], [7, "s", "task.completed"]);
});

test("[R23] a run that waited longer than runs are kept ends with the reason, and the next run of its hook may begin", async (context) => {
  const { folder, store } = placeFor(context);
  const long = Date.now() - 40 * 86_400_000;
  const journal = createJournal(store);
  for (const [id, at] of [
    ["old", long],
    ["begun", long + 1],
    ["new", Date.now()],
  ] as const) {
    const item = itemOf(hook, id);
    await store.saveRun({ ...item.run, startedAt: at });
    journal.add(item, at);
  }
  store.database.run("insert into step (run, name, result) values ('begun', 'admission', '{}')");
  await store.purge(Date.now() - 30 * 86_400_000);
  const told = async (id: string): Promise<string> => {
    const { status, reason } = (await store.run(id)) as Run;
    return `${status}: ${reason}`;
  };
  const since = `it waited longer than runs are kept, since ${new Date(long).toISOString().slice(0, 19)}Z`;
  assert.equal(await told("old"), `skipped: ${since}`);
  assert.match(await told("begun"), /^cancelled: it waited longer than runs are kept/);
  assert.deepEqual([count(store, "work"), count(store, "work_event"), count(store, "step")], [1, 1, 0]);
  const queue = openDurableQueue(store, { cap: () => 1, environment: {} });
  const engine = await engineOn(store, queue, folder);
  await queue.idle();
  await engine.close();
  assert.equal((await store.run("new"))?.status, "completed");
  await store.purge(Date.now() - 30 * 86_400_000);
  assert.equal(await store.run("old"), undefined, "what has ended is forgotten");
});

test("[R23] where a run is forgotten, what a person asked for comes before what waits longer, as it does where one ends", async (context) => {
  const { store } = placeFor(context);
  const long = Date.now() - 40 * 86_400_000;
  const journal = createJournal(store);
  const byPerson = { to: { hook: hook.id, force: true } } as const;
  journal.add(itemOf(hook, "old", byPerson), long);
  journal.add(itemOf(hook, "earlier"), Date.now());
  journal.add(itemOf(hook, "asked for", byPerson), Date.now());
  await store.purge(Date.now() - 30 * 86_400_000);
  const rows = store.database.all<{ run: string; status: string }>("select run, status from work order by seq");
  assert.deepEqual(
    rows.map(({ run, status }) => [run, status]),
    [
      ["earlier", "behind"],
      ["asked for", "waiting"],
    ],
  );
});
