/** Durable runs in the SQLite store: who waits, who works on what until when, and what steps gave (R56). */
import { HooklineError } from "../../engine/error.ts";
import { isThenable } from "../../engine/flow.ts";
import type { Claiming, Ended, Journal, Kept, Uptime } from "../../engine/journal.ts";
import type { Item } from "../../engine/ports.ts";
import type { RunStatus, Store } from "../../engine/record.ts";
import type { Database } from "./database.ts";
import {
  end,
  hasBegun,
  isFree,
  leave,
  makePlace,
  promotesNext,
  type Work,
  waits,
  workColumns,
} from "./journal-queues.ts";
import { shorten, usualPayloadLimitInBytes } from "./keep.ts";
import { runNamed } from "./queries.ts";
import { settleSteps } from "./retention.ts";
import { interruption, readBack, written } from "./rows.ts";
import type { SqliteStore } from "./sqlite.ts";

/** A run that has ended its worker so often is not begun again: it would do so for ever. */
const recoveriesAtMost = 3;

/** A store that durable runs can be kept in, if this is one. */
export const lastingStore = (store: Store): SqliteStore | undefined =>
  "database" in store && "redact" in store ? (store as SqliteStore) : undefined; // no other store has both

export const createJournal = (store: SqliteStore): Journal => ({
  ...queueOf(store),
  ...workersOf(store),
  ...stepsOf(store),
  tidy: () => settleSteps(store.database),
});

/** What is added, what waits, and what a person cancels. */
function queueOf(store: SqliteStore): Pick<Journal, "add" | "cancel" | "unfinished" | "row" | "hasWaiting"> {
  const { database } = store;
  return {
    add(item, now) {
      const { run, hook, event } = item;
      const text = textOf(store, item);
      const eventText = eventTextOf(store, event);
      // A caller that has to be sure waits for `committed`; a worker that claims a run commits what came before.
      return database.grouped.write(() => {
        if (workOf(database, run.id)) return { is: "queued", ended: [] };
        const forced = event.to?.force === true;
        const place = makePlace(database, { hook: hook.id, overlap: hook.limits.overlap, forced, now });
        if ("refused" in place) return { is: "skipped", reason: place.refused };
        database.run(
          `insert into work (seq, run, hook, project, item, event, status, forced, created)
           values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          place.seq ?? null,
          written(run.id),
          written(hook.id),
          hook.project === undefined ? null : written(hook.project),
          text,
          keepEvent(database, written(event.id), eventText),
          place.status,
          forced ? 1 : 0,
          now,
        );
        return { is: "queued", ended: place.ended };
      });
    },
    cancel: (run, now) =>
      database.write(() => {
        const work = workOf(database, run);
        if (!work) return undefined;
        if (work.status === "running" || work.status === "sent") {
          database.run("update work set cancelled = 'cancelled' where seq = ? and cancelled is null", work.seq);
          return undefined;
        }
        return hasBegun(database, work)
          ? end(database, work, "cancelled", "cancelled", now)
          : end(database, work, "skipped", "cancelled before it started", now);
      }),
    unfinished(runs, elsewhere) {
      const going = elsewhere ? "status in ('running', 'sent')" : "status = 'running'";
      const rows = database.all<{ run: string }>(
        `select run from work where run in (select value from json_each(?)) and (${going} or ${waits} and ${isFree})`,
        JSON.stringify(runs.map(written)),
      );
      return new Set(rows.map(({ run }) => readBack(run)));
    },
    row: (run) => runNamed(database, run),
    hasWaiting: () => database.get(`select 1 from work where status = 'waiting' and ${isFree} limit 1`) !== undefined,
  };
}

/** Who works on what, until when. */
function workersOf(
  store: SqliteStore,
): Pick<Journal, "abandoned" | "recover" | "claim" | "held" | "renew" | "release" | "handOver"> {
  const { database } = store;
  return {
    abandoned: (worker, isAlive, at) =>
      database
        .all<Holding>("select run, owner, lease from work where status = 'running' and owner <> ?", worker)
        .filter(({ owner, lease }) => !holdsAt(lease, at) || !isAlive(owner))
        .map(({ run, owner }) => ({ run: readBack(run), worker: owner })),
    recover: ({ run, worker }, now) =>
      database.write(() => {
        const work = workOf(database, run);
        return work?.owner === worker && work.status === "running"
          ? giveBack(database, work, { now, because: interruption })
          : undefined;
      }),
    claim(worker, claiming) {
      const { cap, until } = claiming;
      const find = (): Work | undefined => (runningIn(store) < cap ? nextOf(store, claiming) : undefined);
      if (!find()) return undefined; // most looks find nothing, and need no lock
      return database.write(() => {
        const next = find();
        if (!next) return undefined;
        const { hook, seq, recoveries } = next;
        database.run("update work set status = 'behind' where hook = ? and status = 'waiting' and seq <> ?", hook, seq);
        const taken = database.get<{ item: string; event: number }>(take, worker, until, seq);
        const event =
          taken && database.get<{ event: string }>("select event from work_event where seq = ?", taken.event);
        return event && itemOf(taken.item, event.event, recoveries);
      });
    },

    held: (worker) =>
      reasons(database.all("select run, cancelled from work where owner = ? and status = 'running'", worker)),
    renew: (worker, until) =>
      reasons(
        database.all(
          "update work set lease = ? where owner = ? and status = 'running' returning run, cancelled",
          until,
          worker,
        ),
      ),
    release: (worker, run, now, because) =>
      database.write(() => {
        const work = workOf(database, run);
        return work?.owner === worker && work.status === "running"
          ? giveBack(database, work, { now, because })
          : undefined;
      }),
    handOver: (worker, run, to) =>
      database.write(() => {
        const work = workOf(database, run);
        if (work?.owner !== worker || work.status !== "running") return false;
        database.run("update work set status = 'sent', owner = ?, lease = null where seq = ?", to, work.seq);
        database.run(promotesNext, work.hook);
        return true;
      }),
  };
}

/** What a run in progress gives, as long as it is its worker's. */
function stepsOf(store: SqliteStore): Pick<Journal, "kept" | "keep" | "record" | "save"> {
  const { database } = store;
  const keep: Journal["keep"] = (worker, run, step, result) => {
    database.shred(); // before it is written: a page that is split leaves a copy behind
    return database.run(keepResult, written(run), written(step), JSON.stringify(result), written(run), worker) === 1;
  };
  return {
    kept<T>(run: string, step: string) {
      const row = database.get<{ result: string }>(
        "select result from step where run = ? and name = ?",
        written(run),
        written(step),
      );
      return row && (JSON.parse(row.result) as Kept<T>); // as keep wrote it; the caller knows what its step gives
    },
    keep,
    record: (worker, run, step, work) =>
      database.write(() => {
        if (!isMine(database, worker, run)) return undefined;
        const value = work();
        if (isThenable(value)) throw new Error(`the step ${step} waits inside a transaction`);
        keep(worker, run, step, { value });
        return { value };
      }),
    save: (worker, run) =>
      database.write(() => {
        const work = workOf(database, run.id);
        if (work?.owner !== worker || work.status !== "running") return false;
        const because = run.status === "cancelled" ? work.cancelled : null;
        void store.saveRun(because === null ? run : { ...run, reason: because }); // SQLite's is synchronous
        if (!unfinished.has(run.status)) leave(database, work);
        return true;
      }),
  };
}

const workOf = (database: Database, run: string): Work | undefined =>
  database.get(`select ${workColumns} from work where run = ?`, written(run));
const isMine = (database: Database, worker: string, run: string): boolean =>
  database.get(`select 1 from work where ${mine}`, written(run), worker) !== undefined;

/** Without secrets: a hook that needs one names the variable that holds it. */
function textOf(store: SqliteStore, { run, hook }: Item): string {
  const text = JSON.stringify(hook);
  if (store.redact(text) !== text) {
    const reason = "it holds a secret, which may not be written to the store";
    throw new HooklineError("hook_invalid", { name: hook.name, reason, where: hook.id });
  }
  return `{"run":${store.redact(JSON.stringify(run))},"hook":${text}}`;
}

/** Without secrets, and what is large of it cut, as it is recorded. */
function eventTextOf(store: SqliteStore, { data, turn, figures, changes, ...rest }: Item["event"]): string {
  const large = shorten(store.redact(JSON.stringify({ data, turn, figures, changes })), usualPayloadLimitInBytes);
  return `[${store.redact(JSON.stringify(rest))},${large}]`;
}

/** Hooks may have rewritten the event between two runs that it set off. */
function keepEvent(database: Database, id: string, text: string): number {
  const known = database.get<{ seq: number }>(sameEvent, id, text) ?? database.get<{ seq: number }>(newEvent, id, text);
  if (!known) throw new Error("the store gave no number to an event");
  return known.seq;
}

function giveBack(
  database: Database,
  work: Work,
  { now, because }: { now: number; because: string | undefined },
): Ended | undefined {
  if (work.cancelled !== null) return end(database, work, "cancelled", work.cancelled, now);
  if (because !== undefined && work.recoveries >= recoveriesAtMost)
    return end(database, work, "interrupted", `${because}, ${work.recoveries + 1} times`, now);
  database.run(
    "update work set status = 'waiting', owner = null, lease = null, recoveries = recoveries + ? where seq = ?",
    because === undefined ? 0 : 1,
    work.seq,
  );
  database.run("update run set status = 'queued' where id = ?", work.run);
  return undefined;
}

const reasons = (rows: readonly Pick<Work, "run" | "cancelled">[]): Map<string, string | undefined> =>
  new Map(rows.map(({ run, cancelled }) => [readBack(run), cancelled ?? undefined]));

const mine = "run = ? and owner = ? and status = 'running'";
const unfinished: ReadonlySet<RunStatus> = new Set<RunStatus>(["queued", "running"]);

/**
 * The fence: what a worker finds out after its run was taken from it is not kept. What is kept is kept as it is, until the
 * run ends: the worker that resumes it has to see what the step before gave.
 */
const keepResult = `insert into step (run, name, result) select ?, ?, ? where exists (select 1 from work where ${mine})`;
const take = `update work set status = 'running', owner = ?, lease = ? where seq = ? and ${waits} returning item, event`;

const runningIn = ({ database }: SqliteStore): number =>
  database.get<{ count: number }>("select count(*) as count from work where status = 'running'")?.count ?? 0;

const nextOf = ({ database }: SqliteStore, { only }: Claiming): Work | undefined =>
  only
    ? database.get(nextAmong, JSON.stringify(only.map(written)))
    : database.get(`select ${workColumns} from work where status = 'waiting' and ${isFree} order by seq limit 1`);

const nextAmong = `select ${workColumns} from work
  where run in (select value from json_each(?)) and ${waits} and ${isFree}
    and not exists (select 1 from work head where head.hook = work.hook and head.status = 'running')
  order by seq limit 1`;

const sameEvent = "select seq from work_event where id = ? and event = ?";
const newEvent = "insert into work_event (id, event) values (?, ?) returning seq";

type Holding = Pick<Work, "run"> & { owner: string; lease: number };

/** One that lies further ahead than any goes is of before the machine was started anew. */
const longestLease = 3_600_000;
const holdsAt = (lease: Uptime, at: Uptime): boolean => lease >= at && lease <= at + longestLease;

/** As it was added. */
export function itemOf(text: string, eventText: string, recoveries = 0): Item {
  const [event, large]: [Item["event"], Partial<Item["event"]>] = JSON.parse(eventText); // as eventTextOf wrote it
  const item: Item = { ...JSON.parse(text), event: { ...event, ...large } }; // as textOf wrote it
  if (recoveries === 0) return item;
  const note = `begun again, as ${interruption} (${recoveries} of at most ${recoveriesAtMost} times)`;
  return { ...item, run: { ...item.run, notes: [...item.run.notes, note] } };
}
