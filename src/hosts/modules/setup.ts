/**
 * What a module gives: hooks, conditions and actions, in any of the shapes that it may export them in. Hook files use
 * conditions and actions of users like built-in ones.
 */
import type { Answer, RepositoryEvent } from "../../actions/function/function.ts";
import { HooklineError } from "../../engine/error.ts";
import type { EventName, Fields, HookEvent, Json, MaybePromise, Turn } from "../../engine/event.ts";
import type { ToolAnswer } from "../../engine/external-services.ts";
import type { Hook, Role } from "../../engine/hook.ts";
import { isRecord, kindOf, type Schema } from "../../engine/schema.ts";
import type { AnyHookDefinition, HookDefinition } from "../library/definition.ts";

/** What a module that exports a function is given. */
export interface Setup {
  use<const N extends EventName>(hook: HookDefinition<N>): void;
  /** A condition that rules may use by this name. A name that is taken is an error. */
  registerCondition<P>(name: string, definition: ConditionDefinition<P>): void;
  /** An action that rules may use by this name. A name that is taken is an error. */
  registerAction<P>(name: string, definition: ActionDefinition<P>): void;
}

/** The object form of a module's default export. */
export interface ConfigModule {
  hooks?: readonly AnyHookDefinition[];
  conditions?: { readonly [name: string]: ConditionDefinition<never> };
  actions?: { readonly [name: string]: ActionDefinition<never> };
}

/**
 * Gives a configuration its types. It changes nothing.
 *
 * @example
 * export default defineConfig({
 *   hooks: [defineHook({ on: "PreToolUse", if: "Bash(git push *)", run: () => ({ ask: "push now?" }) })],
 * });
 */
export const defineConfig = (config: ConfigModule): ConfigModule => config;

export interface Given {
  hooks: HookDefinition<never>[];
  conditions: Map<string, ConditionDefinition<never>>;
  actions: Map<string, ActionDefinition<never>>;
  /** Registrations that were refused. The module's other hooks are active all the same. */
  faults: HooklineError[];
}

/** @throws HooklineError module_failed; and what the module's own function throws */
export async function collect(exported: unknown, where: string, isTaken: (name: string) => boolean): Promise<Given> {
  const given: Given = { hooks: [], conditions: new Map(), actions: new Map(), faults: [] };
  /** Whether the name is free; if not, that is a fault, and the rest of the module is read. */
  const claim = (name: string): boolean => {
    const isFree = !given.conditions.has(name) && !given.actions.has(name) && !isTaken(name);
    if (!isFree) given.faults.push(new HooklineError("name_taken", { name, where }));
    return isFree;
  };
  const setup: Setup = {
    use: (hook) => void given.hooks.push(asHook(hook, where)),
    registerCondition(name, definition) {
      if (claim(name)) given.conditions.set(name, mustHave(definition, "test", where) as ConditionDefinition<never>);
    },
    registerAction(name, definition) {
      if (claim(name)) given.actions.set(name, mustHave(definition, "run", where) as ActionDefinition<never>);
    },
  };
  const value: unknown = typeof exported === "function" ? await exported(setup) : exported;
  // A function may use its setup, or answer what a module may export, or both.
  if (typeof exported !== "function" || value !== undefined) readObject(value, setup, where);
  return given;
}

function readObject(exported: unknown, setup: Setup, where: string): void {
  if (Array.isArray(exported)) {
    for (const hook of exported) setup.use(hook);
    return;
  }
  if (!isRecord(exported)) throw shape(kindOf(exported), where);
  if ("run" in exported && "on" in exported) {
    setup.use(asHook(exported, where));
    return;
  }
  const known = ["hooks", "conditions", "actions"];
  const stray = Object.keys(exported).find((key) => !known.includes(key));
  if (stray !== undefined) throw shape(`an object with "${stray}"`, where);
  const { hooks = [], conditions = {}, actions = {} } = exported as ConfigModule; // each member is checked below
  for (const hook of hooks) setup.use(hook as HookDefinition<EventName>); // asHook looks at it
  for (const [name, one] of Object.entries(conditions)) setup.registerCondition(name, one);
  for (const [name, one] of Object.entries(actions)) setup.registerAction(name, one);
}

const shape = (found: string, where: string): HooklineError =>
  new HooklineError("module_failed", {
    reason: `its default export is ${found}`,
    where,
    advice: "export a hook, a list of hooks, { hooks, conditions, actions }, or a function that is given a setup",
  });

function asHook(value: unknown, where: string): HookDefinition<never> {
  if (isRecord(value) && typeof value.run === "function" && (typeof value.on === "string" || Array.isArray(value.on)))
    return value as unknown as HookDefinition<never>; // `on` and `run` are what makes one
  throw shape("a list with something that is no hook", where);
}

function mustHave<T>(definition: T, member: string, where: string): T {
  if (isRecord(definition) && typeof definition[member] === "function") return definition;
  throw new HooklineError("module_failed", {
    reason: `something is registered without a function "${member}"`,
    where,
    advice: `write { ${member}() { … } }`,
  });
}

/** What a condition may look at. */
export interface ConditionState extends Turn {
  event: HookEvent;
}
export interface ConditionDefinition<P = Record<never, never>> {
  /** One sentence, for the schema and the documentation. */
  summary?: string;
  /** What the author may write beside `type`. Left out: nothing. */
  params?: Schema<P>;
  /** Pure and quick: it is asked on every event of its hook's. What it throws counts as false, and is recorded once. */
  test(state: ConditionState, params: P): boolean;
  /** For `explain` and `why`: what is so about this event. */
  explain?(state: ConditionState, params: P): string;
}

/**
 * Gives a condition the types of its parameters. It changes nothing.
 *
 * @example
 * const longTurn = defineCondition({
 *   params: object({ calls: integer("so many tool calls", 1) }),
 *   test: ({ toolCalls }, { calls }) => toolCalls >= calls,
 * });
 */
export const defineCondition = <P = Record<never, never>>(definition: ConditionDefinition<P>): ConditionDefinition<P> =>
  definition;

export interface ActionCall<P> {
  /** As the author wrote them, placeholders filled. */
  params: P;
  /** In hooks of specification 001 its fields stand beside ours: see RepositoryEvent. */
  event: HookEvent | RepositoryEvent;
  turn: Turn;
  hook: Pick<Hook, "id" | "name" | "tags">;
  /** Aborts at the action's limit. */
  readonly signal: AbortSignal;
  /** What the action before this one answered, in a chain. */
  previous: Json | undefined;
  /** Calls a tool of the project's servers, or one of Hookline's own: "server.tool". */
  callTool(name: string, input: Fields): Promise<ToolAnswer>;
  log(message: string, level?: "debug" | "info" | "warn" | "error"): void;
}
/** What an action answers: as a function hook does, and `output` for the actions after it. */
export type ActionAnswer = (Answer & { output?: Json }) | Answer;

export interface ActionDefinition<P = Record<never, never>> {
  summary?: string;
  /** What the author may write beside `type`. Left out: nothing. */
  params?: Schema<P>;
  /** guard: a rule with it blocks when it fails, and is asked again about rewritten input. Default: observe. */
  role?: Role;
  /** The agent does not wait for it; what it answers comes with the next event. */
  background?: boolean;
  /** Events on which it has an effect, for warnings; left out: all. */
  events?: readonly string[];
  run(call: ActionCall<P>): MaybePromise<ActionAnswer>;
}

/**
 * Gives an action the types of its parameters. It changes nothing.
 *
 * @example
 * const limit = defineAction({
 *   params: object({ lines: integer("how many lines at most", 1) }),
 *   run: ({ params }) => ({ context: `write at most ${params.lines} lines` }),
 * });
 */
export const defineAction = <P = Record<never, never>>(definition: ActionDefinition<P>): ActionDefinition<P> =>
  definition;
