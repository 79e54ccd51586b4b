/** hookline runs and purge: lists runs, shows one in full, follows new ones; deletes old ones. */
import { setTimeout as wait } from "node:timers/promises";
import { HooklineError } from "../../../engine/error.ts";
import type { Run, RunFilter, RunStatus, Store } from "../../../engine/record.ts";
import { labelled } from "../../../engine/run.ts";
import { automationLines, automationRun, brief } from "../../../operations/runs.ts";
import { type ExitCode, type Invocation, textFlag, usageError } from "../command.ts";
import { statusStyles } from "../hooks/emit.ts";
import { openStore, openStoreToRead } from "../store.ts";
import { ago, oneLine, safeText, table } from "../terminal.ts";
import { followUpsOf, subjectOf } from "./follow-up-kinds.ts";
import { resultOf } from "./result.ts";
import { hookOfRun, trustWords } from "./trust-of-run.ts";

const statuses = Object.keys(statusStyles);

export async function runs(invocation: Invocation): Promise<ExitCode> {
  const [word, id] = invocation.words;
  const store = openStoreToRead(invocation);
  try {
    await store.repair();
    if (word === undefined) return await listRuns(invocation, store);
    if (word === "show" && id) return await showRun(invocation, store, id);
    if (word === "tail") return await tail(invocation, store);
    throw usageError(
      word === "show" ? "missing argument ID" : `unknown action "${word}": to see one run, use show ${word}`,
      invocation.usage,
    );
  } finally {
    store.close();
  }
}

function filterOf({ flags, usage }: Invocation): RunFilter {
  const limit = Number(textFlag(flags, "limit") ?? 30);
  if (!Number.isInteger(limit) || limit < 1)
    throw usageError(`--limit needs a whole number above 0, not "${textFlag(flags, "limit")}"`, usage);
  const status = textFlag(flags, "status");
  if (status !== undefined && !statuses.includes(status))
    throw usageError(`no status is called "${status}": use ${statuses.join(", ")}`, usage);
  const filter: RunFilter = { limit };
  for (const name of ["hook", "session", "event"] as const) {
    const value = textFlag(flags, name);
    if (value !== undefined) filter[name] = value;
  }
  if (status !== undefined) filter.status = status as RunStatus; // it is one of the statuses: checked above
  return filter;
}

async function listRuns(invocation: Invocation, store: Store): Promise<ExitCode> {
  const found = await store.runs(filterOf(invocation));
  if (invocation.json) invocation.terminal.print(JSON.stringify(found.map(brief)));
  else if (found.length === 0)
    invocation.terminal.print(
      "no run matches. An event that no hook matched leaves no run: `hookline why last` explains it",
    );
  else for (const line of runLines(invocation, found)) invocation.terminal.print(line);
  return 0;
}

const runLines = ({ terminal }: Invocation, found: readonly Run[]): string[] =>
  table(
    terminal,
    [
      { title: "when" },
      { title: "event", ifWide: true },
      { title: "hook", fills: true },
      { title: "status", style: (status) => statusStyles[status as RunStatus] },
      { title: "ms", align: "right" },
      { title: "result", fills: true },
      { title: "run" },
    ],
    found.map((run) => [
      ago(run.startedAt),
      run.eventName,
      run.hookName,
      run.status,
      run.ms === undefined ? "" : String(run.ms),
      resultOf(run),
      run.id,
    ]),
  );

async function showRun({ terminal, json }: Invocation, store: Store, id: string): Promise<ExitCode> {
  const run = await store.run(id);
  if (!run) throw new HooklineError("run_unknown", { name: id, where: "the store" });
  const asked = await followUpsOf(run, store);
  const automation = await automationRun(run, store);
  const hook = await hookOfRun(run, store);
  const trust = hook ? trustWords(hook) : "not known";
  if (json) {
    const followUps = asked.map(({ id: name, number, kind, payload, done }) => ({
      id: name,
      number,
      kind,
      payload,
      done,
    }));
    terminal.print(
      JSON.stringify({ ...run, trust, ...(followUps.length > 0 && { followUps }), ...(automation && { automation }) }),
    );
    return 0;
  }
  const label = (name: string, value: string | undefined): void => {
    if (value !== undefined && value !== "")
      terminal.print(
        `${terminal.paint("dim", name.padEnd(10))} ${safeText(value).replaceAll("\n", `\n${" ".repeat(11)}`)}`,
      );
  };
  label("hook", run.hookName === run.hook ? run.hook : `${run.hookName} (${run.hook})`);
  label("event", `${run.eventName} ${run.eventId}`);
  label("session", run.session);
  label("trust", trust);
  label("status", `${run.status}${run.reason ? `: ${run.reason}` : ""}`);
  label("started", new Date(run.startedAt).toISOString());
  label("ms", run.ms === undefined ? undefined : String(run.ms));
  label("asked", run.asked > 1 ? `${run.asked} times (its input was rewritten)` : undefined);
  label("answer", resultOf(run));
  for (const note of run.notes) label("note", note);
  for (const [name, value] of automation ? automationLines(automation) : []) label(name, value);
  for (const one of asked)
    label(
      "follow-up",
      `${one.number} ${oneLine(`${one.kind}: ${subjectOf(one)}`)} (${one.done ? "done" : `open: run \`hookline follow-ups run ${one.id}\``})`,
    );
  for (const step of run.steps) {
    label(
      "step",
      `${step.uses}: ${step.ok ? "ok" : labelled(step.failure ?? "error", step.reason ?? "")} in ${step.ms} ms`,
    );
    label("exit", step.evidence?.exitCode?.toString());
    label("stdout", step.evidence?.stdout);
    label("stderr", step.evidence?.stderr);
    label("contained", step.evidence?.containment);
  }
  return 0;
}

/** Prints runs as they are closed, until Ctrl-C. */
async function tail(invocation: Invocation, store: Store): Promise<ExitCode> {
  const seen = new Map<string, string>();
  const filter = { ...filterOf(invocation), limit: 100 };
  for (const run of await store.runs(filter)) seen.set(run.id, run.status);
  while (!invocation.signal.aborted) {
    for (const run of [...(await store.runs(filter))].reverse()) {
      if (seen.get(run.id) === run.status) continue;
      seen.set(run.id, run.status);
      if (invocation.json) invocation.terminal.print(JSON.stringify(brief(run)));
      else
        invocation.terminal.print(
          oneLine(
            `${new Date(run.startedAt).toLocaleTimeString()}  ${run.eventName}  ${run.hookName}  ${run.status}  ${run.ms ?? ""} ms  ${resultOf(run)}`,
          ),
        );
    }
    await wait(250, undefined, { signal: invocation.signal }).catch(() => {}); // Ctrl-C ends it
  }
  return 0;
}

/** hookline purge. */
export async function purge(invocation: Invocation): Promise<ExitCode> {
  const given = textFlag(invocation.flags, "before");
  const before = Date.parse(given ?? "");
  if (Number.isNaN(before))
    throw usageError(given ? `"${given}" is not a date` : "missing flag --before DATE", invocation.usage);
  const store = openStore(invocation);
  const events = await store.purge(before);
  store.close();
  if (invocation.json) invocation.terminal.print(JSON.stringify({ events }));
  else
    invocation.terminal.print(
      `deleted ${events} event${events === 1 ? "" : "s"} from before ${new Date(before).toISOString()}, and their runs`,
    );
  return 0;
}
