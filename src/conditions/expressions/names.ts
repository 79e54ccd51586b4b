/** The names that an expression begins with (D43, R64): what each means, and where it is read. One table, for documentation too. */
import { type Fields, type Json, textField } from "../../engine/event.ts";
import { rowOf } from "../../engine/events.ts";
import type { Scope } from "../../engine/ports.ts";
import { isRecord } from "../../engine/schema.ts";
import { classOf, pathOfCall } from "../../engine/tools.ts";
import { hasToolFailed } from "../errors.ts";
import { pressureOf } from "../turn.ts";
import { float, type Value } from "./values.ts";

export interface RootName {
  /** For the documentation. */
  summary: string;
  read(scope: Scope): Value;
  /** The same as reading it whole and taking one attribute. */
  attribute?(scope: Scope, name: string): Value;
  /** All that it has, where that is known: of another name `check` says that it is always None. */
  parts?: readonly string[];
  /** What enrich has to look up for it. */
  needs?: string;
}

/** Payloads are JSON, and what else an embedder puts into one counts as None. */
const given = (value: unknown): Value => (value ?? null) as Value;
const fieldOf = (data: Fields, name: string): Value => (Object.hasOwn(data, name) ? given(data[name]) : null);

const turnNumber: RootName = {
  summary: "user prompts so far",
  needs: "turns",
  read: ({ turn }) => turn.number,
};
const toolCalls: RootName = { summary: "tool calls of this turn", read: ({ turn }) => turn.toolCalls };
const messages: RootName = {
  summary: "messages of the conversation",
  needs: "messages",
  read: ({ turn }) => turn.messages,
};
const tokens: RootName = {
  summary: "tokens in the context",
  needs: "tokens",
  read: ({ turn }) => given(turn.tokens),
};

const toolParts: { readonly [name: string]: (data: Fields) => Value } = {
  name: (data) => fieldOf(data, "tool_name"),
  class: (data) => classOf(textField(data, "tool_name") ?? "") ?? null,
  params: (data) => withPath(fieldOf(data, "tool_input"), data.tool_input),
  result: (data) => fieldOf(data, "tool_response"),
  error: (data) => fieldOf(data, "error"),
};

/** `tool.params.path` is the file that the call is about, as in placeholders. */
function withPath(params: Value, input: Json | undefined): Value {
  const path = isRecord(input) && !Object.hasOwn(input, "path") ? pathOfCall(input) : undefined;
  return path === undefined ? params : given({ ...(input as Fields), path }); // a record: looked at above
}

const agentOf = ({ event, turn }: Scope): { id: Value; type: Value } => {
  const agent = event.agent ?? turn.agent;
  return { id: given(agent?.id), type: given(agent?.type) };
};

export const rootNames: { readonly [name: string]: RootName } = {
  turn: turnNumber,
  turn_count: turnNumber,
  turns: turnNumber,
  tools: toolCalls,
  tool_calls: toolCalls,
  messages,
  message_count: messages,
  pressure: {
    summary: "tokens divided by the window",
    needs: "tokens",
    read: ({ turn }) => {
      const pressure = pressureOf(turn);
      return pressure === undefined ? null : float(pressure);
    },
  },
  tokens,
  tokens_used: tokens,
  max_tokens: { summary: "tokens that the context holds", needs: "tokens", read: ({ turn }) => given(turn.window) },
  max_turns: { summary: "turns that the agent may take", needs: "turns", read: ({ turn }) => given(turn.maxTurns) },
  open_tasks: { summary: "tasks that are not done", needs: "tasks", read: ({ turn }) => given(turn.openTasks) },
  tool_failed: { summary: "whether the tool call failed", read: hasToolFailed },
  tool: {
    summary: "the tool call: name, class, params, result, error; None where the event has none",
    parts: Object.keys(toolParts),
    read: ({ event: { data, name } }) =>
      rowOf(name).matchTool
        ? Object.fromEntries(Object.entries(toolParts).map(([part, read]) => [part, read(data)]))
        : null,
    attribute: ({ event: { data, name } }, part) =>
      rowOf(name).matchTool && Object.hasOwn(toolParts, part) ? (toolParts[part]?.(data) ?? null) : null,
  },
  event: {
    summary: "the payload's fields, and name: the event's own",
    read: ({ event }) => ({ ...(event.data as Record<string, Value>), name: event.name }),
    attribute: ({ event }, field) => (field === "name" ? event.name : fieldOf(event.data, field)),
  },
  session: { summary: "the session's id", read: ({ event }) => given(event.session) },
  agent: {
    summary: "who works: id, type",
    parts: ["id", "type"],
    read: agentOf,
    attribute: (scope, part) => (part === "id" || part === "type" ? agentOf(scope)[part] : null),
  },
  prompt: {
    summary: "the user's message; empty where there is none",
    read: ({ event, turn }) => textField(event.data, "prompt") ?? turn.prompt,
  },
  answer: {
    summary: "the model's last answer; empty where there is none",
    read: ({ event, turn }) => textField(event.data, "last_assistant_message") ?? turn.answer,
  },
  error: {
    summary: "the event's error, else the last one of the turn, else None",
    read: (scope) => {
      const error = fieldOf(scope.event.data, "error");
      return error === null || error === "" ? scope.turn.error || null : error;
    },
  },
};
