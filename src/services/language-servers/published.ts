/** Diagnostics that a server sends by itself: which of them are about the text that was shown, and when it has said all. */
import {
  type Diagnostic,
  type ProtocolConnection,
  PublishDiagnosticsNotification,
} from "vscode-languageserver-protocol/node";
import type { Seconds } from "../../engine/event.ts";
import type { Document } from "./documents.ts";

export interface Published {
  /** `said` is what the server publishes of this version; `stop`, or the signal, ends the listening. */
  about(document: Document, signal: AbortSignal): { said: Promise<Diagnostic[]>; stop(): void };
}

/** Servers check in parts (syntax first, then types) and do not say which one is the last. */
const quiet: Seconds = 0.25;

export function listenToPublished(connection: ProtocolConnection): Published {
  const listeners = new Map<string, (version: number | undefined, diagnostics: Diagnostic[]) => void>();
  connection.onNotification(PublishDiagnosticsNotification.type, ({ uri, version, diagnostics }) =>
    listeners.get(plain(uri))?.(version, diagnostics),
  );
  return {
    about(document, signal) {
      const { promise, resolve } = Promise.withResolvers<Diagnostic[]>();
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
