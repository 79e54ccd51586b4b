/** hookline runs and purge: lists runs, shows one in full, follows new ones; deletes old ones. To cancel one is a file of its own. */
import { nearest } from "../../../engine/nearest.ts";
import { workerOf } from "../../../engine/queue.ts";
import type { Run, RunFilter, Store } from "../../../engine/record.ts";
import { labelled } from "../../../engine/run.ts";
import { resultOf } from "../../../operations/run-words.ts";
import { automationLines, automationRun, brief } from "../../../operations/runs.ts";
import { type ExitCode, type Invocation, textFlag, usageError } from "../command.ts";
import { type OpenedRecord, openRecord } from "../shared-store/record.ts";
import { openStore } from "../store.ts";
import { table } from "../table.ts";
import { ago, oneLine, safeText, type Terminal } from "../terminal.ts";
import { cut } from "../width.ts";
import { filterOf } from "./filter.ts";
import { followUpsOf, subjectOf } from "./follow-up-kinds.ts";
import { markOf, markStyle } from "./marks.ts";
import { runNamed, shortId } from "./named.ts";
import { hookOfRun, trustWords } from "./trust-of-run.ts";

const actions = ["show", "tail", "cancel"];
/** Those that are about one run. */
const ofOne = ["show", "cancel"];

export async function runs(invocation: Invocation): Promise<ExitCode> {
  const [word, id] = invocation.words;
  if (word !== undefined && !actions.includes(word)) {
    const near = nearest(word, actions);
    const advice = near === undefined ? `to see one run, use show ${word}` : `did you mean ${near}?`;
    throw usageError(`unknown action "${word}": ${advice}`, invocation.usage);
  }
  if (word !== undefined && ofOne.includes(word) && id === undefined)
    throw usageError("missing argument RUN", invocation.usage);
  if (word === "cancel" && id !== undefined) return (await import("./cancel.ts")).cancel(invocation, id);
  const store = await openRecord(invocation);
  try {
    if (word === "show" && id !== undefined) return await showRun(invocation, store, id);
    const filter = await filterOf(invocation, store);
    if (word === "tail") return await (await import("./tail.ts")).tail(invocation, store, filter);
    return await listRuns(invocation, store, filter);
  } finally {
    store.close();
  }
}

async function listRuns(invocation: Invocation, store: Store, filter: RunFilter): Promise<ExitCode> {
  const { terminal } = invocation;
  const found = await store.runs(filter);
  if (invocation.json) terminal.print(JSON.stringify(found.map(brief)));
  else if (found.length > 0) {
    for (const line of runLines(terminal, found)) terminal.print(line);
    if (found.length === filter.limit)
      terminal.print(
        terminal.paint("dim", `the newest ${found.length}: --limit shows more, \`runs show RUN\` one in full`),
      );
  } else {
    terminal.print("no run matches. An event that no hook matched leaves no run: `hookline why last` explains it");
    if (filter.folders && (await store.runs({ limit: 1 })).length > 0)
      terminal.print("these would be runs of this project: --all shows those of all projects");
  }
  return 0;
}

const runLines = (terminal: Terminal, found: readonly Run[]): string[] => {
  const styles = new Map(found.map((run) => [markOf(run), markStyle(run)]));
  return table(
    terminal,
    [
      { title: "when" },
      { title: "event", ifWide: true },
      { title: "", style: (mark) => styles.get(mark) },
      { title: "hook", fills: true },
      { title: "result", fills: true },
      { title: "ms", align: "right", ifWide: true },
      { title: "run" },
    ],
    found.map((run) => [
      ago(run.startedAt),
      run.eventName,
      markOf(run),
      run.hookName,
      cut(oneLine(statusAndResult(run)), longestResult),
      run.ms === undefined ? "" : String(run.ms),
      shortId(run.id),
    ]),
  );
};
/** Reasons are shorter; what a program said has all its room in `runs show`. */
const longestResult = 400;

/** Its status too, unless that says no more than the result. */
export const statusAndResult = (run: Run): string => {
  const result = resultOf(run);
  return run.status === "completed" || run.status === result ? result : `${run.status}: ${result}`;
};

async function showRun({ terminal, json }: Invocation, store: OpenedRecord, id: string): Promise<ExitCode> {
  const run = await runNamed(store, id);
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
  label("run", run.id);
  label("hook", run.hookName === run.hook ? run.hook : `${run.hookName} (${run.hook})`);
  label("event", `${run.eventName} ${run.eventId}`);
  label("session", run.session);
  label("trust", trust);
  label("status", run.reason && run.reason !== run.status ? `${run.status}: ${run.reason}` : run.status);
  label("worker", workerOf(run));
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
