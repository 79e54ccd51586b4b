/** The embedder's front door and composition root: createHookline() and defineHook(). */
import { homedir } from "node:os";
import { runByAgent, sendableEvents } from "./agents/index.ts";
import { conditions } from "./conditions/index.ts";
import { loadPatterns } from "./conditions/patterns.ts";
import { createEngine } from "./core/engine.ts";
import { HooklineError } from "./core/error.ts";
import type {
  AgentEventName,
  AgentEvents,
  EventName,
  Fields,
  HookEvent,
  MaybePromise,
  SessionId,
} from "./core/event.ts";
import { rowOf } from "./core/events.ts";
import type { Explanation } from "./core/explain.ts";
import { isThenable } from "./core/flow.ts";
import type { HookSet, Problem } from "./core/hook.ts";
import type { Outcome } from "./core/outcome.ts";
import { planHook } from "./core/plan.ts";
import type { Caller, Observation, Ports, Queue } from "./core/ports.ts";
import type { Model, Tools } from "./core/reach.ts";
import type { Run, RunFilter, Store } from "./core/record.ts";
import type { HookDefinition } from "./definition.ts";
import { emptyConfig } from "./dialects/config.ts";
import { createExtended } from "./extended.ts";
import type { Callback } from "./handlers/function.ts";
import { createHandlers } from "./handlers/index.ts";
import { type Loading, loadAllStable } from "./loading.ts";
import { type ActionDefinition, actionHandler } from "./modules/custom-action.ts";
import { type ConditionDefinition, conditionKind } from "./modules/custom-condition.ts";
import { createOutside } from "./outside.ts";
import { createSpawn } from "./processes/spawn.ts";
import { createInlineQueue } from "./queues/inline.ts";
import { createRegistered, type Registration } from "./registered.ts";
import { createHookSource } from "./sources/live.ts";
import { openMemoryStore } from "./stores/memory.ts";
import { isAlive, systemPorts } from "./system.ts";

export interface HooklineOptions {
  /** The folder that events happen in unless they say otherwise. Default: the process's. */
  cwd?: string;
  /** Read the hook files that lie in the event's project and the user's home (default true). */
  files?: boolean;
  /** Where events and runs are kept: a path for SQLite, a store of your own, or "memory" (default). */
  store?: string | Store;
  /** What commands inherit. Default: the process's environment. */
  environment?: Readonly<Record<string, string>>;
  home?: string;
  /** Sees every event, run and outcome; must not throw. */
  observe?: (observation: Observation) => void;
  queue?: Queue;
  /** Answers prompt and agent hooks, in place of the configured providers. */
  model?: Model;
  /** What hooks may call, in place of the configured tool servers. */
  tools?: Tools;
  /** For tests: a clock and timers of your own. */
  clock?: Pick<Ports, "now" | "after">;
}

export interface EmitOptions extends Caller {
  session?: SessionId;
  cwd?: string;
  /** A host that keeps the conversation itself gives its turn. */
  turn?: HookEvent["turn"];
}
export type DataOf<N extends EventName> = N extends AgentEventName ? AgentEvents[N] & Record<string, unknown> : Fields;

export interface Hookline {
  /** Registers a hook for all sessions, until it is removed. Throws HooklineError event_unknown, hook_invalid, name_taken. */
  use<const N extends EventName>(hook: HookDefinition<N>): Registration;
  /** Hooks of one session run last, and go when it is cleared or ends. */
  session(id: SessionId): { use<const N extends EventName>(hook: HookDefinition<N>): Registration; clear(): void };
  /** One event down the line. Never throws on account of a hook; waits only if a hook does. */
  emit<N extends EventName>(name: N, data: DataOf<N>, options?: EmitOptions): MaybePromise<Outcome>;
  explain<N extends EventName>(name: N, data: DataOf<N>, options?: EmitOptions): MaybePromise<Explanation[]>;
  /** A condition that rules may use by this name from now on; gives its undo. Throws HooklineError name_taken. */
  registerCondition<P>(name: string, definition: ConditionDefinition<P>): () => void;
  /** An action that rules may use by this name from now on; gives its undo. Throws HooklineError name_taken. */
  registerAction<P>(name: string, definition: ActionDefinition<P>): () => void;
  /** The hooks that would be asked in this folder, and what is wrong with their files. */
  hooks(cwd?: string): Promise<{ set: HookSet; problems: readonly Problem[] }>;
  /** What ran, newest first. */
  runs(filter?: RunFilter): MaybePromise<Run[]>;
  /** Waits for background hooks, then closes the store unless it was given. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Builds a line for a process that has agents or events of its own.
 *
 * @example
 * const line = await createHookline({ store: "hooks.db" });
 * line.use(defineHook({ on: "PreToolUse", matcher: "Bash", run: () => ({ ask: "run this?" }) }));
 * const outcome = await line.emit("PreToolUse", { tool_name: "Bash", tool_input: { command: "ls" } });
 */
export async function createHookline(options: HooklineOptions = {}): Promise<Hookline> {
  const cwd = options.cwd ?? process.cwd();
  const home = options.home ?? homedir();
  const environment = options.environment ?? definedOnly(process.env);
  const functions = new Map<string, Callback>();
  const patterns = await loadPatterns();
  const extended = createExtended({ handlers: createHandlers(functions), conditions }, () => source?.forget());
  const { registry } = extended;
  const registered = createRegistered(functions, (hook) => planHook(hook, registry, patterns).fault());
  const loading: Loading = { registry, wholeRegistry: async () => registry, functions, sendable: sendableEvents() };
  const source =
    options.files === false
      ? undefined
      : createHookSource((folder, expected) =>
          loadAllStable({ cwd: folder, home, environment, patterns }, loading, expected),
        );
  await source?.at(cwd);
  const store = await storeOf(options, environment);
  const basics = { ...systemPorts(), ...options.clock };
  await store.repair(isAlive, basics.now());
  const outside = createOutside({
    environment,
    home,
    root: (event) => source?.known(event.cwd)?.root ?? event.cwd,
    settings: (event) => source?.known(event.cwd) ?? { config: emptyConfig, userConfig: emptyConfig },
  });
  const ports: Ports = {
    ...basics,
    store,
    queue: options.queue ?? createInlineQueue(),
    hooks(event) {
      const loaded = source?.at(event.cwd);
      return isThenable(loaded)
        ? Promise.resolve(loaded).then(({ set }) => registered.combined(set, event.session))
        : registered.combined(loaded?.set, event.session);
    },
    registry,
    registryAt: (event) => source?.known(event.cwd)?.registry ?? registry,
    patterns,
    elsewhere: (hook, event) =>
      runByAgent(hook, event.sender, { home, root: hook.origin.root ?? event.cwd, environment }),
    spawn: createSpawn(),
    fetch: async (request, signal) => (await import("./handlers/fetch.ts")).fetch(request, signal),
    ...outside.ports,
    ...given(options),
    ...(options.observe ? { observe: options.observe } : {}),
  };
  const engine = createEngine(ports);
  outside.serve({
    engine,
    store,
    hooks: () => registered.combined(source?.known(cwd)?.set, undefined),
    now: basics.now,
    id: basics.id,
  });
  const eventOf = (name: EventName, data: object, { session, turn, cwd: place }: EmitOptions): HookEvent => ({
    id: ports.id(),
    name,
    at: ports.now(),
    cwd: place ?? cwd,
    data: data as Fields, // payloads are JSON: the types of AgentEvents allow nothing else
    sender: "embedder",
    ...(session ? { session } : {}),
    ...(turn ? { turn } : {}),
  });
  let closed = false;
  return {
    use: (hook) => registered.add(hook, undefined),
    session: (id) => ({ use: (hook) => registered.add(hook, id), clear: () => registered.clear(id) }),
    emit(name, data, given = {}) {
      if (closed) throw new HooklineError("closed", { name: "this line", where: `emit ${name}` });
      const event = eventOf(name, data, given);
      const outcome = engine.emit(event, { environment, ...given });
      if (event.session && rowOf(name).endsSession) registered.end(event.session);
      return outcome;
    },
    explain: (name, data, given = {}) => engine.explain(eventOf(name, data, given)),
    registerCondition: (name, definition) => extended.addCondition(name, conditionKind(name, definition)),
    registerAction: (name, definition) => extended.addAction(name, actionHandler(name, definition)),
    async hooks(place = cwd) {
      const loaded = await source?.at(place);
      return { set: registered.combined(loaded?.set, undefined), problems: loaded?.problems ?? [] };
    },
    runs: (filter = {}) => store.runs(filter),
    async close() {
      if (closed) return;
      closed = true;
      await engine.close();
      await outside.close();
      if (typeof options.store !== "object") store.close();
    },
  };
}

/** What the host brings itself. */
const given = ({ model, tools }: HooklineOptions): Pick<Ports, "model" | "tools"> => ({
  ...(model ? { model: async () => model } : {}),
  ...(tools ? { tools: async () => tools } : {}),
});

async function storeOf(
  { store, clock }: HooklineOptions,
  environment: Readonly<Record<string, string>>,
): Promise<Store> {
  if (typeof store === "object") return store;
  if (store === undefined || store === "memory") return openMemoryStore();
  const [{ openSqliteStore }, { createRedaction }] = await Promise.all([
    import("./stores/sqlite.ts"),
    import("./trust/redaction.ts"),
  ]);
  return openSqliteStore({
    path: store,
    redact: createRedaction({ environment }),
    ...(clock ? { now: clock.now } : {}),
  });
}

function definedOnly(environment: NodeJS.ProcessEnv): Record<string, string> {
  const defined: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) if (value !== undefined) defined[name] = value;
  return defined;
}

export type { Explanation } from "./core/explain.ts";
export type * from "./core/hook.ts";
export type * from "./core/ports.ts";
export type * from "./core/program.ts";
export type * from "./core/reach.ts";
export type * from "./core/record.ts";
export * from "./define.ts";
export { createInlineQueue } from "./queues/inline.ts";
export type { Registration } from "./registered.ts";
export { openMemoryStore } from "./stores/memory.ts";
