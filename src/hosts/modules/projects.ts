/**
 * The modules of projects, each project's in a process of its own: started when they are read, kept as long as their files
 * are what they were, ended when nothing was asked of them for a while, and started again when something is.
 */
import type { HookFunction } from "../../actions/function/function.ts";
import { dropOldest } from "../../engine/drop-oldest.ts";
import { HooklineError, messageOf } from "../../engine/error.ts";
import type { HookEvent, Json, Seconds } from "../../engine/event.ts";
import type { ConditionKind, Handler } from "../../engine/ports.ts";
import { changedMeanwhile } from "../../engine/verified.ts";
import { stateOf } from "../../loading/compiled.ts";
import type { ModulePlace } from "../../loading/places.ts";
import { changedOf } from "../../loading/trust/item.ts";
import { filesOfModule } from "../../loading/trust/module-files.ts";
import type { HookDefinition } from "../library/definition.ts";
import { patience, resolveModule } from "./import-module.ts";
import { actionHandler, conditionKind, schemaOf } from "./kinds.ts";
import { type CallOptions, type Log, type ModulesProcess, startModules } from "./process.ts";
import type { ActionAnswer, ConditionState } from "./setup.ts";
import { type Description, errorOf, type Given, readVerdict, type Target, type Verdict } from "./wire.ts";

/** What a module gives, with functions that can be called here. */
export interface Found {
  /** The module's file, if it was found. */
  path: string;
  files: string[];
  hooks: HookDefinition<never>[];
  conditions: Map<string, ConditionKind>;
  handlers: Map<string, Handler>;
  /** Registrations that were refused. */
  faults: HooklineError[];
  /** Why it gives nothing. */
  error?: unknown;
}

export interface ProjectModulesOptions {
  /** Gets what modules print. */
  log: Log;
  /** For the import of one module. */
  limit?: Seconds;
}

export interface ProjectModules {
  /**
   * Never rejects. Where the same modules were read and their files are as they were, nothing is imported again.
   *
   * @param places of one project
   * @param taken names that no module may register
   */
  load(places: readonly ModulePlace[], taken: readonly string[]): Promise<Found[]>;
  /** Safe to call twice. */
  close(): void;
}

/** Projects whose modules are remembered; of more, the one that was read first is read again. */
const projectsAtMost = 64;
/** A condition is pure and quick: all hooks of the event wait for it. */
const conditionWithin: Seconds = 5;

export function createProjectModules({ log, limit = patience }: ProjectModulesOptions): ProjectModules {
  const known = new Map<string, Held>();
  let isClosed = false;
  return {
    async load(places, taken) {
      const key = JSON.stringify(places.map(({ name, from, root }) => [name, from, root]));
      const held = known.get(key);
      const before = JSON.stringify([taken, places, stateOf(places.flatMap(filesOf))]);
      if (
        held?.before === before &&
        (held.after ?? "") === stateOf(held.after === undefined ? [] : held.project.files())
      )
        return held.project.found();
      held?.project.retire();
      const project = createProject(places, { taken, log, limit });
      const now: Held = { before, after: undefined, project };
      known.set(key, now);
      dropOldest(known, projectsAtMost); // its process ends when it is idle
      const found = await project.found();
      now.after = stateOf(project.files());
      if (isClosed) project.retire();
      return found;
    },
    close() {
      isClosed = true;
      for (const { project } of known.values()) project.retire();
    },
  };
}

interface Held {
  /** Of the files that its text names, before it was read. */
  before: string;
  /** Of those that it has read; undefined: it is being read. */
  after: string | undefined;
  project: Project;
}

const filesOf = (place: ModulePlace): string[] => (place.bound ? Object.keys(place.bound) : filesOfModule(place));

/** It was imported byte for byte as it was trusted; what it answers counts while its files still hold that (R93). */
function mustBeUnchanged(place: ModulePlace | undefined): void {
  const path = changedOf(place?.bound);
  if (path !== undefined) throw new Error(changedMeanwhile(path));
}

interface Project {
  found(): Promise<Found[]>;
  /** The files that were read, as far as that is known by now. */
  files(): string[];
  /** Its process ends as soon as nothing more is under way in it. */
  retire(): void;
}

interface ProjectOptions extends Required<ProjectModulesOptions> {
  taken: readonly string[];
}

function createProject(places: readonly ModulePlace[], { taken, log, limit }: ProjectOptions): Project {
  const paths = places.map(pathOf);
  /** As they were first described; a process that is started again must give the same. */
  const described = new Map<number, Description>();
  const lost = new Map<number, string>();
  let running: ModulesProcess | undefined;
  let starting: Promise<ModulesProcess> | undefined;
  let isRetired = false;

  /** Without the modules that have cost a process before. */
  async function start(): Promise<ModulesProcess> {
    for (;;) {
      const fresh = await startModules(places[0]?.root ?? "/", log);
      const failed = await importAll(fresh);
      if (!failed) return fresh;
      fresh.end(failed.reason);
      lost.set(failed.index, failed.reason);
    }
  }

  async function importAll(fresh: ModulesProcess): Promise<{ index: number; reason: string } | undefined> {
    const names = [...taken];
    for (const [index, place] of places.entries()) {
      if (lost.has(index) || paths[index] instanceof HooklineError) continue;
      try {
        const found = await fresh.import({ module: index, place, taken: names, limit });
        if (!found.error) mustBeUnchanged(place);
        names.push(...[...found.conditions, ...found.actions].map(({ name }) => name));
        const before = described.get(index);
        if (before && JSON.stringify(before) !== JSON.stringify(found))
          throw new Error("it gives something else than when it was read");
        described.set(index, found);
      } catch (error) {
        return { index, reason: messageOf(error) };
      }
    }
    return undefined;
  }

  async function current(): Promise<ModulesProcess> {
    await running?.ready();
    if (running && !running.hasEnded()) return running;
    starting ??= start().finally(() => {
      starting = undefined;
    });
    running = await starting;
    return running;
  }

  async function call(target: Target, given: Given, options: CallOptions): Promise<unknown> {
    const found = await current();
    const why = lost.get(target.module);
    if (why !== undefined) throw new Error(why);
    try {
      const answer = await found.call(target, given, options);
      mustBeUnchanged(places[target.module]);
      return answer;
    } finally {
      rest();
    }
  }

  function rest(): void {
    if (isRetired) running?.retire("its files have changed");
  }

  const reading = read();
  async function read(): Promise<Found[]> {
    try {
      await current();
    } catch (error) {
      for (const index of places.keys()) if (!described.has(index)) lost.set(index, messageOf(error));
    }
    rest();
    return places.map((place, index): Found => {
      const path = paths[index] ?? place.from;
      if (path instanceof HooklineError) return nothing(place.from, path);
      const found = described.get(index);
      const reason = lost.get(index) ?? "it was not read";
      if (!found)
        return { ...nothing(place.from, new HooklineError("module_failed", { reason, where: path })), files: [path] };
      // What could not be imported is a problem of the file that names it, and a change of either may mend it.
      if (found.files.length === 0) return { ...usable(place.from, found, none), files: [path] };
      return usable(path, found, (target, given, options) => call({ ...target, module: index }, given, options));
    });
  }

  return {
    found: () => reading,
    files: () => [...described.values()].flatMap(({ files }) => files),
    retire() {
      isRetired = true;
      rest();
    },
  };
}

function pathOf(place: ModulePlace): string | HooklineError {
  try {
    return resolveModule(place);
  } catch (error) {
    return error instanceof HooklineError ? error : new HooklineError("module_failed", { reason: messageOf(error) });
  }
}

const nothing = (path: string, error: unknown): Found => ({
  ...{ path, files: [], hooks: [], conditions: new Map(), handlers: new Map(), faults: [], error },
});

/** What gives nothing is not called. */
const none: Call = async () => undefined;

type Named = { hook: number } | { action: string } | { condition: string };
type Call = (target: Named, given: Given, options: CallOptions) => Promise<unknown>;

/** What a module gives, as functions that call it in its process. */
function usable(path: string, { files, hooks, conditions, actions, faults, error }: Description, call: Call): Found {
  return {
    ...{ path, files, faults: faults.map(errorOf) },
    hooks: hooks.map((definition, index) => {
      const run: HookFunction = (event, { signal }) => call({ hook: index }, { event }, { signal }) as Promise<object>; // callbackOf reads it
      return { ...definition, run } as unknown as HookDefinition<never>; // its fields are looked at where it is compiled
    }),
    conditions: new Map(conditions.map((one) => [one.name, askedKind(one, call)])),
    handlers: new Map(
      actions.map(({ name, params, ...facts }) => [
        name,
        actionHandler<unknown>(name, {
          ...facts,
          params: schemaOf(params),
          run: ({ event, turn, hook, previous, params: given, signal, callTool, log }) =>
            call(
              { action: name },
              { event, turn, hook, params: given as Json, ...(previous === undefined ? {} : { previous }) }, // read from a file
              { signal, callTool, log: (level, message) => log(message, levelOf(level)) },
            ) as Promise<ActionAnswer>, // actionHandler reads it
        }),
      ]),
    ),
    ...(error ? { error: errorOf(error) } : {}),
  };
}

const levels = ["debug", "info", "warn", "error"] as const;
const levelOf = (written: string): (typeof levels)[number] => levels.find((level) => level === written) ?? "info";

/** Each answer is remembered with its event, so that the test, which cannot wait, finds it there. */
function askedKind({ name, summary, params, explains }: Description["conditions"][number], call: Call): ConditionKind {
  const answers = new WeakMap<HookEvent, Map<string, Verdict>>();
  const keyOf = ({ event: _event, ...turn }: ConditionState, given: unknown): string => JSON.stringify([given, turn]);
  const answerTo = (state: ConditionState, given: unknown): Verdict | undefined =>
    answers.get(state.event)?.get(keyOf(state, given));
  const kind = conditionKind<unknown>(name, {
    ...(summary === undefined ? {} : { summary }),
    params: schemaOf(params),
    test(state, given) {
      const found = answerTo(state, given);
      if (found?.failed !== undefined) throw new Error(found.failed);
      if (!found) throw new Error("it was not asked about this event");
      return found.holds;
    },
    ...(explains ? { explain: (state, given) => answerTo(state, given)?.said ?? name } : {}),
  });
  return {
    ...kind,
    async ask(written, { event, turn }) {
      const given = written ?? {};
      const state = { ...turn, event };
      if (answerTo(state, given)) return;
      const asked = call({ condition: name }, { event, turn, params: given }, { limit: conditionWithin });
      const found = await asked
        .then(readVerdict)
        .catch((error: unknown) => ({ holds: false, failed: messageOf(error) }));
      const known = answers.get(event) ?? new Map<string, Verdict>();
      answers.set(event, known.set(keyOf(state, given), found));
    },
  };
}
