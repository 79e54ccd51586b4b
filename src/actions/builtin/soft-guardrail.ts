/** Warns of calls and stops, or blocks them, by rules in the hook's file (specification 001, 4.3.4). */

import { abilityOf, namesOf } from "../../engine/ability.ts";
import { messageOf } from "../../engine/error.ts";
import { type Fields, type Json, textField } from "../../engine/event.ts";
import { compileChangedPatterns } from "../../engine/file-pattern.ts";
import { compileNameGlobs } from "../../engine/glob.ts";
import { environmentName } from "../../engine/hook.ts";
import { nearest } from "../../engine/nearest.ts";
import type { Message, Outcome } from "../../engine/outcome.ts";
import type { Handler, Patterns, StepContext, StepResult } from "../../engine/ports.ts";
import { either, isRecord, listOf, type Mismatch, object, oneOf, type Schema, say, text } from "../../engine/schema.ts";
import { changedPaths, folderParameter, inspectFolder, repositoryOf } from "../repository.ts";
import { handler } from "../step.ts";

type Texts = string | string[];
interface When {
  ability?: Texts;
  operation_key?: Texts;
  environment?: Texts;
  changed_paths?: Texts;
  input?: string;
}
interface Rule {
  when: When;
  do: "warn" | "block";
  message: string;
}
const texts = (description: string): Schema<Texts> => say(either(text(), listOf(text())), description);
const ruleSchema: Schema<Rule> = object({
  when: say(
    object(
      {},
      {
        ability: texts("globs with *, ? and [sets]: the ability is one of these, such as Bash or skill:*"),
        operation_key: texts("globs with *, ? and [sets]: the operation is one of these, such as tool.Bash"),
        environment: texts("names: HOOKLINE_ENV is one of these; it is dev unless set, and ci where CI is set"),
        changed_paths: texts("globs: one of the changed files is one of these; without a slash, in any folder"),
        input: say(text(), "a regular expression, searched in every text that the ability is given"),
      },
    ),
    "all of these have to hold",
  ),
  do: say(oneOf("warn", "block"), "tell the person, or block it"),
  message: text("the text for the person, and the model where it is blocked"),
});

const known = new WeakMap<readonly Rule[], Compiled[]>();
const compiledFor = (rules: readonly Rule[], { ports }: StepContext): Compiled[] => {
  const made = known.get(rules) ?? rules.map((rule) => compileRule(rule, ports.patterns));
  known.set(rules, made);
  return made;
};

export const softGuardrail: Handler = handler({
  params: object(
    {
      rules: say(
        listOf(ruleSchema),
        "checked in this order: the first that blocks ends the check; all that warn before it count",
      ),
    },
    { folder: folderParameter },
  ),
  builtin: {
    summary: "Warns of calls and stops that rules describe, or blocks them.",
    role: ({ rules }) => (Array.isArray(rules) && rules.every(onlyWarns) ? "observe" : "guard"),
    needsOf: ({ rules }) =>
      listed(rules).some(({ when }) => isRecord(when) && when.changed_paths !== undefined) ? ["changes"] : [],
    events: ["PreAbilityCall", "SessionStop"],
  },
  inspect: (params, patterns, origin) => [
    ...inspectRules(params.rules, patterns),
    ...inspectFolder(params.folder, origin),
  ],
  run: ({ rules, folder }, context) => judge(compiledFor(rules, context), context, folder),
});

/** What is neither may have been meant to block. */
const onlyWarns = (rule: unknown): boolean => isRecord(rule) && nearest(String(rule.do), ["warn", "block"]) === "warn";

const listed = (rules: unknown): Record<string, unknown>[] => (Array.isArray(rules) ? rules.filter(isRecord) : []);
const listOfTexts = (value: Texts): readonly string[] => (typeof value === "string" ? [value] : value);

function inspectRules(given: unknown, patterns?: Patterns): Mismatch[] {
  const rules = listed(given);
  if (rules.length === 0) return [{ path: ["rules"], expected: "at least one rule", found: "none" }];
  return rules.flatMap(({ when, message }, index) => [
    ...(isRecord(when) ? inspectWhen(when as When, ["rules", index, "when"], patterns) : []), // the schema has looked at it
    ...(message === "" ? [{ path: ["rules", index, "message"], expected: "a message", found: '""' }] : []),
  ]);
}

function inspectWhen(when: When, path: Mismatch["path"], patterns?: Patterns): Mismatch[] {
  if (Object.keys(when).length === 0) return [{ path, expected: "at least one test", found: "none" }];
  if (!patterns) return [];
  return testsOf(when).flatMap((key): Mismatch[] => {
    try {
      compileTest(key, when, patterns);
      return [];
    } catch (error) {
      return [{ path: [...path, key], expected: "a pattern that can be used", found: messageOf(error) }];
    }
  });
}

interface Facts {
  /** Names of the ability, and the operation; empty where the event is about none. */
  abilities: readonly string[];
  operations: readonly string[];
  environment: string;
  changed(): readonly string[];
  inputs(): readonly string[];
}
type Test = (facts: Facts) => boolean;
interface Compiled {
  rule: Rule;
  holds: Test;
}

function compileRule(rule: Rule, patterns: Patterns): Compiled {
  const compiled = testsOf(rule.when).map((key) => compileTest(key, rule.when, patterns));
  return { rule, holds: (facts) => compiled.every((test) => test(facts)) };
}

/** Each test of `when`, in the order in which they are made. May throw HooklineError pattern_invalid. */
const tests: { readonly [K in keyof Required<When>]: (value: Required<When>[K], patterns: Patterns) => Test } = {
  ability(value) {
    const holds = compileNameGlobs(listOfTexts(value), "ability", "soft_guardrail");
    return ({ abilities }) => holds(abilities);
  },
  operation_key(value) {
    const holds = compileNameGlobs(listOfTexts(value), "operation", "soft_guardrail");
    return ({ operations }) => holds(operations);
  },
  environment: (value) => {
    const names = listOfTexts(value).map((one) => one.trim());
    return ({ environment }) => names.includes(environment);
  },
  input(value, patterns) {
    const holds = patterns.regex(value);
    return ({ inputs }) => inputs().some(holds);
  },
  changed_paths(value, patterns) {
    const holds = compileChangedPatterns(listOfTexts(value), patterns, "soft_guardrail");
    return ({ changed }) => changed().some(holds);
  },
};

const testNames = Object.keys(tests) as (keyof When)[]; // an object's own keys
const testsOf = (when: When): (keyof When)[] => testNames.filter((name) => when[name] !== undefined);

function compileTest<K extends keyof When>(name: K, when: When, patterns: Patterns): Test {
  const value = when[name];
  return value === undefined ? () => true : tests[name](value as Required<When>[K], patterns); // it is not undefined
}

function judge(rules: readonly Compiled[], context: StepContext, folder?: string): StepResult {
  const facts = factsOf(context, folder);
  const warnings: string[] = [];
  for (const { rule, holds } of rules) {
    if (!holds(facts)) continue;
    warnings.push(rule.message);
    if (rule.do === "block") return blocked(rule, warnings, context);
  }
  if (warnings.length === 0) return { ok: true, output: {} };
  return { ok: true, output: { messages_to_user: warnings }, outcome: { messages: warnings.map(toPerson) } };
}

const toPerson = (message: string): Message => ({ to: "person", text: message });

function blocked({ message }: Rule, warnings: readonly string[], { hook }: StepContext): StepResult {
  const outcome: Outcome = { verdict: { is: "deny", reason: message, by: hook.id }, messages: warnings.map(toPerson) };
  return { ok: true, output: { messages_to_user: [...warnings], error: "blocked_by_policy" }, outcome };
}

function factsOf(context: StepContext, folder?: string): Facts {
  const { event, caller } = context;
  const ability = abilityOf(event);
  return {
    abilities: ability ? namesOf(ability, event) : [],
    operations: ability ? [ability.operation] : [],
    environment: environmentName(caller.environment ?? process.env),
    changed: once(() => changedOf(context, folder)),
    inputs: once(() => inputTexts(event.data)),
  };
}

/** What is unknown speaks neither for a rule nor against it: the hook's failure policy decides. */
function changedOf(context: StepContext, folder?: string): readonly string[] {
  const { paths, unknown } = changedPaths(context.event, repositoryOf(context, folder));
  if (unknown !== undefined) throw new Error(`the changed files are not known: ${unknown}`);
  return paths;
}

/** Most rules need neither. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** What the host says of it, and each text in the tool's input, however deep. */
function inputTexts(data: Fields): string[] {
  const said = [textField(data, "planned_input_summary"), textField(data, "input_summary")];
  const texts = [...said.filter((one) => one !== undefined), ...textsIn(data.tool_input)];
  return [...new Set(texts)].filter((one) => one !== "");
}

function textsIn(value: Json | undefined): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
