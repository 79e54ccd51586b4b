/**
 * Rows that are written when their group ends, or when somebody looks: a run that has begun and ended by then is one insert, and
 * so is an event with its answer.
 */
import { dropOldest } from "../../engine/drop-oldest.ts";
import type { Instant, SessionId, Turn } from "../../engine/event.ts";
import type { Run } from "../../engine/record.ts";
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

export interface GroupRows extends Waiting {
  event(row: EventRow): void;
  /** False: the event does not wait here. */
  answer(id: string, { text, redacted }: Kept, at: Instant, ms: number | undefined): boolean;
  /** A telling of this happening waits here, so the tables do not know it yet. */
  hasDelivery(id: string): boolean;
  run(run: Run): void;
  saveTurn(session: SessionId, saved: SavedTurn): void;
  /** As the last event left it, if that waits here. */
  turn(session: SessionId): Turn | undefined;
}

export interface SavedTurn {
  turn: Turn;
  /** The turn as it is kept. */
  kept: Kept;
  at: Instant;
}

interface WaitingEvent {
  row: EventRow;
  answeredAt: Instant | null;
}
interface WaitingRun {
  run: Run;
  /** As they were when it ended; absent while it goes on, as most have ended before they would be needed. */
  values?: Value[];
}
interface WaitingTurn {
  turn: Turn;
  values: Value[];
}

/** Of runs that go on. One that is not known is written like a new one, which comes to the same. */
const begunAtMost = 1_000;

export function createGroupRows(keeper: Keeper): GroupRows {
  // Made anew instead of emptied: see engine/brief-map.ts.
  let events = new Map<string, WaitingEvent>();
  let runs = new Map<string, WaitingRun>();
  let turns = new Map<SessionId, WaitingTurn>();
  let deliveries = new Set<string>();
  const begun = new Set<string>(); // runs that this process has written and not closed: an update is half an insert

  function writeRun(write: Writing["run"], { run, values }: WaitingRun): void {
    const wasBegun = begun.has(run.id);
    if (goesOn(run)) remember(run.id);
    else if (wasBegun) begun.delete(run.id);
    const changing = values?.slice(-changingFields.length) ?? changingValues(run, keeper);
    if (wasBegun && write(updateRun, ...changing, written(run.id)) === 1) return;
    if (values) write(insertRun, ...values);
    else write(insertRun, ...fixedValues(run, keeper), ...changing);
  }

  /** Others close some of them: those go with time. */
  function remember(id: string): void {
    begun.add(id);
    dropOldest(begun, begunAtMost);
  }

  function clear(): void {
    if (events.size > 0) events = new Map();
    if (runs.size > 0) runs = new Map();
    if (turns.size > 0) turns = new Map();
    if (deliveries.size > 0) deliveries = new Set();
  }

  return {
    event(row) {
      if (events.has(row.id)) return;
      events.set(row.id, { row, answeredAt: null });
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
      return true;
    },
    hasDelivery: (id) => deliveries.has(written(id)),
    run(run) {
      if (goesOn(run)) runs.set(run.id, { run: { ...run, notes: [...run.notes] } });
      else runs.set(run.id, { run, values: [...fixedValues(run, keeper), ...changingValues(run, keeper)] });
    },
    saveTurn(session, { turn, kept: { cut, redacted, text }, at }) {
      const { reprompts, rewakes, injected } = turn.spent;
      turns.set(session, {
        turn: cut || redacted ? JSON.parse(text) : copyOf(turn),
        values: [written(session), text, at, reprompts, rewakes, injected],
      });
    },
    turn: (session) => turns.get(session)?.turn,
    isEmpty: () => events.size === 0 && runs.size === 0 && turns.size === 0,
    flush(write) {
      try {
        for (const { row, answeredAt } of events.values())
          write(insertEvent, ...eventFields.map((field) => row[field]), answeredAt);
        for (const entry of runs.values()) writeRun(write, entry);
        for (const { values } of turns.values()) write(upsertSession, ...values);
      } finally {
        clear();
      }
    },
    clear,
  };
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
export const upsertSession = `insert into session (id, turn, at, reprompts, rewakes, injected) values (?, ?, ?, ?, ?, ?)
  on conflict (id) do update set turn = excluded.turn, at = excluded.at,
    reprompts = excluded.reprompts, rewakes = excluded.rewakes, injected = excluded.injected`;
