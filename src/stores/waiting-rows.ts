/**
 * Rows that are written when a group ends, or when somebody looks: a run that has begun and ended by then is one insert, and so
 * is an event with its answer. What they say is fixed when they are given.
 */
import { dropOldest } from "../core/drop-oldest.ts";
import type { Counter, Instant, SessionId, Turn } from "../core/event.ts";
import type { Run } from "../core/record.ts";
import type { Waiting, Writing } from "./database.ts";
import type { Keeper, Kept } from "./keep.ts";
import {
  changingFields,
  changingValues,
  type EventRow,
  eventFields,
  fixedValues,
  runFields,
  type Value,
  written,
} from "./rows.ts";

export interface WaitingRows extends Omit<Waiting, "flush" | "fresh"> {
  /** @param turnNow the session's turn as it stands in the tables by now: where others have moved it on meanwhile, it is moved on from there. Absent: they cannot have */
  flush(write: Writing["run"], turnNow?: TurnNow): void;
  /** As in `Waiting`. */
  fresh(turnNow?: TurnNow): readonly WaitingRow[];
  event(row: EventRow): void;
  /** False: the event does not wait here. */
  answer(id: string, { text, redacted }: Kept, at: Instant, ms: number | undefined): boolean;
  /** A telling of this happening waits here, so the tables do not know it yet. */
  hasDelivery(id: string): boolean;
  run(run: Run): void;
  /** Writes the run at once. */
  writeRun(write: Writing["run"], run: Run): void;
  saveTurn(session: SessionId, saved: SavedTurn): void;
  /** As the last event left it, if that waits here. */
  turn(session: SessionId): Turn | undefined;
}

/** With the values of its statement, once they were needed. */
interface WaitingEvent {
  is: "event";
  row: EventRow;
  answeredAt: Instant | null;
  values?: Value[];
}
interface WaitingRun {
  is: "run";
  run: Run;
  /** Absent while it goes on: most have ended before it would be needed. */
  values?: Value[];
}
interface WaitingTurn {
  is: "session";
  session: SessionId;
  turn: Turn;
  at: Instant;
  values: Value[];
  /** What was in the tables before the first of the moves. */
  base: string;
  /** More are added behind those that have led to this turn. */
  moves: SavedTurn["move"][];
  count: number;
}

export interface SavedTurn {
  before: Turn;
  turn: Turn;
  /** The turn as it is kept. */
  kept: Kept;
  at: Instant;
  /** From what was before to the turn. */
  move(before: Turn): Turn;
}
type Entry = WaitingEvent | WaitingRun | WaitingTurn;

/** What lies in which table, and the values of the statement that writes it. */
export interface WaitingRow {
  is: Entry["is"];
  values: readonly Value[];
  /** Of a turn: writes it as it is moved on from what the tables say by then. */
  again?(write: Writing["run"]): void;
}

/** A session's turn as it stands in the tables. */
type TurnNow = (session: SessionId) => Turn;

/** Of runs that go on. One that is not known is written like a new one, which comes to the same. */
const begunAtMost = 1_000;

export function createWaitingRows(keeper: Keeper): WaitingRows {
  // Made anew instead of emptied: see core/brief-map.ts.
  let events = new Map<string, WaitingEvent>();
  let runs = new Map<string, WaitingRun>();
  let turns = new Map<SessionId, WaitingTurn>();
  let deliveries = new Set<string>();
  let fresh = new Set<Entry>(); // since somebody has asked, in the order in which they came
  const begun = new Set<string>(); // runs that this process has written and not closed: an update is half an insert

  function writeEntry(write: Writing["run"], entry: WaitingRun): void {
    const { run } = entry;
    const wasBegun = begun.has(run.id);
    if (goesOn(run)) remember(run.id);
    else if (wasBegun) begun.delete(run.id);
    const changing = entry.values?.slice(-changingFields.length) ?? changingValues(run, keeper);
    if (wasBegun && write(updateRun, ...changing, written(run.id)) === 1) return;
    if (entry.values) write(insertRun, ...entry.values);
    else write(insertRun, ...fixedValues(run, keeper), ...changing);
  }

  /** Others close some of them: those go with time. */
  function remember(id: string): void {
    begun.add(id);
    dropOldest(begun, begunAtMost);
  }

  const valuesOfRun = (entry: WaitingRun): readonly Value[] => {
    entry.values ??= [...fixedValues(entry.run, keeper), ...changingValues(entry.run, keeper)];
    return entry.values;
  };

  function rowOf(entry: Entry, turnNow: TurnNow | undefined): WaitingRow {
    const { is } = entry;
    if (is === "event") return { is, values: valuesOf(entry) };
    if (is === "run") return { is, values: valuesOfRun(entry) };
    return { is, values: entry.values, again: (write) => writeTurn(write, entry, turnNow) };
  }

  function writeTurn(write: Writing["run"], entry: WaitingTurn, turnNow: TurnNow | undefined): void {
    const now = turnNow?.(entry.session);
    const isMoved = now && JSON.stringify(now) !== entry.base;
    write(upsertSession, ...(isMoved ? movedFrom(now, entry) : entry.values));
  }

  function movedFrom(now: Turn, { session, moves, count, at }: WaitingTurn): Value[] {
    const turn = moves.slice(0, count).reduce((before, move) => move(before), now);
    return valuesOfTurn(session, turn, keeper.turn(turn), at);
  }

  /** In the place of what was said of the same before. */
  function put<Key, Given extends Entry>(entries: Map<Key, Given>, key: Key, entry: Given): void {
    const before = entries.get(key);
    if (before) fresh.delete(before);
    entries.set(key, entry);
    fresh.add(entry);
  }

  function forget(): void {
    if (events.size > 0) events = new Map();
    if (runs.size > 0) runs = new Map();
    if (turns.size > 0) turns = new Map();
    if (deliveries.size > 0) deliveries = new Set();
  }

  return {
    event(row) {
      if (events.has(row.id)) return;
      put(events, row.id, { is: "event", row, answeredAt: null });
      if (row.delivery !== null) deliveries.add(row.delivery);
    },
    answer(id, { text, redacted }, at, ms) {
      const waiting = events.get(written(id));
      if (!waiting) return false;
      const { row } = waiting;
      row.outcome = text;
      row.ms = ms ?? null;
      if (redacted) row.redacted = 1;
      waiting.answeredAt = at;
      delete waiting.values;
      fresh.add(waiting);
      return true;
    },
    hasDelivery: (id) => deliveries.has(written(id)),
    run(run) {
      const isOver = !goesOn(run);
      const entry: WaitingRun = { is: "run", run: isOver ? run : { ...run, notes: [...run.notes] } };
      if (isOver) valuesOfRun(entry);
      put(runs, run.id, entry);
    },
    writeRun: (write, run) => writeEntry(write, { is: "run", run }),
    saveTurn(session, { before, turn, kept, at, move }) {
      const earlier = turns.get(session);
      const moves = earlier?.moves ?? [];
      moves.push(move);
      put(turns, session, {
        ...{ is: "session", session, at, moves, count: moves.length, base: earlier?.base ?? JSON.stringify(before) },
        turn: kept.cut || kept.redacted ? JSON.parse(kept.text) : copyOf(turn),
        values: valuesOfTurn(session, turn, kept, at),
      });
    },
    turn: (session) => turns.get(session)?.turn,
    isEmpty: () => events.size === 0 && runs.size === 0 && turns.size === 0,
    fresh(turnNow) {
      const rows = Array.from(fresh, (entry) => rowOf(entry, turnNow));
      fresh = new Set();
      return rows;
    },
    flush(write, turnNow) {
      try {
        for (const entry of events.values()) write(insertEvent, ...valuesOf(entry));
        for (const entry of runs.values()) writeEntry(write, entry);
        for (const entry of turns.values()) writeTurn(write, entry, turnNow);
      } finally {
        forget();
      }
    },
    clear() {
      forget();
      if (fresh.size > 0) fresh = new Set();
    },
  };
}

function valuesOfTurn(session: SessionId, { spent }: Turn, { text }: Kept, at: Instant): Value[] {
  return [written(session), text, at, spent.reprompts, spent.rewakes, spent.injected];
}

function valuesOf(entry: WaitingEvent): readonly Value[] {
  if (entry.values) return entry.values;
  const values: Value[] = [];
  for (const field of eventFields) values.push(entry.row[field]);
  values.push(entry.answeredAt);
  entry.values = values;
  return values;
}

const goesOn = ({ status }: Run): boolean => status === "running" || status === "queued";

/** Hooks are given the turn, and may change what they are given. */
const copyOf = (turn: Turn): Turn => ({
  ...turn,
  spent: { ...turn.spent },
  ...(turn.agent && { agent: { ...turn.agent } }),
});

const places = (fields: readonly string[]): string => fields.map(() => "?").join(", ");
export const insertEvent: string = `insert into event (${eventFields.join(", ")}, answered_at) values (${places(eventFields)}, ?)
  on conflict (id) do nothing`;
const updateRun = `update run set ${changingFields.map((field) => `${field} = ?`).join(", ")} where id = ?`;
export const insertRun: string = `insert into run (${runFields.join(", ")}) values (${places(runFields)})
  on conflict (id) do update set ${changingFields.map((field) => `${field} = excluded.${field}`).join(", ")}`;
const insertSession = `insert into session (id, turn, at, reprompts, rewakes, injected) values (?, ?, ?, ?, ?, ?)
  on conflict (id) do update set turn = excluded.turn, at = excluded.at`;
export const upsertSession: string = `${insertSession},
  reprompts = excluded.reprompts, rewakes = excluded.rewakes, injected = excluded.injected`;

const numberOf = (row: "session" | "excluded"): string => `${row}.turn ->> 'number'`;

/** What was spent in a turn meanwhile, which no row of ours knows, stays spent. */
function spentSince(counter: Counter): string {
  return `iif(${numberOf("session")} is ${numberOf("excluded")}, max(session.${counter}, excluded.${counter}), excluded.${counter})`;
}

/** What was written down beside the store, and may be in it already: nothing that came later is undone. */
export const replays: Readonly<Record<WaitingRow["is"], string>> = {
  event: `insert into event (${eventFields.join(", ")}, answered_at) values (${places(eventFields)}, ?)
    on conflict (id) do update set outcome = excluded.outcome, ms = excluded.ms, answered_at = excluded.answered_at,
      redacted = max(redacted, excluded.redacted) where answered_at is null`,
  run: `${insertRun} where status in ('running', 'queued')`,
  session: `${insertSession}, reprompts = ${spentSince("reprompts")}, rewakes = ${spentSince("rewakes")},
      injected = ${spentSince("injected")}
    where ${numberOf("excluded")} > ${numberOf("session")}
      or (${numberOf("excluded")} is ${numberOf("session")} and excluded.at >= session.at)`,
};
/** Of each kind. */
export const valuesIn: Readonly<Record<WaitingRow["is"], number>> = {
  event: eventFields.length + 1,
  run: runFields.length,
  session: 6,
};
