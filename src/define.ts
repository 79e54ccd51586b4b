/** What a module of a project imports from "hookline": definitions and schemas, without the engine, so that it loads at once. */
export { HooklineError } from "./core/error.ts";
export type * from "./core/event.ts";
export type { Condition } from "./core/hook.ts";
export type * from "./core/outcome.ts";
export {
  anything,
  either,
  flag,
  integer,
  listOf,
  mapOf,
  number,
  object,
  oneOf,
  type Schema,
  say,
  text,
} from "./core/schema.ts";
export { defineHook, type EventOf, type HookDefinition } from "./definition.ts";
export type { Answer, Call, HookFunction, RepositoryEvent, SettingsAnswer } from "./handlers/function/function.ts";
export { type ActionAnswer, type ActionCall, type ActionDefinition, defineAction } from "./modules/custom-action.ts";
export { type ConditionDefinition, type ConditionState, defineCondition } from "./modules/custom-condition.ts";
export { type ConfigModule, defineConfig, type Setup } from "./modules/setup.ts";
