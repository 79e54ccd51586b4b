/** The engine's ports: what its host implements, and which of it may throw. */
import type { Fields, HookEvent, HookId, Instant, MaybePromise } from "./event.ts";
import type {
  Diagnosis,
  GitQuestion,
  GitReply,
  LanguageServers,
  Model,
  Notice,
  Projects,
  Tools,
} from "./external-services.ts";
import type { ConditionKind, Handler, Patterns, StepResult } from "./handler.ts";
import type { Hook, HookSet } from "./hook.ts";
import type { Outcome } from "./outcome.ts";
import type { PersistentPrograms } from "./persistent-program.ts";
import type { Ended, Spawn } from "./program.ts";
import type { Queue, Steps } from "./queue.ts";
import type { Reach } from "./reach.ts";
import type { CallReports, Receipt } from "./receipt.ts";
import type { Paused, Run, RunStatus, Store } from "./record.ts";

export type * from "./handler.ts";
export type * from "./handler.ts";
export type * from "./queue.ts";

export interface Registry {
  readonly handlers: ReadonlyMap<string, Handler>;
  readonly conditions: ReadonlyMap<string, ConditionKind>;
}
/**
 * One HTTP request; rejects on network failure, and where it may not go. The body is cut at the limit: `cut` says so. `movedTo`:
 * another origin, to which the server redirected, gave this reply.
 */
export type Fetch = (
  request: {
    url: string;
    method: string;
    headers: Record<string, string>;
    body: string;
    limitInBytes: number;
    reach: Reach;
  },
  signal: AbortSignal,
) => Promise<{ status: number; body: string; cut: boolean; movedTo?: string }>;

export type Observation =
  | { is: "event"; event: HookEvent }
  | { is: "status"; hook: Hook; status: string }
  /** `hook`: as it was when the run was queued; absent: the run was waited for, or others have reported it. `resumed`: it was begun before. */
  | { is: "run"; run: Run; hook?: Hook; resumed?: true }
  | { is: "log"; level: string; message: string; hook: HookId; run: string }
  | { is: "notice"; notice: Notice; hook: HookId; run: string }
  | { is: "diagnosis"; diagnosis: Diagnosis; hook: HookId }
  /** The agent has not obeyed the answer to this event. */
  | { is: "receipt"; event: HookEvent; receipt: Receipt }
  /** `ms`: how long the whole decision took. */
  | { is: "outcome"; event: HookEvent; outcome: Outcome; ms: number };

/** What an event of a session is compared with at a later one, such as the files of its workspace. Never throws or rejects. */
export interface Tracking {
  /** Called with every event of a session, before its hooks are asked. */
  begin(event: HookEvent, set: HookSet): MaybePromise<void>;
  /**
   * Called when the event has its outcome.
   *
   * @param asked how the hooks ended that were asked; absent: it was not for all hooks, so nothing counts as seen
   */
  end(event: HookEvent, asked?: readonly RunStatus[]): MaybePromise<void>;
}

export interface Ports {
  now(): Instant;
  /** Milliseconds on a clock that cannot be set: durations and limits go by it, not by `now`. Absent: they go by `now`. */
  elapsed?(): number;
  id(): string;
  /** Calls back once after so many milliseconds, and keeps the process alive meanwhile; returns its undo. */
  after(milliseconds: number, callback: () => void): () => void;
  store: Store;
  queue: Queue;
  /** Read once per event; a hot reload answers another set. */
  hooks(event: HookEvent): MaybePromise<HookSet>;
  registry: Registry;
  /** The registry of the event's project, where that has registered conditions or actions of its own; asked after `hooks`. */
  registryAt?(event: HookEvent): Registry;
  patterns: Patterns;
  /** How a durable hook stands when a run of it that waited is to begin; undefined: it is no longer active. Absent: as it was queued. */
  current?(hook: Hook, event: HookEvent): MaybePromise<Hook | undefined>;
  /** Which process this is, for runs in progress. */
  owner?: string;
  /** Whether a process that was named so still lives. Absent: that is not known of others. */
  isAlive?(owner: string): boolean;
  /** The folder of the project that the event happened in. Absent, and undefined: it is not known. */
  projectOf?(event: HookEvent): string | undefined;
  /** Names a refused call, so that a person can let it happen once; the same for the same refusal. Absent: refusals stand. */
  nameOfRefusal?(refused: RefusedCall): MaybePromise<string>;
  /**
   * What becomes of a question where no person can answer it; undefined: one can. Absent: one always can. Never throws.
   *
   * @param environment of the caller, if known
   */
  unanswered?(event: HookEvent, environment?: Caller["environment"]): UnansweredAsk | undefined;
  /** What the sender of an event reports of its calls. Absent, and undefined: none is followed. Never throws. */
  reports?(event: HookEvent): CallReports | undefined;
  /** Why another program runs this hook for this event, if so (R35). @param environment of the caller, if known */
  elsewhere?(hook: Hook, event: HookEvent, environment?: Caller["environment"]): string | undefined;
  /** Where a clock sets the hook off: when next, or why it waits, in words. Absent: that is not known. */
  whenDue?(hook: Hook): MaybePromise<string | undefined>;
  /** What was refused before that a call does another way, as the built-in guard says it. Absent: that is not looked at. Never throws or rejects. */
  rerouted?(event: HookEvent, paused: Paused): MaybePromise<Fields | undefined>;
  /** Adds what conditions need: changed files, transcript figures. May throw. */
  enrich?(event: HookEvent, needs: ReadonlySet<string>): MaybePromise<HookEvent>;
  tracking?: Tracking;
  /** Keeps the whole output of a script where people and other tools find it; gives the file. Throws what the file system says. */
  keepOutput?(hook: Hook, event: HookEvent, output: string): string;
  /** Takes secrets out of a text that is written where others read it. Never throws or rejects. */
  redact?(text: string): MaybePromise<string>;
  /** Sees everything; must not throw, and is never waited for. */
  observe?(observation: Observation): void;
  spawn?: Spawn;
  /** The first workspace file of a hook that is not what it was trusted with; undefined: all are. Never throws. */
  changed?(hook: Hook): string | undefined;
  /** What agents call that which Hookline tells programs in variables of its own. Absent: programs inherit no variables. */
  conventions?: AgentConventions;
  /** Programs that stay between events. Absent: each is started for one event and ended after its answer. */
  residents?: PersistentPrograms;
  fetch?: Fetch;
  /**
   * What the settings name that hold for this hook; each is made when it is first asked for. A user's hook gets what the
   * user named, whatever project the event comes from.
   */
  tools?(event: HookEvent, hook: Hook): Promise<Tools>;
  /** @param environment of the caller, if known: whose keys and which model count */
  model?(event: HookEvent, hook: Hook, environment?: Caller["environment"]): Promise<Model>;
  languageServers?(event: HookEvent, hook: Hook): Promise<LanguageServers>;
  /** Projects, tasks, notes and memory. */
  projects?(): Promise<Projects>;
  /** Asks git about the repository that a folder lies in; nothing of the repository's own is run (SAFETY T5). Never rejects. */
  git?(question: GitQuestion, signal: AbortSignal): Promise<GitReply>;
}

/** A tool call as one hook refused it. */
export interface RefusedCall {
  hook: HookId;
  session: string | undefined;
  cwd: string;
  tool: string;
  input: Fields;
}

/** deny: with a sentence that says how to allow it. pass: the agent decides as if nobody had asked. */
export const unansweredAsks = ["deny", "allow", "pass"] as const;
export type UnansweredAsk = (typeof unansweredAsks)[number];

/** Names that agents use towards the programs of hooks. */
export interface AgentConventions {
  variables(facts: ProgramFacts): Record<string, string>;
  /** The project's folder as an agent has named it to the caller. */
  projectFolder(environment: NonNullable<Caller["environment"]>): string | undefined;
  /** The variables by which agents name the project to hooks. */
  projectVariables(): readonly string[];
  /** By how it begins: "given", a variable of hooks' programs; "own", another one of an agent's. */
  kindOf(variable: string): "given" | "own" | undefined;
  /** A key to the agent's own session, which no program of a hook gets. */
  isSessionSecret(variable: string): boolean;
  /** Where agents keep files that describe what they can do. */
  abilityFolders(): readonly AbilityFolder[];
}
export interface AbilityFolder {
  /** Below a project's folder. */
  folder: string;
  /** A skill is a folder with a SKILL.md, an agent and a command are a Markdown file each. */
  holds: "skills" | "agents" | "commands";
}
export interface ProgramFacts {
  /** Of the event; and whose variables the hook's format asks for. */
  sender: string;
  asked: string | undefined;
  project: string;
  session: string | undefined;
  tool: string | undefined;
  /** The event's name as the hook's author wrote it. */
  event: string;
  plugin: string | undefined;
}

/** The sender of an event: lives only as long as the event and is never stored (R44). */
export interface Caller {
  signal?: AbortSignal;
  deadline?: Instant;
  environment?: Readonly<Record<string, string>>;
  /** The mode bits that files of its programs are made without; absent: as this process makes its own. */
  umask?: number;
  /**
   * Called with what kept the event, or a durable run that it set off, from being written down: the event counts as not taken,
   * whatever its outcome says, and a caller that relies on it sends it again. Must not throw.
   */
  unrecorded?(because: unknown): void;
  /** The journal of a durable run. */
  steps?: Steps;
}

/** What a hook program reads and answers. */
export interface Protocol {
  write(event: HookEvent, as: string, hook: Hook): string;
  read(ended: Ended, event: HookEvent, hook: HookId): StepResult;
  /** The first line of stdout says that the program goes on by itself. */
  detaches?(line: string): boolean;
}

/** Waits so long, or until the signal aborts. */
export const pause = (milliseconds: number, { after }: Pick<Ports, "after">, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      undo();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const undo = after(milliseconds, end);
    signal.addEventListener("abort", end, { once: true });
  });

/** Milliseconds from some moment on, whatever the clock is set to meanwhile (SAFETY D16): only differences mean something. */
export const elapsed = (ports: Pick<Ports, "elapsed" | "now">): number =>
  ports.elapsed ? ports.elapsed() : ports.now();
