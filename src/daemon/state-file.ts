/** What a running daemon tells other commands of the same user: who it is, where it listens and the token, in a file that nobody else reads. */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Instant } from "../core/event.ts";
import { fingerprint } from "../core/fingerprint.ts";
import { isRecord } from "../core/schema.ts";
import { isAlive } from "../system.ts";

export interface DaemonState {
  pid: number;
  /** Tells the process from a later one with its id. */
  owner: string;
  port: number;
  /** Whoever has it may ask for anything that the user may. */
  token: string;
  started: Instant;
  version: string;
  store: string;
}

/** Where the daemon of a store keeps its lock and its state. */
export interface DaemonFiles {
  state: string;
  lock: string;
}

/** @param folder the user's state folder: the daemon of the store that lies there needs no name of its own */
export function daemonFilesOf(folder: string, store: string): DaemonFiles {
  const name = store === join(folder, "hookline.db") ? "daemon" : `daemon-${fingerprint(store).slice(0, 12)}`;
  return { state: join(folder, `${name}.json`), lock: join(folder, `${name}.lock`) };
}

/** Readers see the old state or the new one, never half. May throw what the file system says. */
export function writeState(file: string, state: DaemonState): void {
  const temporary = `${file}.${state.pid}`;
  rmSync(temporary, { force: true });
  writeFileSync(temporary, JSON.stringify(state), { mode: 0o600, flag: "wx" });
  renameSync(temporary, file);
}

/** Takes the state away, if it is still this process's. Never throws: a state whose process is gone is known as such. */
export function removeState(file: string, { owner }: Pick<DaemonState, "owner">): void {
  try {
    if (readState(file)?.owner === owner) rmSync(file, { force: true });
  } catch {
    // its folder cannot be written any more
  }
}

/** The daemon that runs now; undefined: none does. Never throws. */
export function runningDaemon({ state }: DaemonFiles): DaemonState | undefined {
  const found = readState(state);
  return found && isAlive(found.owner) ? found : undefined;
}

function readState(file: string): DaemonState | undefined {
  try {
    const read: unknown = JSON.parse(readFileSync(file, "utf8"));
    const isWhole = isRecord(read) && typeof read.owner === "string" && typeof read.pid === "number";
    return isWhole ? (read as unknown as DaemonState) : undefined; // only writeState writes it
  } catch {
    return undefined; // not there, or not ours to read
  }
}
