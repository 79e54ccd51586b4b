/**
 * One running language server: introduced, asked about one file after the other, and told goodbye. This file and what it
 * imports load the protocol's library, so it is itself loaded when the first server is started.
 */
import {
  DidChangeConfigurationNotification,
  ExitNotification,
  InitializedNotification,
  InitializeRequest,
  type InitializeResult,
  type ProtocolConnection,
  ShutdownRequest,
} from "vscode-languageserver-protocol/node";
import { HooklineError, messageOf } from "../../engine/error.ts";
import type { Seconds } from "../../engine/event.ts";
import type { PipedProcess } from "../../engine/program.ts";
import type { Diagnostic } from "../../engine/reach.ts";
import { createAsk, type Question } from "./ask.ts";
import type { Choice } from "./choose.ts";
import { connect } from "./connection.ts";
import { answerRequests, initializeParams } from "./requests.ts";

export interface Session {
  /** Rejects with HooklineError language_server_failed; also when the question's signal aborts. */
  diagnose(question: Question): Promise<Diagnostic[]>;
  /** Whether its process has ended: then its answers are over. */
  hasEnded(): boolean;
  /** Never rejects. */
  close(): Promise<void>;
}

/** For a server to answer the goodbye; its process is ended in any case. */
const farewell: Seconds = 1;
/** For it to introduce itself. Some install what they need first. */
const welcome: Seconds = 60;

/**
 * Takes the process over. Rejects with HooklineError language_server_failed, and has then ended it.
 *
 * @param signal gives up while the server has not introduced itself
 */
export async function openSession(
  child: PipedProcess,
  choice: Choice,
  { root, signal }: { root: string; signal: AbortSignal },
): Promise<Session> {
  const fail = (reason: string): HooklineError => failureOf(choice.server, root, reason, child);
  const gone = goneWith(child, fail);
  const connection = connect(child);
  const ask = createAsk(connection, choice.tellsWhenReady);
  answerRequests(connection, root, choice.settings, ask.registrations);
  const patience = AbortSignal.any([signal, AbortSignal.timeout(welcome * 1000)]);
  const late = whenAborted(patience, () => fail("it did not introduce itself in time"));
  try {
    connection.listen();
    ask.begin(await Promise.race([introduce(connection, choice, root), gone.failure, late.failure]));
  } catch (error) {
    await child.end();
    connection.dispose();
    throw error instanceof HooklineError ? error : fail(messageOf(error));
  } finally {
    late.stop();
  }
  let last: Promise<unknown> = Promise.resolve();
  return {
    diagnose(question) {
      const aborted = whenAborted(question.signal, () => fail("it was still at work when the time was up"));
      const work = (): Promise<Diagnostic[]> => Promise.race([ask.about(question), gone.failure, aborted.failure]);
      const answer = last.then(work);
      last = answer.catch(() => {}); // the next one waits for it, whatever came of it
      return Promise.race([answer, aborted.failure])
        .catch((error) => {
          throw error instanceof HooklineError ? error : fail(messageOf(error));
        })
        .finally(aborted.stop);
    },
    hasEnded: gone.is,
    close: () => leave(connection, child),
  };
}

async function introduce(connection: ProtocolConnection, choice: Choice, root: string): Promise<InitializeResult> {
  const introduced = await connection.sendRequest(InitializeRequest.type, initializeParams(root, choice));
  await connection.sendNotification(InitializedNotification.type, {});
  if (Object.keys(choice.settings).length > 0)
    await connection.sendNotification(DidChangeConfigurationNotification.type, { settings: choice.settings });
  return introduced;
}

async function leave(connection: ProtocolConnection, child: PipedProcess): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, farewell * 1000);
  try {
    const said = connection.sendRequest(ShutdownRequest.type);
    await Promise.race([said, late, child.ended]);
    await connection.sendNotification(ExitNotification.type);
  } catch {
    // it refuses or is gone: the end of its process is what counts
  }
  clearTimeout(timer);
  await child.end();
  connection.dispose();
}

interface Interruption {
  /** Never resolves, and needs no listener. */
  failure: Promise<never>;
}

function goneWith(child: PipedProcess, fail: (reason: string) => Error): Interruption & { is(): boolean } {
  let over = false;
  const failure = child.ended.then((how) => {
    over = true;
    throw fail(how);
  });
  failure.catch(() => {});
  return { failure, is: () => over };
}

function whenAborted(signal: AbortSignal, fail: () => Error): Interruption & { stop(): void } {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {});
  const abort = (): void => reject(fail());
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  return { failure: promise, stop: () => signal.removeEventListener("abort", abort) };
}

/** The last line that it said on stderr is mostly the reason. */
export function failureOf(name: string, where: string, reason: string, child: PipedProcess): HooklineError {
  const last = child.complaints().split("\n").at(-1)?.trim().slice(0, 300);
  return new HooklineError("language_server_failed", {
    name,
    where,
    reason: last ? `${reason}; the last that it said: ${last}` : reason,
  });
}
