/** hookline why: how an event was decided, hook by hook, in sentences; also for hooks that did not match (R37). */

import { loadPatterns } from "../../../conditions/patterns.ts";
import { HooklineError } from "../../../engine/error.ts";
import { read } from "../../../engine/explain.ts";
import { type Plan, planHooks } from "../../../engine/plan.ts";
import type { Run, Store, StoredEvent, Withheld } from "../../../engine/record.ts";
import { findProject, workspaceOf } from "../../../loading/project.ts";
import type { ExitCode, Invocation } from "../command.ts";
import { effectLines } from "../hooks/effect-lines.ts";
import { outcomeLines } from "../hooks/emit.ts";
import { registryAt } from "../loaded.ts";
import type { Place } from "../place.ts";
import { openStoreToRead } from "../store.ts";
import { oneLine, shortPath, type Terminal } from "../terminal.ts";
import { resultOf } from "./result.ts";

interface Reason {
  hook: string;
  name: string;
  file: string | null;
  line: number | null;
  ran: boolean;
  status: string;
  because: string;
  run: string | null;
  notes: readonly string[];
  /** Why its answer did not count. */
  withheld: Withheld["because"] | null;
}

export async function why(invocation: Invocation): Promise<ExitCode> {
  const store = openStoreToRead(invocation);
  try {
    await store.repair();
    const found = await findEvent(store, invocation.words[0] ?? "last");
    const reasons = await reasonsOf(store, found.stored, invocation);
    if (invocation.json)
      invocation.terminal.print(
        JSON.stringify({ event: found.stored.event, outcome: found.stored.outcome ?? null, hooks: reasons }),
      );
    else {
      print(invocation, found.stored, reasons, found.run);
      const does = await effectLines(found.stored.event, invocation, invocation.terminal);
      for (const line of does.length > 0 ? ["", ...does] : []) invocation.terminal.print(line);
    }
    return 0;
  } finally {
    store.close();
  }
}

async function findEvent(store: Store, name: string): Promise<{ stored: StoredEvent; run?: string }> {
  if (name === "last") {
    const [newest] = await store.events(1);
    if (newest) return { stored: newest };
    throw new HooklineError("run_unknown", {
      name,
      where: "the store, which holds no event yet: `hookline emit` makes one",
    });
  }
  const run = await store.run(name);
  const stored = await store.event(run?.eventId ?? name);
  if (!stored) throw new HooklineError("run_unknown", { name, where: "the store" });
  return { stored, ...(run ? { run: run.id } : {}) };
}

/** What the run rows say; for the rest, what the stored event and the stored set say again. */
async function reasonsOf(store: Store, stored: StoredEvent, place: Place): Promise<Reason[]> {
  const runs = new Map<string, Run>();
  for (const run of await store.runs({ eventId: stored.event.id, limit: 10_000 })) runs.set(run.hook, run);
  const set = await store.hookSet(stored.set);
  const workspace = workspaceOf(findProject(stored.event.cwd, place.home));
  const known = { ...(set ?? { id: stored.set, hooks: [] }), workspace };
  const plans = planHooks(known, await registryAt({ ...place, cwd: stored.event.cwd }), await loadPatterns());
  const reasons = await Promise.all(
    known.hooks.map(async (hook): Promise<Reason> => {
      const run = runs.get(hook.id);
      runs.delete(hook.id);
      const base = { hook: hook.id, name: hook.name, file: hook.origin.file ?? null, line: hook.origin.line ?? null };
      if (run) return { ...base, ...ofRun(run) };
      const derived = stored.cut
        ? "unknown: the store holds only a part of the payload"
        : await derivedReason(plans.of(hook), stored);
      return { ...base, ran: false, status: "not matched", because: derived, run: null, notes: [], withheld: null };
    }),
  );
  return [
    ...reasons,
    ...[...runs.values()].map(
      (run): Reason => ({ hook: run.hook, name: run.hookName, file: null, line: null, ...ofRun(run) }),
    ),
  ];
}

/** A hook without a row that matches the event as it came was passed over: its own answer is not in the record. */
async function derivedReason(plan: Plan, { event, outcome }: StoredEvent): Promise<string> {
  const { would, because } = await read(plan, event);
  if (would === "skip") return because;
  return outcome ? `the store has no record of it, although ${because}` : `the decision was interrupted (${because})`;
}

const ofRun = (run: Run): Pick<Reason, "ran" | "status" | "because" | "run" | "notes" | "withheld"> => ({
  ran: run.asked > 0,
  status: run.status,
  because: run.asked > 0 ? resultOf(run) : (run.reason ?? run.status),
  run: run.id,
  notes: run.notes,
  withheld: run.withheld?.because ?? null,
});

function print(
  invocation: Invocation,
  { event, outcome, set, redacted }: StoredEvent,
  reasons: readonly Reason[],
  run: string | undefined,
): void {
  const { terminal, cwd, home } = invocation;
  const say = (line: string): void => terminal.print(line);
  say(
    terminal.paint(
      "dim",
      `event ${event.id} of ${new Date(event.at).toLocaleString()}, sent by ${oneLine(event.sender)}, decided with hook set ${set.slice(0, 12)}`,
    ),
  );
  for (const line of outcome
    ? outcomeLines(terminal, event, outcome)
    : [`${event.name}  has no answer: it was interrupted, or Hookline is deciding it now`])
    say(line);
  if (redacted)
    say(
      terminal.paint("dim", "the store redacted secrets in the payload: a condition on them may read differently here"),
    );
  say("");
  if (reasons.length === 0) say("No hook was active.");
  for (const reason of reasons) {
    const place = reason.file ? ` (${shortPath(reason.file, cwd, home)}${reason.line ? `:${reason.line}` : ""})` : "";
    const mark = markOf(reason, run, terminal);
    say(`${mark} ${terminal.paint("bold", oneLine(reason.name))}${terminal.paint("dim", place)}`);
    say(`    ${sentence(reason)}`);
    for (const note of reason.notes) say(`    ${terminal.paint("dim", `note: ${oneLine(note)}`)}`);
  }
}

function markOf({ run, ran, status }: Reason, asked: string | undefined, terminal: Terminal): string {
  if (run !== null && run === asked) return terminal.paint("bold", "→");
  if (!ran) return terminal.paint("dim", "·");
  return status === "failed" || status === "timeout" ? terminal.paint("red", "✗") : terminal.paint("green", "✓");
}

function sentence({ ran, status, because, withheld }: Reason): string {
  const words = oneLine(because);
  if (status === "not matched") return `It did not run: ${words}.`;
  if (!ran) return status === "queued" ? "It is queued." : `It matched, but did not run: ${words}.`;
  if (status === "completed" && withheld === "report") return `It only reports: it ${words}`;
  if (status === "completed" && withheld) return `It was ${words}`;
  if (status === "completed")
    return words === "no decision" ? "It ran and made no decision." : `It ran and answered ${words}`;
  return `It ran and ended as ${status}: ${words}`;
}
