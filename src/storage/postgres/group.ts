/**
 * Group commit over a network: rows wait while a transaction is under way and are all written in the next one. Each is written once,
 * however often it is tried, so what a lost connection left in doubt is written again.
 */
import { messageOf } from "../../engine/error.ts";
import type { RunRow } from "../sqlite/rows.ts";
import type { Connection, Query } from "./connection.ts";
import { type Answer, type Rows, type ShippedEvent, writeRows } from "./writing.ts";

export interface Group {
  run(row: RunRow): void;
  answer(row: Answer): void;
  /** In another transaction, which is under way. */
  writeIn(query: Query, event: ShippedEvent): Promise<void>;
  /** Resolves once what waits was tried; rejects never: what could not be written waits on. */
  written(): Promise<void>;
  /** Resolves once all that was given so far is in the database; rejects with the reason where it is not, and it waits on. */
  committed(): Promise<void>;
  /** Tries once more. */
  close(): Promise<void>;
}

/** Rows that wait for a server that is away; then the oldest go. */
const rowsAtMost = 10_000;

export function createGroup(connection: Connection, complain: (reason: string) => void): Group {
  let runs = new Map<string, RunRow>();
  let answers = new Map<string, Answer>();
  let writing: Promise<void> | undefined;
  let failure: unknown;
  let isDue = false;
  const days = new Set<string>();

  const isEmpty = (): boolean => runs.size === 0 && answers.size === 0;

  /** Those that are there already came later. */
  function keep(lost: Rows): void {
    runs = new Map([...lost.runs.map((row) => [row.id, row] as const), ...runs]);
    answers = new Map([...lost.answers.map((row) => [row.id, row] as const), ...answers]);
    for (const rows of [runs, answers]) {
      const tooMany = rows.size - rowsAtMost;
      if (tooMany <= 0) continue;
      for (const key of [...rows.keys()].slice(0, tooMany)) rows.delete(key);
      complain(`${tooMany} rows did not come into the store: ${messageOf(failure)}`);
    }
  }

  /** Never rejects. */
  async function write(): Promise<void> {
    while (!isEmpty()) {
      const rows: Rows = { events: [], answers: [...answers.values()], runs: [...runs.values()] };
      runs = new Map();
      answers = new Map();
      try {
        await connection.transaction({ again: true }, (query) => writeRows(query, rows, null, days));
        failure = undefined;
      } catch (error) {
        failure = error;
        days.clear(); // what was made in it is not there
        keep(rows);
        return;
      }
    }
  }

  function begin(): Promise<void> {
    isDue = false;
    writing ??= write().finally(() => {
      writing = undefined;
    });
    return writing;
  }

  /** What comes in the same turn of the event loop is one group. */
  function due(): void {
    if (isDue || writing) return;
    isDue = true;
    setImmediate(() => {
      if (isDue) void begin();
    });
  }

  const written = async (): Promise<void> => {
    if (writing || !isEmpty()) await begin();
  };

  return {
    run(row) {
      runs.set(row.id, row);
      due();
    },
    answer(row) {
      answers.set(row.id, row);
      due();
    },
    writeIn: (query, event) => writeRows(query, { events: [event], answers: [], runs: [] }, null, new Set(days)),
    written,
    async committed() {
      await written();
      if (!isEmpty() && failure !== undefined) throw failure;
    },
    close: written,
  };
}
