/** A process of its own that works on a store, for tests with several of them: node writer.ts PATH WORK ... It prints what it found. */
import { writeFileSync } from "node:fs";
import { HooklineError } from "../../src/engine/error.ts";
import { advance } from "../../src/engine/events.ts";
import { ownerOf } from "../../src/runtime/system.ts";
import { openSqliteStore } from "../../src/storage/sqlite/sqlite.ts";
import { anEvent, aRun, noHooks } from "./contract.ts";

const [path = "", work = "", ...rest] = process.argv.slice(2);
const print = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`);
const go = (): Promise<unknown> => new Promise((resolve) => process.stdin.once("data", resolve));

const works: Record<string, () => Promise<void>> = {
  /** Tries to take each of 50 keys, all processes at the same moment. */
  async claim() {
    const store = openSqliteStore({ path });
    print("ready");
    await go();
    const won = [];
    for (let key = 0; key < 50; key++) {
      const claims = [
        { key: `once:${key}`, max: 1, refusal: "used" },
        { key: `gap:${key}`, gap: 60, refusal: "wait" },
      ];
      if ((await store.claim(claims, Date.now())) === undefined) won.push(key);
    }
    print(won);
    store.close();
  },
  /** Opens a store that does not exist yet, together with others, and writes an event. */
  async open() {
    print("ready");
    await go();
    const store = openSqliteStore({ path });
    await store.record(anEvent({ id: `event of ${process.pid}` }), noHooks, advance);
    store.close();
    print("done");
  },
  /** Writes and closes so many runs, and one event of the one session for each. */
  async write() {
    const store = openSqliteStore({ path });
    for (let index = 0; index < Number(rest[0]); index++) {
      const run = aRun({ id: `${process.pid}:${index}`, status: "running", owner: String(process.pid) });
      await store.record(anEvent({ id: `${process.pid}:${index}`, session: "shared" }), noHooks, advance);
      await store.saveRun(run);
      await store.saveRun({ ...run, status: "completed" });
    }
    store.close();
    print("done");
  },
  /** Begins runs for ever and says so after each: whoever reads a number may rely on it. */
  async endless() {
    const store = openSqliteStore({ path });
    for (let index = 0; ; index++) {
      await store.saveRun(aRun({ id: `run ${index}`, status: "running", owner: String(process.pid) }));
      if (index % 2 === 0) await store.saveRun(aRun({ id: `run ${index}`, owner: String(process.pid) }));
      print(index);
      await new Promise(setImmediate);
    }
  },
  /** Is killed in the moment in which so many events of one session, with a run each, are acknowledged. */
  async acknowledge() {
    const store = openSqliteStore({ path, groups: true });
    for (let index = 0; index < Number(rest[0]); index++) {
      const event = anEvent({ id: `${process.pid}:${index}`, session: "shared" });
      await store.record(event, noHooks, advance);
      const run = aRun({ id: `${process.pid}:${index}`, eventId: event.id, owner: ownerOf(process.pid) });
      await store.saveRun({ ...run, status: "running" });
      if (index % 2 === 0) await store.saveRun(run);
      await store.answered(event.id, {}, 3);
      await store.committed();
    }
    process.kill(process.pid, "SIGKILL");
  },
  /** Reports a tool call under another registration; the second word is a file that it writes just before. */
  async repeat() {
    const store = openSqliteStore({ path });
    print("ready");
    await go();
    writeFileSync(rest[0] ?? "", "");
    const event = anEvent({ id: "second", delivery: { id: "call", by: "project" } });
    print(await store.record(event, noHooks, advance));
    store.close();
  },
  /** Says how opening and recording ended. */
  async record() {
    try {
      const store = openSqliteStore({ path });
      await store.record(anEvent(), noHooks, advance);
      store.close();
      print("recorded");
    } catch (error) {
      print(error instanceof HooklineError ? { code: error.code, message: error.message } : String(error));
    }
  },
};
await works[work]?.();
process.exit(0);
