/** What status.json says of scripts: read from the runs and debts of the store alone, so it can always be made anew (E53, E54). */

import { join } from "node:path";
import type { Instant, SessionId } from "../../engine/event.ts";
import { type Flow, wait } from "../../engine/flow.ts";
import type { Found, Run, Store } from "../../engine/record.ts";
import { noFileLeft } from "./files.ts";
import { type Entry, pathOf } from "./places.ts";

/** Names and values as specification 004 has them; other tools read them. */
export interface ScriptStatus {
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

export interface StatusOf {
  /** Of one folder. */
  entries: readonly Entry[];
  session: SessionId | undefined;
  /** The run that has just ended, whose debt is about to be forgotten. */
  ended?: Run | undefined;
  evaluatedAt: Instant;
}

/** May throw what the store throws. */
export function* statusOf({ entries, session, ended, evaluatedAt }: StatusOf, store: Store): Flow<StatusFile> {
  const hooks: StatusFile["hooks"] = {};
  for (const entry of entries) {
    const filter = { hook: entry.hook.id, ...(session === undefined ? {} : { session }) };
    const status = statusFrom(entry, yield* wait(store.runs(filter)), session);
    if (status) hooks[entry.key] = status;
  }
  const owed: ReadonlyMap<string, Found> =
    session === undefined ? new Map() : yield* wait(store.owe(session, new Map()));
  const pending = entries.filter(({ hook }) => owed.has(hook.id) && !(ended?.hook === hook.id && hasPassed(ended)));
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
export const hasRun = ({ status, steps, notes }: Run): boolean =>
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
