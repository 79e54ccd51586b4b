/** content_contains: a text in what the user or the model said, or in the tool call itself (D41, R13). */
import type { Json } from "../engine/event.ts";
import type { ConditionKind, Scope } from "../engine/ports.ts";
import { flag, kindOf, object, type Schema, say } from "../engine/schema.ts";
import { holdsText } from "./text-search.ts";

type Params = { keyword: string; case_sensitive?: boolean };
type Holds = (text: string) => boolean;

/** An empty text is in every text, so it asks for nothing. */
const keyword: Schema<string> = {
  json: { type: "string", minLength: 1, description: "the text to look for" },
  check: (value, path = []) =>
    typeof value === "string" && value !== ""
      ? []
      : [{ path, expected: "a text that is not empty", found: kindOf(value) }],
};

/** Where one looks, in a person's words. */
const places: readonly { name: string; holds(scope: Scope, holds: Holds): boolean }[] = [
  { name: "the user's message", holds: ({ event, turn }, holds) => inEither(event.data.prompt, turn.prompt, holds) },
  {
    name: "the model's answer",
    holds: ({ event, turn }, holds) => inEither(event.data.last_assistant_message, turn.answer, holds),
  },
  {
    name: "the tool call",
    holds: ({ event: { data } }, holds) => data.tool_input !== undefined && inStrings(data.tool_input, holds, 0),
  },
];

const inEither = (own: Json | undefined, known: string, holds: Holds): boolean =>
  (typeof own === "string" && holds(own)) || (known !== own && holds(known));

/** Deeper than any tool's input. */
const deepest = 64;

function inStrings(value: Json, holds: Holds, depth: number): boolean {
  if (typeof value === "string") return holds(value);
  if (typeof value !== "object" || value === null || depth > deepest) return false;
  if (Array.isArray(value)) return value.some((one) => inStrings(one, holds, depth + 1));
  for (const key in value) {
    const one = value[key];
    if (typeof one === "string" ? holds(one) : one && inStrings(one, holds, depth + 1)) return true;
  }
  return false;
}

/** For longer ones the time would no longer be the text's length alone. */
const longestExpression = 64;

/** A literal expression is several times as fast as making the text small first. */
function compileHolds({ keyword, case_sensitive = false }: Params): Holds {
  if (case_sensitive) return (text) => holdsText(text, keyword);
  if (keyword.length <= longestExpression) {
    const expression = new RegExp(keyword.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "iu");
    return (text) => expression.test(text);
  }
  const wanted = keyword.toLowerCase();
  return (text) => holdsText(text.toLowerCase(), wanted);
}

/** The same text is asked about at every event of a turn. */
function rememberLast(holds: Holds): Holds {
  let last = "";
  let answer = holds("");
  return (text) => {
    if (text !== last) {
      answer = holds(text);
      last = text;
    }
    return answer;
  };
}

const quoted = (params: Params): string => JSON.stringify(params.keyword);

export const contentContains: ConditionKind<Params> = {
  summary: "the user's message, the model's answer or the tool call holds this text",
  params: object({ keyword }, { case_sensitive: say(flag, "whether capitals count", false) }),
  compile(params) {
    const holds = compileHolds(params);
    const [inPrompt, inAnswer] = [rememberLast(holds), rememberLast(holds)];
    return ({ event: { data }, turn }) =>
      inEither(data.prompt, turn.prompt, inPrompt) ||
      inEither(data.last_assistant_message, turn.answer, inAnswer) ||
      (data.tool_input !== undefined && inStrings(data.tool_input, holds, 0));
  },
  describe: (params) => `the conversation or the tool call holds ${quoted(params)}`,
  explain(params, scope) {
    const holds = compileHolds(params);
    const place = places.find((one) => one.holds(scope, holds))?.name ?? "";
    return {
      holds: `${place} holds ${quoted(params)}`,
      fails: `neither ${places.map(({ name }) => name).join(" nor ")} holds ${quoted(params)}`,
    };
  },
};
