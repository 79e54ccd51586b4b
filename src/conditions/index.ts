/** The table of conditions: name → kind. One line each. */
import type { ConditionKind } from "../engine/ports.ts";
import { ability, operationKey } from "./ability.ts";
import { agent } from "./agent.ts";
import { changedFiles } from "./changed-files.ts";
import { always, never } from "./constant.ts";
import { contentContains } from "./content-contains.ts";
import { contextPressure } from "./context-pressure.ts";
import { errorType } from "./error-type.ts";
import { expression } from "./expressions/expression.ts";
import { minDuration } from "./min-duration.ts";
import { ofProject } from "./of-project.ts";
import { messageCount, toolCalls } from "./reached-count.ts";
import { settingsConditions } from "./settings-conditions.ts";
import { skipFlagsHold } from "./skip-flags.ts";
import { toolFailed } from "./tool-failed.ts";
import { toolName } from "./tool-name.ts";
import { turnCount } from "./turn-count.ts";

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
};

/** Each kind takes only parameters that its own schema has passed, which is what compileCondition sees to. */
export const conditions: ReadonlyMap<string, ConditionKind> = new Map([
  ...settingsConditions,
  ...(Object.entries(kinds) as [string, ConditionKind][]),
]);
