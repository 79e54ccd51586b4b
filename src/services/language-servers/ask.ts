/** How a server is asked about a text: by a request where it takes one, else by listening to what it publishes. */
import {
  CancellationTokenSource,
  DocumentDiagnosticRequest,
  ExecuteCommandRequest,
  type InitializeResult,
  type ProtocolConnection,
  type Diagnostic as Sent,
} from "vscode-languageserver-protocol/node";
import type { Diagnostic } from "../../engine/reach.ts";
import { isRecord } from "../../engine/schema.ts";
import { createDocuments, type Document } from "./documents.ts";
import { listenToPublished } from "./published.ts";
import { readDiagnostic } from "./read-diagnostic.ts";
import type { Registrations } from "./requests.ts";
import { askTsserver, tsserverCommand } from "./tsserver.ts";

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
