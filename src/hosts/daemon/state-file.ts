/** What a daemon says to other commands of the same user: who it is, its phase, where it listens and the token, in a file of that user alone. */
import { realpathSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Instant } from "../../engine/event.ts";
import { isRecord } from "../../engine/schema.ts";
import { readRegularTextSync } from "../../files/regular-file.ts";
import { isOwn, isPrivate, writePrivate } from "../../files/write.ts";
import { readEntry } from "../../runtime/processes/process-table.ts";
import { isAlive } from "../../runtime/system.ts";

export interface DaemonState {
  pid: number;
  /** Tells the process from a later one with its id. */
  owner: string;
  /** once: it does what is due and queued, and listens nowhere. */
  phase: "starting" | "up" | "once" | "ending";
  /** Where it listens, while it is up. */
  port?: number;
  /** Its holder may do all that the user may. */
  token?: string;
  started: Instant;
  /** With the name of its build. */
  version: string;
  store: string;
  /** It hands durable runs over to machines that share a Postgres with it: other processes leave them to it. */
  shares?: true;
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
  /** Its unix socket, if the system takes so long a path (place.ts). */
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
    const read: unknown = JSON.parse(readRegularTextSync(file));
    const isWhole = isRecord(read) && typeof read.owner === "string" && typeof read.pid === "number";
    return isWhole ? (read as unknown as DaemonState) : undefined; // only writeState writes it
  } catch {
    return undefined; // not there, or not ours to read
  }
}

/** Where a daemon is asked, on one line beside its state: shell clients read it with one builtin, so it is no JSON. */
export interface Address {
  port: number;
  /** Its holder may send requests. */
  token: string;
  /** The daemon shows it with each answer: another program on the port of a dead daemon does not know it. */
  proof: string;
  pid: number;
  /** Since when that process lives, as the system counts: a later process with its id began at another time; 0: the system does not say. */
  started: number;
  /** Clients of another version do their work themselves. */
  version: string;
  /** The path of its unix socket; empty: it has none. */
  socket: string;
}

/** Readers see the whole line or none. May throw what the file system says. */
export function writeAddress(file: string, address: Omit<Address, "started">): void {
  const { port, token, proof, pid, version, socket } = address;
  const started = readEntry(pid)?.startedAt ?? 0;
  writePrivate(file, `${[port, token, proof, pid, started, version, socket].join(" ")}\n`);
}

/** Undefined: there is none, or others could have written it. Whether its process lives is asked of hasDaemon. Never throws. */
export function readAddress(file: string): Address | undefined {
  try {
    return isPrivate(file) ? addressIn(readRegularTextSync(file)) : undefined;
  } catch {
    return undefined; // no daemon has written it, or it is not ours to read
  }
}

/** Whether the address of this process was taken away, or is another's. Not where it cannot be looked at just now. Never throws. */
export function isAddressLost(file: string, pid: number): boolean {
  try {
    return !isPrivate(file) || addressIn(readRegularTextSync(file))?.pid !== pid;
  } catch (error) {
    return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
  }
}

/** Takes it away, if it is still this process's. Never throws: an address whose process is gone is known as such. */
export function removeAddress(file: string, { pid }: Pick<Address, "pid">): void {
  try {
    if (readAddress(file)?.pid === pid) rmSync(file, { force: true });
  } catch {
    // its folder cannot be written any more
  }
}

/**
 * Whether the process at an address is the daemon that wrote it: to be asked before anything is sent to it, as an
 * event holds the sender's whole environment. Never throws.
 */
export function hasDaemon({ pid, started, socket }: Address): boolean {
  try {
    if (started !== 0) return isAlive(`${pid}:${started}`) && isOwn(statSync(`/proc/${pid}`).uid);
    if (socket === "") return false; // another program may have its port by now
    const { uid, mode } = statSync(dirname(socket));
    return isOwn(uid) && (mode & 0o022) === 0 && process.kill(pid, 0);
  } catch {
    return false; // it is gone, or another user's
  }
}

/** The path comes last, as it may hold spaces. */
function addressIn(text: string): Address | undefined {
  const line = /^(\d+) (\S+) (\S+) (\d+) (\d+) (\S+) (.*)\n$/.exec(text);
  if (!line) return undefined;
  const [, port = "", token = "", proof = "", pid = "", started = "", version = "", socket = ""] = line;
  return { port: Number(port), token, proof, pid: Number(pid), started: Number(started), version, socket };
}
