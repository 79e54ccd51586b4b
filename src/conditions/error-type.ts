/** error_type: a regular expression in the type or the message of the error (D42, R13). */
import type { Fields } from "../engine/event.ts";
import { compilePlainExpression } from "../engine/plain-expression.ts";
import type { ConditionKind, Scope } from "../engine/ports.ts";
import { isRecord, object, text } from "../engine/schema.ts";
import { errorClassOf } from "./error-class.ts";

type Params = { match: string };

interface Told {
  type: string;
  /** The event's own words. */
  texts: readonly string[];
}

/** What is known of an error, if there is any: the event's own, else the turn's last. */
export function errorOf({ event: { data }, turn }: Scope): Told | undefined {
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

const textsOf = ({ type, texts }: Told): readonly string[] => [type, ...texts.map((one) => one.slice(0, longest))];
const clip = (value: string): string => (value.length > 80 ? `${value.slice(0, 79)}…` : value);

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
      const none = `there is no error, and the pattern is ${match}`;
      return { holds: none, fails: none };
    }
    const [message] = error.texts;
    const told = `the error is ${error.type}${message === undefined ? "" : `: ${clip(message)}`}`;
    return { holds: `${told} — which fits ${match}`, fails: `${told} — which does not fit ${match}` };
  },
};
