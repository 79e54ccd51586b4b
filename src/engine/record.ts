/** What is recorded of events and runs, and the port of the store that keeps it. */
import type { Counter, Fields, HookEvent, HookId, Instant, MaybePromise, Seconds, SessionId, Turn } from "./event.ts";
import type { HookSet } from "./hook.ts";
import type { Outcome } from "./outcome.ts";
import type { Followed, Following, Heard, Receipt, ReceiptState } from "./receipt.ts";

/** What a condition found, for {{match.…}}; a pending check keeps it. `unknown`: why it is not known that the condition holds. */
export type Found = Fields;

/** cancelled: what it was for is over, so no failure policy answers. */
export type Failure = "launch" | "exit" | "timeout" | "output" | "error" | "cancelled";

export interface Evidence {
  exitCode?: number;
  stdout?: string;
  stderr?: string;
  containment?: string;
}

/** A step as the run keeps it. */
export interface StepRecord {
  uses: string;
  ok: boolean;
  output: Fields;
  ms: number;
  failure?: Failure;
  reason?: string;
  evidence?: Evidence;
  /** Input and output that a model counted. */
  tokens?: number;
}

export type RunStatus =
  | "queued"
  | "running"
  | "completed"
  | "skipped"
  | "failed"
  | "timeout"
  | "cancelled"
  | "interrupted";

/** An answer without effect: its hook only reports, or a person allowed the call once. */
export interface Withheld {
  because: "report" | "allowed once";
  outcome: Outcome;
}

/** What does not run, and until when: hooks by id, projects by folder, and what admit.ts names. Infinity: until it is resumed. */
export type Paused = ReadonlyMap<string, Instant>;

/** One hook that matched one event: it ran, or it did not and the reason says why (R37). */
export interface Run {
  id: string;
  hook: HookId;
  hookName: string;
  eventId: string;
  eventName: string;
  session?: SessionId;
  status: RunStatus;
  reason?: string;
  /** What set it off: "event:PreToolUse", "manual". */
  cause: string;
  startedAt: Instant;
  ms?: number;
  /** What the hook answered, before the event's row took what it accepts. */
  outcome?: Outcome;
  /** What it answered and what did not count. */
  withheld?: Withheld;
  steps: StepRecord[];
  /** Of all its steps. */
  tokens?: number;
  notes: string[];
  /** Times that the hook was asked about this event (R6). */
  asked: number;
  /** The process that runs it: a run whose process is gone was interrupted. Of a shared run, its worker. */
  owner?: string;
  /** What the agent did with the decision, where this hook was for one that is followed: read with the run, and written with its event. */
  receipt?: Receipt;
}

/** What the steps of a run cost together, where a model was asked. To be called when its steps were set. */
export function addTokens(run: Run): void {
  const counts = run.steps.flatMap(({ tokens }) => tokens ?? []);
  if (counts.length > 0) run.tokens = counts.reduce((sum, one) => sum + one, 0);
}

export interface StoredEvent {
  event: HookEvent;
  set: string;
  outcome?: Outcome;
  /** How long the decision took, in milliseconds. */
  ms?: number;
  /** The payload was larger than the record setting and was cut (R55). */
  cut?: true;
  redacted?: true;
  /** The event that reported the same happening first, and whose answer this one was given or decided beside (R49). */
  repeats?: string;
  /** What the agent then did, where the call was refused, asked about or rewritten. */
  receipt?: Receipt;
}

/** Receipts of one kind: how many there are. */
export interface ReceiptCount extends Pick<Receipt, "to" | "is"> {
  count: number;
}

/** How the files of a session's workspace were when it began, or when the hooks of a project that look at them last ended (R57). */
export interface Baseline {
  /** The commit that the session began with, and the one of the last look; absent: there was none. */
  begun?: string;
  head?: string;
  /** The same of repositories inside it, by folder, with a slash behind. */
  inside?: { [folder: string]: { begun?: string; head?: string } };
  /** When the session began, and when its hooks last ended. */
  at: { begun: Instant; last?: Instant };
  /** Of each file that differed from the commit then: what a change of it would change, in one text. */
  files: { [path: string]: string };
}

/** Cooldown, max fires and once are all this (R21). */
export interface Claim {
  key: string;
  max?: number;
  gap?: Seconds;
  /** The moment that it is for, where that is not now. */
  at?: Instant;
  /** What begins so is the same for other moments: once it is taken, those more than a day away from it are forgotten. */
  among?: string;
  /** The reason to record when it refuses. */
  refusal: string;
}

/** A claim that is refused. */
export interface Refusal extends Claim {
  /** Until its gap has passed; absent: waiting does not help. */
  left?: Seconds;
}

export interface RunFilter {
  /** Its id, or the ids of several. */
  hook?: string | readonly string[];
  session?: string;
  event?: string;
  status?: RunStatus;
  eventId?: string;
  /** Only runs of hooks whose ids begin and end so. */
  among?: { prefix: string; suffix?: string };
  /** Only runs that began at this moment or later. */
  since?: Instant;
  /** Only runs that were written down before the run with this id: the next page of a list. */
  before?: string;
  /** Only runs for events that happened in one of these folders or below it. */
  folders?: readonly string[];
  /** Only runs of calls that the agent treated so. */
  receipt?: ReceiptState;
  /** Only runs that hold this text in what is written down of them or of their event, in capitals or not. */
  text?: string;
  limit?: number;
}

/** A call in an agent's own record of a session, as far as a person wants to know of it. */
export interface RecordedCall {
  id: string;
  tool: string;
  /** The part of its input that a person would name. */
  subject: string;
  at?: Instant;
  /** Of a subagent: its kind, or "" where that is not known. */
  subagent?: string;
}

/**
 * What an agent keeps of a session, as it was held against the calls that reached us: a row for each of its files. A session has one for
 * itself, and maybe more for its subagents.
 */
export interface Transcript {
  path: string;
  sender: string;
  /** Absent: nothing in it was understood yet. */
  session?: SessionId;
  cwd?: string;
  subagent?: { id: string; type?: string };
  /** How far it was read, what its end was then, and when that was written. */
  read: number;
  end: number;
  modified: Instant;
  /** Time was up before its end. */
  isUnfinished?: true;
  /** Calls that have come to an end, and how many of them reached us. */
  calls: number;
  reached: number;
  /** Tools of which a call reached us. */
  tools: readonly string[];
  /** The first of those that did not. */
  missed: readonly RecordedCall[];
  /** When the last of those began that reached us, and the first that did not behind it. */
  lastReached?: Instant;
  silentSince?: Instant;
  /** Calls that have not come to an end. */
  open: readonly RecordedCall[];
  /** Ids of the last calls that have: some agents tell of one twice. */
  recent: readonly string[];
  /** Something in it is as its agent is known to write it. */
  isUnderstood: boolean;
  /** What of it cannot be known. */
  unknown?: string;
}

/** Safe across processes; each method is one transaction. Methods may throw HooklineError (store_unusable, store_locked). */
export interface Store {
  /**
   * Writes the event and moves its session's turn on. `given` is the first verdict and stop of a delivery that was
   * reported before by another registration and has been answered (R49).
   *
   * @param mustLast the sender relies on it: a store that could only hold it in memory throws
   */
  record(
    event: HookEvent,
    set: HookSet,
    advance: (event: HookEvent, before: Turn) => Turn,
    mustLast?: boolean,
  ): MaybePromise<{
    turn: Turn;
    given?: Outcome;
    /** The event of that delivery, where it has not been answered yet. */
    unanswered?: string;
    paused: Paused;
    /** There are receipts of the session: what an event says of calls is for `heard`. */
    hasReceipts?: true;
  }>;
  /**
   * @param ms how long the whole decision took
   * @param following of a call that is followed: a report of it may have come already. Gives its receipt as it was written
   */
  answered(eventId: string, outcome: Outcome, ms?: number, following?: Following): MaybePromise<Receipt | undefined>;
  /** What is heard of the session's calls: gives the receipts that it has changed. */
  heard(session: SessionId, heard: Heard): MaybePromise<Followed[]>;
  /** Of events that happened since then, in one of these folders or below it. */
  receipts(filter: { since: Instant; folders?: readonly string[] }): MaybePromise<ReceiptCount[]>;
  /** The session's turn as the last event left it. */
  turn(session: SessionId): MaybePromise<Turn>;
  /** All or none; answers with the first that refuses. */
  claim(claims: readonly Claim[], now: Instant): MaybePromise<Refusal | undefined>;
  /** The first claim that would refuse now; changes nothing. */
  peek(claims: readonly Claim[], now: Instant): MaybePromise<Refusal | undefined>;
  /** Takes one from the session's counter; false if it is used up. */
  spend(session: SessionId, counter: Counter, max: number): MaybePromise<boolean>;
  /** The must-pass checks that are pending in the session, after these were added to them. */
  pendingChecks(session: SessionId, added?: ReadonlyMap<HookId, Found>): MaybePromise<ReadonlyMap<HookId, Found>>;
  checkPassed(session: SessionId, hook: HookId): MaybePromise<void>;
  /** Of one session, and one folder or one project's look at it. */
  baseline(session: SessionId, folder: string): MaybePromise<Baseline | undefined>;
  setBaseline(session: SessionId, folder: string, baseline: Baseline): MaybePromise<void>;
  /**
   * A hook by its id, or all hooks of a project by its folder, until then, or until they are resumed. Both say whether it changed
   * anything: of several that resume at once, one is told so.
   */
  pause(what: string, now: Instant, until?: Instant): MaybePromise<boolean>;
  resume(what: string): MaybePromise<boolean>;
  /** Some of it may have ended. */
  paused(): MaybePromise<Paused>;
  /** The inbox: what goes with the session's next event that takes it. First in, first out. */
  post(session: SessionId, outcome: Outcome, counter?: Counter): MaybePromise<void>;
  collect(session: SessionId): MaybePromise<{ outcome: Outcome; counter?: Counter }[]>;
  saveRun(run: Run): MaybePromise<void>;
  run(id: string): MaybePromise<Run | undefined>;
  /** Newest first. */
  runs(filter: RunFilter): MaybePromise<Run[]>;
  event(id: string): MaybePromise<StoredEvent | undefined>;
  /** Of events and runs: new ids go on behind it, whatever the clock says. A store of one process leaves it out. */
  newestId?(): string | undefined;
  /** Newest first. @param name only application events of this name, whose names hold a dot */
  events(limit: number, name?: `${string}.${string}`): MaybePromise<StoredEvent[]>;
  /** The ids of the hook sets that decided the last so many events, newest first. */
  recentHookSets(events: number): MaybePromise<string[]>;
  hookSet(id: string): MaybePromise<HookSet | undefined>;
  /** When each hook last began a run; those that were refused did not. */
  lastFired(): MaybePromise<ReadonlyMap<HookId, Instant>>;
  /** The ids of deliveries that begin so (R49). */
  deliveriesFrom(beginning: string): MaybePromise<string[]>;
  /** When each registration last reported a call or a prompt in these folders or below, as far as that is among their newest events. */
  lastReports(folders: readonly string[]): MaybePromise<ReadonlyMap<string, Instant>>;
  /** The newest first, as they were written last. */
  transcripts(): MaybePromise<Transcript[]>;
  saveTranscript(transcript: Transcript): MaybePromise<void>;
  /** Closes runs whose process is gone as interrupted; answers how many (R26). Receipts of sessions that never ended are closed too. */
  repair(isAlive: (owner: string) => boolean, now: Instant): MaybePromise<number>;
  /** Forgets events and runs before this moment; answers how many events. */
  purge(before: Instant): MaybePromise<number>;
  /** Does the work as one transaction; the work must not wait. A store without transactions leaves it out. */
  batch?<T>(work: () => T): T;
  /**
   * Resolves once all that was written so far is on disk; rejects with the reason if any of it is not. To be asked in the
   * turn of the event loop in which it was written: a store may write down the whole turn at once.
   */
  committed(): Promise<void>;
  close(): void;
}
