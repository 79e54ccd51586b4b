/** The table of conditions: name → kind, one line each; and a hook's condition in words, by what each kind says of itself. */
import type { Condition, Hook } from "../engine/hook.ts";
import type { ConditionKind } from "../engine/ports.ts";
import { bringsLines } from "./brings-lines.ts";
import { changedFiles } from "./changed-files.ts";
import { always, never } from "./constant.ts";
import { contentContains } from "./content-contains.ts";
import { effects, shell } from "./effects.ts";
import { errorType, toolFailed } from "./errors.ts";
import { expression } from "./expressions/expression.ts";
import { loosens } from "./loosens.ts";
import { reroutes } from "./reroutes.ts";
import { settingsConditions } from "./settings-conditions.ts";
import { ability, minDuration, operationKey, toolName } from "./tools-and-abilities.ts";
import { contextPressure, messageCount, toolCalls, turnCount } from "./turn.ts";
import { writesTo } from "./writes-to.ts";
import { agent, ofProject, skipFlagsHold } from "./written-by-formats.ts";

const kinds = {
  ability,
  agent,
  min_duration: minDuration,
  operation_key: operationKey,
  always,
  never,
  context_pressure: contextPressure,
  turn_count: turnCount,
  tool_calls: toolCalls,
  message_count: messageCount,
  tool_name: toolName,
  tool_failed: toolFailed,
  content_contains: contentContains,
  error_type: errorType,
  expression,
  changed_files: changedFiles,
  of_project: ofProject,
  skip_flags: skipFlagsHold,
  writes_to: writesTo,
  brings_lines: bringsLines,
  loosens,
  reroutes,
  shell,
  effects,
};

/** Each kind takes only parameters that its own schema has passed, which is what compileCondition sees to. */
export const conditions: ReadonlyMap<string, ConditionKind> = new Map([
  ...settingsConditions,
  ...(Object.entries(kinds) as [string, ConditionKind][]),
]);

/** The hook's condition on one line, for lists. */
export const whenOf = (hook: Hook): string => (hook.when ? describe(hook.when) : "always");

function describe(condition: Condition): string {
  if ("all" in condition) return condition.all.map(describe).join(" and ") || "always";
  if ("any" in condition) return `(${condition.any.map(describe).join(" or ")})`;
  if ("not" in condition) return `not ${describe(condition.not)}`;
  const kind: ConditionKind | undefined = conditions.get(condition.is);
  return kind?.describe?.(condition.with ?? null) ?? condition.is;
}
