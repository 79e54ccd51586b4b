/** hookline/testing: what users and we test hooks with. */
export { createFakeClock, type FakeClock } from "./clock.ts";
export {
  type ModelRequest,
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedTrouble,
  type ScriptedTurn,
  startScriptedModel,
} from "./scripted-model.ts";
export type { ScriptedUsage } from "./wire.ts";
