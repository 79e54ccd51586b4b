/** A store with the degraded mode, for tests that take it away for a while and look at what is left. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";
import { setTimeout as moment } from "node:timers/promises";
import {
  type DegradableStore,
  type DegradedOptions,
  ringOfRows,
  withDegradedMode,
} from "../../src/storage/degraded.ts";
import { openSqliteStore, type SqliteStore } from "../../src/storage/sqlite/sqlite.ts";

const folder = mkdtempSync(join(tmpdir(), "hookline-degraded-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
let counter = 0;
export const newPath = (): string => join(folder, `${++counter}`, "store.db");

export interface Opened {
  real: SqliteStore;
  store: DegradableStore;
  path: string;
  /** What it and the SQLite store have said. */
  said: string[];
}

export function opened(context: TestContext, given: Partial<DegradedOptions> = {}): Opened {
  const path = newPath();
  const said: string[] = [];
  const complain = (reason: string): void => void said.push(reason);
  const real = openSqliteStore({ path, groups: given.ring !== 0, onNotice: complain });
  const store = withDegradedMode(() => real, { complain, ring: ringOfRows, triesEvery: 50, ...given });
  context.after(() => store.close());
  return { real, store, path, said };
}

/** What another process finds. */
export function count(path: string, table: string): number {
  const connection = new DatabaseSync(path, { readOnly: true });
  try {
    return Number(connection.prepare(`select count(*) as n from ${table}`).get()?.n);
  } finally {
    connection.close();
  }
}

export const comesBack = async (store: DegradableStore): Promise<void> => {
  while (store.loss()) await moment(20);
  await store.committed();
};

/** As a full disk would, but for what goes into pages that are there; undone by what it gives. */
export function full(real: SqliteStore): () => void {
  const pages = Number(real.database.get<{ page_count: number }>("pragma page_count")?.page_count);
  real.database.get(`pragma max_page_count = ${pages}`);
  return () => void real.database.get("pragma max_page_count = 1000000");
}
