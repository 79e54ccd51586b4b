/** always and never: for a hook without a question, and one switched off without losing its text; and what may be written without parameters. */
import type { ConditionKind } from "../engine/ports.ts";
import { object, type Schema } from "../engine/schema.ts";

/** The same as the schema, and nothing at all counts as an object without keys. */
export const orNothing = <T>(schema: Schema<T>): Schema<T | null> => ({
  json: schema.json,
  check: (value, path) => schema.check(value ?? {}, path),
});

export const noParameters: Schema<object | null> = orNothing(object({}));

/** What is said either way. */
export const because = (reason: string): { holds: string; fails: string } => ({ holds: reason, fails: reason });

export const always: ConditionKind<object | null> = {
  summary: "always",
  params: noParameters,
  reads: "match",
  compile: () => () => true,
  describe: () => "always",
  explain: () => because("the condition is always"),
};

export const never: ConditionKind<object | null> = {
  summary: "never: the rule stays in its file and does nothing",
  params: noParameters,
  reads: "match",
  compile: () => () => false,
  describe: () => "never",
  explain: () => because("the condition is never"),
};
