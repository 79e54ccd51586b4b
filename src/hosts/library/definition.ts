/** Hooks and their tests written in TypeScript: defineHook and defineHookTests give them types, and compile makes the one internal Hook. */
import type { Answer, Call, SettingsAnswer } from "../../actions/function/function.ts";
import type { AbilityEvents } from "../../engine/ability.ts";
import { HooklineError } from "../../engine/error.ts";
import type {
  AgentEventName,
  AgentEvents,
  EventName,
  Fields,
  HookEvent,
  MaybePromise,
  Seconds,
} from "../../engine/event.ts";
import { eventNames, resolveEvent } from "../../engine/events.ts";
import type { Condition, FailurePolicy, Hook, Layer, Mode, Role } from "../../engine/hook.ts";
import { nearest } from "../../engine/nearest.ts";
import type { HookTests } from "../../formats/hook-tests/fields.ts";

export type { Expectation, HookTest, HookTests, TestedEvent } from "../../formats/hook-tests/fields.ts";

/** The event with its payload's type; application events carry whatever their sender put in. */
export type EventOf<N extends EventName> = N extends AgentEventName
  ? Omit<HookEvent, "name" | "data"> & { name: N; data: AgentEvents[N] & Fields }
  : HookEvent;

type AbilityEventName = keyof AbilityEvents;

export interface HookDefinition<N extends EventName = EventName> {
  /** One event, or several; also their other names, such as tool_start (R2). */
  on: N | readonly N[] | AbilityEventName | readonly AbilityEventName[];
  run(event: EventOf<N>, call: Call): MaybePromise<Answer | SettingsAnswer>;
  id?: string;
  name?: string;
  /** A matcher of specification 002: a list of names, `Tool(pattern)`, or a regular expression (R9). */
  matcher?: string;
  /** A tool pattern such as `Bash(git push *)` (R10). */
  if?: string;
  /** Further conditions, as a tree. */
  when?: Condition;
  /** guard: its failure blocks, and it is asked again when another hook rewrites the input. */
  role?: Role;
  onFailure?: FailurePolicy;
  /** Seconds; default: 30. */
  timeout?: Seconds;
  mode?: Mode;
  once?: boolean;
  cooldown?: Seconds;
  maxFires?: number;
  /** Characters of all that it says to models and people in one answer; default: 10,000. */
  textLimit?: number;
  /** Lower runs first; default: 100. */
  priority?: number;
  enabled?: boolean;
  /** true: it is called and recorded, and nothing that it answers counts. */
  report?: boolean;
  /** true: its rewrite makes the call safe, and guards of its own and of lower layers judge only what will run. */
  replaces?: boolean;
  tags?: string[];
  status?: string;
}

/** Its fields by name, for definitions that no compiler has checked. */
export const definitionFields: readonly string[] =
  "on run id name matcher if when role onFailure timeout mode once cooldown maxFires textLimit priority enabled report replaces tags status".split(
    " ",
  );

/**
 * Gives a hook the types of its event. It changes nothing and runs nothing.
 *
 * @example
 * const noForce = defineHook({
 *   on: "PreToolUse",
 *   if: "Bash(git push *)",
 *   run: (event) => (String(event.data.tool_input["command"]).includes("--force") ? { deny: "no force pushes" } : undefined),
 * });
 */
export const defineHook = <const N extends EventName>(definition: HookDefinition<N>): HookDefinition<N> => definition;

/** Any definition, whatever its events: how registrations take them. */
export type AnyHookDefinition = { [N in EventName]: HookDefinition<N> }[AgentEventName] | HookDefinition<EventName>;

/** @throws HooklineError event_unknown */
export function compileDefinition<N extends EventName>(definition: HookDefinition<N>, id: string, layer: Layer): Hook {
  const written: readonly string[] =
    typeof definition.on === "string" ? [definition.on] : (definition.on as readonly N[]);
  const conditions = conditionsOf(definition);
  const role = definition.role ?? "undeclared";
  return {
    id,
    name: definition.name ?? id,
    on: { event: written.flatMap(resolved), as: [...written] },
    ...(conditions.length > 0
      ? { when: conditions.length === 1 && conditions[0] ? conditions[0] : { all: conditions } }
      : {}),
    steps: [{ uses: "function", with: { id }, timeout: definition.timeout ?? 30, onError: "stop" }],
    limits: {
      overlap: "queue",
      ...(definition.once ? { once: "session" } : {}),
      ...(definition.cooldown === undefined ? {} : { cooldown: definition.cooldown }),
      ...(definition.maxFires === undefined ? {} : { maxFires: definition.maxFires }),
      ...(definition.textLimit === undefined ? {} : { text: definition.textLimit }),
    },
    mode: definition.mode ?? "sync",
    role,
    onFailure: definition.onFailure ?? (role === "guard" ? "block" : "continue"),
    ...(definition.report ? { report: true } : {}),
    ...(definition.replaces ? { replaces: true } : {}),
    priority: definition.priority ?? 100,
    enabled: definition.enabled ?? true,
    tags: definition.tags ?? [],
    ...(definition.status ? { status: definition.status } : {}),
    origin: { dialect: "code", layer },
  };
}

function resolved(name: string): EventName[] {
  const events = resolveEvent(name);
  if (events) return events;
  throw new HooklineError("event_unknown", { name, where: "defineHook", near: nearest(name, eventNames) });
}

/** It holds whatever has changed; the event then says what. */
const wantsChanges: Condition = {
  is: "changed_files",
  with: { patterns: ["**"], since: "session", optional: true },
};

function conditionsOf({
  on,
  matcher,
  if: pattern,
  when,
}: Pick<HookDefinition, "matcher" | "if" | "when"> & { on: string | readonly string[] }): Condition[] {
  const conditions: Condition[] = [];
  if (matcher !== undefined && matcher !== "" && matcher !== "*") conditions.push({ is: "match", with: matcher });
  if (pattern !== undefined) conditions.push({ is: "tool", with: pattern });
  if (when) conditions.push(when);
  if ([on].flat().includes("SessionStop")) conditions.push(wantsChanges);
  return conditions;
}

/**
 * Gives tests their types, and changes nothing: NAME.hooktest.ts exports what a NAME.hooktest.yaml holds. `hookline test` runs both.
 *
 * @example export default defineHookTests({ tests: [{ name: "a push is refused", commands: ["git push"], expect: { verdict: "deny" } }] });
 */
export const defineHookTests = (tests: HookTests): HookTests => tests;
