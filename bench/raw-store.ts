/**
 * What is measured beside the store: its own rows on a connection of node:sqlite, with nothing of the store around them. Tables,
 * columns and values are the store's, so that a column that it gets is written here too; that both sides write the same is checked.
 */
import assert from "node:assert/strict";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import type { Keeper, Kept } from "../src/storage/sqlite/keep.ts";
import { migrations } from "../src/storage/sqlite/schema.ts";

export interface RawStore {
  run(sql: string, ...values: SQLInputValue[]): number;
  get<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined;
  all<Row>(sql: string, ...values: SQLInputValue[]): Row[];
  close(): void;
}

/** Each statement is prepared once. */
export function openRaw(path: string): RawStore {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  database.exec("pragma journal_mode = wal; pragma synchronous = normal");
  for (const migration of migrations) database.exec(migration);
  const statements = new Map<string, StatementSync>();
  function statement(sql: string): StatementSync {
    const known = statements.get(sql);
    if (known) return known;
    const prepared = database.prepare(sql);
    statements.set(sql, prepared);
    return prepared;
  }
  return {
    run: (sql, ...values) => Number(statement(sql).run(...values).changes),
    get: <Row>(sql: string, ...values: SQLInputValue[]) => statement(sql).get(...values) as Row | undefined, // who asks knows the columns
    all: <Row>(sql: string, ...values: SQLInputValue[]) => statement(sql).all(...values) as Row[], // the same
    close: () => database.close(),
  };
}

const kept = (value: object): Kept => ({ text: JSON.stringify(value), cut: false, redacted: false });

/** Makes JSON, and neither redacts nor cuts. */
export const plainKeeper: Keeper = {
  ...{ payload: kept, turn: kept, turnThen: kept, outcome: kept, steps: kept },
  whole: (value) => JSON.stringify(value),
  text: (text) => text,
};

/** Columns whose values no two sides share: moments, durations, and the ids that a side makes. */
const own: ReadonlySet<string> = new Set(["seq", "id", "event", "answered_at", "at", "started", "used", "ms"]);

/** Throws where one of the files does not hold the rows of the first. @param files the path of each side's */
export function mustHoldTheSame(files: ReadonlyMap<string, string>): void {
  const [[first, path] = ["", ""], ...others] = files;
  for (const [name, other] of others)
    for (const table of ["event", "run", "session", "hook_set"])
      assert.deepEqual(rowsOf(other, table), rowsOf(path, table), `${name} writes the rows of ${first} to ${table}`);
}

function rowsOf(path: string, table: string): Record<string, unknown>[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database.prepare(`select * from ${table}`).all();
  database.close();
  const shared = (column: string, value: unknown): unknown =>
    own.has(column) && value !== null
      ? "its own"
      : typeof value === "string"
        ? value.replace(/"ms":[\d.]+/, "")
        : value;
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([column, value]) => [column, shared(column, value)])),
  );
}
