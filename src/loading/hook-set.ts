/** Hooks in running order, known by the fingerprint of their content, and without automations where the settings switch them off. */
import { fingerprint } from "../engine/fingerprint.ts";
import { type Hook, type HookSet, inRunningOrder } from "../engine/hook.ts";
import type { EngineSettings } from "../formats/config/config.ts";

export function hookSetOf(hooks: readonly Hook[]): HookSet {
  const ordered = [...hooks].sort(inRunningOrder);
  return { id: fingerprint(JSON.stringify(ordered)), hooks: ordered };
}

const because = "hook_engine.enabled is false";

/** The set as it is, unless it holds automations that may not run. */
export const asSettingsSay = (set: HookSet, { enabled = true }: EngineSettings): HookSet =>
  enabled || !set.hooks.some(isOn) ? set : hookSetOf(set.hooks.map((hook) => (isOn(hook) ? off(hook) : hook)));

const isOn = ({ durable, enabled }: Hook): boolean => durable === true && enabled;
const off = (hook: Hook): Hook => ({ ...hook, enabled: false, disabledBecause: because });
