/** What each hook made of an event: what its run says, and for the rest what the stored event and the stored hooks say again. */

import type { Instant } from "../../engine/event.ts";
import { read } from "../../engine/explain.ts";
import { type Hook, isBuiltIn } from "../../engine/hook.ts";
import type { VerdictKind } from "../../engine/outcome.ts";
import { listensTo, type Plan, planHooks } from "../../engine/plan.ts";
import type { Patterns, Registry } from "../../engine/ports.ts";
import type { Run, RunStatus, Store, StoredEvent, Withheld } from "../../engine/record.ts";
import { findProject, workspaceOf } from "../../loading/project.ts";
import { changedSince } from "../hooks/changed-since.ts";
import { isOfProject, projectFolders } from "../project-folders.ts";
import { resultOf } from "../runs/run-words.ts";

/** What one hook made of the event. */
export interface Reason {
  hook: string;
  name: string;
  file: string | null;
  line: number | null;
  /** It is set off by events of this name. */
  listens: boolean;
  ran: boolean;
  status: RunStatus | "not matched";
  because: string;
  run: string | null;
  notes: readonly string[];
  /** Why its answer did not count. */
  withheld: Withheld["because"] | null;
  verdict: VerdictKind | null;
  /** The policy that answered its failure; null: none had to. */
  failure: Hook["onFailure"] | null;
  /** What its programs said on standard error, where its answer does not hold it. */
  stderr: string | null;
  /** Files of it that were written since. */
  changed: readonly string[];
}

interface Judging {
  home: string;
  /** Also of hooks of other projects. */
  isAll: boolean;
  /** Where the event happened. */
  registry: Registry;
  patterns: Patterns;
}

/** What the run rows say; for the rest, what the stored event and the stored set say again. */
export async function reasonsOf(
  store: Omit<Store, "repair">,
  stored: StoredEvent,
  { home, isAll, registry, patterns }: Judging,
): Promise<Reason[]> {
  const { event } = stored;
  const runs = new Map<string, Run>();
  for (const run of await store.runs({ eventId: event.id, limit: 10_000 })) runs.set(run.hook, run);
  const set = await store.hookSet(stored.set);
  const workspace = workspaceOf(findProject(event.cwd, home));
  const known = { ...(set ?? { id: stored.set, hooks: [] }), workspace };
  const there = { home, cwd: event.cwd };
  const plans = planHooks(known, registry, patterns);
  const folders = projectFolders(there);
  const told = known.hooks.filter((hook) => isAll || runs.has(hook.id) || isOfProject(hook, folders));
  const reasons = await Promise.all(
    told.map(async (hook): Promise<Reason> => {
      const run = runs.get(hook.id);
      runs.delete(hook.id);
      const base = { ...ofHook(hook, event.at, there), listens: run !== undefined || isSetOff(hook, stored) };
      if (run) return { ...base, ...ofRun(run), failure: policyOf(hook, run) };
      const because = stored.cut
        ? "unknown: the store holds only a part of the payload"
        : await derivedReason(plans.of(hook), stored);
      return { ...base, ...neverRan, because };
    }),
  );
  return [
    ...reasons,
    ...[...runs.values()].map((run): Reason => {
      const base = { hook: run.hook, name: run.hookName, file: null, line: null, listens: true, changed: [] };
      return { ...base, ...ofRun(run), failure: null };
    }),
  ];
}

const ofHook = (
  hook: Hook,
  at: Instant,
  place: { home: string; cwd: string },
): Pick<Reason, "hook" | "name" | "file" | "line" | "changed"> => ({
  hook: hook.id,
  name: hook.name,
  file: hook.origin.file ?? null,
  line: hook.origin.line ?? null,
  changed: isBuiltIn(hook) ? [] : changedSince(hook, at, place),
});

const isSetOff = (hook: Hook, { event }: StoredEvent): boolean =>
  event.to ? event.to.hook === hook.id : listensTo(hook, event.name);

const neverRan = {
  ...{
    ran: false,
    status: "not matched" as const,
    run: null,
    notes: [],
    withheld: null,
    verdict: null,
    failure: null,
    stderr: null,
  },
} as const;

/** A hook without a row that matches the event as it came was passed over: its own answer is not in the record. */
async function derivedReason(plan: Plan, { event, outcome }: StoredEvent): Promise<string> {
  const { would, because } = await read(plan, event);
  if (would === "skip") return because;
  return outcome ? `the store has no record of it, although ${because}` : `the decision was interrupted (${because})`;
}

/** A failure that carries a verdict of its own, as that of a check, is no case of a policy that lets pass. */
const policyOf = ({ onFailure }: Hook, { status, outcome }: Run): Reason["failure"] =>
  (status === "failed" || status === "timeout") && (onFailure === "block" || !outcome?.verdict) ? onFailure : null;

type OfRun = Pick<Reason, "ran" | "status" | "because" | "run" | "notes" | "withheld" | "verdict" | "stderr">;

function ofRun(run: Run): OfRun {
  const because = run.asked > 0 ? resultOf(run) : (run.reason ?? run.status);
  const said = run.steps
    .map(({ evidence }) => evidence?.stderr?.trim() ?? "")
    .filter((text) => text !== "" && !because.includes(text))
    .join("\n");
  return {
    ran: run.asked > 0,
    status: run.status,
    because,
    run: run.id,
    notes: run.notes,
    withheld: run.withheld?.because ?? null,
    verdict: run.outcome?.verdict?.is ?? null,
    stderr: said === "" ? null : said,
  };
}
