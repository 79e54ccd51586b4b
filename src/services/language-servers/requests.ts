/** What a language server asks of an editor, and what it is answered: settings and folders, but nothing that changes files. */
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import type {
  ClientCapabilities,
  InitializeParams,
  ProtocolConnection,
  Registration,
  WorkspaceFolder,
} from "vscode-languageserver-protocol/node";
import type { Json } from "../../engine/event.ts";
import { isRecord } from "../../engine/schema.ts";
import type { Choice } from "./choose.ts";

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

export function initializeParams(root: string, { initialization }: Choice): InitializeParams {
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
export function answerRequests(
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
