/** How an outcome becomes an answer: one way for all agents, over each agent's own table of events and the words that it reads. */
import { blocked } from "../actions/command/protocols/settings-keys.ts";
import type { AgentEventName, Fields, HookEvent } from "../engine/event.ts";
import type { Message, Outcome, OutcomeField, VerdictKind } from "../engine/outcome.ts";
import type { Reply } from "./adapter.ts";

/** What an agent takes as an answer to one event. */
export interface ReplyRow<Refusal extends string = string> {
  /** How the event is refused; absent: it cannot be. "continue": refusing means that the agent goes on. */
  refuses?: Refusal;
  accepts: readonly OutcomeField[];
  /** The verdicts that it obeys, where these are fewer than the event's. */
  verdicts?: readonly VerdictKind[];
  /** The agent's own name for the event, where that is not ours. */
  is?: string;
}
export type ReplyRows<Row extends ReplyRow> = Readonly<Partial<Record<AgentEventName, Row>>>;

/** What is answered: the event, and the payload that it came as. */
interface Answered {
  event: HookEvent;
  wire: unknown;
}

/** The keys of an answer. `row.accepts` is what the event takes, and the outcome holds nothing else. */
interface Words<Row extends ReplyRow> {
  top(row: Row, outcome: Outcome, answered: Answered): Fields;
  /** Those of `hookSpecificOutput`, beside the name of the event. */
  specific?(row: Row, outcome: Outcome, answered: Answered): Fields;
  /** Absent: what the row says. */
  accepts?(event: HookEvent, row: Row): readonly OutcomeField[];
}

export interface Replies<Row extends ReplyRow> {
  /** In the order of the table, which is that in which they are registered. */
  events: readonly AgentEventName[];
  capabilities: Readonly<Partial<Record<AgentEventName, readonly OutcomeField[]>>>;
  verdicts: Readonly<Partial<Record<AgentEventName, readonly VerdictKind[]>>>;
  rowNamed(name: HookEvent["name"] | undefined): Row | undefined;
  /** What the event does not take is left out. Undefined: there is nothing to say. */
  bodyOf(event: HookEvent, outcome: Outcome, wire?: unknown): Fields | undefined;
  encode(event: HookEvent, outcome: Outcome, wire?: unknown): Reply;
  /**
   * The refusal of what cannot be judged. What would make the agent go on is not refused, as nothing would ever end that: the person is
   * told where the event can say it. Of an event without a name only the exit code says it.
   */
  refuse(reason: string, name: AgentEventName | undefined): Reply;
}

export function createReplies<Row extends ReplyRow>(rows: ReplyRows<Row>, words: Words<Row>): Replies<Row> {
  const all = Object.entries(rows) as [AgentEventName, Row][]; // the table's keys
  const rowNamed: Replies<Row>["rowNamed"] = (name) =>
    name !== undefined && Object.hasOwn(rows, name) ? rows[name as AgentEventName] : undefined; // a key of the table
  const bodyOf: Replies<Row>["bodyOf"] = (event, outcome, wire) => {
    const row = rowNamed(event.name);
    if (!row) return undefined;
    const own = { ...row, accepts: words.accepts?.(event, row) ?? row.accepts };
    const taken = onlyAccepted(outcome, own.accepts);
    const specific = words.specific?.(own, taken, { event, wire }) ?? {};
    const body: Fields = {
      ...words.top(own, taken, { event, wire }),
      ...(isEmpty(specific) ? {} : { hookSpecificOutput: { hookEventName: row.is ?? event.name, ...specific } }),
    };
    return isEmpty(body) ? undefined : body;
  };
  const encode: Replies<Row>["encode"] = (event, outcome, wire) => {
    const body = bodyOf(event, outcome, wire);
    return body ? { body, exitCode: 0 } : nothing;
  };
  return {
    events: all.map(([name]) => name),
    capabilities: Object.fromEntries(all.map(([name, { accepts }]) => [name, accepts])),
    verdicts: Object.fromEntries(all.flatMap(([name, { verdicts }]) => (verdicts ? [[name, verdicts]] : []))),
    rowNamed,
    bodyOf,
    encode,
    refuse(reason, name) {
      const row = rowNamed(name);
      if (name === undefined || !row) return refuseByExit(reason);
      const isRefused = row.refuses !== undefined && row.refuses !== "continue";
      if (isRefused) return encode(eventNamed(name), denial(reason));
      return row.accepts.includes("messages")
        ? { body: { systemMessage: reason }, exitCode: 0 }
        : { stderr: reason, exitCode: 0 };
    },
  };
}

export const nothing: Reply = { exitCode: 0 };
/** Exit 2 refuses each event that can be refused, and is shown for the others. */
export const refuseByExit = (reason: string): Reply => ({ stderr: reason, exitCode: 2 });

/** Of what cannot be judged only the name is known. */
export const eventNamed = (name: AgentEventName): HookEvent => ({
  id: "",
  name,
  at: 0,
  cwd: "/",
  data: {},
  sender: "",
});
export const denial = (reason: string): Outcome => ({ verdict: { is: "deny", reason, by: "hookline" } });

const isEmpty = (fields: Fields): boolean => Object.keys(fields).length === 0;

export const onlyAccepted = (outcome: Outcome, accepts: readonly OutcomeField[]): Outcome =>
  Object.fromEntries(accepts.map((field) => [field, outcome[field]]).filter(([, value]) => value !== undefined));

/** Messages as text, to one reader or to both. */
export const texts = (messages: readonly Message[] | undefined, to?: Message["to"]): string[] =>
  (messages ?? [])
    .filter((one) => to === undefined || one.to === to)
    .map((one) => (one.title ? `${one.title}: ${one.text}` : one.text));

/** All that is for the model, as one text (C39); "" is nothing. */
export const contextOf = ({ context = [], messages }: Outcome): string =>
  [...context, ...texts(messages, "model")].join("\n");

/** Why it is denied. Agents take a reason of blanks for none, and some let the call run then. */
export const reasonOf = ({ verdict }: Outcome, otherwise: string = blocked): string =>
  verdict?.reason?.trim() ? verdict.reason : otherwise;

/** The words that most agents have taken over from Claude Code. */
export const stopped = ({ stop }: Outcome): Fields => ({
  ...(stop && { continue: false, ...(stop.reason && { stopReason: stop.reason }) }),
});
/** What is for the model stands here where the event has no other place for it. */
export function shown({ accepts }: Pick<ReplyRow, "accepts">, { messages }: Outcome): Fields {
  const all = texts(messages, accepts.includes("context") ? "person" : undefined);
  return { ...(all.length > 0 && { systemMessage: all.join("\n") }) };
}
export function additional({ accepts }: Pick<ReplyRow, "accepts">, outcome: Outcome): Fields {
  const context = accepts.includes("context") ? contextOf(outcome) : "";
  return { ...(context && { additionalContext: context }) };
}
export function permission(outcome: Outcome): Fields {
  const { verdict } = outcome;
  if (!verdict) return {};
  const reason = verdict.is === "deny" ? reasonOf(outcome) : verdict.reason;
  return { permissionDecision: verdict.is, ...(reason && { permissionDecisionReason: reason }) };
}
