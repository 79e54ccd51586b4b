/** What came of an event, for a person: the outcome in a few labelled lines, and a table of its runs. */
import type { HookEvent } from "../engine/event.ts";
import type { Outcome, VerdictKind } from "../engine/outcome.ts";
import type { Run, RunStatus } from "../engine/record.ts";
import { shortId } from "./record.ts";
import { type Cell, oneLine, type Shown, type ShownTable, type Tone } from "./shown.ts";

export function shownOutcome({ name }: Pick<HookEvent, "name">, { verdict, stop, ...rest }: Outcome): Shown[] {
  const head: Cell = verdict
    ? { text: verdict.is, tone: verdictTones[verdict.is] }
    : stop
      ? { text: "stop", tone: "red" }
      : "allowed: no hook objected";
  const reason = verdict?.reason ? `: ${oneLine(verdict.reason)}` : "";
  return [
    { line: [{ text: name, tone: "bold" }, "  ", head, reason] },
    ...(verdict ? [`  by       ${oneLine(verdict.by)}`] : []),
    ...(stop ? [`  stop     ${oneLine(stop.reason ?? "the agent stops here")}`] : []),
    ...Object.entries(rest).flatMap(([field, value]) =>
      (Array.isArray(value) ? value : [value]).map((one) => `  ${field.padEnd(8)} ${oneLine(said(one))}`),
    ),
  ];
}

const verdictTones: Readonly<Record<VerdictKind, Tone>> = { deny: "red", ask: "yellow", allow: "green", defer: "dim" };

function said(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "object" && value !== null && "text" in value) return String(value.text);
  return JSON.stringify(value);
}

export const shownRuns = (runs: readonly Run[]): ShownTable => ({
  titles: [
    { title: "hook", fills: true },
    "status",
    { title: "ms", align: "right" },
    { title: "why", fills: true },
    "run",
  ],
  rows: runs.map((run) => [
    run.hookName,
    { text: run.status, tone: statusTones[run.status] },
    run.ms === undefined ? "" : String(run.ms),
    run.reason ?? run.notes[0] ?? (run.status === "queued" ? "it goes on after this command" : ""),
    shortId(run.id),
  ]),
});

const statusTones: Readonly<Record<RunStatus, Tone>> = {
  completed: "green",
  running: "cyan",
  queued: "cyan",
  skipped: "dim",
  failed: "red",
  timeout: "red",
  cancelled: "yellow",
  interrupted: "yellow",
};
