/** The SQLite store's queries that take more than one line, each inside the transaction of its caller. */
import {
  type Counter,
  firstTurn,
  type HookEvent,
  type HookId,
  type Instant,
  type SessionId,
  type Turn,
} from "../../engine/event.ts";
import type { HookSet } from "../../engine/hook.ts";
import type { Claim, Found, Paused, ReceiptCount, Refusal, Run, RunFilter, Transcript } from "../../engine/record.ts";
import type { Database } from "./database.ts";
import type { Keeper } from "./keep.ts";
import { closeSilent, countReceipts, hasReceipts } from "./receipts.ts";
import {
  type Claimed,
  type EventRow,
  eventFields,
  eventOf,
  firstRefusal,
  firstReport,
  interruption,
  keptAround,
  listOf,
  mergeFound,
  newSession,
  places,
  type Report,
  type RunRow,
  readBack,
  runFields,
  runOf,
  type Standing,
  textFields,
  written,
} from "./rows.ts";
import { commonEvents, commonStatuses, isNotable, isRare } from "./schema.ts";

const day = 86_400_000;

/** The report of the same happening by another registration, if there was one (R49). */
export const reportBefore = (database: Database, event: HookEvent): Report | undefined =>
  event.delivery && firstReport(reportsOf(database, event), event.delivery);

/** All of the same happening, in the order in which they came. */
export function reportsOf(database: Database, event: HookEvent): Report[] {
  if (!event.delivery) return [];
  const rows = database.all<{ id: string; delivered_by: string; outcome: string | null }>(
    "select id, delivered_by, outcome from event where delivery = ? and name = ? and session is ? order by seq",
    written(event.delivery.id),
    written(event.name),
    event.session === undefined ? null : written(event.session),
  );
  return rows.map(({ id, delivered_by, outcome }) => ({
    id: readBack(id),
    by: readBack(delivered_by),
    ...(outcome !== null && { outcome: JSON.parse(outcome) }),
  }));
}

/** In one statement, as every event of a session asks. */
export function standingOf(database: Database, session: SessionId): Standing {
  const row = database.get<{ turn: string; followed: number } & Turn["spent"]>(
    `select turn, reprompts, rewakes, injected, ${hasReceipts("?1")} as followed from session where id = ?1`,
    written(session),
  );
  if (!row) return newSession;
  const { turn, reprompts, rewakes, injected, followed } = row;
  return { turn: { ...JSON.parse(turn), spent: { reprompts, rewakes, injected } }, hasReceipts: followed === 1 };
}

/** Takes one in one statement: the row is the counter. */
export const spend = (database: Database, session: SessionId, counter: Counter, max: number, now: Instant): boolean =>
  max > 0 && database.run(spendFrom[counter], written(session), JSON.stringify(firstTurn), now, max) === 1;

const spending = (counter: Counter): string =>
  `insert into session (id, turn, at, ${counter}) values (?, ?, ?, 1)
   on conflict (id) do update set ${counter} = ${counter} + 1 where ${counter} < ?`;
const spendFrom: Record<Counter, string> = {
  reprompts: spending("reprompts"),
  rewakes: spending("rewakes"),
  injected: spending("injected"),
};

/** One row per content hash (R37). The day on which it was last active is kept. */
export function keepHookSet(database: Database, set: HookSet, now: Instant, keeper: Keeper): void {
  const id = written(set.id);
  const held = database.get<{ used: Instant }>("select used from hook_set where id = ?", id);
  const insert = "insert into hook_set (id, hooks, used) values (?, ?, ?) on conflict (id) do nothing"; // another process may be faster
  if (!held) database.run(insert, id, keeper.whole(set.hooks), now);
  else if (Math.abs(now - held.used) > day) database.run("update hook_set set used = ? where id = ?", now, id);
}

export const claimed = (database: Database, { key }: Pick<Claim, "key">): Claimed | undefined =>
  database.get<Claimed>("select count, last from claim where key = ?", written(key));

export const refusing = (database: Database, claims: readonly Claim[], now: Instant): Refusal | undefined =>
  firstRefusal(claims, (claim) => claimed(database, claim), now);

const forgetsOthers = "delete from claim where key >= ?1 and key < ?1 || char(0x10ffff) and abs(last - ?2) > ?3";

/** All or none. A key that is named twice counts once. */
export function take(database: Database, claims: readonly Claim[], now: Instant): Refusal | undefined {
  const refused = refusing(database, claims, now);
  if (refused) {
    const at = refused.at ?? now;
    database.run("update claim set last = ? where key = ? and last > ?", at, written(refused.key), at); // see firstRefusal()
    return refused;
  }
  for (const { key, at = now, among } of new Map(claims.map((claim) => [claim.key, claim])).values()) {
    database.run(
      "insert into claim (key, count, last) values (?, 1, ?) on conflict (key) do update set count = count + 1, last = excluded.last",
      written(key),
      at,
    );
    if (among !== undefined) database.run(forgetsOthers, written(among), at, keptAround);
  }
  return undefined;
}

export function pendingChecksOf(database: Database, session: SessionId): Map<HookId, Found> {
  const rows = database.all<{ hook: string; found: string }>(
    "select hook, found from debt where session = ? order by hook",
    written(session),
  );
  return new Map(rows.map(({ hook, found }) => [readBack(hook), JSON.parse(found)]));
}

const noPause: Paused = new Map();

/** Nearly always none. */
export function pausesOf(database: Database): Paused {
  const rows = database.all<{ what: string; until: Instant | null }>("select what, until from pause");
  if (rows.length === 0) return noPause;
  return new Map(rows.map(({ what, until }) => [readBack(what), until ?? Number.POSITIVE_INFINITY]));
}

/** Undefined: it is not paused. */
export const pausedSince = (database: Database, what: string): Instant | undefined =>
  database.all<{ at: Instant }>("select at from pause where what = ?", written(what))[0]?.at;

/** What has ended by itself goes with the next pause that is written. */
export function pause(database: Database, what: string, at: Instant, until: Instant | undefined): boolean {
  database.run("delete from pause where until <= ?", at);
  const sql = `insert into pause (what, at, until) values (?, ?, ?)
    on conflict (what) do update set at = excluded.at, until = excluded.until where until is not excluded.until`;
  return database.run(sql, written(what), at, until ?? null) === 1;
}

export function addPendingChecks(
  database: Database,
  session: SessionId,
  added: ReadonlyMap<HookId, Found>,
  { now, keeper }: { now: Instant; keeper: Keeper },
): Map<HookId, Found> {
  const pending = pendingChecksOf(database, session);
  for (const [hook, found] of added) {
    const merged = mergeFound(pending.get(hook) ?? {}, found);
    pending.set(hook, merged);
    database.run(
      `insert into debt (session, hook, found, at) values (?, ?, ?, ?)
       on conflict (session, hook) do update set found = excluded.found, at = excluded.at`,
      written(session),
      written(hook),
      keeper.whole(merged),
      now,
    );
  }
  return pending;
}

const runColumns = `${runFields.join()}, (select receipt_of from event where event.id = run.event) as receipt_of`;

export function runNamed(database: Database, id: string): Run | undefined {
  const row = database.get<RunRow>(`select ${runColumns} from run where id = ?`, written(id));
  return row && runOf(row);
}

export function eventsCalled(database: Database, ids: readonly string[]): Map<string, HookEvent> {
  const one = `select ${eventFields.join()} from event where id = ?`;
  const rows = ids.flatMap((id) => database.get<EventRow>(one, written(id)) ?? []);
  return new Map(rows.map((row) => [readBack(row.id), eventOf(row).event]));
}

/** The ids that begin so: at most so many. */
export const idsFrom = (database: Database, table: "run" | "event", beginning: string, most: number): string[] =>
  database
    .all<{ id: string }>(
      `select id from ${table} where id >= ? and id < ? order by id limit ?`,
      written(beginning),
      `${written(beginning)}\u{10FFFF}`,
      most,
    )
    .map(({ id }) => readBack(id));

interface Column {
  is: string;
  /** Whether its index leaves few runs; absent: it never does. */
  leavesFew?(value: string): boolean;
  /** The condition that uses the index. */
  found?: string;
}
/** Those that leave the fewest runs first. */
const columns: { readonly [F in "eventId" | "status" | "session" | "event"]: Column } = {
  eventId: { is: "event", leavesFew: () => true },
  status: { is: "status", leavesFew: (value) => !commonStatuses.includes(value), found: `status = ? and ${isNotable}` },
  session: { is: "session", leavesFew: () => true, found: "seq in (select seq from run where session = ?)" },
  event: {
    is: "event_name",
    leavesFew: (value) => !commonEvents.includes(value),
    found: `event_name = ? and ${isRare}`,
  },
};

/** Newest first, that is in the reverse order of their beginnings. */
export function findRuns(database: Database, filter: RunFilter): Run[] {
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  for (const field of Object.keys(columns) as (keyof typeof columns)[]) {
    // the keys of a literal
    const value = filter[field];
    if (value === undefined) continue;
    const { is, leavesFew, found = `${is} = ?` } = columns[field];
    // SQLite cannot know which index leaves the fewest; behind a + it uses none.
    conditions.push(conditions.length === 0 && leavesFew?.(value) ? found : `+${is} = ?`);
    values.push(written(value));
  }
  if (filter.hook !== undefined) {
    const hooks = listOf(filter.hook);
    conditions.push(`${conditions.length === 0 ? "" : "+"}hook in (${places(hooks)})`);
    values.push(...hooks.map(written));
  }
  let order = "seq";
  if (filter.folders) {
    const own = foldersWithEvents(database, filter.folders);
    const isIn = `cwd in (${places(own)})`;
    if (isRareIn(database, own)) {
      conditions.push(`event in (select id from event where ${isIn})`);
      order = "+seq"; // else SQLite reads all runs in their order
    } else conditions.push(`exists (select 1 from event where event.id = run.event and ${isIn})`);
    values.push(...own);
  }
  if (filter.receipt !== undefined) {
    conditions.push("event in (select id from event where receipt = ?)", hasDecided);
    values.push(filter.receipt);
  }
  if (filter.text !== undefined) {
    const all = textFields.map((field) => `coalesce(${field}, '')`).join(" || ' ' || ");
    const inEvent = "select 1 from event where event.id = run.event and instr(lower(payload), lower(?)) > 0";
    conditions.push(`(instr(lower(${all}), lower(?)) > 0 or exists (${inEvent}))`);
    values.push(filter.text, filter.text);
  }
  if (filter.since !== undefined) {
    conditions.push("started >= ?");
    values.push(filter.since);
  }
  if (filter.before !== undefined) {
    conditions.push("seq < (select seq from run where id = ?)");
    values.push(written(filter.before));
  }
  if (filter.among) {
    const { prefix, suffix = "" } = filter.among;
    conditions.push("hook >= ? and hook < ?", "substr(hook, length(hook) - length(?) + 1) = ?");
    values.push(prefix, `${prefix}\u{10FFFF}`, suffix, suffix);
  }
  const where = conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`;
  const rows = database.all<RunRow>(
    `select ${runColumns} from run ${where} order by ${order} desc limit ?`,
    ...values,
    filter.limit ?? -1,
  );
  return rows.map(runOf);
}

/** Only such a run shares the receipt of its event; see followedKind. */
const hasDecided = "(outcome ->> '$.verdict.is' in ('deny', 'ask') or outcome -> '$.updatedInput' is not null)";

export const receiptsOf = (
  database: Database,
  since: Instant,
  folders: readonly string[] | undefined,
): ReceiptCount[] => countReceipts(database, since, folders && foldersWithEvents(database, folders));

/** Of the folders and those below them, the ones where events happened. Walks the index from folder to folder, as for hooks. */
const foldersWithEvents = (database: Database, folders: readonly string[]): string[] => [
  ...new Set(
    folders.flatMap((folder) => {
      const below = written(folder.endsWith("/") ? folder.slice(0, -1) : folder);
      const rows = database.all<{ cwd: string }>(
        `with recursive found (cwd) as (
          select min(cwd) from event where cwd >= ?1 and cwd < ?2
          union all
          select (select min(cwd) from event where cwd > found.cwd and cwd < ?2) from found where found.cwd is not null
        )
        select cwd from found where cwd is not null`,
        `${below}/`,
        `${below}0`, // the character after the slash
      );
      return [written(folder), ...rows.map(({ cwd }) => cwd)];
    }),
  ),
];

/** Of so few events the runs are found one by one; of more, a few are among the newest of all runs. */
const fewEvents = 10_000;
const isRareIn = (database: Database, folders: readonly string[]): boolean =>
  (database.get<{ count: number }>(
    `select count(*) as count from (select 1 from event where cwd in (${places(folders)}) limit ?)`,
    ...folders,
    fewEvents,
  )?.count ?? 0) < fewEvents;

/** The newest event in these folders. */
export function newestEventIn(database: Database, folders: readonly string[]): string | undefined {
  const [newest] = newestIn(database, foldersWithEvents(database, folders), 1);
  const row =
    newest === undefined ? undefined : database.get<{ id: string }>("select id from event where seq = ?", newest);
  return row && readBack(row.id);
}

/** The places of the newest events in these very folders, newest first. Reads of the index alone what may be among them. */
function newestIn(database: Database, folders: readonly string[], most: number): number[] {
  let newest: number[] = [];
  for (const cwd of folders) {
    const sql = "select seq from event where cwd = ? and seq > ? order by seq desc limit ?";
    const rows = database.all<{ seq: number }>(sql, cwd, newest[most - 1] ?? 0, most);
    newest = [...newest, ...rows.map(({ seq }) => seq)].toSorted((left, right) => right - left).slice(0, most);
  }
  return newest;
}

/** The hooks that have runs: walks the index from hook to hook instead of reading every run. */
const fired = `with recursive fired (hook) as (
  select min(hook) from run
  union all
  select (select min(hook) from run where run.hook > fired.hook) from fired where fired.hook is not null
)`;

/** With the names that they had last; also those that are gone. */
export const hooksWithRuns = (database: Database): { hook: HookId; name: string }[] =>
  database
    .all<{ hook: string; name: string }>(
      `${fired} select hook, (select hook_name from run where run.hook = fired.hook order by seq desc limit 1) as name
        from fired where hook is not null`,
    )
    .map(({ hook, name }) => ({ hook: readBack(hook), name: readBack(name) }));

/** For each hook its newest run that started. */
export function lastFired(database: Database): Map<HookId, Instant> {
  const rows = database.all<{ hook: string; at: Instant | null }>(`${fired}
    select hook, (
      select started from run
      where run.hook = fired.hook and asked > 0 order by seq desc limit 1
    ) as at
    from fired where hook is not null`);
  return new Map(rows.flatMap(({ hook, at }) => (at === null ? [] : [[readBack(hook), at] as const])));
}

/** The ids of deliveries that begin so: walks their index. */
export const deliveriesFrom = (database: Database, beginning: string): string[] =>
  database
    .all<{ delivery: string }>(
      "select distinct delivery from event where delivery >= ? and delivery < ?",
      written(beginning),
      `${written(beginning)}\u{10FFFF}`,
    )
    .map(({ delivery }) => readBack(delivery));

const reportsWithin = 2_000;

export function lastReports(database: Database, folders: readonly string[]): Map<string, Instant> {
  const newest = newestIn(database, foldersWithEvents(database, folders), reportsWithin);
  const rows = database.all<{ by: string; at: Instant }>(
    `select delivered_by as by, max(at) as at from event
     where seq in (select value from json_each(?)) and delivered_by is not null group by delivered_by`,
    JSON.stringify(newest),
  );
  return new Map(rows.map(({ by, at }) => [readBack(by), at]));
}

export const transcripts = (database: Database): Transcript[] =>
  database.all<{ row: string }>("select row from transcript order by at desc, path").map(({ row }) => JSON.parse(row)); // as saveTranscript wrote it

export function saveTranscript(database: Database, transcript: Transcript, keeper: Keeper): void {
  const sql = `insert into transcript (path, at, row) values (?, ?, ?)
    on conflict (path) do update set at = excluded.at, row = excluded.row`;
  database.run(sql, written(transcript.path), transcript.modified, keeper.whole(transcript));
}

/** Closes runs without a process (R26): it is gone, or there never was one. */
export function repair(database: Database, isAlive: (owner: string) => boolean, now: Instant): number {
  closeSilent(database, now);
  const unfinished = `select seq, started, owner from run where status in ('queued', 'running') and ${isNotable}
    and not exists (select 1 from work where work.run = run.id)`; // a durable run waits for its next worker
  const rows = (): { seq: number; started: Instant; owner: string | null }[] => database.all(unfinished);
  if (rows().length === 0) return 0; // nearly always: no lock needed
  return database.write(() => {
    const left = rows().filter(({ owner }) => owner === null || !isAlive(readBack(owner)));
    for (const { seq, started } of left) {
      database.run(
        "update run set status = 'interrupted', reason = ?, ms = ? where seq = ?",
        interruption,
        Math.max(0, now - started),
        seq,
      );
    }
    return left.length;
  });
}

/**
 * Insists that a project is there when something is added to it: it may have been removed since the caller looked. A part of that write.
 *
 * @throws Error where it is gone
 */
export function insistOnProject(database: Database, id: string): void {
  if (database.get("select 1 from project where id = ?", written(id)) === undefined)
    throw new Error(`no project is called "${id}"; it was taken away`);
}

// What the dashboard shows beside runs and events.

const deniedWithin = 5_000;

/** A project: its folder, and whether a folder below it is its own and not of a project that lies in it. */
export interface ProjectEvents {
  root: string;
  holds(folder: string): boolean;
}

const eventsOf = (database: Database, { root, holds }: ProjectEvents, most: number): string => {
  const folders = foldersWithEvents(database, [root]).filter((folder) => holds(readBack(folder)));
  return JSON.stringify(newestIn(database, folders, most));
};

/** The ids of the newest events of a project, newest first. */
export const newestOfProject = (database: Database, project: ProjectEvents, most: number): string[] =>
  database
    .all<{ id: string }>(
      "select id from event where seq in (select value from json_each(?)) order by seq desc",
      eventsOf(database, project, most),
    )
    .map(({ id }) => readBack(id));

/** The ids of events that were refused, newest first, among the newest ones: of a project, else of all. */
export function recentlyDenied(database: Database, most: number, project?: ProjectEvents): string[] {
  const [newest, among] = project
    ? ["seq in (select value from json_each(?))", eventsOf(database, project, deniedWithin)]
    : ["true order by seq desc limit ?", deniedWithin];
  const sql = `select id from (select seq, id, outcome from event where ${newest})
    where outcome is not null and (outcome ->> '$.verdict.is' = 'deny' or outcome -> '$.stop' is not null)
    order by seq desc limit ?`;
  return database.all<{ id: string }>(sql, among, most).map(({ id }) => readBack(id));
}
