/** The library: what programs import from "hookline". */

export * from "./define.ts";
export type { AbilityEvents } from "./engine/ability.ts";
export type { Explanation } from "./engine/explain.ts";
export type * from "./engine/external-services.ts";
export type * from "./engine/hook.ts";
export type * from "./engine/ports.ts";
export type * from "./engine/program.ts";
export type * from "./engine/record.ts";
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
