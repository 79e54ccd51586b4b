/** What benchmarks write beside the store, or into it: the store's own tables, columns and values, whatever these are today. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { makeWorld } from "../../bench/dispatch-world.ts";
import { checkRows as checkEventRows } from "../../bench/emit.ts";
import { eventId, fill, runId } from "../../bench/large-store-fill.ts";
import { mustHoldTheSame } from "../../bench/raw-store.ts";
import { checkRows as checkRunRows } from "../../bench/store.ts";
import { queuedRow } from "../../bench/workers-peer.ts";
import { runFields } from "../../src/storage/sqlite/rows.ts";
import { openSqliteStore } from "../../src/storage/sqlite/sqlite.ts";
import { aRun } from "../storage/contract.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const folder = temporaryFolder({ after });

test("what is measured beside the store writes the row of a run as the store does, in every column", () => {
  checkRunRows(folder);
});

test("engine, store by hand and raw SQLite write the same rows of an event", async () => {
  await checkEventRows(await makeWorld(), folder);
});

test("a side that writes another value, or leaves a column out, is noticed", () => {
  const paths = ["one", "other"].map((name) => join(folder, `${name}.db`));
  for (const path of paths) {
    const store = openSqliteStore({ path });
    void store.saveRun(aRun({ id: "a run", eventId: "an event" })); // SQLite's is synchronous
    store.close();
  }
  const files = new Map(paths.map((path) => [path, path]));
  mustHoldTheSame(files);
  const database = new DatabaseSync(paths[1] ?? "");
  database.exec("update run set notes = '[1]'");
  database.close();
  assert.throws(() => mustHoldTheSame(files), /writes the rows of .* to run/);
});

test("a store that is filled by SQL is read as one that was written to", async () => {
  const path = join(folder, "filled.db");
  fill(path, { runs: 8, now: Date.now() });
  const store = openSqliteStore({ path });
  const run = await store.run(runId(3));
  const event = await store.event(eventId(1));
  store.close();
  assert.deepEqual([run?.eventId, run?.status, run?.steps[0]?.uses], [eventId(1), "completed", "command"]);
  assert.deepEqual([event?.event.data.tool_name, event?.event.turn?.toolCalls, event?.ms], ["Edit", 4, 13]);
});

test("the peer of the workers gets every column of a run that waits", () => {
  const [, columns = ""] = /\(([^)]*)\) values/.exec(queuedRow(aRun({ hookName: "it's one" }), "2026-11-28")) ?? [];
  assert.deepEqual(columns.split(","), ["day", ...runFields]);
});
