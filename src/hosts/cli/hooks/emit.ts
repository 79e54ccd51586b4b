/** hookline emit and explain: one event that a person describes, decided or only explained. */

import { ignoredByAgent } from "../../../agents/index.ts";
import { withInput } from "../../../agents/payload.ts";
import type { MeantLine } from "../../../agents/skill-lines.ts";
import { withOwnNames } from "../../../engine/ability.ts";
import { HooklineError, messageOf } from "../../../engine/error.ts";
import { depthWithin, type Fields, type HookEvent, type Json, payloadAt } from "../../../engine/event.ts";
import { eventNames, eventToEmit } from "../../../engine/events.ts";
import { type Explanation, isOwnEvent } from "../../../engine/explain.ts";
import type { Hook } from "../../../engine/hook.ts";
import { emitRecorded } from "../../../engine/later.ts";
import { nearest } from "../../../engine/nearest.ts";
import type { Outcome, VerdictKind } from "../../../engine/outcome.ts";
import { listensTo } from "../../../engine/plan.ts";
import type { Run, RunStatus, Store } from "../../../engine/record.ts";
import { isRecord } from "../../../engine/schema.ts";
import type { LoadedHooks } from "../../../loading/load.ts";
import { untrustedWords } from "../../../operations/hook-counts.ts";
import { systemPorts } from "../../../runtime/system.ts";
import { type ExitCode, type Invocation, textFlag, textOfFile, textOfInput, usageError } from "../command.ts";
import { type Unserved, unserved, waitingForDaemon } from "../daemon/served.ts";
import { daemonHere } from "../daemon/status.ts";
import { type Line, openLine } from "../line.ts";
import { sharedStore, storePath } from "../place.ts";
import { isOfProject, projectFolders } from "../project.ts";
import { shortId } from "../runs/named.ts";
import { type OpenedStore, openStore, openStoreToRead } from "../store.ts";
import { table } from "../table.ts";
import {
  counted,
  isPersonThere,
  oneLine,
  placeIn,
  reportProblems,
  type Style,
  safeText,
  shortPath,
  type Terminal,
} from "../terminal.ts";
import { changedSince } from "./changed-since.ts";
import { gathered, whereAll } from "./crowds.ts";
import { effectLines } from "./effect-lines.ts";

export async function emit(invocation: Invocation): Promise<ExitCode> {
  const { id, now } = systemPorts();
  const event = eventFrom(invocation, invocation.usage, id(), now());
  await offered(invocation);
  const sent = await send(invocation, openStore(invocation), () => event);
  show(invocation, sent);
  if (isNo(sent.outcome)) return 1;
  return invocation.signal.aborted ? 3 : 0; // what was cut short has not said yes
}

/** Loaded only for a person: programs emit, too. */
async function offered(invocation: Invocation): Promise<void> {
  if (isPersonThere(invocation)) await (await import("../trust/trust.ts")).offerTrust(invocation);
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

/** Decides an event in this folder and ends what it started (R48). Closes the store. Throws what kept it from being written down. */
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
    reportLoaded(line.loaded, invocation);
    const { environment, signal } = invocation;
    const event = withinHook({ ...(await eventOf(line)), id: line.ports.id() }, environment);
    const outcome = await emitRecorded(line.engine, event, { environment, signal });
    await line.engine.close();
    const sent: Sent = { event, outcome, runs: [...runs.values()].map(withIgnored(line, event, invocation)), logs };
    await afterwards?.(line, sent);
    return sent;
  } finally {
    await line.close();
    if (sharedStore(invocation, textFlag(invocation.flags, "store")) !== undefined)
      await (await import("../shared-store/record.ts")).bringRecord(invocation);
  }
}

/** What the agent whose own file it is would ignore of an answer: Hookline alone obeys it. */
function withIgnored({ loaded }: Line, event: HookEvent, { home, environment }: Invocation): (run: Run) => Run {
  const hooks = new Map(loaded.set.hooks.map((hook) => [hook.id, hook]));
  return (run) => {
    const hook = hooks.get(run.hook);
    const answer = run.steps.at(-1)?.output;
    const places = { home, root: hook?.origin.root ?? event.cwd, environment };
    const ignored = hook && answer && ignoredByAgent(hook, answer, { event: event.name, places });
    return ignored === undefined ? run : { ...run, notes: [ignored, ...run.notes] };
  };
}

/** Says on standard error what is broken, and how much does not run because no person has trusted it. */
export function reportLoaded(
  loaded: Pick<LoadedHooks, "problems" | "set" | "untrusted">,
  invocation: Invocation,
): void {
  reportProblems(loaded, invocation);
  const asking = untrustedWords(loaded);
  if (asking !== undefined) invocation.terminal.error(`hookline: ${asking}`);
}

/** As deep as what sends it, where that is a program of a hook. Throws an Error where that is too deep. */
export function withinHook(event: HookEvent, environment: Invocation["environment"]): HookEvent {
  const depth = depthWithin(environment);
  return depth === 0 ? event : { ...event, data: payloadAt(depth, event.data, event.name) };
}

/** Prints the outcome, and each run that the event caused. `more` joins the JSON. */
export function show(invocation: Invocation, { event, outcome, runs, logs }: Sent, more: object = {}): void {
  if (invocation.json) {
    const written = logs.length > 0 ? { logs } : {};
    invocation.terminal.print(JSON.stringify({ event, outcome, runs: runs.map(brief), ...written, ...more }));
  } else print(invocation, { event, outcome, runs, logs });
}

/** What hooks wrote to the log. */
interface Logged {
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
    if (!event.to) terminal.print(terminal.paint("dim", "no hook matched: `hookline explain` shows why, hook by hook"));
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
      : "allowed: no hook objected";
  lines.push(`${terminal.paint("bold", event.name)}  ${head}${verdict?.reason ? `: ${oneLine(verdict.reason)}` : ""}`);
  if (verdict) lines.push(`  by       ${oneLine(verdict.by)}`);
  if (stop) lines.push(`  stop     ${oneLine(stop.reason ?? "the agent stops here")}`);
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
      run.reason ?? run.notes[0] ?? (run.status === "queued" ? "it goes on after this command" : ""),
      shortId(run.id),
    ]),
  );

// The event that the command line describes.

/** @throws HooklineError event_unknown, input_invalid, usage, file_unreadable */
export function eventFrom(invocation: Invocation, usage: string, id: string, at: number): HookEvent {
  const { words, flags, cwd } = invocation;
  const [written] = words;
  if (written === undefined) throw usageError("missing argument EVENT", usage);
  const given = readData(textFlag(flags, "data"), cwd);
  const session = textFlag(flags, "session");
  return describedEvent({ written, given, session, where: "the command line" }, { id, at, cwd, sender: "emit" });
}

interface Described {
  /** The event's name, or another one for it. */
  written: string;
  given: Fields;
  session: string | undefined;
  where: string;
}

/**
 * The event that a person describes by a name and a payload.
 *
 * @throws HooklineError event_unknown
 */
export function describedEvent(
  { written, given, session, where }: Described,
  facts: Pick<HookEvent, "id" | "at" | "cwd" | "sender">,
): HookEvent {
  const data = withInput(asPayload(given));
  const name = eventToEmit(written, data);
  if (!name) throw new HooklineError("event_unknown", { name: written, where, near: nearest(written, eventNames) });
  const own = session ?? (typeof data.session_id === "string" ? data.session_id : undefined);
  const { session_id: _session, cwd: _cwd, hook_event_name: _name, ...rest } = payloadAt(0, data, name);
  return { ...facts, name, data: rest, ...(own ? { session: own } : {}), ...agentOf(data) };
}

/** The words of specification 003's placeholders mean the payload's own fields: `{"tool": {"name": …, "params": …}}`. */
const toolWords = { name: "tool_name", params: "tool_input", result: "tool_response", error: "error" } as const;

function asPayload({ tool, ...data }: Fields): Fields {
  if (!isRecord(tool)) return withOwnNames(tool === undefined ? data : { ...data, tool });
  const payload: Fields = {};
  for (const [word, field] of Object.entries(toolWords)) {
    const value = tool[word];
    if (value !== undefined) payload[field] = value as Json; // read from JSON
  }
  return withOwnNames({ ...payload, ...data });
}

/** `agent` alone names an agent by its id. */
const agentOf = ({ agent, agent_id: id = agent, agent_type: type }: Fields): Pick<HookEvent, "agent"> =>
  typeof id === "string" ? { agent: { id, ...(typeof type === "string" ? { type } : {}) } } : {};

function readData(given: string | undefined, cwd: string): Fields {
  if (given === undefined) return {};
  if (given === "-") return parseFields(textOfInput(), "standard input");
  if (!given.startsWith("@")) return parseFields(given, "--data");
  const file = given.slice(1);
  return parseFields(textOfFile(file, cwd), file);
}

/** @throws HooklineError input_invalid */
function parseFields(text: string, where: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    throw new HooklineError("input_invalid", { reason: messageOf(error), where }, { cause: error });
  }
  if (!isRecord(value)) throw new HooklineError("input_invalid", { reason: "it is no object", where });
  return value as Fields; // JSON.parse gives JSON
}

// hookline explain: nothing runs.

interface Explained extends Explanation {
  /** It is set off by events of this name. */
  listens: boolean;
  /** Files of the hook that were written since its last run. */
  changed?: string[];
}

export async function explain(invocation: Invocation): Promise<ExitCode> {
  const { id, now } = systemPorts();
  const event = eventFrom(invocation, invocation.usage, id(), now());
  await offered(invocation);
  const line = await openLine({ place: invocation, store: openStoreToRead(invocation) });
  reportLoaded(line.loaded, invocation);
  const fired = await line.ports.store.lastFired();
  const hooks = new Map(line.loaded.set.hooks.map((hook) => [hook.id, hook]));
  const folders = projectFolders({ ...invocation, cwd: event.cwd });
  const isAll = invocation.flags.all === true;
  const isShown = (hook: Hook | undefined): boolean => isAll || hook === undefined || isOfProject(hook, folders);
  const said = (await line.engine.explain(event)).filter((one) => isShown(hooks.get(one.hook)));
  const left = await unservedIn(
    said.flatMap((one) => hooks.get(one.hook) ?? []),
    { event, invocation },
  );
  const explanations = said.map((explanation): Explained => {
    const hook = hooks.get(explanation.hook);
    const at = fired.get(explanation.hook);
    const because =
      hook && left.served && left.hooks.includes(hook) ? `${notServed}; ${explanation.because}` : explanation.because;
    const one = { ...explanation, because };
    const changed = hook && at !== undefined ? changedSince(hook, at, invocation) : [];
    const listens = hook !== undefined && (listensTo(hook, event.name) || isOwnEvent(hook, event.name));
    return { ...one, listens, ...(changed.length > 0 && { changed }) };
  });
  const brought = await line.linesOf(event);
  await line.close();
  if (invocation.json) invocation.terminal.print(JSON.stringify(explanations));
  else {
    const does = [...(await effectLines(event, invocation, invocation.terminal)), ...broughtLines(brought, invocation)];
    for (const line of [...does, ...(does.length > 0 ? [""] : [])]) invocation.terminal.print(line);
    printExplanations(invocation, explanations);
  }
  return 0;
}

/** Where a person asks about clocks: the hooks that a clock would set off, if a daemon served their folder. */
const unservedIn = async (
  hooks: readonly Hook[],
  { event, invocation }: { event: HookEvent; invocation: Invocation },
): Promise<Unserved> =>
  event.name === "schedule.due" && waitingForDaemon(hooks).length > 0
    ? unserved(hooks, await daemonHere(storePath(invocation, textFlag(invocation.flags, "store"))))
    : { hooks: [] };

const notServed = "the daemon does not serve its folder, so it never fires: see `hookline doctor`";

/** Hooks judge these lines as they judge calls. */
function broughtLines(lines: readonly MeantLine[], { terminal, cwd, home }: Invocation): string[] {
  if (lines.length === 0) return [];
  return [
    terminal.paint("bold", "lines that an agent would run by itself, judged with the call"),
    ...lines.map(({ line, file }) => `  ${oneLine(line)}: in ${oneLine(shortPath(file, cwd, home))}`),
  ];
}

const otherEvents = (count: number, isMore: boolean): string =>
  `${counted(count, isMore ? "other hook" : "hook")} ${count === 1 ? "listens" : "listen"} to other events (--verbose shows them)`;

function printExplanations(invocation: Invocation, explanations: readonly Explained[]): void {
  const { terminal, cwd, home, flags } = invocation;
  if (explanations.length === 0) {
    terminal.print("no hook is active here: `hookline list` says what to do next");
    return;
  }
  const columns = [
    { title: "would", style: (value: string) => (value === "run" ? ("green" as const) : ("dim" as const)) },
    { title: "hook", fills: true as const },
    { title: "because", fills: true as const },
    { title: "where", fills: true as const },
  ];
  const listening = explanations.filter(({ listens, would }) => flags.verbose === true || listens || would === "run");
  const rows = gathered(listening, ({ would, file }) => (would === "run" ? null : file), invocation).map((shown) => {
    if ("all" in shown)
      return ["skip", `${shown.all.length} hooks`, "none of them would run", whereAll(shown.file, invocation)];
    const { one } = shown;
    return [one.would, one.name, one.because, placeIn(one, { cwd, home })];
  });
  if (rows.length > 0) for (const row of table(terminal, columns, rows)) terminal.print(row);
  const others = explanations.length - listening.length;
  if (others > 0) terminal.print(otherEvents(others, rows.length > 0));
  for (const { name, changed = [] } of explanations)
    for (const file of changed)
      terminal.print(oneLine(`${name}: ${shortPath(file, cwd, home)} has changed since its last run`));
}
