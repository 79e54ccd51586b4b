/** Keeps the files that tell people and other tools of workspace scripts: the status, the marker and the logs (E52). */

import { statSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../engine/error.ts";
import type { HookEvent, Instant, MaybePromise, SessionId } from "../../engine/event.ts";
import { type Flow, go, isThenable, wait } from "../../engine/flow.ts";
import type { HookSet } from "../../engine/hook.ts";
import { listensTo } from "../../engine/plan.ts";
import type { Observation, Ports } from "../../engine/ports.ts";
import type { Found, Run, Store } from "../../engine/record.ts";
import { makePrivateFolder, touch, writePrivate } from "../../files/write.ts";
import { type Entry, entriesOf, entryOf, noFileLeft, pathOf, type ScriptPlaces, scriptHookOf } from "./places.ts";

export interface ScriptRecordsOptions extends ScriptPlaces {
  store: Store;
  /** The hooks where the event happens, if they are known. */
  hooks(event: HookEvent): HookSet | undefined;
  now(): Instant;
  /** Called with what a person should know. */
  tell(observation: Observation): void;
}

export interface ScriptRecords {
  keepOutput: NonNullable<Ports["keepOutput"]>;
  /** Never throws. */
  observe(observation: Observation): void;
}

interface Running {
  event: HookEvent;
  entries: readonly Entry[];
  sessionRuns: Run[];
}

export function createScriptRecords(options: ScriptRecordsOptions): ScriptRecords {
  const { store, hooks, now, tell } = options;
  const running = new Map<string, Running>();
  let hasComplained = false;

  function entriesAt(event: HookEvent): readonly Entry[] {
    const set = hooks(event);
    return set && holdsScripts(set) ? entriesOf(set, event, options) : [];
  }

  function complain(error: unknown): void {
    if (hasComplained) return;
    hasComplained = true;
    const message = `the status of scripts cannot be written: ${messageOf(error)}`;
    tell({ is: "log", level: "warn", message, hook: "", run: "" });
  }

  const write = createStatusWriter(options, complain);

  function afterRun(run: Run): void {
    const known = running.get(run.eventId);
    const isOver = run.status !== "queued" && run.status !== "running";
    if (known) {
      const entry = known.entries.find(({ hook }) => hook.id === run.hook);
      if (entry?.type === "session") known.sessionRuns.push(run);
      if (entry && isOver && hasRun(run)) write(inFolderOf(entry, known.entries), known.event, { ended: run });
    } else if (isOver && hasRun(run) && run.steps.some(({ uses }) => uses === "script")) {
      inBackground(run);
    }
  }

  /** A run whose event had its answer before: in this process, or in the one that this one was started by. */
  function inBackground(run: Run): void {
    const tellOf = (event: HookEvent | undefined): void => {
      const entries = event ? entriesAt(event) : [];
      const entry = entries.find(({ hook }) => hook.id === run.hook);
      if (event && entry) write(inFolderOf(entry, entries), event, { ended: run });
    };
    try {
      const stored = store.event(run.eventId);
      if (isThenable(stored)) void Promise.resolve(stored).then((found) => tellOf(found?.event), complain);
      else tellOf(stored?.event);
    } catch (error) {
      complain(error);
    }
  }

  function afterEvent({ event, entries, sessionRuns }: Running): void {
    const heard = entries.filter(({ hook }) => listensTo(hook, event.name));
    const isEvaluation = event.to === undefined;
    for (const group of byFolder(heard, entries)) {
      const looked = isEvaluation && group.some((entry) => entry.type === "file" && heard.includes(entry));
      write(group, event, looked ? { evaluated: now() } : {});
    }
    sumUp(sessionRuns, tell);
  }

  function begin(event: HookEvent): void {
    const entries = entriesAt(event);
    if (entries.some(({ hook }) => event.to?.hook === hook.id || listensTo(hook, event.name)))
      running.set(event.id, { event, entries, sessionRuns: [] });
  }

  return {
    keepOutput(hook, event, output) {
      const script = scriptHookOf(hook) ?? { hook, type: "", slug: hook.id, family: "hookline" };
      const entry = entriesAt(event).find((one) => one.hook.id === hook.id) ?? entryOf(script, event, options);
      const { base, parts } = entry.folder;
      const file = join(makePrivateFolder(base, [...parts, "output"]), `${entry.key}.log`);
      writePrivate(file, output);
      return file;
    },
    observe(seen) {
      try {
        if (seen.is === "event") begin(seen.event);
        else if (seen.is === "run") afterRun(seen.run);
        else if (seen.is === "outcome") {
          const known = running.get(seen.event.id);
          running.delete(seen.event.id);
          if (known) afterEvent(known);
        }
      } catch (error) {
        complain(error);
      }
    },
  };
}

type WriteStatus = (entries: readonly Entry[], event: HookEvent, found: { ended?: Run; evaluated?: Instant }) => void;

function createStatusWriter({ store, now }: ScriptRecordsOptions, complain: (error: unknown) => void): WriteStatus {
  let writing: Promise<void> | undefined;

  /** One after the other in this process, and one transaction each where the store has them: a later state never gets lost. */
  function inTurn(work: () => MaybePromise<void>): void {
    const begin = (): MaybePromise<void> => (store.batch ? store.batch(work) : work());
    try {
      const result = writing ? writing.then(begin) : begin();
      if (!isThenable(result)) return;
      const settled: Promise<void> = Promise.resolve(result)
        .catch(complain)
        .finally(() => {
          if (writing === settled) writing = undefined;
        });
      writing = settled;
    } catch (error) {
      complain(error);
    }
  }

  return (entries, event, found) =>
    inTurn(() =>
      go(
        (function* () {
          const [first] = entries;
          if (!first) return;
          const folder = makePrivateFolder(first.folder.base, first.folder.parts);
          if (found.evaluated !== undefined) touch(join(folder, marker), new Date(found.evaluated));
          const evaluatedAt = found.evaluated ?? markedAt(folder) ?? now();
          const { session } = event;
          const status = yield* statusOf({ entries, session, ended: found.ended, evaluatedAt }, store);
          writePrivate(join(folder, "status.json"), `${JSON.stringify(status, undefined, 2)}\n`);
        })(),
      ),
    );
}

/** Touched at each evaluation of file scripts. */
const marker = ".last-eval";

const markedAt = (folder: string): Instant | undefined =>
  statSync(join(folder, marker), { throwIfNoEntry: false })?.mtimeMs;

const withScripts = new WeakMap<HookSet, boolean>();

/** Most sets hold none, and then nothing here costs anything. */
function holdsScripts(set: HookSet): boolean {
  const known = withScripts.get(set);
  if (known !== undefined) return known;
  const holds = set.hooks.some((hook) => scriptHookOf(hook) !== undefined);
  withScripts.set(set, holds);
  return holds;
}

const inFolderOf = (entry: Entry, entries: readonly Entry[]): Entry[] =>
  entries.filter(({ folder }) => pathOf(folder) === pathOf(entry.folder));

/** The scripts that heard of an event, each with all that share its status. */
function byFolder(heard: readonly Entry[], entries: readonly Entry[]): Entry[][] {
  const groups = new Map<string, Entry[]>();
  for (const entry of heard) {
    const path = pathOf(entry.folder);
    if (!groups.has(path)) groups.set(path, inFolderOf(entry, entries));
  }
  return [...groups.values()];
}

/** How many session scripts ran and failed (E19); nothing, where none did. */
function sumUp(runs: readonly Run[], tell: (observation: Observation) => void): void {
  const ran = runs.filter(hasRun);
  const later = new Set(runs.filter(({ status }) => status === "queued").map(({ id }) => id)).size;
  if (ran.length + later === 0) return;
  const failed = ran.filter(({ status }) => status !== "completed");
  const names = failed.length > 0 ? ` (${failed.map(({ hookName }) => hookName).join(", ")})` : "";
  const more = later > 0 ? `, and ${later} more in the background` : "";
  const message = `session scripts: ${ran.length} ran, ${failed.length} failed${names}${more}`;
  tell({ is: "log", level: failed.length > 0 ? "warn" : "info", message, hook: "", run: "" });
}

// What status.json says of scripts: read from the runs and pending checks of the store alone, so it can always be made anew
// (E53, E54).

/** Names and values as specification 004 has them; other tools read them. */
interface ScriptStatus {
  hookId: string;
  hookName: string;
  type: string;
  lastRunAt: string;
  lastResult: "success" | "failure";
  lastExitCode: number;
  outputPath: string;
  runCount: number;
  failCount: number;
  consecutiveFailures: number;
}
export interface StatusFile {
  hooks: { [key: string]: ScriptStatus };
  pendingHooks: string[];
  lastEvaluatedAt: string;
}

interface StatusOf {
  /** Of one folder. */
  entries: readonly Entry[];
  session: SessionId | undefined;
  /** The run that has just ended, whose check is about to pass. */
  ended?: Run | undefined;
  evaluatedAt: Instant;
}

/** May throw what the store throws. */
function* statusOf({ entries, session, ended, evaluatedAt }: StatusOf, store: Store): Flow<StatusFile> {
  const hooks: StatusFile["hooks"] = {};
  for (const entry of entries) {
    const filter = { hook: entry.hook.id, ...(session === undefined ? {} : { session }) };
    const status = statusFrom(entry, yield* wait(store.runs(filter)), session);
    if (status) hooks[entry.key] = status;
  }
  const checks: ReadonlyMap<string, Found> =
    session === undefined ? new Map() : yield* wait(store.pendingChecks(session));
  const pending = entries.filter(({ hook }) => checks.has(hook.id) && !(ended?.hook === hook.id && hasPassed(ended)));
  return {
    hooks,
    pendingHooks: pending.map(({ key }) => key),
    lastEvaluatedAt: new Date(evaluatedAt).toISOString(),
  };
}

const hasPassed = ({ status, outcome }: Run): boolean => status === "completed" && outcome?.verdict?.is !== "deny";

/** @param runs newest first */
function statusFrom(entry: Entry, runs: readonly Run[], session: SessionId | undefined): ScriptStatus | undefined {
  const outputPath = join(pathOf(entry.folder), "output", `${entry.key}.log`);
  const isShared = session === undefined && entry.hook.origin.root === undefined;
  const counted = runs.filter(
    (run) => run.session === session && hasRun(run) && !(isShared && isElsewhere(run, outputPath)),
  );
  const [last] = counted;
  if (!last) return undefined;
  const passedBefore = counted.findIndex(hasPassed);
  return {
    hookId: entry.key,
    hookName: entry.hook.name,
    type: entry.type,
    lastRunAt: new Date(last.startedAt).toISOString(),
    lastResult: hasPassed(last) ? "success" : "failure",
    lastExitCode: exitCodeOf(last),
    outputPath,
    runCount: counted.length,
    failCount: counted.filter((run) => !hasPassed(run)).length,
    consecutiveFailures: passedBefore < 0 ? counted.length : passedBefore,
  };
}

/** Its program ended, or could not be started: not those that were cut off, nor those that found nothing to do. */
const hasRun = ({ status, steps, notes }: Run): boolean =>
  (status === "completed" || status === "failed" || status === "timeout") &&
  steps.length > 0 &&
  !notes.includes(noFileLeft);

/** Without a session a user's script is told apart by the workspace that it ran in. */
const isElsewhere = ({ steps }: Run, outputPath: string): boolean => {
  const log = steps[0]?.output.log;
  return typeof log === "string" && log !== outputPath;
};

/** Where outputs are not recorded, the way in which it ended is. */
function exitCodeOf({ status, steps, reason = "" }: Run): number {
  const code = steps[0]?.output.exitCode;
  if (typeof code === "number") return code;
  if (status === "completed") return 0;
  if (status === "timeout") return 124;
  return Number(/^exit (\d{1,3})\b/.exec(reason)?.[1] ?? (reason.startsWith("launch") ? 127 : 126));
}
