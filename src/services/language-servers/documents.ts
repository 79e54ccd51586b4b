/** The files that a server holds open: versions that rise, and nothing older than the disk. */
import { statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import {
  DidChangeTextDocumentNotification as Changed,
  DidCloseTextDocumentNotification as Closed,
  FileChangeType,
  type FileEvent,
  DidOpenTextDocumentNotification as Opened,
  type ProtocolConnection,
  DidChangeWatchedFilesNotification as Watched,
} from "vscode-languageserver-protocol/node";

export interface Document {
  uri: string;
  file: string;
  version: number;
}
export interface Documents {
  /** Sends the server the text; afterwards it is what the server knows of the file. */
  show(file: string, language: string, text: string): Document;
}

/** More than that are closed again, the one that was not asked about for longest first. */
const heldOpen = 50;

export function createDocuments(connection: ProtocolConnection): Documents {
  const open = new Map<string, Document & { stamp: string }>();
  let version = 0;

  function close({ uri }: Document): void {
    open.delete(uri);
    void connection.sendNotification(Closed.type, { textDocument: { uri } });
  }

  function tellChanged(documents: readonly Document[]): void {
    const changes = documents.map<FileEvent>(({ uri, file }) => ({
      uri,
      type: stampOf(file) === gone ? FileChangeType.Deleted : FileChangeType.Changed,
    }));
    if (changes.length > 0) void connection.sendNotification(Watched.type, { changes });
  }

  /** What was changed since it was shown is read from the disk again. */
  function closeStale(except: string): void {
    const stale = [...open.values()].filter(({ uri, file, stamp }) => uri !== except && stampOf(file) !== stamp);
    for (const document of stale) close(document);
    tellChanged(stale);
    for (const oldest of [...open.values()].slice(0, -heldOpen)) if (oldest.uri !== except) close(oldest);
  }

  return {
    show(file, languageId, text) {
      const uri = pathToFileURL(file).href;
      closeStale(uri);
      version += 1;
      const document = { uri, file, version, stamp: stampOf(file) };
      tellChanged([document]); // of a file that is not open, servers keep what they once read
      if (open.delete(uri))
        void connection.sendNotification(Changed.type, { textDocument: { uri, version }, contentChanges: [{ text }] });
      else void connection.sendNotification(Opened.type, { textDocument: { uri, languageId, version, text } });
      open.set(uri, document); // the latest stands last
      return document;
    },
  };
}

const gone = "";

/** Differs when the file on disk does. */
function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found ? `${found.mtimeMs} ${found.size}` : gone;
}
