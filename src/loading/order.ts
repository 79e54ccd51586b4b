/** Sets of hooks in running order, and what one file may do to the hooks of another: overrides and switches (R29, SAFETY D2). */

import type { ShellSettings } from "../engine/effects.ts";
import type { EventName } from "../engine/event.ts";
import { fingerprint } from "../engine/fingerprint.ts";
import {
  type Hook,
  type HookSet,
  inRunningOrder,
  isGuard,
  isOfUser,
  type Problem,
  placeOfHook,
} from "../engine/hook.ts";
import { counted } from "../engine/words.ts";
import type { EngineSettings } from "../formats/config/config.ts";
import type { CompiledSettings, Switches } from "../formats/settings/settings.ts";
import type { HookFile } from "./places.ts";
import type { Written } from "./trust/as-written.ts";

/** A file that was read, and those of its hooks that are left. */
export interface Source {
  file: HookFile;
  compiled: CompiledSettings;
  hooks: Hook[];
  /** What trust is asked about, where that is another form than the hooks themselves. */
  written?: readonly Written[];
}
type Tell = (problem: Problem) => void;

/** The hook was enabled by its author and turned off by a switch, which may no longer stand. */
export const switchedOffTag = "switched off";

const rank: Readonly<Record<string, number>> = { user: 0, project: 1, local: 2 };

/** A `.gen` file of the project replaces the user's hooks event by event. A guard is never replaced. */
export function overrideByEvent(sources: readonly Source[], tell: Tell): Source[] {
  return sources.map((source) => {
    const own = rankOf(source);
    const over = own === undefined ? [] : sources.filter((other) => (rankOf(other) ?? -1) > own);
    if (over.length === 0) return source;
    return { ...source, hooks: source.hooks.flatMap((hook) => withoutReplaced(hook, over, tell)) };
  });
}

/** Plugins come last and are added: they replace nothing and nothing replaces them (specification 002). */
const rankOf = ({ file }: Source): number | undefined => (file.overrides ? rank[file.layer] : undefined);

function withoutReplaced(hook: Hook, over: readonly Source[], tell: Tell): Hook[] {
  if (isGuard(hook) || !("event" in hook.on)) return [hook];
  const { event, ...rest } = hook.on;
  const by = (name: EventName): Source | undefined => over.find(({ compiled }) => compiled.speaksOf.includes(name));
  const kept = event.filter((name) => !by(name));
  if (kept.length === event.length) return [hook];
  const replaced = event.filter((name) => by(name));
  const files = new Set(replaced.map((name) => by(name)?.file.label));
  tell({
    ...placeOfHook(hook),
    severity: "note",
    code: "overridden",
    message: `"${hook.name}" does not run on ${replaced.join(", ")}: ${[...files].join(", ")} replaces it`,
  });
  return kept.length > 0 ? [{ ...hook, on: { ...rest, event: kept } }] : [];
}

/** Hooks that a switch reaches stay in the set, disabled, so that their runs can say so. */
export function obeySwitches(sources: readonly Source[], tell: Tell): Source[] {
  const reaches = sources.flatMap((source) => switchesOf(source, tell));
  if (reaches.length === 0) return [...sources];
  const counts = new Map<Reach, number>();
  const result = sources.map((source) => ({
    ...source,
    hooks: source.hooks.map((hook) => {
      const reach = hook.enabled ? reaches.find((one) => one.holds(hook, source.file)) : undefined;
      if (!reach) return hook;
      counts.set(reach, (counts.get(reach) ?? 0) + 1);
      return { ...hook, enabled: false, tags: [...hook.tags, switchedOffTag] };
    }),
  }));
  for (const [reach, count] of counts) tell(switchedOff(reach, count));
  return result;
}

interface Reach {
  name: keyof Switches;
  source: Source;
  holds(hook: Hook, file: HookFile): boolean;
}

function switchesOf(source: Source, tell: Tell): Reach[] {
  const { disableAllHooks, allowManagedHooksOnly } = source.compiled.switches;
  const found: Reach[] = [];
  if (disableAllHooks && source.file.layer === "plugin")
    tell(powerless("disableAllHooks", source, "a plugin switches nothing off"));
  else if (disableAllHooks)
    found.push({ name: "disableAllHooks", source, holds: (_hook, file) => isWithinReach(source.file, file) });
  if (allowManagedHooksOnly && source.file.layer !== "managed") {
    tell(powerless("allowManagedHooksOnly", source, "only managed settings may say so"));
  } else if (allowManagedHooksOnly) {
    found.push({ name: "allowManagedHooksOnly", source, holds: (_hook, file) => file.layer !== "managed" });
  }
  return found;
}

/** Claude's and GenCode's switches speak of their own hooks; ours of all. No file switches off what stands above it (R29). */
function isWithinReach(by: HookFile, file: HookFile): boolean {
  if (by.family !== "hookline" && by.family !== file.family) return false;
  if (by.layer === "managed") return true;
  return file.layer !== "managed" && (by.ofUser || !file.ofUser);
}

const switchedOff = ({ name, source }: Reach, count: number): Problem => ({
  ...source.compiled.placeOf(name),
  severity: "warning",
  code: "disabled",
  message: `"${name}" switches ${counted(count, "hook")} off`,
  file: source.file.path,
});

export const powerless = (name: string, { file, compiled }: Source, why: string): Problem => ({
  ...compiled.placeOf(name),
  severity: "warning",
  code: "ignored-field",
  message: `"${name}" has no effect here: ${why}`,
  file: file.path,
});

/** A hook for some environments as this one lets it run (R39). */
export function inEnvironment(hook: Hook, environment: string): Hook {
  const { environments, enabled } = hook;
  if (!environments || !enabled || environments.includes(environment)) return hook;
  const disabledBecause = `it is for ${environments.join(" and ")}, and this is ${environment}`;
  return { ...hook, enabled: false, disabledBecause };
}

/** Hooks in running order, known by the fingerprint of their content. */
export function hookSetOf(hooks: readonly Hook[], workspace?: string, shell?: ShellSettings): HookSet {
  const ordered = [...hooks].sort(inRunningOrder);
  return {
    id: fingerprint(JSON.stringify(ordered)),
    hooks: ordered,
    ...(workspace === undefined ? {} : { workspace }),
    ...(shell === undefined ? {} : { shell }),
  };
}

/** The set as it is, unless it holds automations that may not run. @param engine what the user's own files say: it holds for all */
export const asSettingsSay = (set: HookSet, engine: EngineSettings): HookSet =>
  set.hooks.some((hook) => switchOf(hook, engine))
    ? hookSetOf(
        set.hooks.map((hook) => obeying(hook, engine)),
        set.workspace,
        set.shell,
      )
    : set;

/** An automation of a project as the settings there let it run. They reach no other (R29). */
export const asProjectSays = (hook: Hook, engine: EngineSettings): Hook =>
  isOfUser(hook) ? hook : obeying(hook, engine);

function obeying(hook: Hook, engine: EngineSettings): Hook {
  const name = switchOf(hook, engine);
  return name === undefined ? hook : { ...hook, enabled: false, disabledBecause: `hook_engine.${name} is false` };
}

/** The switch that keeps an automation from running. */
function switchOf({ durable, enabled, on }: Hook, engine: EngineSettings): keyof EngineSettings | undefined {
  if (!durable || !enabled) return undefined;
  if (engine.enabled === false) return "enabled";
  return "watch" in on && engine.file_watcher_enabled === false ? "file_watcher_enabled" : undefined;
}
