/**
 * Rows that are written when a group ends, or when somebody looks: a run that has begun and ended by then is one insert, and so
 * is an event with its answer. What they say is fixed when they are given.
 */
import type { Instant, SessionId, Turn } from "../core/event.ts";
import type { Run } from "../core/record.ts";
import type { Waiting, Writing } from "./database.ts";
import type { Keeper, Kept } from "./keep.ts";
import { changingFields, changingValues, type EventRow, eventFields, fixedValues, runFields, written } from "./rows.ts";

export interface WaitingRows extends Waiting {
  event(row: EventRow): void;
  /** False: the event does not wait here. */
  answer(id: string, { text, redacted }: Kept, at: Instant, ms: number | undefined): boolean;
  run(run: Run): void;
  /** Writes the run at once. */
  writeRun(write: Writing["run"], run: Run): void;
  saveTurn(session: SessionId, turn: Turn, kept: Kept, at: Instant): void;
  /** As the last event left it, if that waits here. */
  turn(session: SessionId): Turn | undefined;
}

interface WaitingEvent {
  row: EventRow;
  answeredAt: Instant | null;
}
interface WaitingRun {
  run: Run;
  /** Absent while it goes on: most have ended before it would be needed. */
  changing?: ReturnType<typeof changingValues>;
}
interface WaitingTurn {
  turn: Turn;
  text: string;
  at: Instant;
}

/** Of runs that go on. One that is not known is written like a new one, which comes to the same. */
const begunAtMost = 1_000;

export function createWaitingRows(keeper: Keeper): WaitingRows {
  const events = new Map<string, WaitingEvent>();
  const runs = new Map<string, WaitingRun>();
  const turns = new Map<SessionId, WaitingTurn>();
  const begun = new Set<string>(); // runs that this process has written and not closed: an update is half an insert

  function writeRun(write: Writing["run"], run: Run, changing = changingValues(run, keeper)): void {
    const wasBegun = begun.has(run.id);
    if (goesOn(run)) remember(run.id);
    else if (wasBegun) begun.delete(run.id);
    if (wasBegun && write(updateRun, ...changing, written(run.id)) === 1) return;
    write(insertRun, ...fixedValues(run, keeper), ...changing);
  }

  /** Others close some of them: those go with time. */
  function remember(id: string): void {
    begun.add(id);
    const [oldest] = begun.size > begunAtMost ? begun : [];
    if (oldest !== undefined) begun.delete(oldest);
  }

  function clear(): void {
    events.clear();
    runs.clear();
    turns.clear();
  }

  return {
    event(row) {
      if (!events.has(row.id)) events.set(row.id, { row, answeredAt: null });
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
    run(run) {
      runs.set(
        run.id,
        goesOn(run) ? { run: { ...run, notes: [...run.notes] } } : { run, changing: changingValues(run, keeper) },
      );
    },
    writeRun,
    saveTurn(session, turn, kept, at) {
      turns.set(session, {
        turn: kept.cut || kept.redacted ? JSON.parse(kept.text) : copyOf(turn),
        text: kept.text,
        at,
      });
    },
    turn: (session) => turns.get(session)?.turn,
    isEmpty: () => events.size === 0 && runs.size === 0 && turns.size === 0,
    flush(write) {
      try {
        for (const { row, answeredAt } of events.values())
          write(insertEvent, ...eventFields.map((field) => row[field]), answeredAt);
        for (const { run, changing } of runs.values()) writeRun(write, run, changing);
        for (const [session, { turn, text, at }] of turns) {
          const { reprompts, rewakes, injected } = turn.spent;
          write(upsertSession, written(session), text, at, reprompts, rewakes, injected);
        }
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
export const upsertSession: string = `insert into session (id, turn, at, reprompts, rewakes, injected) values (?, ?, ?, ?, ?, ?)
  on conflict (id) do update set turn = excluded.turn, at = excluded.at,
    reprompts = excluded.reprompts, rewakes = excluded.rewakes, injected = excluded.injected`;
