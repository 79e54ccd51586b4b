/** Composes the line for one command: hooks of the folder, patterns they need, store, queue, engine. */
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { runByAgent } from "../agents/index.ts";
import { conditions } from "../conditions/index.ts";
import { loadPatterns, type PatternNeeds, patternNeeds } from "../conditions/patterns.ts";
import { createEngine, type Engine } from "../core/engine.ts";
import { HooklineError } from "../core/error.ts";
import type { HookEvent } from "../core/event.ts";
import type { Hook, HookSet } from "../core/hook.ts";
import { listensTo } from "../core/plan.ts";
import type { Ports, Queue, Registry } from "../core/ports.ts";
import type { Store } from "../core/record.ts";
import { createHandlers } from "../handlers/index.ts";
import { createSpawn } from "../processes/spawn.ts";
import { createInlineQueue } from "../queues/inline.ts";
import { compiledHooks } from "../sources/compiled.ts";
import { lastValidGuards } from "../sources/last-valid.ts";
import type { LoadedHooks } from "../sources/load.ts";
import type { SqliteStoreOptions } from "../stores/sqlite.ts";
import { systemPorts } from "../system.ts";
import { createRedaction } from "../trust/redaction.ts";

export interface Place {
  cwd: string;
  home: string;
  environment: Readonly<Record<string, string>>;
}
export interface Line {
  engine: Engine;
  loaded: LoadedHooks;
  ports: Ports;
  /** Ends background work of this process, then closes the store. */
  close(): Promise<void>;
}
export interface LineOptions {
  place: Place;
  store: Store;
  loaded?: LoadedHooks;
  queue?: Queue;
  observe?: Ports["observe"];
  /** Only hooks of this event have to be able to run: the others' patterns are not loaded. */
  only?: HookEvent;
}

export const stateFolder = ({ home, environment }: Place): string =>
  join(environment.XDG_STATE_HOME || join(home || homedir(), ".local", "state"), "hookline");

/** Where the store lies: --store, then HOOKLINE_STORE, then the state folder. */
export const storePath = (place: Place, flag: string | undefined): string =>
  resolve(place.cwd, flag ?? place.environment.HOOKLINE_STORE ?? join(stateFolder(place), "hookline.db"));

/**
 * How the store keeps what it is given: --store, HOOKLINE_RECORD and HOOKLINE_RETENTION_DAYS.
 *
 * @param complain given: a wrong setting is told and the default holds, because an agent's hooks must go on
 * @throws HooklineError usage, without it
 */
export function storeOptions(
  place: Place,
  flag: string | undefined,
  complain?: (reason: string) => void,
): SqliteStoreOptions & { path: string } {
  const { HOOKLINE_RECORD: record, HOOKLINE_RETENTION_DAYS: days } = place.environment;
  const wrong = (name: string, found: string, advice: string): void => {
    const error = new HooklineError("usage", {
      what: `${name} is "${found}"`,
      where: "the environment",
      advice: `use ${advice}`,
    });
    if (!complain) throw error;
    complain(error.message);
  };
  const chosen = recordings.find((one) => one === record);
  if (record && !chosen) wrong("HOOKLINE_RECORD", record, recordings.join(", "));
  const areDays = Number(days) > 0;
  if (days && !areDays) wrong("HOOKLINE_RETENTION_DAYS", days, "a number of days above 0");
  return {
    path: storePath(place, flag),
    redact: createRedaction({ environment: place.environment }),
    ...(chosen ? { record: chosen } : {}),
    ...(areDays ? { retentionDays: Number(days) } : {}),
  };
}
const recordings = ["redacted", "full", "none"] as const;

export async function openLine({ place, store, observe, only, ...given }: LineOptions): Promise<Line> {
  const loaded = given.loaded ?? (await loadInForce(place, store, only !== undefined));
  const ports: Ports = {
    ...systemPorts(),
    store,
    queue: given.queue ?? createInlineQueue(),
    hooks: () => loaded.set,
    registry: registryOf(),
    patterns: await loadPatterns(needsOf(loaded.set, only)),
    elsewhere: (hook, event) =>
      runByAgent(hook, event.sender, { home: place.home, root: loaded.root, environment: place.environment }),
    spawn: createSpawn(),
    fetch: async (request, signal) => (await import("../handlers/fetch.ts")).fetch(request, signal),
    ...(observe ? { observe } : {}),
  };
  const engine = createEngine(ports);
  return {
    engine,
    loaded,
    ports,
    async close() {
      await engine.close();
      store.close();
    },
  };
}

export const registryOf = (): Registry => ({ handlers: createHandlers(new Map()), conditions });

const needsOf = (set: HookSet, only: HookEvent | undefined): PatternNeeds =>
  patternNeeds(only ? set.hooks.filter((hook) => listensTo(hook, only.name)) : set.hooks);

/** The hooks of this place, broken guards in their last valid form. `quickly`: for one event, patterns unchecked. */
export async function loadInForce(
  place: Place,
  store: Pick<Store, "setsInForce" | "hookSet">,
  quickly = false,
): Promise<LoadedHooks> {
  const loaded = quickly ? await loadForOneEvent(place) : await loadAll(place);
  const lastValid = await lastValidGuards(loaded, store);
  return lastValid.length === 0 ? loaded : loadAll({ ...place, lastValid });
}

async function loadAll(place: Place & { lastValid?: readonly Hook[] }): Promise<LoadedHooks> {
  const [{ loadHooks }, patterns] = await Promise.all([import("../sources/load.ts"), loadPatterns()]);
  return loadHooks({ ...place, patterns });
}

/** Set by the build. From source nothing is kept: the compiler itself may have changed. */
declare const BUILT_FROM: string;
const build = typeof BUILT_FROM === "undefined" ? undefined : BUILT_FROM;

/** The hooks of this place, from the last load's copy where it still holds. The dialects are loaded only if not. */
export async function loadForOneEvent(place: Place): Promise<LoadedHooks> {
  const compiled = build === undefined ? undefined : compiledHooks(stateFolder(place), build, place);
  const kept = compiled?.read();
  if (kept && "loaded" in kept) return kept.loaded;
  const [{ loadHooks }, { loadStable }] = await Promise.all([
    import("../sources/load.ts"),
    import("../sources/stable-load.ts"),
  ]);
  if (!compiled) return loadHooks(place);
  const load = loadStable(() => loadHooks(place), kept?.watched ?? []);
  compiled.keep(load, Date.now());
  return load.loaded;
}

/** One line for files whose hooks are not in force as written; undefined: all is well. */
export function complaintAbout(
  { problems }: Pick<LoadedHooks, "problems">,
  show: (path: string) => string,
): string | undefined {
  const errors = problems.filter(({ severity }) => severity === "error");
  const [first] = errors;
  if (!first) return undefined;
  const more = errors.length > 1 ? `, and ${errors.length - 1} more` : "";
  return `${first.message} — ${show(first.file)}:${first.line}:${first.column}${more} — see hookline check`;
}
