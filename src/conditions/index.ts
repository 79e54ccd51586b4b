/** The table of conditions: name → kind. One line each. */
import type { ConditionKind } from "../core/ports.ts";
import { agent } from "./agent.ts";
import { always, never } from "./constant.ts";
import { contentContains } from "./content-contains.ts";
import { contextPressure } from "./context-pressure.ts";
import { errorType } from "./error-type.ts";
import { expression } from "./expression.ts";
import { messageCount, toolCalls } from "./reached-count.ts";
import { settingsConditions } from "./settings-conditions.ts";
import { toolFailed } from "./tool-failed.ts";
import { toolName } from "./tool-name.ts";
import { turnCount } from "./turn-count.ts";

const kinds = {
  agent,
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
};

/** Each kind takes only parameters that its own schema has passed, which is what compileCondition sees to. */
export const conditions: ReadonlyMap<string, ConditionKind> = new Map([
  ...settingsConditions,
  ...(Object.entries(kinds) as [string, ConditionKind][]),
]);
