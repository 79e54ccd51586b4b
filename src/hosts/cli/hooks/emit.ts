/** hookline emit: one event that a person describes, decided. */

import { ignoredByAgent } from "../../../agents/index.ts";
import { HooklineError, messageOf } from "../../../engine/error.ts";
import { depthWithin, type Fields, type HookEvent, payloadAt } from "../../../engine/event.ts";
import { emitRecorded } from "../../../engine/later.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { Run, Store } from "../../../engine/record.ts";
import { isRecord } from "../../../engine/schema.ts";
import { describedEvent } from "../../../operations/event.ts";
import { shownOutcome, shownRuns } from "../../../operations/outcome.ts";
import { systemPorts } from "../../../runtime/system.ts";
import { type ExitCode, type Invocation, textFlag, textOfFile, textOfInput, usageError } from "../command.ts";
import { type Line, openLine } from "../line.ts";
import { painted } from "../operations/paint.ts";
import { sharedStore } from "../place.ts";
import { reportLoaded } from "../report-loaded.ts";
import { type OpenedStore, openStore } from "../store.ts";
import { isPersonThere, oneLine } from "../terminal.ts";

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

function print(invocation: Invocation, { event, outcome, runs, logs }: Sent): void {
  const { terminal, flags } = invocation;
  const verbose = flags.verbose === true;
  for (const line of painted(shownOutcome(event, outcome), invocation)) terminal.print(line);
  for (const { level, message } of logs) terminal.print(`  log      ${level}: ${oneLine(message)}`);
  if (runs.length === 0) {
    if (!event.to) terminal.print(terminal.paint("dim", "no hook matched: `hookline explain` shows why, hook by hook"));
    return;
  }
  terminal.print("");
  for (const line of painted([shownRuns(runs)], invocation)) terminal.print(line);
  if (verbose) for (const line of runs.flatMap(details)) terminal.print(terminal.paint("dim", line));
}

/** What a table has no room for: notes, and what the programs said. */
const details = ({ hookName, notes, steps }: Run): string[] => [
  ...notes.map((note) => oneLine(`${hookName}: note: ${note}`)),
  ...steps.flatMap(({ evidence }) =>
    [evidence?.stdout, evidence?.stderr].flatMap((said) => (said ? [oneLine(`${hookName}: said: ${said}`)] : [])),
  ),
];

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
