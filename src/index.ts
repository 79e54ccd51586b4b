/** The library: what programs import from "hookline". */

export * from "./define.ts";
export type { AbilityEvents } from "./engine/ability.ts";
export type { Explanation } from "./engine/explain.ts";
export type {
  Model,
  ModelAnswer,
  ModelRequest,
  ModelTool,
  ToolAnswer,
  ToolInfo,
  Tools,
} from "./engine/external-services.ts";
export type {
  FailurePolicy,
  Hook,
  HookSet,
  Layer,
  Limits,
  Mode,
  Origin,
  Problem,
  ProblemCode,
  Role,
  Step,
  Trigger,
  WatchRule,
} from "./engine/hook.ts";
export type { Caller, DetachedWork, Item, Observation, Ports, Queue, QueueOwner } from "./engine/ports.ts";
export type {
  Baseline,
  Claim,
  Evidence,
  Failure,
  Paused,
  Refusal,
  Run,
  RunFilter,
  RunStatus,
  StepRecord,
  Store,
  StoredEvent,
  Withheld,
} from "./engine/record.ts";
export type {
  Completion,
  CompletionCall,
  Conversation,
  ConversationOptions,
  Evaluation,
} from "./hosts/library/conversation.ts";
export type { Pauses } from "./hosts/library/hookline.ts";
export {
  createHookline,
  type DataOf,
  type EmitOptions,
  type EmittedName,
  type Hookline,
  type HooklineOptions,
} from "./hosts/library/hookline.ts";
export type { Registration } from "./hosts/library/registered.ts";
export { createInlineQueue } from "./runtime/queues/inline.ts";
export { openMemoryStore } from "./storage/memory/memory.ts";
