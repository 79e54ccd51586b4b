/** Conditions on what went wrong: error_type, an expression in the error's type or message (D42, R13), and tool_failed (D40). */

import type { Fields } from "../engine/event.ts";
import { eventToEmit, hasFailed, resolveEvent } from "../engine/events.ts";
import { compilePlainExpression } from "../engine/glob.ts";
import { shortened } from "../engine/one-line.ts";
import type { ConditionKind, Scope } from "../engine/ports.ts";
import { isRecord, object, text } from "../engine/schema.ts";
import { because, noParameters } from "./constant.ts";

type Params = { match: string };

interface KnownError {
  type: string;
  /** The event's own words. */
  texts: readonly string[];
}

/** What is known of an error, if there is any: the event's own, else the turn's last. */
export function errorOf({ event: { data }, turn }: Scope): KnownError | undefined {
  const error: Fields = isRecord(data.error) ? data.error : { message: data.error ?? null };
  const own = [error.message, data.error_details].filter(isFilled);
  const type = [data.error_type, error.type, error.name].find(isFilled);
  const texts = own.length > 0 || type !== undefined ? own : [turn.error].filter(isFilled);
  if (texts.length === 0 && type === undefined) return undefined;
  return { type: type ?? errorClassOf(texts.join("\n")), texts };
}

const isFilled = (value: unknown): value is string => typeof value === "string" && value !== "";

/** What is longer is no message; searching takes its length. */
const longest = 100_000;

const textsOf = ({ type, texts }: KnownError): readonly string[] => [
  type,
  ...texts.map((one) => one.slice(0, longest)),
];
const clip = (value: string): string => shortened(value, 80);

export const errorType: ConditionKind<Params> = {
  summary: "an error of this type or with this message has happened",
  params: object({ match: text("a linear regular expression, searched in the error's type and in its message") }),
  compile({ match }, patterns) {
    const holds = compilePlainExpression(match) ?? patterns.regex(match);
    return (scope) => {
      const error = errorOf(scope);
      return error !== undefined && textsOf(error).some(holds);
    };
  },
  describe: ({ match }) => `the error fits ${match}`,
  explain({ match }, scope) {
    const error = errorOf(scope);
    if (!error) {
      return because(`there is no error, and the pattern is ${match}`);
    }
    const [message] = error.texts;
    const known = `the error is ${error.type}${message === undefined ? "" : `: ${clip(message)}`}`;
    return { holds: `${known} — which fits ${match}`, fails: `${known} — which does not fit ${match}` };
  },
};

/** What kind of error a text describes (DT31), for events that do not say it themselves. */
const errorClasses = ["rate_limit", "billing", "context_overflow", "timeout", "auth", "network", "internal"] as const;
type ErrorClass = (typeof errorClasses)[number];

/** The first that fits. Billing stands before auth and network, whose words such errors also hold. */
const rows: readonly { is: ErrorClass; words: RegExp }[] = [
  { is: "rate_limit", words: /\b429\b|rate[ _-]?limit|too many requests|overloaded/i },
  {
    is: "billing",
    words: /\b402\b|billing|insufficient (?:balance|quota|funds|credit)|out of credit|payment required/i,
  },
  {
    is: "context_overflow",
    words: /context[ _-]?(?:overflow|length|window)|prompt is too long|too many tokens|maximum context/i,
  },
  { is: "timeout", words: /\b(?:408|504)\b|time[ _-]?d?[ _-]?out|deadline exceeded|ETIMEDOUT/i },
  {
    is: "auth",
    words: /\b(?:401|403)\b|unauthori[sz]ed|authenticat|forbidden|permission denied|invalid (?:api[ _-]?)?key/i,
  },
  {
    is: "network",
    words: /connection|network|unreachable|socket hang up|fetch failed|ECONN[A-Z]+|ENOTFOUND|EAI_AGAIN|\bdns\b/i,
  },
];

export const errorClassOf = (text: string): ErrorClass => rows.find(({ words }) => words.test(text))?.is ?? "internal";

const ends: ReadonlySet<string> = new Set(resolveEvent("tool_end"));
const failure = eventToEmit("tool_end", { error: "" });

/** Where a call has just ended, its own end; on other events, how the turn's last call ended. */
export const hasToolFailed = ({ event, turn }: Scope): boolean =>
  event.name === failure || (ends.has(event.name) ? hasFailed(event.data) : turn.toolFailed);

export const toolFailed: ConditionKind<object | null> = {
  summary: "the tool call failed",
  params: noParameters,
  compile: () => hasToolFailed,
  describe: () => "the tool call failed",
  explain: (_params, { event }) =>
    ends.has(event.name)
      ? { holds: "the tool call failed", fails: "the tool call did not fail" }
      : { holds: "the turn's last tool call failed", fails: "the turn's last tool call did not fail" },
};
