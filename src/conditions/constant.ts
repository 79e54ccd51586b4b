/** always and never: for a hook without a question, and for one that is switched off without losing its text. */
import type { ConditionKind } from "../engine/ports.ts";
import { noParameters } from "./parameters.ts";

const because = (reason: string): { holds: string; fails: string } => ({ holds: reason, fails: reason });

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
