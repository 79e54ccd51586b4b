/** Automations where the settings switch them off: they are there, do not run, and say why. */

import type { Hook, HookSet } from "../core/hook.ts";
import type { EngineSettings } from "../dialects/config.ts";
import { hookSetOf } from "./hook-set.ts";

const because = "hook_engine.enabled is false";

/** The set as it is, unless it holds automations that may not run. */
export const asSettingsSay = (set: HookSet, { enabled = true }: EngineSettings): HookSet =>
  enabled || !set.hooks.some(isOn) ? set : hookSetOf(set.hooks.map((hook) => (isOn(hook) ? off(hook) : hook)));

const isOn = ({ durable, enabled }: Hook): boolean => durable === true && enabled;
const off = (hook: Hook): Hook => ({ ...hook, enabled: false, disabledBecause: because });
