/**
 * One request of an agent, from payload to reply. The command and the daemon both read, answer and refuse it here, so that
 * both give one verdict.
 */
import { HooklineError, messageOf } from "../engine/error.ts";
import {
  type AgentEventName,
  type EventName,
  type Fields,
  type HookEvent,
  type Instant,
  type Json,
  type MaybePromise,
  textField,
} from "../engine/event.ts";
import { events, resolveEvent } from "../engine/events.ts";
import type { Hook } from "../engine/hook.ts";
import { merge, type Outcome } from "../engine/outcome.ts";
import { listensTo } from "../engine/plan.ts";
import type { Caller } from "../engine/ports.ts";
import { isRecord } from "../engine/schema.ts";
import type { AgentAdapter, DecodeOptions, Places, Reply } from "./adapter.ts";
import { canaryHook, isCanary } from "./canary.ts";
import { agentNamed, agents, runByAgent } from "./index.ts";
import { agentIn, placeOf, textOf } from "./payload.ts";

/** Registered as 660 s with the agent (R50): we answer before it gives up on us. */
export const answersWithin = 650_000;
export const payloadAtMost: number = 64 * 1024 * 1024;

export interface DecodedRequest {
  /** The agent that runs the line, which need not be the one that the line names. */
  adapter: AgentAdapter;
  /** What its reply answers together; none: the agent repeats itself, and gets an empty reply. */
  events: readonly HookEvent[];
  /** Derived events, to be sent before them (R62): no reply reaches the agent from them. */
  derived: readonly HookEvent[];
  /** The payload. */
  wire: unknown;
}

/** @throws HooklineError agent_unknown */
export function adapterOf(name: string | undefined): AgentAdapter {
  const adapter = agentNamed(name);
  if (adapter) return adapter;
  const known = Object.keys(agents).join(", ");
  throw new HooklineError("agent_unknown", { name: name ?? "", where: "hookline hook", known });
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Some agents run the registrations in other agents' files: what runs the line is known by what it sets and sends. */
const callerOf = (named: AgentAdapter, wire: unknown, environment: Environment): AgentAdapter =>
  Object.values(agents).find((one) => one !== named && one.runs?.(wire, environment)) ?? named;

interface Given extends DecodeOptions {
  where: string;
  /** Of the agent; over HTTP none is known. */
  environment: Environment;
  stateFolder: string;
}

/**
 * The events that a payload means.
 *
 * @param named the agent that the registration names
 * @param given where the payload comes from, and what comes with it
 * @throws HooklineError input_invalid, event_unknown
 */
export function readRequest(
  named: AgentAdapter,
  payload: string,
  { where, environment, registration, stateFolder, ...given }: Given,
): DecodedRequest {
  const wire = parsePayload(payload, where);
  const adapter = callerOf(named, wire, environment);
  const by = registration === undefined ? {} : { registration: `${named.name} ${registration}` };
  const events = decoded(adapter, wire, { ...given, ...by, where });
  if (isCanary(events[0]?.session, stateFolder))
    return { adapter, events: events.map((one) => ({ ...one, to: { hook: canaryHook } })), derived: [], wire };
  return { adapter, events, derived: events.flatMap((event) => adapter.derived?.(event, given.id) ?? []), wire };
}

/** @throws HooklineError input_invalid, event_unknown */
function decoded(
  adapter: AgentAdapter,
  wire: unknown,
  options: DecodeOptions & { where: string },
): readonly HookEvent[] {
  try {
    return adapter.decode(wire, options);
  } catch (error) {
    const isUnknown = error instanceof HooklineError && error.code === "event_unknown";
    const newer = isUnknown ? newerEvents(adapter, wire, options) : undefined;
    if (newer === undefined) throw error;
    return newer;
  }
}

/** Until when these have to be answered, so that the agent does not give up before. */
export function deadlineOf({
  adapter: { patience = {} },
  events,
}: Pick<DecodedRequest, "adapter" | "events">): Instant {
  const [first] = events;
  const own = first && patience[first.name as AgentEventName]; // a key of the table, or there is none
  return (first?.at ?? 0) + (own === undefined ? answersWithin : own * 1000 * 0.8);
}

/** The reply to what they came to. Never throws. */
export const replyTo = ({ adapter, events: [first], wire }: DecodedRequest, outcome: Outcome): Reply =>
  first ? repliedAsSent(first, adapter.encode(first, outcome, wire)) : { exitCode: 0 };

/** At once where no hook waits. Never throws or rejects, as the engine does not. */
export function decideRequest(
  { events, derived }: Pick<DecodedRequest, "events" | "derived">,
  emit: (event: HookEvent, caller: Caller) => MaybePromise<Outcome>,
  caller: Caller,
): MaybePromise<Outcome> {
  const [first] = events;
  if (derived.length === 0 && events.length < 2) return first ? emit(first, caller) : {};
  return oneByOne([...derived, ...events], new Set(events), { emit, caller });
}

/** The events of one payload come to one outcome: a refusal of one refuses them all, so those behind it are not judged. */
async function oneByOne(
  all: readonly HookEvent[],
  judged: ReadonlySet<HookEvent>,
  { emit, caller }: { emit: (event: HookEvent, caller: Caller) => MaybePromise<Outcome>; caller: Caller },
): Promise<Outcome> {
  let outcome: Outcome = {};
  for (const one of all) {
    const own = await emit(one, caller);
    if (judged.has(one)) outcome = merge(outcome, own);
    if (outcome.verdict?.is === "deny") break;
  }
  return outcome;
}

/** With exit 2 standard error is the reason that the model reads: nothing else may stand there. */
export const withWarnings = (reply: Reply, complaints: readonly string[]): Reply =>
  reply.exitCode === 2 || complaints.length === 0 ? reply : { ...reply, stderr: complaints.join("\n") };

/** What a process prints for it, on standard output and standard error. */
export const printed = ({ body, stderr }: Reply): { out: string; error: string } => ({
  out: body === undefined ? "" : typeof body === "string" ? withoutNul(body) : `${JSON.stringify(body)}\n`,
  error: stderr ? `${withoutNul(stderr)}\n` : "",
});

/** No shell can pass it on: the client in bash would find the answer too short, and take it for lost. JSON never holds it. */
const withoutNul = (text: string): string => text.replaceAll("\0", "");

/** The reply to it; refused: it is a refusal, for this reason, as a sender over HTTP sees no exit code. */
export type Unanswered = Reply & { refused?: string };

/** A request that could not be read or decided, as far as it is known. */
interface Undecided {
  agent: string | undefined;
  /** The event that the registration names. */
  event: string | undefined;
  /** The hooks that are active there; absent: no file of theirs can be read. */
  hooks: readonly Hook[] | undefined;
  /** Install has registered the event as one on which a guard waits: that counts where no hook is known. */
  guarded?: boolean;
  places: Places;
}

/** Nothing to say, or a block where a guard waits for this event (R59). An unknown event may concern any guard. */
export function unanswerable(error: unknown, undecided: Undecided): Unanswered {
  const stderr = `hookline: ${messageOf(error)}`;
  const isUnknown = error instanceof HooklineError && error.code === "event_unknown";
  if (!isGuarded(isUnknown ? { ...undecided, event: undefined } : undecided)) return { exitCode: 0, stderr };
  const adapter = agentNamed(undecided.agent);
  const what = isUnknown ? "a guard is active and may be meant" : "a guard is active for this event";
  const reason = `${stderr} (${what}, so it is blocked)`;
  const names = undecided.event === undefined ? undefined : resolveEvent(undecided.event);
  const named = adapter && [...adapter.sends].find((name) => names?.includes(name));
  return { ...(adapter?.refuse(reason, named) ?? { exitCode: 2, stderr: reason }), refused: reason };
}

/** Whether a guard of ours waits for this event; of an event without a name, for any. */
export function isGuarded({ agent, event, hooks, guarded = false, places }: Undecided): boolean {
  if (hooks === undefined) return guarded;
  const names = event === undefined ? undefined : resolveEvent(event);
  return hooks.some(
    (one) =>
      one.enabled &&
      one.onFailure === "block" &&
      (names === undefined ? "event" in one.on : names.some((name) => listensTo(one, name))) &&
      !(agent && runByAgent(one, agent, places)),
  );
}

/** Deeper input than any agent sends would exhaust the stack of those who read it. */
const nestingAtMost = 2_000;

/** @throws HooklineError input_invalid */
function parsePayload(text: string, where: string): unknown {
  if (nestingOf(text) > nestingAtMost)
    throw new HooklineError("input_invalid", {
      reason: "it is nested too deeply",
      where,
      advice: "send what is nested less deeply",
    });
  try {
    return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch (error) {
    throw new HooklineError("input_invalid", { reason: messageOf(error), where }, { cause: error });
  }
}

/** An upper bound: brackets inside strings count too, where they hardly ever go so deep. */
function nestingOf(text: string): number {
  if (text.length < nestingAtMost) return 0;
  if (text.split("[").length + text.split("{").length < nestingAtMost) return 0; // hardly any payload holds so many
  let depth = 0;
  let deepest = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index) | 32; // [ and { differ in this bit, and so do ] and }
    if (unit === 123) deepest = Math.max(deepest, ++depth);
    else if (unit === 125) depth -= 1;
  }
  return deepest;
}

// Events of a known agent that are newer than this Hookline (R104). What asks before a tool runs is judged as PreToolUse, and answered
// under the agent's own name; all else is recorded. Apart from the adapters, which need not know of it.

const judgedAs = "PreToolUse";
/** Nothing is known of what it obeys: the two answers that can do no harm, and no other input. */
const verdicts = ["deny", "ask"] as const;

/**
 * What a payload means whose event the adapter does not know; undefined: it can be none that is newer.
 *
 * @throws HooklineError input_invalid
 */
function newerEvents(
  adapter: AgentAdapter,
  wire: unknown,
  options: DecodeOptions & { where: string },
): readonly HookEvent[] | undefined {
  if (!isRecord(wire)) return undefined;
  const { session_id, cwd, hook_event_name, ...data } = wire as Fields; // parsed from JSON
  const called = textOf(hook_event_name) ?? options.event;
  if (called === undefined || !isName.test(called) || Object.hasOwn(Object.prototype, called) || resolveEvent(called))
    return undefined;
  if (isCall(called, data)) {
    const { editor } = adapter.settings;
    const name = (editor.is === "JSON groups" && editor.names?.[judgedAs]) || judgedAs;
    const judged = adapter.decode({ ...wire, hook_event_name: name }, { ...options, event: name });
    return judged.map(({ delivery: _ofAnother, ...event }) => ({
      ...event,
      data: { ...event.data, hook_event_name: called },
      accepts: ["verdict"],
      verdicts: verdicts.filter((is) => event.verdicts?.includes(is) ?? true),
    }));
  }
  // What is registered for an event that is known here is no newer one: it is that event, and cannot be read.
  if (options.event !== undefined && resolveEvent(options.event)) return undefined;
  const session = textOf(session_id);
  const name: EventName = `${adapter.name}.${called}`;
  return [
    {
      ...{ id: options.id(), name, at: options.at, data, sender: adapter.name, accepts: [] },
      ...placeOf({ session, cwd, given: options.cwd, where: options.where }),
      ...agentIn(data),
    },
  ];
}

const isName = /^\w[\w-]*$/;

const isCall = (called: string, { tool_name, tool_input }: Fields): boolean =>
  /^(?:pre|before)/i.test(called) && textOf(tool_name) !== undefined && isRecord(tool_input);

/** The agent reads an answer under the name that it sent. */
export function namedAsSent({ name, data }: HookEvent, body: Json | undefined): Json | undefined {
  const called = Object.hasOwn(events, name) ? textField(data, "hook_event_name") : undefined;
  if (called === undefined || !isRecord(body) || !isRecord(body.hookSpecificOutput)) return body;
  const { hookEventName, ...rest } = body.hookSpecificOutput as Fields; // an adapter made it
  return hookEventName === undefined ? body : { ...body, hookSpecificOutput: { hookEventName: called, ...rest } };
}

function repliedAsSent(event: HookEvent, reply: Reply): Reply {
  const body = namedAsSent(event, reply.body);
  return body === undefined ? reply : { ...reply, body };
}
