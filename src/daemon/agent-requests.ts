/** What agents tell, decided on the daemon's line: with the sender's environment, within the agent's time, and no longer than somebody waits for it. */
import type { AgentAdapter, Reply } from "../agents/adapter.ts";
import {
  answersWithin,
  decideTelling,
  readTelling,
  type Telling,
  unanswerable,
  withComplaints,
} from "../agents/telling.ts";
import { createBriefMap } from "../core/brief-map.ts";
import { complaintAbout } from "../core/complaint.ts";
import { messageOf } from "../core/error.ts";
import type { HookEvent, Instant, MaybePromise } from "../core/event.ts";
import { rowOf } from "../core/events.ts";
import { isThenable } from "../core/flow.ts";
import type { HookSet, Problem } from "../core/hook.ts";
import type { Outcome } from "../core/outcome.ts";
import type { Caller } from "../core/ports.ts";
import { folderLimit, isWithinLimits } from "./sent-event.ts";
import type { Environment, Sender, SessionEnvironments } from "./session-environments.ts";

/** What is known of the hooks of a folder. */
export interface Known {
  set: HookSet;
  problems: readonly Problem[];
  root: string;
}

export interface AgentRequestsOptions {
  emit(event: HookEvent, caller: Caller): MaybePromise<Outcome>;
  /** Resolves when all that was written in this turn is on disk. */
  committed(): Promise<void>;
  source: { at(cwd: string): MaybePromise<Known>; known(cwd: string): Known | undefined } | undefined;
  sessions: SessionEnvironments;
  /** Of a sender who sends none. */
  environment: Environment;
  home: string;
  now(): Instant;
  id(): string;
  /** Done beside a session's begin; what it gives is asked on the agent's standard error. Never rejects. */
  sessionBegan?(
    event: HookEvent,
    asked: { environment: Environment; by: string | undefined },
  ): MaybePromise<readonly string[]>;
  /** AgentRequest of a sender's environment before anything of its telling is written down. */
  learnSecrets(environment: Environment): void;
}

export interface AgentRequest {
  adapter: AgentAdapter;
  payload: string;
  /** The event and the layer that the registration names. */
  event: string | undefined;
  by: string | undefined;
  /** Where the sender works. */
  folder: string;
  /** Absent: it came over HTTP. */
  sender: Sender | undefined;
}

/** Decided, or not to be read: then there is only what is said by policy. */
export type Answered = { telling: Telling; outcome: Outcome; complaints: readonly string[] } | { reply: Reply };

export interface AgentRequests {
  /** Calls back once, unless it is left before. */
  take(asked: AgentRequest, answer: (answered: Answered) => void): Underway;
  /** Gives those under way a while, then ends their hooks. Nothing more may be asked. Safe to call twice. */
  close(): Promise<void>;
}
export interface Underway {
  /** Its sender has gone: nobody waits for the hooks. Without effect once it is answered. */
  leave(): void;
}

/** Of the ten seconds that a daemon takes to end. */
const endsWithin = 6_000;
const where = "the daemon's hook route";

export function createAgentRequests(options: AgentRequestsOptions): AgentRequests {
  const { emit, committed, source, sessions, home, now, id } = options;
  const underway = createBriefMap<Waiting, true>();
  const complaints = new WeakMap<Known, readonly string[]>();
  let closing: Promise<void> | undefined;
  let whenNone = (): void => {};

  const ended = (one: Waiting): void => {
    one.isOver = true;
    if (underway.delete(one) && underway.size === 0) whenNone();
  };

  function complaintsAt(cwd: string): readonly string[] {
    const known = source?.known(cwd);
    if (!known) return none;
    let found = complaints.get(known);
    if (!found) {
      const complaint = complaintAbout(known, (path) => path);
      found = complaint === undefined ? none : [`hookline: ${complaint}`];
      complaints.set(known, found);
    }
    return found;
  }

  function decide(asked: AgentRequest, waiting: Waiting, answer: (answered: Answered) => void): void {
    const { adapter, folder, event: named, by } = asked;
    const telling = readTelling(adapter, asked.payload, {
      where,
      at: now(),
      id,
      cwd: folder,
      ...(named === undefined ? {} : { event: named }),
      ...(by === undefined ? {} : { registration: by }),
    });
    const { event } = telling;
    if (!isWithinLimits(event.cwd)) {
      ended(waiting);
      answer({ reply: tooDeep });
      return;
    }
    const sender = asked.sender ?? sessions.of(event.session);
    if (sender) options.learnSecrets(sender.environment);
    sessions.note(event, asked.sender);
    const caller = callerOf(sender, event.at + answersWithin, waiting);
    const give = (outcome: Outcome, more: readonly string[]): void => {
      const all = asked.sender ? [...complaintsAt(event.cwd), ...more] : none;
      ended(waiting);
      answer({ telling, outcome, complaints: all });
    };
    /** What was decided stands, although it may not be known later. */
    const store = (outcome: Outcome, more: readonly string[]): void => {
      committed().then(
        () => give(outcome, more),
        (error: unknown) => give(outcome, [...more, `hookline: ${messageOf(error)}`]), // the store has asked the log
      );
    };
    const outcome = decideTelling(telling, emit, caller);
    const { environment } = sender ?? options;
    const notes = rowOf(event.name).beginsSession ? options.sessionBegan?.(event, { environment, by }) : undefined;
    if (!isThenable(outcome) && !isThenable(notes)) store(outcome, notes ?? none);
    else void Promise.all([outcome, notes]).then(([decided, noted]) => store(decided, noted ?? none)); // neither rejects
  }

  async function unread(error: unknown, asked: AgentRequest): Promise<Reply> {
    const { adapter, event, folder } = asked;
    const { environment } = asked.sender ?? options;
    const known = await source?.at(folder);
    const places = { home, root: known?.root ?? folder, environment };
    return unanswerable(error, { agent: adapter.name, event, hooks: known?.set.hooks, places });
  }

  function end(): Promise<void> {
    if (underway.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        for (const one of underway.keys()) one.leave();
      }, endsWithin);
      whenNone = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  return {
    take(asked, answer) {
      const waiting = createWaiting();
      underway.set(waiting, true);
      try {
        decide(asked, waiting, answer);
      } catch (error) {
        void unread(error, asked).then((reply) => {
          ended(waiting);
          answer({ reply });
        });
      }
      return waiting;
    },
    close() {
      closing ??= end();
      return closing;
    },
  };
}

const none: readonly string[] = [];

/** Which guards are in force there is not known. Clients of ours ask about no such folder. */
const tooDeep: Reply = {
  exitCode: 2,
  stderr: `hookline: the daemon judges nothing in other folders than those ${folderLimit}, so it is blocked`,
};

/** What a command would have printed, and how it would have ended. */
export const replyOf = (answered: Answered): Reply =>
  "reply" in answered
    ? answered.reply
    : withComplaints(answered.telling.adapter.encode(answered.telling.event, answered.outcome), answered.complaints);

interface Waiting extends Underway {
  isOver: boolean;
  hasLeft: boolean;
  controller: AbortController | undefined;
}

function createWaiting(): Waiting {
  const waiting: Waiting = {
    isOver: false,
    hasLeft: false,
    controller: undefined,
    leave() {
      if (waiting.isOver) return;
      waiting.hasLeft = true;
      waiting.controller?.abort();
    },
  };
  return waiting;
}

/** Made when somebody asks for it: most decisions are made before. */
function signalOf(waiting: Waiting): AbortSignal {
  waiting.controller ??= new AbortController();
  if (waiting.hasLeft) waiting.controller.abort();
  return waiting.controller.signal;
}

/** Of whom nothing is known, programs get a clean environment, and models are asked as the daemon would. */
const callerOf = (sender: Sender | undefined, deadline: Instant, waiting: Waiting): Caller => ({
  ...(sender && { environment: sender.environment }),
  ...(sender?.umask !== undefined && { umask: sender.umask }),
  deadline,
  hasLeft: () => waiting.hasLeft,
  get signal() {
    return signalOf(waiting);
  },
});
