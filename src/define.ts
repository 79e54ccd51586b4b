/** What a module of a project imports from "hookline": definitions and schemas, without the engine, so that it loads at once. */

export type { Answer, Call, HookFunction, RepositoryEvent, SettingsAnswer } from "./actions/function/function.ts";
export { HooklineError } from "./engine/error.ts";
export type {
  AgentEventName,
  AgentEvents,
  Changes,
  Counter,
  EventName,
  Fields,
  Figures,
  HookEvent,
  HookId,
  Instant,
  Json,
  MaybePromise,
  Seconds,
  SessionId,
  Slot,
  Turn,
} from "./engine/event.ts";
export type { Condition } from "./engine/hook.ts";
export type {
  Compact,
  FollowUp,
  Message,
  Outcome,
  OutcomeField,
  OutcomeFields,
  SuggestedDocument,
  Suggestion,
  Verdict,
  VerdictKind,
} from "./engine/outcome.ts";
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
} from "./engine/schema.ts";
export {
  defineHook,
  defineHookTests,
  type EventOf,
  type Expectation,
  type HookDefinition,
  type HookTest,
  type HookTests,
  type TestedEvent,
} from "./hosts/library/definition.ts";
export {
  type ActionAnswer,
  type ActionCall,
  type ActionDefinition,
  type ConditionDefinition,
  type ConditionState,
  type ConfigModule,
  defineAction,
  defineCondition,
  defineConfig,
  type Setup,
} from "./hosts/modules/setup.ts";
