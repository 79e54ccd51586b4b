/**
 * One running language server: introduced, asked about one file after the other, and shut down. This file and what it
 * imports load the protocol's library, so it is itself loaded when the first server is started.
 */

import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import {
  type ClientCapabilities,
  createProtocolConnection,
  DidChangeConfigurationNotification,
  type Disposable,
  ExitNotification,
  InitializedNotification,
  type InitializeParams,
  InitializeRequest,
  type InitializeResult,
  type ProtocolConnection,
  ReadableStreamMessageReader,
  type Registration,
  ShutdownRequest,
  type WorkspaceFolder,
  WriteableStreamMessageWriter,
} from "vscode-languageserver-protocol/node";
import { HooklineError, messageOf } from "../../engine/error.ts";
import type { Json, Seconds } from "../../engine/event.ts";
import type { Diagnostic } from "../../engine/external-services.ts";
import type { PipedProcess } from "../../engine/program.ts";
import { isRecord } from "../../engine/schema.ts";
import { whenAborted } from "../until-aborted.ts";
import { createAsk, type Question } from "./ask.ts";
import type { Choice } from "./choose.ts";

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

function goneWith(child: PipedProcess, fail: (reason: string) => Error): { failure: Promise<never>; is(): boolean } {
  let over = false;
  const failure = child.ended.then((how) => {
    over = true;
    throw fail(how);
  });
  failure.catch(() => {});
  return { failure, is: () => over };
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

// A language server's protocol over the pipes of its process.

/** Not yet listening, so that what the server asks at once finds its answers. */
function connect(child: PipedProcess): ProtocolConnection {
  const reader = new ReadableStreamMessageReader({
    onData(listener) {
      child.onOutput(listener);
      return nothing;
    },
    onClose: () => nothing,
    onError: () => nothing,
    onEnd: () => nothing,
  });
  const writer = new WriteableStreamMessageWriter({
    write(data: string | Uint8Array) {
      child.write(data);
      return Promise.resolve();
    },
    end: () => {},
    onClose: () => nothing,
    onError: () => nothing,
    onEnd: () => nothing,
  });
  return createProtocolConnection(reader, writer, silent);
}

/** The process outlives the connection, and its end is known by its process. */
const nothing: Disposable = { dispose() {} };
/** What a server wants to tell people is not ours to print; its last words on stderr are kept with the failure. */
const silent = { error() {}, warn() {}, info() {}, log() {} };

// What a language server asks of an editor, and what it is answered: settings and folders, but nothing that changes
// files.

/** Only what is really answered below; some servers end over a request that is refused after it was offered. */
const capabilities: ClientCapabilities = {
  general: { positionEncodings: ["utf-16"] },
  window: { workDoneProgress: true },
  workspace: {
    applyEdit: false,
    configuration: true,
    workspaceFolders: true,
    didChangeConfiguration: { dynamicRegistration: true },
    diagnostics: { refreshSupport: true },
  },
  textDocument: {
    synchronization: { dynamicRegistration: false },
    publishDiagnostics: { relatedInformation: false, versionSupport: true },
    diagnostic: { dynamicRegistration: true, relatedDocumentSupport: false },
  },
  experimental: { serverStatusNotification: true },
};

function initializeParams(root: string, { initialization }: Choice): InitializeParams {
  return {
    processId: process.pid,
    clientInfo: { name: "hookline" },
    rootPath: root,
    rootUri: pathToFileURL(root).href,
    workspaceFolders: foldersOf(root),
    initializationOptions: initialization,
    capabilities,
  };
}

const foldersOf = (root: string): WorkspaceFolder[] => [{ uri: pathToFileURL(root).href, name: basename(root) }];

/** Requests that want no more than to be heard. */
const heard = [
  "window/workDoneProgress/create",
  "window/showMessageRequest",
  "workspace/diagnostic/refresh",
  "workspace/codeLens/refresh",
  "workspace/inlayHint/refresh",
  "workspace/semanticTokens/refresh",
  "workspace/foldingRange/refresh",
];

export interface Registrations {
  added(registrations: readonly Registration[]): void;
  removed(ids: readonly string[]): void;
}

/** Answers what the server asks; what it registers goes to `registrations`. */
function answerRequests(
  connection: ProtocolConnection,
  root: string,
  settings: Choice["settings"],
  registrations: Registrations,
): void {
  const answers: { readonly [method: string]: (params: unknown) => unknown } = {
    "workspace/configuration": (params) =>
      listIn(params, "items").map((item) => settingsFor(settings, isRecord(item) ? item.section : undefined)),
    "workspace/workspaceFolders": () => foldersOf(root),
    "workspace/applyEdit": () => ({ applied: false, failureReason: "files are only read here" }),
    "window/showDocument": () => ({ success: false }),
    "client/registerCapability"(params) {
      registrations.added(listIn(params, "registrations") as Registration[]); // only `id` and `method` are looked at
      return null;
    },
    "client/unregisterCapability"(params) {
      const ids = listIn(params, "unregisterations").map((one) => (isRecord(one) ? String(one.id) : ""));
      registrations.removed(ids);
      return null;
    },
  };
  for (const [method, answer] of Object.entries(answers)) connection.onRequest(method, answer);
  for (const method of heard) connection.onRequest(method, () => null);
}

const listIn = (params: unknown, key: string): unknown[] => {
  const list = isRecord(params) ? params[key] : undefined;
  return Array.isArray(list) ? list : [];
};

/** A section by its own name, or on its way down: "python.analysis" is `{python: {analysis: …}}` too. */
function settingsFor(settings: Choice["settings"], section: unknown): Json {
  if (typeof section !== "string" || section === "") return { ...settings };
  if (Object.hasOwn(settings, section)) return settings[section] ?? null;
  let found: unknown = settings;
  for (const key of section.split(".")) found = isRecord(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  return (found as Json | undefined) ?? null; // a part of what is JSON
}
