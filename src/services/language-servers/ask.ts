/** How a server is asked about a text: by a request where it takes one, else by listening to what it publishes. */

import {
  CancellationTokenSource,
  DocumentDiagnosticRequest,
  ExecuteCommandRequest,
  type InitializeResult,
  type ProtocolConnection,
  PublishDiagnosticsNotification,
  type Diagnostic as Sent,
} from "vscode-languageserver-protocol/node";
import type { Seconds } from "../../engine/event.ts";
import type { Diagnostic } from "../../engine/external-services.ts";
import { isRecord } from "../../engine/schema.ts";
import { createDocuments, type Document } from "./documents.ts";
import type { Registrations } from "./session.ts";

export interface Question {
  /** Absolute. */
  file: string;
  /** LSP's language id. */
  language: string;
  text: string;
  signal: AbortSignal;
}
export interface Ask {
  /** Hears what the server registers, from the first message on. */
  registrations: Registrations;
  /** The server has been introduced. */
  begin(introduced: InitializeResult): void;
  /** One at a time. Settles late or never when the signal aborts; but then it no longer listens. */
  about(question: Question): Promise<Diagnostic[]>;
}

export function createAsk(connection: ProtocolConnection, tellsWhenReady: boolean): Ask {
  const documents = createDocuments(connection);
  const published = listenToPublished(connection);
  const pulls = createSwitch();
  const ready = tellsWhenReady ? whenReady(connection) : undefined;
  let commands: readonly string[] = [];

  async function pull(document: Document, signal: AbortSignal): Promise<Sent[]> {
    await pulls.isOn();
    return pullDiagnostics(connection, document, signal);
  }

  return {
    registrations: {
      added: (list) => pulls.add(list.filter(({ method }) => method === pullMethod).map(({ id }) => id)),
      removed: (ids) => pulls.remove(ids),
    },
    begin({ capabilities }) {
      if (capabilities.diagnosticProvider) pulls.add(["static"]);
      commands = capabilities.executeCommandProvider?.commands ?? [];
    },
    async about({ file, language, text, signal }) {
      await ready;
      if (signal.aborted) return [];
      const document = documents.show(file, language, text);
      if (commands.includes(tsserverCommand))
        return askTsserver(file, (params) => connection.sendRequest(ExecuteCommandRequest.type, params));
      const heard = published.about(document, signal);
      const sent = await Promise.race([pull(document, signal), heard.said]).finally(heard.stop);
      return sent.map(readDiagnostic);
    },
  };
}

const pullMethod = "textDocument/diagnostic";

/** On while anything is in it; `isOn` waits for that. */
function createSwitch(): {
  add(ids: readonly string[]): void;
  remove(ids: readonly string[]): void;
  isOn(): Promise<void>;
} {
  const held = new Set<string>();
  let on = Promise.withResolvers<void>();
  return {
    add(ids) {
      for (const id of ids) held.add(id);
      if (held.size > 0) on.resolve();
    },
    remove(ids) {
      const isOff = ids.filter((id) => held.delete(id)).length > 0 && held.size === 0;
      if (isOff) on = Promise.withResolvers();
    },
    isOn: () => on.promise,
  };
}

/** Resolves when the server says for the first time that it has nothing left to read. */
function whenReady(connection: ProtocolConnection): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  connection.onNotification("experimental/serverStatus", (status: unknown) => {
    if (isRecord(status) && status.quiescent === true) resolve();
  });
  return promise;
}

/** ServerCancelled and ContentModified: ask again. */
const worthAnotherTry: ReadonlySet<unknown> = new Set([-32802, -32801]);
const betweenTries = 100;

async function pullDiagnostics(
  connection: ProtocolConnection,
  { uri }: Document,
  signal: AbortSignal,
): Promise<Sent[]> {
  while (true) {
    const cancellation = new CancellationTokenSource();
    const cancel = (): void => cancellation.cancel();
    signal.addEventListener("abort", cancel, { once: true });
    try {
      const report = await connection.sendRequest(
        DocumentDiagnosticRequest.type,
        { textDocument: { uri } },
        cancellation.token,
      );
      return report.kind === "full" ? report.items : [];
    } catch (error) {
      if (signal.aborted || !isRecord(error) || !worthAnotherTry.has(error.code)) throw error;
    } finally {
      signal.removeEventListener("abort", cancel);
    }
    await new Promise((resolve) => setTimeout(resolve, betweenTries));
  }
}

// A diagnostic as the protocol sends it, in Hookline's form: counted from 1, and with a severity that is always
// there.

const severities: { readonly [severity: number]: Diagnostic["severity"] } = {
  1: "error",
  2: "warning",
  3: "information",
  4: "hint",
};

function readDiagnostic({ range, severity, message, source, code }: Sent): Diagnostic {
  return {
    line: range.start.line + 1,
    column: range.start.character + 1,
    endLine: range.end.line + 1,
    endColumn: range.end.character + 1,
    severity: severities[severity ?? 1] ?? "error",
    message: typeof message === "string" ? message : String((message as { value?: unknown }).value), // or MarkupContent
    ...(source === undefined ? {} : { source }),
    ...(code === undefined ? {} : { code: String(code) }),
  };
}

// Diagnostics that a server sends by itself: which of them are about the text that was shown, and when it has said
// all.

interface Published {
  /** `said` is what the server publishes of this version; `stop`, or the signal, ends the listening. */
  about(document: Document, signal: AbortSignal): { said: Promise<Sent[]>; stop(): void };
}

/** Servers check in parts (syntax first, then types) and do not say which one is the last. */
const quiet: Seconds = 0.25;

function listenToPublished(connection: ProtocolConnection): Published {
  const listeners = new Map<string, (version: number | undefined, diagnostics: Sent[]) => void>();
  connection.onNotification(PublishDiagnosticsNotification.type, ({ uri, version, diagnostics }) =>
    listeners.get(plain(uri))?.(version, diagnostics),
  );
  return {
    about(document, signal) {
      const { promise, resolve } = Promise.withResolvers<Sent[]>();
      const key = plain(document.uri);
      let settling: NodeJS.Timeout | undefined;
      const stop = (): void => {
        clearTimeout(settling);
        listeners.delete(key);
        signal.removeEventListener("abort", stop);
      };
      signal.addEventListener("abort", stop, { once: true });
      listeners.set(key, (version, diagnostics) => {
        if (version !== undefined && version !== document.version) return;
        clearTimeout(settling);
        settling = setTimeout(() => resolve(diagnostics), quiet * 1000);
      });
      return { said: promise, stop };
    },
  };
}

/** Servers write one address in several ways: with other escapes, or another case of the drive's letter. */
function plain(uri: string): string {
  try {
    return decodeURIComponent(uri).replace(/^file:\/\/\/[A-Z]:/, (drive) => drive.toLowerCase());
  } catch {
    return uri; // a stray % in a name: then it is compared as it is
  }
}

// TypeScript up to version 6, behind typescript-language-server. What that publishes comes in parts, without a
// version, without an end, and not at all where a clean file stays clean; tsserver answers when it is asked, so it is
// asked.

/** Passes a request on to tsserver; who offers it can be asked like this. */
const tsserverCommand = "typescript.tsserverRequest";

const requests = ["syntacticDiagnosticsSync", "semanticDiagnosticsSync"];

/**
 * @param execute runs a command of the language server
 * @throws what `execute` throws, and an Error where tsserver did not answer
 */
async function askTsserver(
  file: string,
  execute: (params: { command: string; arguments: unknown[] }) => Promise<unknown>,
): Promise<Diagnostic[]> {
  const found: Diagnostic[] = [];
  for (const request of requests) {
    const words = [request, { file, includeLinePosition: true }];
    const answer = await execute({ command: tsserverCommand, arguments: words });
    if (!isRecord(answer) || !Array.isArray(answer.body))
      throw new Error(`tsserver did not answer: ${isRecord(answer) ? (answer.message ?? answer.type) : "no response"}`);
    found.push(...answer.body.filter(isRecord).map(readTsserverDiagnostic));
  }
  return found;
}

const categories: { readonly [category: string]: Diagnostic["severity"] } = {
  error: "error",
  warning: "warning",
  suggestion: "hint",
  message: "information",
};

function readTsserverDiagnostic(given: Record<string, unknown>): Diagnostic {
  const start = place(given.startLocation);
  const end = place(given.endLocation);
  return {
    line: start.line,
    column: start.column,
    endLine: end.line,
    endColumn: end.column,
    severity: categories[String(given.category)] ?? "error",
    message: String(given.message),
    source: "typescript",
    ...(given.code === undefined ? {} : { code: String(given.code) }),
  };
}

/** tsserver counts from 1 already. */
const place = (location: unknown): { line: number; column: number } =>
  isRecord(location) ? { line: Number(location.line), column: Number(location.offset) } : { line: 1, column: 1 };
