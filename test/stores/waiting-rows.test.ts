import assert from "node:assert/strict";
import { test } from "node:test";
import { createKeeper } from "../../src/stores/keep.ts";
import { createWaitingRows } from "../../src/stores/waiting-rows.ts";
import { aRun } from "./contract.ts";

test("what is remembered of runs that go on is bounded, although others close them", () => {
  const rows = createWaitingRows(createKeeper({}));
  const statements: string[] = [];
  const write = (sql: string): number => {
    statements.push(sql.slice(0, 6));
    return 1;
  };
  const ids = Array.from({ length: 1_001 }, (_, index) => `r${index}`);
  for (const id of ids) rows.writeRun(write, aRun({ id, status: "running" }));
  statements.length = 0;
  for (const id of ["r0", "r1", "r1000"]) rows.writeRun(write, aRun({ id, status: "completed" }));
  assert.deepEqual(statements, ["insert", "update", "update"], "the oldest is written like a new one");
});
