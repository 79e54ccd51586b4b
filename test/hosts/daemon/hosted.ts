/**
 * A daemon in the process of its test, for what is no test of a process: its engine, its listeners and what it follows. No
 * command finds it, for a test waits for its commands and could not answer one meanwhile.
 */

import { dirname, join } from "node:path";
import { after } from "node:test";
import { createDaemon, type Daemon, type DaemonOptions } from "../../../src/hosts/daemon/daemon.ts";
import { listenFor } from "../../../src/hosts/daemon/listeners.ts";
import type { Server } from "../../../src/hosts/daemon/server.ts";
import { createLearningRedaction } from "../../../src/storage/redaction/redaction.ts";
import { openSqliteStore } from "../../../src/storage/sqlite/sqlite.ts";
import { bin } from "../../program.ts";
import { callsTo, type Place, placeFor, type Started } from "./started.ts";

export const token = "the-token-of-this-test";
export const proof = "the-proof-of-this-test";
export const version = "1.0.0+test";

export interface Opened {
  daemon: Daemon;
  server: Server & { link(folder: string): string };
  close(): Promise<void>;
}

/** @param place whose environment holds from now on */
export async function openDaemon(
  { folder, workspace, environment }: Pick<Place, "folder" | "workspace" | "environment">,
  {
    complain,
    variables = {},
    workspaces = [workspace],
  }: Pick<DaemonOptions, "complain"> & Partial<Pick<DaemonOptions, "variables" | "workspaces">>,
): Promise<Opened> {
  const { redact, learn } = createLearningRedaction({ environment });
  const state = join(folder, "state", "hookline");
  const file = join(state, "hookline.db");
  const daemon = await createDaemon({
    ...{ environment: { ...environment }, variables, version, workspaces, complain, redact },
    cwd: workspaces[0] ?? workspace,
    home: environment.HOME ?? "",
    store: openSqliteStore({ path: file, groups: true, redact, onNotice: complain }),
    storeFile: file,
    observe() {},
    learnSecrets: learn,
  });
  const server = await listenFor(daemon, {
    ...{ port: 0, socket: join(folder, "daemon.sock"), httpTokenFile: join(state, "http-token") },
    ...{ token, proof, version, root: dirname(dirname(bin)) },
  });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= server.close().then(() => daemon.close());
    return closing;
  };
  return { daemon, server, close };
}

export interface Hosted extends Pick<Started, "port" | "token" | "said" | "call" | "emit">, Opened {
  /** What it has told a person, one sentence each. */
  complaints: readonly string[];
}

/** It follows what others change, as one in a process of its own does. */
export async function hosted(place: Place, workspaces: readonly string[] = [place.workspace]): Promise<Hosted> {
  const complaints: string[] = [];
  const complain = (reason: string): void => void complaints.push(reason);
  const opened = await openDaemon(place, { complain, variables: place.environment, workspaces });
  place.atEnd(opened.close);
  await opened.daemon.follow();
  const { port } = opened.server;
  const call = callsTo(port, token);
  return {
    ...opened,
    ...{ port, token, call, complaints, said: opened.daemon.status() },
    emit: (event, data = {}) => call("/events", { body: { event, data } }),
  };
}

/** One for several tests of a file, which leave it as it is; called outside of them, so that it ends with the last. */
export function sharedHosted(files: Readonly<Record<string, string>> = {}): () => Promise<Hosted> {
  const place = placeFor({ after }, files);
  let opening: Promise<Hosted> | undefined;
  return () => {
    opening ??= hosted(place);
    return opening;
  };
}
