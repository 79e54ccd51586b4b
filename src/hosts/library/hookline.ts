/** createHookline(): Hookline in a program that has agents or events of its own. */

import { homedir } from "node:os";
import type { Callback } from "../../actions/function/function.ts";
import { type AbilityEvents, withOwnNames } from "../../engine/ability.ts";
import { pausedNames } from "../../engine/admit.ts";
import { HooklineError } from "../../engine/error.ts";
import type {
  AgentEventName,
  AgentEvents,
  EventName,
  Fields,
  HookEvent,
  Instant,
  MaybePromise,
  SessionId,
} from "../../engine/event.ts";
import { eventToEmit, rowOf } from "../../engine/events.ts";
import type { Explanation } from "../../engine/explain.ts";
import type { Model, Tools } from "../../engine/external-services.ts";
import type { Hook, HookSet, Problem } from "../../engine/hook.ts";
import type { Outcome } from "../../engine/outcome.ts";
import { planHook } from "../../engine/plan.ts";
import type { Caller, Observation, Ports, Queue } from "../../engine/ports.ts";
import type { Run, RunFilter, Store } from "../../engine/record.ts";
import { findHook, projectOf } from "../../operations/hooks/named-hook.ts";
import { openMemoryStore } from "../../storage/memory/memory.ts";
import { createRuntime } from "../compose/runtime.ts";
import { actionHandler, conditionKind } from "../modules/kinds.ts";
import type { ActionDefinition, ConditionDefinition } from "../modules/setup.ts";
import { type Conversation, type ConversationOptions, createConversations } from "./conversation.ts";
import type { HookDefinition } from "./definition.ts";
import { createRegistered, type Registration } from "./registered.ts";

export interface HooklineOptions {
  /** The folder that events happen in unless they say otherwise. Default: the process's. */
  cwd?: string;
  /** Read the hook files of the event's project and of the user's home (default true). A project's count as far as a person has trusted them. */
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
  /**
   * Watch the folders of repositories in which hooks look at changed files, so that the question costs next to nothing
   * (default true, where the system can); false: look afresh each time.
   */
  watch?: boolean;
  /** For tests: a clock and timers of your own. */
  clock?: Pick<Ports, "now" | "after" | "elapsed">;
}

export interface EmitOptions extends Caller {
  session?: SessionId;
  cwd?: string;
  /** A host that keeps the conversation itself gives its turn. */
  turn?: HookEvent["turn"];
}
/** Hosts that have abilities may say so in the words of specification 001 (docs/repository-hooks.md). */
export type EmittedName = EventName | keyof AbilityEvents;
export type DataOf<N extends EmittedName> = N extends keyof AbilityEvents
  ? AbilityEvents[N] & Record<string, unknown>
  : N extends AgentEventName
    ? AgentEvents[N] & Record<string, unknown>
    : Fields;

export interface Hookline extends Pauses {
  /** Registers a hook for all sessions, until it is removed. Throws HooklineError event_unknown, hook_invalid, name_taken. */
  use<const N extends EventName>(hook: HookDefinition<N>): Registration;
  /** Hooks of one session run last, and go when it is cleared or ends. */
  session(id: SessionId): { use<const N extends EventName>(hook: HookDefinition<N>): Registration; clear(): void };
  /** Decides one event. Never throws on account of a hook; waits only if a hook does. */
  emit<N extends EmittedName>(name: N, data: DataOf<N>, options?: EmitOptions): MaybePromise<Outcome>;
  explain<N extends EmittedName>(name: N, data: DataOf<N>, options?: EmitOptions): MaybePromise<Explanation[]>;
  /** A condition that rules may use by this name from now on; gives its undo. Throws HooklineError name_taken. */
  registerCondition<P>(name: string, definition: ConditionDefinition<P>): () => void;
  /** An action that rules may use by this name from now on; gives its undo. Throws HooklineError name_taken. */
  registerAction<P>(name: string, definition: ActionDefinition<P>): () => void;
  /**
   * A conversation that you lead: prompts go in, you complete them, and what hooks find afterwards becomes the next
   * prompt (specification 004). Throws HooklineError name_taken where the session has one that is open.
   */
  conversation(session: SessionId, options: ConversationOptions): Conversation;
  /** The hooks that would be asked in this folder, and what is wrong with their files. */
  hooks(cwd?: string): Promise<{ set: HookSet; problems: readonly Problem[] }>;
  /** What ran, newest first. */
  runs(filter?: RunFilter): MaybePromise<Run[]>;
  /** Ends the conversations, waits for background hooks, then closes the store unless it was given. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Builds an engine with all around it for a process that has agents or events of its own.
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
  const store = await storeOf(options, environment);
  const { engine, ports, extended, source, ...runtime } = await createRuntime({
    ...options,
    cwd,
    home,
    environment,
    store,
    functions,
    combine: (set, event) => registered.combined(set, event?.session),
  });
  const registered = createRegistered(functions, (hook) => planHook(hook, ports.registry, ports.patterns).fault());
  const eventOf = (written: EmittedName, given: object, { session, turn, cwd: place }: EmitOptions): HookEvent => {
    const data = withOwnNames(given as Fields); // payloads are JSON: the types of AgentEvents allow nothing else
    return {
      id: ports.id(),
      name: eventToEmit(written, data) ?? (written as EventName), // what is no alias is an event's own name
      at: ports.now(),
      cwd: place ?? cwd,
      data,
      sender: "embedder",
      ...(session ? { session } : {}),
      ...(turn ? { turn } : {}),
    };
  };
  let closed = false;
  const activeIn = async (place: string): ReturnType<Hookline["hooks"]> => {
    const loaded = await source?.at(place);
    return { set: registered.combined(loaded?.set, undefined), problems: loaded?.problems ?? [] };
  };
  const conversations = createConversations({
    after: ports.after,
    emit: (name, data, given) => engine.emit(eventOf(name, data, given), { environment, ...given }),
    reprompts: async (session) => (await store.turn(session)).spent.reprompts,
    pending: (session) => store.pendingChecks(session),
    ...(options.observe ? { observe: options.observe } : {}),
  });
  const pauses = createPauses({
    store,
    now: ports.now,
    place: async () => ({ hooks: (await activeIn(cwd)).set.hooks, root: source?.known(cwd)?.root ?? cwd, cwd }),
    resumed: conversations.resumed,
  });
  return {
    ...pauses,
    conversation(session, given) {
      if (closed) throw new HooklineError("closed", { name: "this line", where: `conversation ${session}` });
      return conversations.open(session, given);
    },
    use: (hook) => registered.add(hook, undefined),
    session: (id) => ({ use: (hook) => registered.add(hook, id), clear: () => registered.clear(id) }),
    emit(name, data, given = {}) {
      if (closed) throw new HooklineError("closed", { name: "this line", where: `emit ${name}` });
      const event = eventOf(name, data, given);
      const outcome = engine.emit(event, { environment, ...given });
      if (event.session && rowOf(event.name).endsSession) registered.end(event.session);
      return outcome;
    },
    explain: (name, data, given = {}) => engine.explain(eventOf(name, data, given)),
    registerCondition: (name, definition) => extended.addCondition(name, conditionKind(name, definition)),
    registerAction: (name, definition) => extended.addAction(name, actionHandler(name, definition)),
    hooks: (place = cwd) => activeIn(place),
    runs: (filter = {}) => store.runs(filter),
    async close() {
      if (closed) return;
      closed = true;
      await conversations.close();
      await runtime.close();
      if (typeof options.store !== "object") store.close();
    },
  };
}

interface PausesOptions {
  store: Pick<Store, "pause" | "resume" | "paused">;
  now(): Instant;
  /** Where names and paths are looked up, and the project that is meant where no hook is named. */
  place(): Promise<{ hooks: readonly Hook[]; root: string; cwd: string }>;
  /** Told when something was let run again. */
  resumed(): Promise<void>;
}

export interface Pauses {
  /**
   * Pauses a hook, by its id, name, file or path, or all of the project but its guards; says whether it ran before.
   * Throws HooklineError hook_unknown.
   */
  pause(hook?: string): Promise<boolean>;
  /** Lets it run again; says whether it was paused. Throws HooklineError hook_unknown. */
  resume(hook?: string): Promise<boolean>;
  /** Ids of hooks and folders of projects. */
  paused(): Promise<ReadonlySet<string>>;
}

function createPauses({ store, now, place, resumed }: PausesOptions): Pauses {
  /** What is paused already may have gone from the files, and is let go by what it was called then. */
  async function meant(hook: string | undefined, where: string): Promise<string> {
    const { hooks, root, cwd } = await place();
    if (hook === undefined) return projectOf(hooks, root);
    return (await store.paused()).has(hook) ? hook : findHook(hooks, { name: hook, cwd, where }).id;
  }
  return {
    pause: async (hook) => store.pause(await meant(hook, "pause"), now()),
    async resume(hook) {
      const wasPaused = await store.resume(await meant(hook, "resume"));
      if (wasPaused) await resumed();
      return wasPaused;
    },
    async paused() {
      return new Set(pausedNames(await store.paused()));
    },
  };
}

async function storeOf(
  { store, clock, observe }: Pick<HooklineOptions, "store" | "clock" | "observe">,
  environment: Readonly<Record<string, string>>,
): Promise<Store> {
  if (typeof store === "object") return store;
  if (store === undefined || store === "memory") return openMemoryStore();
  if (/^postgres(ql)?:/i.test(store)) {
    const reason = "a program's hooks do not wait for a Postgres";
    const advice = "name a file; `hookline up --store postgres://…` brings what the usual one holds";
    throw new HooklineError("store_unusable", { reason, where: "the option store", advice });
  }
  const [{ openSqliteStore }, { createRedaction }, { ringOfRows, withDegradedMode }] = await Promise.all([
    import("../../storage/sqlite/sqlite.ts"),
    import("../../storage/redaction/redaction.ts"),
    import("../../storage/degraded.ts"),
  ]);
  const complain = (message: string): void => observe?.({ is: "log", level: "warn", message, hook: "", run: "" });
  const time = clock ? { now: clock.now } : {};
  const opened = openSqliteStore({
    path: store,
    redact: createRedaction({ environment }),
    onNotice: complain,
    ...time,
  });
  return withDegradedMode(() => opened, { ring: ringOfRows, complain, ...time });
}

function definedOnly(environment: NodeJS.ProcessEnv): Record<string, string> {
  const defined: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) if (value !== undefined) defined[name] = value;
  return defined;
}
