/** What several processes do at once to one store, in as many as a test wants. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openSqliteStore } from "../../src/storage/sqlite/sqlite.ts";
import { startWriter } from "./start-writer.ts";

export const folder: string = mkdtempSync(join(tmpdir(), "hookline-store-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
let counter = 0;
export const newPath = (): string => join(folder, `${++counter}`, "store.db");
export const isIntact = (path: string): boolean => {
  const database = new DatabaseSync(path);
  const { integrity_check } = database.prepare("pragma integrity_check").get() ?? {};
  database.close();
  return integrity_check === "ok";
};

async function together(path: string, work: string, count: number): Promise<unknown[]> {
  const writers = Array.from({ length: count }, () => startWriter(path, work));
  await Promise.all(writers.map((one) => one.next()));
  for (const { child } of writers) child.stdin.write("go\n");
  const answers = await Promise.all(writers.map((one) => one.next()));
  await Promise.all(writers.map((one) => one.ended));
  return answers;
}

/** Processes that claim 50 keys at once: each key is granted exactly once. */
export async function eachKeyOnce(processes: number): Promise<void> {
  const won = (await together(newPath(), "claim", processes)).flat();
  assert.deepEqual(
    won.sort((left, right) => Number(left) - Number(right)),
    Array.from({ length: 50 }, (_, key) => key),
  );
}

/** Processes that open a store which does not exist yet. */
export async function allOpenIt(processes: number): Promise<void> {
  const path = newPath();
  assert.deepEqual(await together(path, "open", processes), Array(processes).fill("done"));
  const store = openSqliteStore({ path });
  assert.equal((await store.events(99)).length, processes);
  store.close();
}

/** Two processes that write so many runs each into one session. */
export async function noneIsLost(runs: number): Promise<void> {
  const path = newPath();
  const writers = [startWriter(path, "write", String(runs)), startWriter(path, "write", String(runs))];
  assert.deepEqual(await Promise.all(writers.map((one) => one.next())), ["done", "done"]);
  await Promise.all(writers.map((one) => one.ended));
  const store = openSqliteStore({ path });
  assert.equal((await store.runs({ status: "completed" })).length, 2 * runs);
  assert.equal((await store.runs({})).length, 2 * runs);
  const [last] = await store.events(1);
  assert.equal(last?.event.turn?.toolCalls, 2 * runs);
  store.close();
  assert.ok(isIntact(path));
}

/** A writer that is killed, and the next one, so many times. */
export async function acknowledgedStays(kills: number): Promise<void> {
  const path = newPath();
  for (let kill = 0; kill < kills; kill++) {
    const { child, next, ended } = startWriter(path, "endless");
    let last = -1;
    while (last < 20 + kill * 7) last = Number(await next());
    child.kill("SIGKILL");
    await ended;
    const store = openSqliteStore({ path });
    for (let index = 0; index <= last; index++)
      assert.ok(await store.run(`run ${index}`), `run ${index} was acknowledged`);
    assert.ok((await store.repair((owner) => owner !== String(child.pid), Date.now())) > 0);
    assert.deepEqual(await store.runs({ status: "running" }), []);
    store.close();
    assert.ok(isIntact(path));
  }
}
