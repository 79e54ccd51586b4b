import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { createLogKeeping } from "../../src/stores/log-keeping.ts";
import { openSqliteStore } from "../../src/stores/sqlite.ts";
import { aRun } from "./contract.ts";

function folderFor(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "hookline-log-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Answers that wait for what was written go out in microtasks, and the log comes behind those. */
const behindAnswers = (): Promise<void> => new Promise((resolve) => process.nextTick(() => setImmediate(resolve)));

/** A log of so many pages, and timers that a test lets run out. */
function world(outstanding: number) {
  const timers: (() => void)[] = [];
  const seen = { copies: 0 };
  const keeping = createLogKeeping({
    outstanding: () => outstanding,
    copy: () => void (seen.copies += 1),
    later(_milliseconds, callback) {
      timers.push(callback);
      return () => void timers.splice(timers.indexOf(callback), 1);
    },
  });
  return { keeping, seen, timers, runOut: () => timers.shift()?.() };
}

test("the log is brought over when nothing was written between two looks, and then nobody looks any more", () => {
  const { keeping, seen, timers, runOut } = world(300);
  keeping.wrote();
  runOut();
  assert.equal(seen.copies, 0, "something was written since");
  runOut();
  assert.equal(seen.copies, 1);
  assert.equal(timers.length, 0, "an idle process has no timer");
});

test("a few pages stay in the log of an idle process", () => {
  const { keeping, seen, runOut } = world(10);
  keeping.wrote();
  runOut();
  runOut();
  assert.equal(seen.copies, 0);
});

test("a log that grows all the time is brought over behind the answers that wait for a write", async () => {
  const { keeping, seen } = world(5_000);
  for (let count = 0; count < 16; count++) keeping.wrote();
  const answered = Promise.resolve()
    .then(() => Promise.resolve())
    .then(() => seen.copies);
  assert.equal(await answered, 0, "not before them");
  await behindAnswers();
  assert.equal(seen.copies, 1);
});

test("once it is closed it neither looks nor waits", () => {
  const { keeping, timers } = world(5_000);
  keeping.wrote();
  keeping.close();
  keeping.wrote();
  assert.equal(timers.length, 0);
});

test("the log of a store that is written to without a pause stays bounded, whichever way it is written", async (context) => {
  const path = join(folderFor(context), "store.db");
  const store = openSqliteStore({ path, groups: true });
  context.after(() => store.close());
  const reader = new DatabaseSync(path);
  context.after(() => reader.close());
  const large = { context: ["x".repeat(200_000)] };
  let most = 0;
  for (let count = 0; count < 200; count++) {
    if (count % 2 === 0) store.saveRun(aRun({ outcome: large }));
    else store.database.run("insert into meta (key, value) values (?, 1)", "y".repeat(100_000) + count);
    await store.committed();
    const { log } = reader.prepare("pragma wal_checkpoint(noop)").get() ?? {};
    most = Math.max(most, Number(log));
  }
  assert.ok(most > 1_000, `more than SQLite itself would leave: ${most}`);
  assert.ok(most < 8_000, `${most} pages`);
});
