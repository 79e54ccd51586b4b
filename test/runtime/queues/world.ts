/** A small line for durable runs: hooks whose steps say when they begin and end, on a store in a file. */
import { appendFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { loadPatterns } from "../../../src/conditions/patterns.ts";
import { createEngine, type Engine } from "../../../src/engine/engine.ts";
import type { Hook, HookSet, Step } from "../../../src/engine/hook.ts";
import type { Journal } from "../../../src/engine/journal.ts";
import type { Handler, Item, Ports, Queue } from "../../../src/engine/ports.ts";
import type { Run } from "../../../src/engine/record.ts";
import { anything } from "../../../src/engine/schema.ts";
import { createSpawn } from "../../../src/runtime/processes/spawn.ts";
import { systemPorts } from "../../../src/runtime/system.ts";
import { createJournal } from "../../../src/storage/sqlite/journal.ts";
import { openSqliteStore, type SqliteStore } from "../../../src/storage/sqlite/sqlite.ts";
import { anAutomation } from "../../engine/a-hook.ts";

export const storeIn = (folder: string): SqliteStore => openSqliteStore({ path: join(folder, "hookline.db") });

export interface Place {
  folder: string;
  store: SqliteStore;
  journal: Journal;
}

/** A store in a folder of its own, both gone after the test. */
export function placeFor(context: TestContext): Place {
  const folder = mkdtempSync(join(tmpdir(), "hookline-queue-"));
  const store = storeIn(folder);
  context.after(() => {
    store.close();
    rmSync(folder, { recursive: true });
  });
  return { folder, store, journal: createJournal(store) };
}

/** What each step writes into the file `log` when it begins and ends, in the order in which it happened. */
export const logIn = (folder: string): string => join(folder, "log");

export interface Marking {
  /** Milliseconds. */
  takes?: number;
  /** It goes on once a file of this name lies in the folder. */
  until?: string;
  /** Not even the end of its run keeps it from waiting for that. */
  deaf?: true;
  /** Kills its own process. */
  dies?: true;
  fails?: true;
}
export const marking = (word: string, more: Marking = {}): Step => ({
  uses: "mark",
  with: { word, ...more },
  timeout: 60,
  onError: "continue",
});

/** Runs a shell line as a program of its own. */
export const running = (line: string): Step => ({ uses: "program", with: { line }, timeout: 60, onError: "continue" });

export function durableHook(id: string, steps: Step[], limits: Partial<Hook["limits"]> = {}): Hook {
  return anAutomation(id, {
    on: { event: ["task.completed"] },
    steps: steps as Hook["steps"], // each test gives one at least
    limits: { overlap: "queue", ...limits },
  });
}

export function itemOf(hook: Hook, id: string, more: Partial<Item["event"]> = {}): Item {
  const run: Run = {
    id,
    hook: hook.id,
    hookName: hook.name,
    eventId: `event of ${id}`,
    eventName: "task.completed",
    status: "queued",
    cause: "event:task.completed",
    startedAt: Date.now(),
    steps: [],
    notes: [],
    asked: 0,
  };
  const event: Item["event"] = {
    id: `event of ${id}`,
    name: "task.completed",
    at: Date.now(),
    cwd: "/",
    data: {},
    sender: "test",
    ...more,
  };
  return { run, hook, event };
}

/** As the engine hands a run over: its row first. */
export async function enqueue(store: SqliteStore, queue: Queue, item: Item): Promise<void> {
  await store.saveRun(item.run);
  const taken = await queue.add(item, {});
  if (taken.is === "skipped") await store.saveRun({ ...item.run, status: "skipped", reason: taken.reason, ms: 0 });
}

export async function engineOn(
  store: SqliteStore,
  queue: Queue,
  folder: string,
  more: { hooks?: readonly Hook[]; observe?: Ports["observe"]; now?: Ports["now"]; current?: Ports["current"] } = {},
): Promise<Engine> {
  const set: HookSet = { id: "some", hooks: more.hooks ?? [] };
  const handlers = new Map<string, Handler>([
    ["mark", markIn(folder)],
    ["program", programIn(folder)],
  ]);
  return createEngine({
    ...systemPorts(),
    ...(more.now ? { now: more.now } : {}),
    store,
    queue,
    hooks: () => set,
    registry: { handlers, conditions: new Map() },
    patterns: await loadPatterns(),
    spawn: createSpawn(),
    ...(more.observe ? { observe: more.observe } : {}),
    ...(more.current ? { current: more.current } : {}),
  });
}

export const programIn = (cwd: string): Handler => ({
  params: anything as Handler["params"], // it takes any fields
  async run({ line }, { ports, signal }) {
    const command = { program: "/bin/sh", args: ["-c", String(line)], cwd, input: "" };
    const ended = await ports.spawn?.({ ...command, environment: { PATH: process.env.PATH ?? "" } }, { signal });
    return { ok: true, output: { code: ended?.code ?? -1 } };
  },
});

export const markIn = (folder: string): Handler => ({
  params: anything as Handler["params"], // it takes any fields
  async run(params, { run, signal }) {
    const { word, takes = 0, until, deaf, dies, fails } = params as unknown as Marking & { word: string }; // marking() wrote them
    const say = (what: string): void => appendFileSync(logIn(folder), `${what} ${run} ${word} ${process.pid}\n`);
    say("begin");
    if (dies) process.kill(process.pid, "SIGKILL");
    const waits = (): boolean => until !== undefined && !existsSync(join(folder, until));
    if (takes > 0 || waits()) {
      do await new Promise((resolve) => setTimeout(resolve, takes || 10));
      while (waits() && (deaf || !signal.aborted));
    }
    say(signal.aborted ? "stopped" : "end");
    if (fails) return { ok: false, output: { error: "boom" }, failure: "error", reason: "boom" };
    return { ok: true, output: { word } };
  },
});
