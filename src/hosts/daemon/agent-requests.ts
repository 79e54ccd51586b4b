/** Agent requests, decided by the daemon's engine: with the sender's environment, within the agent's time, and only while the sender waits. */
import type { AgentAdapter, Reply } from "../../agents/adapter.ts";
import {
  type DecodedRequest,
  deadlineOf,
  decideRequest,
  readRequest,
  replyTo,
  type Unanswered,
  unanswerable,
  withWarnings,
} from "../../agents/request.ts";
import { createBriefMap } from "../../engine/drop-oldest.ts";
import { messageOf } from "../../engine/error.ts";
import type { HookEvent, Instant, MaybePromise } from "../../engine/event.ts";
import { resolveEvent, rowOf, verdictsOf } from "../../engine/events.ts";
import { isThenable } from "../../engine/flow.ts";
import { type HookSet, type Problem, warningAbout } from "../../engine/hook.ts";
import type { Outcome } from "../../engine/outcome.ts";
import type { Caller } from "../../engine/ports.ts";
import { folderLimit, isWithinLimits } from "./ingest.ts";
import type { Environment, Sender, SessionEnvironments } from "./session-environments.ts";

/** What is known of the hooks of a folder. */
export interface FolderHooks {
  set: HookSet;
  problems: readonly Problem[];
  root: string;
}

interface AgentRequestsOptions {
  emit(event: HookEvent, caller: Caller): MaybePromise<Outcome>;
  /** Resolves when all that was written in this turn is on disk. */
  committed(): Promise<void>;
  source: { at(cwd: string): MaybePromise<FolderHooks>; known(cwd: string): FolderHooks | undefined } | undefined;
  sessions: SessionEnvironments;
  /** Of a sender who sends none. */
  environment: Environment;
  home: string;
  stateFolder: string;
  now(): Instant;
  id(): string;
  /** Done beside a session's begin; what it gives is printed on the agent's standard error. Never rejects. */
  sessionBegan(event: HookEvent, from: { agent: AgentAdapter; environment: Environment }): Promise<readonly string[]>;
  /** Gets each sender's environment before anything of its request is written down. */
  learnSecrets(environment: Environment): void;
}

interface AgentRequest {
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

/** Decided, or not to be read: then the failure policy answers. */
export type Answered =
  | { request: DecodedRequest; outcome: Outcome; complaints: readonly string[] }
  | { reply: Unanswered };

export interface AgentRequests {
  /** Calls back once, unless the sender leaves before. */
  take(given: AgentRequest, answer: (answered: Answered) => void): Underway;
  /** Gives those under way a while, then ends their hooks. Nothing more may be taken. Safe to call twice. */
  close(): Promise<void>;
}
interface Underway {
  /** Its sender has gone: its hooks end. Without effect once it is answered. */
  leave(): void;
}

/** Of the ten seconds that a daemon takes to end. */
const endsWithin = 6_000;
const where = "the daemon's hook route";

export function createAgentRequests(options: AgentRequestsOptions): AgentRequests {
  const { emit, committed, source, sessions, home, stateFolder, now, id } = options;
  const underway = createUnderwayRequests();
  const complaintsOf = createComplaints();

  function decide(given: AgentRequest, signal: AbortSignal, answer: (answered: Answered) => void): void {
    const { adapter, folder, event: named, by } = given;
    const request = readRequest(adapter, given.payload, {
      where,
      at: now(),
      id,
      cwd: folder,
      environment: given.sender?.environment ?? noEnvironment,
      stateFolder,
      ...(named === undefined ? {} : { event: named }),
      ...(by === undefined ? {} : { registration: by }),
    });
    const [event] = request.events;
    if (!event) {
      answer({ request, outcome: {}, complaints: none });
      return;
    }
    if (!isWithinLimits(event.cwd)) {
      answer({ reply: refusal(request.adapter, event.name, tooDeep) });
      return;
    }
    const sender = given.sender ?? sessions.of(event.session);
    if (sender) options.learnSecrets(sender.environment);
    sessions.note(event, given.sender);
    const caller = callerOf(sender, deadlineOf(request), signal);
    const give = (outcome: Outcome, more: readonly string[]): void => {
      const all = given.sender ? [...complaintsOf(source?.known(event.cwd)), ...more] : none;
      answer({ request, outcome, complaints: all });
    };
    /** What was decided stands, although it may not be known later. */
    const store = (outcome: Outcome, more: readonly string[]): void => {
      committed().then(
        () => give(outcome, more),
        (error: unknown) => give(outcome, [...more, `hookline: ${messageOf(error)}`]), // the store has written to the log
      );
    };
    const outcome = decideRequest(request, emit, caller);
    const { environment } = sender ?? options;
    const notes = rowOf(event.name).beginsSession
      ? options.sessionBegan(event, { agent: request.adapter, environment })
      : none;
    if (!isThenable(outcome) && notes === none) store(outcome, none);
    else void Promise.all([outcome, notes]).then(([decided, noted]) => store(decided, noted)); // neither rejects
  }

  async function unread(error: unknown, given: AgentRequest): Promise<Unanswered> {
    const { adapter, event, folder } = given;
    const { environment } = given.sender ?? options;
    if (!given.sender && mayRefuseCall(event)) {
      const reason = `hookline: ${messageOf(error)} (its folder is not known, and so are its guards, so it is blocked)`;
      return refusal(adapter, event, reason);
    }
    const known = await source?.at(folder);
    const places = { home, root: known?.root ?? folder, environment };
    return unanswerable(error, { agent: adapter.name, event, hooks: known?.set.hooks, places });
  }

  return {
    take(given, answer) {
      const waiting = underway.begin();
      const give = (answered: Answered): void => {
        underway.end(waiting);
        answer(answered);
      };
      try {
        decide(given, waiting.signal, give);
      } catch (error) {
        void unread(error, given).then((reply) => give({ reply }));
      }
      return waiting;
    },
    close: underway.close,
  };
}

const none: readonly string[] = [];

/** A guard may refuse a call on it; without a name, it may be any event. */
const mayRefuseCall = (event: string | undefined): boolean =>
  event === undefined ||
  (resolveEvent(event) ?? []).some((name) => rowOf(name).matchTool && verdictsOf(rowOf(name)).includes("deny"));

/** As the agent's own protocol refuses this event. */
const refusal = (adapter: AgentAdapter, event: string | undefined, reason: string): Unanswered => ({
  ...adapter.refuse(
    reason,
    [...adapter.sends].find((name) => name === event),
  ),
  refused: reason,
});

const noEnvironment: Environment = {};

/** Which guards are active there is not known. Clients of ours ask about no such folder. */
const tooDeep = `hookline: the daemon judges nothing in other folders than those ${folderLimit}, so it is blocked`;

/** What a command would have printed, and how it would have ended. */
export const replyOf = (answered: Answered): Reply =>
  "reply" in answered ? answered.reply : withWarnings(replyTo(answered.request, answered.outcome), answered.complaints);

interface UnderwayRequest extends Underway {
  isOver: boolean;
  signal: AbortSignal;
}

function createUnderwayRequests() {
  const underway = createBriefMap<UnderwayRequest, true>();
  let closing: Promise<void> | undefined;
  let whenNone = (): void => {};

  function allEnded(): Promise<void> {
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
    begin(): UnderwayRequest {
      const controller = new AbortController();
      const request: UnderwayRequest = {
        isOver: false,
        signal: controller.signal,
        leave() {
          if (!request.isOver) controller.abort();
        },
      };
      underway.set(request, true);
      return request;
    },
    end(request: UnderwayRequest): void {
      request.isOver = true;
      if (underway.delete(request) && underway.size === 0) whenNone();
    },
    /** Gives them a while, then ends their hooks. */
    close(): Promise<void> {
      closing ??= allEnded();
      return closing;
    },
  };
}

/** What is wrong with the files of a folder, as the agent's standard error shows it: made once for each state of them. */
function createComplaints(): (known: FolderHooks | undefined) => readonly string[] {
  const complaints = new WeakMap<FolderHooks, readonly string[]>();
  return (known) => {
    if (!known) return none;
    const made = complaints.get(known);
    if (made) return made;
    const complaint = warningAbout(known, (path) => path);
    const found = complaint === undefined ? none : [`hookline: ${complaint}`];
    complaints.set(known, found);
    return found;
  };
}

/** Without a known sender, programs get a clean environment, and models are asked as the daemon would. */
const callerOf = (sender: Sender | undefined, deadline: Instant, signal: AbortSignal): Caller => ({
  ...(sender && { environment: sender.environment }),
  ...(sender?.umask !== undefined && { umask: sender.umask }),
  deadline,
  signal,
});
