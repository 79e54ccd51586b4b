/**
 * One request of an agent, from payload to reply. The command and the daemon both read, answer and refuse it here, so that
 * both give one verdict.
 */
import { HooklineError, messageOf } from "../engine/error.ts";
import type { HookEvent, MaybePromise } from "../engine/event.ts";
import { resolveEvent } from "../engine/events.ts";
import type { Hook } from "../engine/hook.ts";
import type { Outcome } from "../engine/outcome.ts";
import { listensTo } from "../engine/plan.ts";
import type { Caller } from "../engine/ports.ts";
import type { AgentAdapter, DecodeOptions, Places, Reply } from "./adapter.ts";
import { agentNamed, agents, runByAgent } from "./index.ts";

/** Registered as 660 s with the agent (R50): we answer before it gives up on us. */
export const answersWithin = 650_000;
export const payloadAtMost: number = 64 * 1024 * 1024;

export interface DecodedRequest {
  adapter: AgentAdapter;
  event: HookEvent;
  /** Derived events, to be sent before it (R62): no reply reaches the agent from them. */
  derived: readonly HookEvent[];
}

/** @throws HooklineError agent_unknown */
export function adapterOf(name: string | undefined): AgentAdapter {
  const adapter = agentNamed(name);
  if (adapter) return adapter;
  const known = Object.keys(agents).join(", ");
  throw new HooklineError("agent_unknown", { name: name ?? "", where: "hookline hook", known });
}

/**
 * The event that a payload means.
 *
 * @param given where the payload comes from, and what comes with it
 * @throws HooklineError input_invalid, event_unknown
 */
export function readRequest(
  adapter: AgentAdapter,
  payload: string,
  { where, id, ...given }: Omit<DecodeOptions, "id"> & { where: string; id: () => string },
): DecodedRequest {
  const event = adapter.decode(parsePayload(payload, where), { ...given, id: id() });
  return { adapter, event, derived: adapter.derived?.(event, id) ?? none };
}
const none: readonly HookEvent[] = [];

/** At once where no hook waits. Never throws or rejects, as the engine does not. */
export function decideRequest(
  { event, derived }: Pick<DecodedRequest, "event" | "derived">,
  emit: (event: HookEvent, caller: Caller) => MaybePromise<Outcome>,
  caller: Caller,
): MaybePromise<Outcome> {
  return derived.length === 0 ? emit(event, caller) : oneByOne([...derived, event], emit, caller);
}

async function oneByOne(
  all: readonly HookEvent[],
  emit: (event: HookEvent, caller: Caller) => MaybePromise<Outcome>,
  caller: Caller,
): Promise<Outcome> {
  let last: Outcome = {};
  for (const one of all) last = await emit(one, caller);
  return last;
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
  return { ...(adapter?.refuse(reason) ?? { exitCode: 2, stderr: reason }), refused: reason };
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
    throw new HooklineError("input_invalid", { reason: "it is nested too deeply", where });
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
