/** hookline emit: one event down the line, its outcome, and every run it caused. */
import { depthWithin, type HookEvent, payloadAt } from "../../engine/event.ts";
import { complaintAbout } from "../../engine/hook.ts";
import { emitRecorded } from "../../engine/later.ts";
import type { Outcome, VerdictKind } from "../../engine/outcome.ts";
import type { Run, RunStatus, Store } from "../../engine/record.ts";
import { systemPorts } from "../../runtime/system.ts";
import type { ExitCode, Invocation } from "./command.ts";
import { eventFrom } from "./event-input.ts";
import { type Line, openLine } from "./line.ts";
import { shortPath } from "./list.ts";
import { type OpenedStore, openStore } from "./store.ts";
import { oneLine, type Style, safeText, type Terminal, table } from "./terminal.ts";

export async function emit(invocation: Invocation): Promise<ExitCode> {
  const { id, now } = systemPorts();
  const event = eventFrom(invocation, invocation.usage, id(), now());
  const sent = await send(invocation, await openStore(invocation), () => event);
  show(invocation, sent);
  if (isNo(sent.outcome)) return 1;
  return invocation.signal.aborted ? 3 : 0; // what was cut short has not said yes
}

/** What came of an event that was sent from the command line. */
export interface Sent {
  event: HookEvent;
  outcome: Outcome;
  /** In the order in which they began, as they ended. */
  runs: readonly Run[];
  logs: readonly Logged[];
}

export const isNo = ({ verdict, stop }: Outcome): boolean => verdict?.is === "deny" || stop !== undefined;

/** Sends an event down the line of this folder and ends what it started (R48). Closes the store. Throws what kept it from being written down. */
export async function send(
  invocation: Invocation,
  store: OpenedStore & Store,
  eventOf: (line: Line) => HookEvent | Promise<HookEvent>,
  afterwards?: (line: Line, sent: Sent) => Promise<void>,
): Promise<Sent> {
  const runs = new Map<string, Run>();
  const logs: Logged[] = [];
  await store.repair();
  const line = await openLine({
    place: invocation,
    store,
    stop: invocation.signal,
    observe(seen) {
      if (seen.is === "run") runs.set(seen.run.id, seen.run);
      if (seen.is === "log") logs.push({ level: seen.level, message: seen.message, hook: seen.hook });
    },
  });
  try {
    const complaint = complaintAbout(line.loaded, (path) => shortPath(path, invocation.cwd, invocation.home));
    if (complaint) invocation.terminal.error(`hookline: ${complaint}`);
    const { environment, signal } = invocation;
    const event = withinHook({ ...(await eventOf(line)), id: line.ports.id() }, environment);
    const outcome = await emitRecorded(line.engine, event, { environment, signal });
    await line.engine.close();
    const sent: Sent = { event, outcome, runs: [...runs.values()], logs };
    await afterwards?.(line, sent);
    return sent;
  } finally {
    await line.close();
  }
}

/** As deep as what sends it, where that is a program of a hook. Throws an Error where that is too deep. */
function withinHook(event: HookEvent, environment: Invocation["environment"]): HookEvent {
  const depth = depthWithin(environment);
  return depth === 0 ? event : { ...event, data: payloadAt(depth, event.data, event.name) };
}

/** Tells the outcome, and each run that the event caused. `more` joins the JSON. */
export function show(invocation: Invocation, { event, outcome, runs, logs }: Sent, more: object = {}): void {
  if (invocation.json) {
    const told = logs.length > 0 ? { logs } : {};
    invocation.terminal.print(JSON.stringify({ event, outcome, runs: runs.map(brief), ...told, ...more }));
  } else print(invocation, { event, outcome, runs, logs });
}

/** What hooks wrote to the log. */
export interface Logged {
  level: string;
  message: string;
  hook: string;
}

const brief = (run: Run): object => ({
  id: run.id,
  hook: run.hook,
  status: run.status,
  reason: run.reason ?? null,
  ms: run.ms ?? null,
  ...(run.notes.length > 0 ? { notes: run.notes } : {}),
});

function print({ terminal, flags }: Invocation, { event, outcome, runs, logs }: Sent): void {
  const verbose = flags.verbose === true;
  for (const line of outcomeLines(terminal, event, outcome)) terminal.print(line);
  for (const { level, message } of logs) terminal.print(`  log      ${level}: ${oneLine(message)}`);
  if (runs.length === 0) {
    if (!event.to) terminal.print(terminal.paint("dim", "no hook matched: hookline explain says why, hook by hook"));
    return;
  }
  terminal.print("");
  for (const line of runTable(terminal, runs)) terminal.print(line);
  if (verbose) for (const line of runs.flatMap(details)) terminal.print(terminal.paint("dim", line));
}

/** What a table has no room for: notes, and what the programs said. */
const details = ({ hookName, notes, steps }: Run): string[] => [
  ...notes.map((note) => oneLine(`${hookName}: note: ${note}`)),
  ...steps.flatMap(({ evidence }) =>
    [evidence?.stdout, evidence?.stderr].flatMap((said) => (said ? [oneLine(`${hookName}: said: ${said}`)] : [])),
  ),
];

/** The outcome in a few labelled lines. */
export function outcomeLines(terminal: Terminal, event: HookEvent, outcome: Outcome): string[] {
  const { verdict, stop, ...rest } = outcome;
  const lines: string[] = [];
  const head = verdict
    ? terminal.paint(verdictStyles[verdict.is], verdict.is)
    : stop
      ? terminal.paint("red", "stop")
      : "carry on";
  lines.push(`${terminal.paint("bold", event.name)}  ${head}${verdict?.reason ? `: ${oneLine(verdict.reason)}` : ""}`);
  if (verdict) lines.push(`  by       ${oneLine(verdict.by)}`);
  if (stop) lines.push(`  stop     ${oneLine(stop.reason ?? "the conversation ends here")}`);
  for (const [field, value] of Object.entries(rest)) {
    for (const one of Array.isArray(value) ? value : [value]) lines.push(`  ${field.padEnd(8)} ${oneLine(say(one))}`);
  }
  return lines;
}

const verdictStyles: Record<VerdictKind, Style> = { deny: "red", ask: "yellow", allow: "green", defer: "dim" };

function say(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "object" && value !== null && "text" in value) return safeText(String(value.text));
  return JSON.stringify(value);
}

export const statusStyles: Record<RunStatus, Style> = {
  completed: "green",
  running: "cyan",
  queued: "cyan",
  skipped: "dim",
  failed: "red",
  timeout: "red",
  cancelled: "yellow",
  interrupted: "yellow",
};

export const runTable = (terminal: Terminal, runs: readonly Run[]): string[] =>
  table(
    terminal,
    [
      { title: "hook", fills: true },
      { title: "status", style: (status) => statusStyles[status as RunStatus] },
      { title: "ms", align: "right" },
      { title: "why", fills: true },
      { title: "run" },
    ],
    runs.map((run) => [
      run.hookName,
      run.status,
      run.ms === undefined ? "" : String(run.ms),
      run.reason ?? run.notes[0] ?? "",
      run.id,
    ]),
  );
