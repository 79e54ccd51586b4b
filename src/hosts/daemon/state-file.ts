/** What a daemon says to other commands of the same user: who it is, its phase, where it listens and the token, in a file of that user alone. */
import { readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Instant } from "../../engine/event.ts";
import { isRecord } from "../../engine/schema.ts";
import { isOwn, writePrivate } from "../../files/write.ts";
import { isAlive } from "../../runtime/system.ts";

export interface DaemonState {
  pid: number;
  /** Tells the process from a later one with its id. */
  owner: string;
  /** once: it does what is due and queued, and listens nowhere. */
  phase: "starting" | "up" | "once" | "ending";
  /** Where it listens, while it is up. */
  port?: number;
  /** Whoever has it may ask for anything that the user may. */
  token?: string;
  started: Instant;
  /** With the name of its build. */
  version: string;
  store: string;
  /** A client started it on demand: a daemon that a person starts takes its place. */
  onDemand?: true;
}

/** Where the daemon of a store keeps its lock and its state, and how it is reached. */
export interface DaemonFiles {
  state: string;
  lock: string;
  /** What all carry that it starts, while it runs. */
  mark: string;
  /** One line for clients, while it listens. */
  address: string;
  /** Its unix socket, if the system takes so long a path (socket-place.ts). */
  socket: string;
}

/** Beside the store itself, by whatever path it was named: two names of one store have one daemon. */
export function daemonFilesOf(store: string): DaemonFiles {
  const name = basename(store).replace(/\.db$/, "");
  const own = name === "hookline" ? "daemon" : `${name}-daemon`; // the usual store's needs no name of its own
  const folder = realOf(dirname(store));
  const named = (ending: string): string => join(folder, `${own}.${ending}`);
  return {
    state: named("json"),
    lock: named("lock"),
    mark: named("mark"),
    address: named("address"),
    socket: named("sock"),
  };
}

/** As links lead, and as the file system writes it; what is not there yet will lie where it was named. */
function realOf(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    const above = dirname(folder);
    return above === folder ? folder : join(realOf(above), basename(folder));
  }
}

/** Readers see the old state or the new one, never half. May throw what the file system says. */
export function writeState(file: string, state: DaemonState): void {
  writePrivate(file, JSON.stringify(state));
}

/** Takes the state away, if it is still this process's. Never throws: a state whose process is gone is known as such. */
export function removeState(file: string, { owner }: Pick<DaemonState, "owner">): void {
  try {
    if (readState(file)?.owner === owner) rmSync(file, { force: true });
  } catch {
    // its folder cannot be written any more
  }
}

/** The daemon that is there now, be it that it starts or ends; undefined: none is. Never throws. */
export function runningDaemon({ state }: Pick<DaemonFiles, "state">): DaemonState | undefined {
  const found = readState(state);
  return found && isAlive(found.owner) ? found : undefined;
}

function readState(file: string): DaemonState | undefined {
  try {
    if (!isOwn(statSync(file).uid)) return undefined; // the store may lie in a folder that others write to
    const read: unknown = JSON.parse(readFileSync(file, "utf8"));
    const isWhole = isRecord(read) && typeof read.owner === "string" && typeof read.pid === "number";
    return isWhole ? (read as unknown as DaemonState) : undefined; // only writeState writes it
  } catch {
    return undefined; // not there, or not ours to read
  }
}
