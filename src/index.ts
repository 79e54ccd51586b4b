/** The embedder's front door and composition root: createHookline() and defineHook(). */
import { homedir } from "node:os";
import { agents } from "./agents/index.ts";
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
import type { Explanation } from "./core/explain.ts";
import { type Hook, type HookSet, inRunningOrder, type Problem } from "./core/hook.ts";
import type { Outcome } from "./core/outcome.ts";
import type { Caller, Observation, Ports, Queue, Run, RunFilter, Store } from "./core/ports.ts";
import { compileDefinition, type HookDefinition } from "./definition.ts";
import type { HookFunction } from "./handlers/function.ts";
import { createHandlers } from "./handlers/index.ts";
import { createSpawn } from "./processes/spawn.ts";
import { createInlineQueue } from "./queues/inline.ts";
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
  /** For tests: a clock and timers of your own. */
  clock?: Pick<Ports, "now" | "after">;
}

export interface Registration {
  readonly id: string;
  /** Takes the hook out; says whether it was still there. */
  remove(): boolean;
}
export interface EmitOptions extends Caller {
  session?: SessionId;
  cwd?: string;
  /** A host that keeps the conversation itself gives its turn. */
  turn?: HookEvent["turn"];
}
export type DataOf<N extends EventName> = N extends AgentEventName ? AgentEvents[N] & Record<string, unknown> : Fields;

export interface Hookline {
  /** Registers a hook for all sessions, until it is removed. Throws HooklineError event_unknown, name_taken. */
  use<const N extends EventName>(hook: HookDefinition<N>): Registration;
  /** Hooks of one session run last, and go when it is cleared or ends. */
  session(id: SessionId): { use<const N extends EventName>(hook: HookDefinition<N>): Registration; clear(): void };
  /** One event down the line. Never throws on account of a hook; waits only if a hook does. */
  emit<N extends EventName>(name: N, data: DataOf<N>, options?: EmitOptions): MaybePromise<Outcome>;
  explain<N extends EventName>(name: N, data: DataOf<N>, options?: EmitOptions): MaybePromise<Explanation[]>;
  /** The hooks that would be asked in this folder, and what is wrong with their files. */
  hooks(cwd?: string): { set: HookSet; problems: readonly Problem[] };
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
  const functions = new Map<string, HookFunction>();
  const registered = createRegistered(functions);
  const patterns = await loadPatterns();
  const source = options.files === false ? undefined : createHookSource({ home, environment, patterns });
  const store = await storeOf(options, environment);
  const basics = { ...systemPorts(), ...options.clock };
  await store.repair(isAlive, basics.now());
  const ports: Ports = {
    ...basics,
    store,
    queue: options.queue ?? createInlineQueue(),
    hooks: (event) => registered.combined(source?.at(event.cwd).set, event.session),
    registry: { handlers: createHandlers(functions), conditions },
    patterns,
    elsewhere: (hook, event) => {
      const agent = Object.hasOwn(agents, event.sender) ? agents[event.sender] : undefined;
      const { file, root = event.cwd } = hook.origin;
      return file && agent?.readsItself(file, { home, root, environment })
        ? `run by the agent itself: ${agent.title} reads ${file}`
        : undefined;
    },
    spawn: createSpawn(),
    fetch: async (request, signal) => (await import("./handlers/fetch.ts")).fetch(request, signal),
    ...(options.observe ? { observe: options.observe } : {}),
  };
  const engine = createEngine(ports);
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
      return engine.emit(eventOf(name, data, given), { environment, ...given });
    },
    explain: (name, data, given = {}) => engine.explain(eventOf(name, data, given)),
    hooks: (place = cwd) => {
      const loaded = source?.at(place);
      return { set: registered.combined(loaded?.set, undefined), problems: loaded?.problems ?? [] };
    },
    runs: (filter = {}) => store.runs(filter),
    async close() {
      if (closed) return;
      closed = true;
      await engine.close();
      if (typeof options.store !== "object") store.close();
    },
  };
}

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

interface Registered {
  add<N extends EventName>(definition: HookDefinition<N>, session: SessionId | undefined): Registration;
  clear(session: SessionId): void;
  combined(files: HookSet | undefined, session: SessionId | undefined): HookSet;
}

/** The hooks of this process, and the sets that they make together with the files' (rebuilt only when one of them changes). */
function createRegistered(functions: Map<string, HookFunction>): Registered {
  const hooks = new Map<string, { hook: Hook; session: SessionId | undefined }>();
  const empty: HookSet = { id: "empty", hooks: [] };
  let sets = new Map<string, HookSet>();
  let count = 0;
  const remove = (id: string): boolean => {
    functions.delete(id);
    sets = new Map();
    return hooks.delete(id);
  };
  return {
    add(definition, session) {
      count += 1;
      const id =
        definition.id ??
        `code:${definition.name ?? (definition.run.name === "run" || !definition.run.name ? "hook" : definition.run.name)}-${count}`;
      if (hooks.has(id)) throw new HooklineError("name_taken", { name: id, where: "use" });
      hooks.set(id, { hook: compileDefinition(definition, id, session === undefined ? "local" : "session"), session });
      functions.set(id, definition.run as HookFunction); // the hook listens to N only, so it is given nothing else
      sets = new Map();
      return { id, remove: () => remove(id) };
    },
    clear(session) {
      for (const [id, entry] of hooks) if (entry.session === session) remove(id);
    },
    combined(files = empty, session) {
      const key = JSON.stringify([files.id, session ?? ""]);
      const known = sets.get(key);
      if (known) return known;
      const own = [...hooks.values()].filter((entry) => entry.session === undefined || entry.session === session);
      const set: HookSet =
        own.length === 0
          ? files
          : combine(
              files,
              own.map((entry) => entry.hook),
            );
      sets.set(key, set);
      return set;
    },
  };
}

/** The id names the members; two processes may give one id to different callbacks, so it also says where it comes from. */
const combine = (files: HookSet, own: readonly Hook[]): HookSet => ({
  id: `${files.id}+${own.map(({ id }) => id).join("+")}`,
  hooks: [...files.hooks, ...own].sort(inRunningOrder),
});

function definedOnly(environment: NodeJS.ProcessEnv): Record<string, string> {
  const defined: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) if (value !== undefined) defined[name] = value;
  return defined;
}

export { HooklineError } from "./core/error.ts";
export type * from "./core/event.ts";
export type { Explanation } from "./core/explain.ts";
export type * from "./core/hook.ts";
export type * from "./core/outcome.ts";
export type * from "./core/ports.ts";
export { defineHook, type EventOf, type HookDefinition } from "./definition.ts";
export type { Answer, Call, HookFunction } from "./handlers/function.ts";
export { createInlineQueue } from "./queues/inline.ts";
export { openMemoryStore } from "./stores/memory.ts";
