/** The rows of the store in memory, and how they are looked for. Texts are JSON, as in the database: nobody can change a row by changing what was given or answered. */
import type { Counter, HookEvent, HookId, Instant, SessionId, Turn } from "../../engine/event.ts";
import type { Baseline, Found, RunFilter } from "../../engine/record.ts";
import { type EventRow, type RunRow, written } from "../sqlite/rows.ts";
import type { Claimed, Telling } from "../sqlite/rules.ts";

export interface Tables {
  events: Map<string, EventRow>;
  /** The rows of each delivery. */
  tellings: Map<string, EventRow[]>;
  runs: Map<string, RunRow>;
  hookSets: Map<string, string>;
  sessions: Map<SessionId, { turn: string; spent: Record<Counter, number>; at: Instant }>;
  claims: Map<string, Claimed>;
  debts: Map<SessionId, Map<HookId, string>>;
  baselines: Map<string, string>;
  /** Replaced, never changed: it is given out as it is. */
  pauses: ReadonlySet<string>;
  inboxes: Map<SessionId, { outcome: string; counter: Counter | undefined }[]>;
}

export const emptyTables = (): Tables => ({
  events: new Map(),
  tellings: new Map(),
  runs: new Map(),
  hookSets: new Map(),
  sessions: new Map(),
  claims: new Map(),
  debts: new Map(),
  baselines: new Map(),
  pauses: new Set(),
  inboxes: new Map(),
});

/**
 * What a memory goes on from: asked as long as it has nothing of its own about a session or a key. Undefined: nothing is known.
 * Must not throw.
 */
export interface Before {
  turn(session: SessionId): Turn | undefined;
  /** All of the same happening. */
  tellings(event: HookEvent): readonly Telling[] | undefined;
  claimed(key: string): Claimed | undefined;
  debts(session: SessionId): ReadonlyMap<HookId, Found> | undefined;
  baseline(session: SessionId, folder: string): Baseline | undefined;
  paused(): ReadonlySet<string> | undefined;
}

export const placeIn = (session: SessionId, folder: string): string => JSON.stringify([session, folder]);

export const happeningOf = ({ delivery, name, session }: HookEvent): string =>
  JSON.stringify([delivery?.id, name, session]);

export const all = <Row>(rows: ReadonlyMap<string, Row>): Row[] => [...rows.values()];

export const isUnfinished = ({ status }: RunRow): boolean => status === "queued" || status === "running";

/** Answers how many rows went. */
export function drop<Row>(rows: Map<string, Row>, isOld: (row: Row) => boolean): number {
  const old = [...rows].filter(([, row]) => isOld(row));
  for (const [key] of old) rows.delete(key);
  return old.length;
}

export const answers = (row: RunRow, { hook, session, event, status, eventId, among }: RunFilter): boolean =>
  is(row.hook, hook) &&
  is(row.session, session) &&
  is(row.event_name, event) &&
  is(row.status, status) &&
  is(row.event, eventId) &&
  (among === undefined || (row.hook.startsWith(among.prefix) && row.hook.endsWith(among.suffix ?? "")));

const is = (held: string | null, wanted: string | undefined): boolean =>
  wanted === undefined || held === written(wanted);
