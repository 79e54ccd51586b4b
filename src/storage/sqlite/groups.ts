/** Group commit (R71): the writes of one turn of the event loop are one transaction, and rows wait in memory for its end. */
import type { Instant, SessionId, Turn } from "../../engine/event.ts";
import { callReports } from "../../engine/events.ts";
import type { Receipt } from "../../engine/receipt.ts";
import type { Run } from "../../engine/record.ts";
import type { Waiting } from "./database.ts";
import type { Keeper, Kept } from "./keep.ts";
import {
  changingFields,
  changingValues,
  type EventRow,
  eventFields,
  fixedValues,
  places,
  receiptColumns,
  runFields,
  type Value,
  written,
} from "./rows.ts";

/**
 * Rows that are written when their group ends, or when a query looks: a run that has begun and ended by then is one insert, and
 * so is an event with its answer.
 */
export interface GroupRows extends Waiting {
  event(row: EventRow): void;
  /** False: the event does not wait here. */
  answer(id: string, outcome: Kept, how: Answered): boolean;
  /** Whether the event waits here, and the reports of calls of its session that came after it and do. */
  since(id: string, session: SessionId): { isWaiting: boolean; reports: EventRow[] };
  /** A receipt of the session waits here, so the tables do not know it yet. */
  hasReceipt(session: SessionId): boolean;
  /** A report of this happening waits here, so the tables do not know it yet. */
  hasDelivery(id: string): boolean;
  run(run: Run): void;
  saveTurn(session: SessionId, saved: SavedTurn): void;
  /** As the last event left it, if that waits here. */
  turn(session: SessionId): Turn | undefined;
}

export interface Answered {
  at: Instant;
  ms: number | undefined;
  receipt: Receipt | undefined;
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

export function createGroupRows(keeper: Keeper): GroupRows {
  // Made anew instead of emptied: see BriefMap in engine/drop-oldest.ts.
  let events = new Map<string, WaitingEvent>();
  let runs = new Map<string, WaitingRun>();
  let turns = new Map<SessionId, WaitingTurn>();
  let deliveries = new Set<string>();
  let followed = new Set<string | null>();
  const valuesOf = (run: Run): Value[] => [...fixedValues(run, keeper), ...changingValues(run, keeper)];

  function clear(): void {
    if (events.size > 0) events = new Map();
    if (runs.size > 0) runs = new Map();
    if (turns.size > 0) turns = new Map();
    if (deliveries.size > 0) deliveries = new Set();
    if (followed.size > 0) followed = new Set();
  }

  return {
    event(row) {
      if (events.has(row.id)) return;
      events.set(row.id, { row, answeredAt: null });
      if (row.delivery !== null) deliveries.add(row.delivery);
    },
    answer(id, { text, redacted }, { at, ms, receipt }) {
      const waiting = events.get(written(id));
      if (!waiting) return false;
      const { row } = waiting;
      row.outcome = text;
      row.ms = ms ?? null;
      if (redacted) row.redacted = 1;
      if (receipt) {
        Object.assign(row, receiptColumns(receipt));
        followed.add(row.session);
      }
      waiting.answeredAt = at;
      return true;
    },
    since(id, session) {
      const all = [...events.values()].map(({ row }) => row);
      const index = all.findIndex((row) => row.id === written(id));
      const reports = all.slice(index + 1).filter((row) => isReport.has(row.name) && row.session === written(session));
      return { isWaiting: index !== -1, reports };
    },
    hasReceipt: (session) => followed.has(written(session)),
    hasDelivery: (id) => deliveries.has(written(id)),
    run(run) {
      if (goesOn(run)) runs.set(run.id, { run: { ...run, notes: [...run.notes] } });
      else runs.set(run.id, { run, values: valuesOf(run) });
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
        for (const { run, values } of runs.values()) write(upsertRun, ...(values ?? valuesOf(run)));
        for (const { values } of turns.values()) write(upsertSession, ...values);
      } finally {
        clear();
      }
    },
    clear,
  };
}

const isReport: ReadonlySet<string> = new Set(callReports);

const goesOn = ({ status }: Run): boolean => status === "running" || status === "queued";

/** Hooks are given the turn, and may change what they are given. */
const copyOf = (turn: Turn): Turn => ({
  ...turn,
  spent: { ...turn.spent },
  ...(turn.agent && { agent: { ...turn.agent } }),
});

export const insertEvent: string = `insert into event (${eventFields.join(", ")}, answered_at) values (${places(eventFields)}, ?)
  on conflict (id) do nothing`;
export const upsertRun: string = `insert into run (${runFields.join(", ")}) values (${places(runFields)})
  on conflict (id) do update set ${changingFields.map((field) => `${field} = excluded.${field}`).join(", ")}`;
export const upsertSession = `insert into session (id, turn, at, reprompts, rewakes, injected) values (?, ?, ?, ?, ?, ?)
  on conflict (id) do update set turn = excluded.turn, at = excluded.at,
    reprompts = excluded.reprompts, rewakes = excluded.rewakes, injected = excluded.injected`;

/** Group commit: the writes of one turn of the event loop are one transaction, and a promise says when they are on disk. */
export interface Groups {
  /**
   * Opens the group, unless it is open. May throw what `begin` throws, and throws once something of this turn was lost: what an
   * event sets off is not written down where the event could not be.
   */
  join(): void;
  /** To be called after each write of the group: one that has become large or old is committed. */
  wrote(): void;
  /** Commits what is open. Never throws: those who wait for it hear of a failure. */
  end(): void;
  /** The transaction is gone, and what was written in it. Nothing, where none is open. */
  lose(because: unknown): void;
  isOpen(): boolean;
  /** Resolves once all that was written so far is on disk; rejects with the reason if any of it is not. */
  committed(): Promise<void>;
  /** What was lost lay in a file that is replaced: the turn goes on in the new one. */
  mended(): void;
  /** Ends the turn at once. */
  close(): void;
}

/** Why a group was lost. */
export interface Lost {
  because: unknown;
}

interface GroupOptions {
  /** Where it throws, nothing is begun. */
  begin(): void;
  commit(): void;
  /** Must not throw. */
  rollback(): void;
  /** Called when a group has ended: it was written, or it was lost. Must not throw. */
  ended(lost?: Lost): void;
  /** Puts a failure into words. */
  worded(error: unknown): unknown;
}

/** Other processes wait for a group, so none is longer: writes, and milliseconds between its first and its last. */
const writesAtMost = 1_000;
const longest = 20;

/** From its first write to the end of the turn of the event loop: one or several transactions. */
interface LoopTurn {
  /** Why something of it was not written. */
  failure?: Lost;
  /** Nothing more of it is written. */
  isLost?: boolean;
  waiting?: PromiseWithResolvers<void>;
  /** Its end is due. */
  due: NodeJS.Immediate;
}

export function createGroups(options: GroupOptions): Groups {
  const { begin, commit, rollback, ended, worded } = options;
  let turn: LoopTurn | undefined;
  let isOpen = false;
  let writes = 0;
  let begun = 0;

  function lose(because: unknown): void {
    if (!isOpen) return;
    isOpen = false;
    const lost = { because: worded(because) };
    if (turn) {
      turn.failure ??= lost;
      turn.isLost = true;
    }
    ended(lost);
  }

  function end(): void {
    if (!isOpen) return;
    try {
      commit();
      isOpen = false;
      ended();
    } catch (error) {
      rollback();
      lose(error);
    }
  }

  function endTurn(): void {
    end();
    const over = turn;
    turn = undefined;
    if (over?.failure) over.waiting?.reject(over.failure.because);
    else over?.waiting?.resolve();
  }

  return {
    join() {
      if (!isOpen) {
        if (turn?.isLost) throw turn.failure?.because;
        begin();
        isOpen = true;
        writes = 0;
        begun = Date.now();
      }
      turn ??= { due: setImmediate(endTurn) };
    },
    wrote() {
      writes += 1;
      if (isOpen && (writes >= writesAtMost || Date.now() - begun >= longest)) end();
    },
    end,
    lose,
    isOpen: () => isOpen,
    mended() {
      if (turn) turn.isLost = false;
    },
    committed() {
      if (!turn) return nothingPending;
      if (!turn.waiting) {
        turn.waiting = Promise.withResolvers<void>();
        turn.waiting.promise.catch(() => {}); // who asked may have gone; who waits hears of it all the same
      }
      return turn.waiting.promise;
    },
    close() {
      if (turn) clearImmediate(turn.due);
      endTurn();
    },
  };
}

/** Nothing is on its way. */
export const nothingPending: Promise<void> = Promise.resolve();
