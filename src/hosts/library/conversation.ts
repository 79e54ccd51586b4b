/**
 * A conversation that a host leads itself (specification 004): prompts go in, completions are the host's, and the hooks
 * that fire at the end of a turn run by themselves. Apart from the engine, which knows events and no flow.
 */
import { HooklineError, messageOf } from "../../engine/error.ts";
import type { Fields, HookId, MaybePromise, SessionId } from "../../engine/event.ts";
import type { Outcome } from "../../engine/outcome.ts";
import { type Ports, pause } from "../../engine/ports.ts";

/** What a completion may look at beside its prompt. */
export interface CompletionCall {
  /** Who started it: a message of the user, or a hook that blocks the stop. */
  cause: "user" | "hook";
  /** How many times since the user's last message hooks have started one; absent where that is not what is counted. */
  attempt?: number;
  /** What the hooks answered to the event that it follows from: UserPromptSubmit, or Stop. Its context is for the model. */
  outcome: Outcome;
  /** Aborts at `cancel` and `close`. */
  signal: AbortSignal;
}

/** One evaluation of the hooks at the end of a turn. */
export interface Evaluation {
  outcome: Outcome;
  /** What the next completion is given; absent: the turn is over. */
  prompt?: string;
  attempt?: number;
  /** A message of the user, `cancel` or `close` ended it: its outcome counts for nothing, and pending checks stay pending. */
  aborted?: true;
}

export interface Completion {
  answer?: string;
}

export interface ConversationOptions {
  /** Runs the model until it has answered. What it throws rejects `say`, or ends the flow that a hook has started. */
  complete(prompt: string, call: CompletionCall): Promise<Completion | undefined> | Promise<void>;
  /** Milliseconds between the end of a completion and the evaluation; default: 200. */
  grace?: number;
  /** Where its events happen; default: the library's own folder. */
  cwd?: string;
  /** Told of each evaluation when it has ended; must not throw. */
  onEvaluation?(evaluation: Evaluation): void;
}

export interface Conversation {
  /**
   * A message of the user: UserPromptSubmit, then, unless that was denied or stopped, the completion. Ends an evaluation
   * that waits or runs first, with its processes. Resolves with what the hooks answered to the message, when the
   * completion has ended; the evaluation follows in the background.
   *
   * Rejects with what `complete` threw, and with HooklineError turn_running until a completion has ended, or closed.
   * Resolves with {} where it is cancelled before it begins.
   */
  say(text: string): Promise<Outcome>;
  /** Ends what runs now: a completion by its signal, an evaluation with its processes. Says whether anything did. */
  cancel(): boolean;
  /** Evaluates at once if nothing runs, and else waits for what does; resolves when all that follows has ended. */
  evaluate(): Promise<void>;
  /** Resolves when nothing runs or waits. */
  idle(): Promise<void>;
  /** Ends what runs and waits for it. Safe to call twice. */
  close(): Promise<void>;
}

interface EmitOptions {
  session: SessionId;
  signal: AbortSignal;
  cwd?: string;
}

/** What conversations need of the engine and its store. */
interface ConversationLine extends Pick<Ports, "after" | "observe"> {
  emit(name: "UserPromptSubmit" | "Stop", data: Fields, options: EmitOptions): MaybePromise<Outcome>;
  /** Completions that hooks have started since the user's last message (R8). */
  reprompts(session: SessionId): MaybePromise<number>;
  /** Must-pass checks that have not passed. */
  pending(session: SessionId): MaybePromise<ReadonlyMap<HookId, unknown>>;
}

export interface Conversations {
  /** Throws HooklineError name_taken where the session has a conversation that is open. */
  open(session: SessionId, options: ConversationOptions): Conversation;
  /** Hooks were resumed: sessions with pending checks are evaluated at once, where nothing runs. */
  resumed(): Promise<void>;
  close(): Promise<void>;
}

/** The conversations of one engine: at most one for a session, as two could not tell whose turn it is. */
export function createConversations(line: ConversationLine): Conversations {
  const open = new Map<SessionId, { conversation: Conversation; isIdle(): boolean }>();
  return {
    open(session, options) {
      if (open.has(session)) throw new HooklineError("name_taken", { name: session, where: "conversation" });
      const made = createConversation({ session, options, line, forget: () => open.delete(session) });
      open.set(session, made);
      return made.conversation;
    },
    async resumed() {
      for (const [session, { conversation, isIdle }] of open)
        if ((await line.pending(session)).size > 0 && isIdle()) void conversation.evaluate(); // it never rejects here
    },
    async close() {
      await Promise.all([...open.values()].map(({ conversation }) => conversation.close()));
    },
  };
}

/** What runs now, or waits to. */
interface Work {
  is: "completion" | "evaluation";
  stop: AbortController;
}
interface Ended {
  /** Who started the completion that has ended. */
  cause: CompletionCall["cause"];
  answer?: string;
}
interface ConversationStart {
  session: SessionId;
  options: ConversationOptions;
  line: ConversationLine;
  forget(): void;
}

const usualGrace = 200;

function createConversation(start: ConversationStart): { conversation: Conversation; isIdle(): boolean } {
  const { session, options, line } = start;
  const name = `the conversation ${session}`;
  const grace = options.grace ?? usualGrace;
  const slot = createWorkSlot();
  let last: Ended = { cause: "user" };

  async function say(text: string): Promise<Outcome> {
    if (slot.isClosed()) throw new HooklineError("closed", { name, where: "say" });
    if (slot.holds("completion")) throw new HooklineError("turn_running", { name, where: "say" });
    const interrupted = slot.cancel();
    const before = slot.allBegun();
    const saying = begin(text, slot.take("completion"), { before, interrupted });
    slot.begun(saying.catch(() => {})); // the caller of `say` gets the error
    return saying;
  }

  async function begin(
    text: string,
    own: Work,
    { before, interrupted }: { before: Promise<unknown>; interrupted: boolean },
  ): Promise<Outcome> {
    let next = interrupted; // what was being evaluated is evaluated anew, also if this message comes to nothing
    try {
      await before; // the processes of an evaluation have ended
      const { signal } = own.stop;
      if (signal.aborted) return {}; // cancelled while it waited: it was never said
      const outcome = await line.emit("UserPromptSubmit", { prompt: text }, emitOptions(start, signal));
      if (signal.aborted || outcome.verdict?.is === "deny" || outcome.stop) return outcome;
      next = false;
      await complete(text, { cause: "user", outcome, signal });
      next = true;
      return outcome;
    } finally {
      if (next && !own.stop.signal.aborted) follow(grace);
      else slot.release(own);
    }
  }

  async function complete(prompt: string, call: CompletionCall): Promise<void> {
    const { answer } = (await options.complete(prompt, call)) ?? {};
    last = { cause: call.cause, ...(answer === undefined ? {} : { answer }) };
  }

  /** Evaluates, completes what hooks ask for, and evaluates again, until no hook blocks the stop, or the conversation ends it. */
  function follow(wait: number): void {
    const before = slot.allBegun();
    const following = evaluations(slot.take("evaluation"), wait);
    slot.begun(Promise.all([before, following]));
  }

  /** Never rejects. */
  async function evaluations(first: Work, wait: number): Promise<void> {
    let own = first;
    let by: HookId = "";
    try {
      for (let milliseconds = wait; ; milliseconds = grace) {
        if (milliseconds > 0) await pause(milliseconds, line, own.stop.signal);
        if (own.stop.signal.aborted) return;
        const { prompt, attempt, outcome } = await evaluateOnce(start, last, own.stop.signal);
        if (prompt === undefined || own.stop.signal.aborted) return;
        by = outcome.verdict?.by ?? "";
        own = slot.take("completion");
        const { signal } = own.stop;
        await complete(prompt, { cause: "hook", ...(attempt === undefined ? {} : { attempt }), outcome, signal });
        if (signal.aborted) return;
        own = slot.take("evaluation");
      }
    } catch (error) {
      if (own.stop.signal.aborted) return; // how a completion tells that it was ended
      const message = `what hooks have started in ${name} failed: ${messageOf(error)}`;
      line.observe?.({ is: "log", level: "error", message, hook: by, run: "" });
    } finally {
      slot.release(own);
    }
  }

  const conversation: Conversation = {
    say,
    cancel: slot.cancel,
    async evaluate() {
      if (slot.isClosed()) throw new HooklineError("closed", { name, where: "evaluate" });
      if (!slot.holds()) follow(0);
      await slot.idle();
    },
    idle: slot.idle,
    async close() {
      slot.close();
      start.forget();
      await slot.idle();
    },
  };
  return { conversation, isIdle: () => !slot.holds() };
}

/** What runs or waits in a conversation: one work at a time. Nothing is waited for between a look at the slot and taking it, so two can never have it. */
function createWorkSlot() {
  let work: Work | undefined;
  let tail: Promise<unknown> = Promise.resolve(); // of everything that was begun; never rejects
  let isClosed = false;
  function cancel(): boolean {
    work?.stop.abort();
    return work !== undefined;
  }
  return {
    isClosed: (): boolean => isClosed,
    holds: (is?: Work["is"]): boolean => work !== undefined && (is ?? work.is) === work.is,
    take(is: Work["is"]): Work {
      work = { is, stop: new AbortController() };
      if (isClosed) work.stop.abort();
      return work;
    },
    release(own: Work): void {
      if (work === own) work = undefined;
    },
    /** Ends what runs; says whether anything did. */
    cancel,
    /** Resolves when all that was begun until now has ended. */
    allBegun: (): Promise<unknown> => tail,
    /** @param all also what was begun before, or it waits for that; never rejects */
    begun(all: Promise<unknown>): void {
      tail = all;
    },
    async idle(): Promise<void> {
      for (let seen: unknown; seen !== tail; await tail) seen = tail;
    },
    close(): void {
      isClosed = true;
      cancel();
    },
  };
}

/** Where its events happen, and what ends their hooks. */
const emitOptions = ({ session, options: { cwd } }: ConversationStart, signal: AbortSignal): EmitOptions => ({
  ...{ session, signal },
  ...(cwd === undefined ? {} : { cwd }),
});

/** @param last the completion that has ended */
async function evaluateOnce(start: ConversationStart, last: Ended, signal: AbortSignal): Promise<Evaluation> {
  const { session, line, options } = start;
  const spent = await line.reprompts(session);
  const data: Fields = { stop_hook_active: last.cause === "hook" };
  if (last.answer !== undefined) data.last_assistant_message = last.answer;
  const outcome = await line.emit("Stop", data, emitOptions(start, signal));
  const evaluation: Evaluation = signal.aborted ? { outcome, aborted: true } : { outcome };
  const prompt = signal.aborted ? undefined : promptOf(outcome);
  const attempt = prompt === undefined ? spent : await line.reprompts(session);
  if (prompt !== undefined) evaluation.prompt = prompt;
  if (attempt > spent) evaluation.attempt = attempt;
  options.onEvaluation?.(evaluation);
  return evaluation;
}

/** What the model reads where hooks block the stop; undefined: they do not. */
function promptOf({ verdict, context = [], stop }: Outcome): string | undefined {
  if (stop) return undefined;
  const reason = verdict?.is === "deny" ? [verdict.reason ?? "a hook blocks the stop"] : [];
  const texts = [...reason, ...context];
  return texts.length > 0 ? texts.join("\n\n") : undefined;
}
