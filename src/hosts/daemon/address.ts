/**
 * Where a daemon is asked, on one line beside its state: shell clients read it with one builtin, so it is no JSON. Apart from
 * the state file, because a reader of this may ask for verdicts and needs to know nothing more.
 */
import { readFileSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { isOwn, isPrivate, writePrivate } from "../../files/write.ts";
import { processState } from "../../runtime/processes/process-table.ts";
import { isAlive } from "../../runtime/system.ts";

export interface Address {
  port: number;
  /** Whoever has it may ask. */
  token: string;
  /** Whoever answers shows it: another program on a port that a dead daemon had does not know it. */
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
  const started = processState(pid)?.started ?? 0;
  writePrivate(file, `${[port, token, proof, pid, started, version, socket].join(" ")}\n`);
}

/** Undefined: there is none, or others could have written it. Whether its process lives is asked of hasDaemon. Never throws. */
export function readAddress(file: string): Address | undefined {
  try {
    return isPrivate(file) ? addressIn(readFileSync(file, "utf8")) : undefined;
  } catch {
    return undefined; // no daemon has written it, or it is not ours to read
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
    if (socket === "") return false; // anybody may have its port by now
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
