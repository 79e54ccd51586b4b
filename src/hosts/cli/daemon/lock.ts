/** Which process is the daemon of a store: the one that holds its lock. How others see it, and how it is stopped. */
import { randomBytes } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { HooklineError } from "../../../engine/error.ts";
import { isAlive, ownerOf } from "../../../runtime/system.ts";
import { freeSocketPlace, type Lock, removeSocket, socketPath, straysOf, takeLock } from "../../daemon/lock.ts";
import {
  type DaemonFiles,
  type DaemonState,
  daemonFilesOf,
  isAddressLost,
  readAddress,
  removeAddress,
  removeState,
  runningDaemon,
  writeAddress,
  writeState,
} from "../../daemon/state-file.ts";
import { buildVersion, type ExitCode, type Invocation, textFlag } from "../command.ts";
import { storePath } from "../place.ts";

/** Milliseconds in which the holder of the lock says who it is. */
const writesWithin = 2_000;
const look = 25;

/** A daemon that clients started exits for one that a person starts. Undefined: another process is the daemon, and stays it. */
export async function takePlace(files: DaemonFiles, { onDemand }: { onDemand: boolean }): Promise<Lock | undefined> {
  const lock = takeLock(files.lock);
  if (lock) return lock;
  const daemon = onDemand ? runningDaemon(files) : await whoIs(files);
  if (!daemon || !makesRoom(daemon, onDemand)) return undefined;
  await endDaemon(daemon, files.state);
  return takeLock(files.lock); // who was faster is the daemon now
}

async function whoIs(files: DaemonFiles): Promise<DaemonState | undefined> {
  const until = Date.now() + writesWithin;
  for (;;) {
    const daemon = runningDaemon(files);
    if (daemon || Date.now() > until) return daemon;
    await wait(look);
  }
}

/** A client's own daemon replaces only an older one: two versions in use would end each other's for ever. */
const makesRoom = (daemon: DaemonState, forClient: boolean): boolean =>
  daemon.onDemand === true && (!forClient || isOlder(daemon));

/** Of another version before this one, or of another build that this one was installed after. */
function isOlder({ version, started }: DaemonState): boolean {
  const own = buildVersion();
  if (version === own) return false;
  const order = compareNumbers(version, own);
  return order === 0 ? installedAt() > started : order < 0;
}

function compareNumbers(left: string, right: string): number {
  const [lefts, rights] = [left, right].map((version) => version.split("+", 1).join("").split(/[.-]/).map(Number));
  for (const [index, number] of (lefts ?? []).entries()) {
    const other = rights?.[index] ?? 0;
    if (number !== other) return number - other;
  }
  return 0;
}

function installedAt(): number {
  try {
    return statSync(import.meta.filename).ctimeMs;
  } catch {
    return 0; // it was taken away meanwhile: then it is not the newer one
  }
}

/** Runs get ten seconds to end (A50), their programs and connections a little more. */
const usualPatience = 20_000;
const lookEvery = 50;

/**
 * Stops a daemon and waits until it is gone.
 *
 * @param file its state
 * @param patience milliseconds that it may take by itself
 * @throws HooklineError daemon_unreachable
 */
export async function endDaemon(daemon: DaemonState, file: string, patience: number = usualPatience): Promise<void> {
  const until = Date.now() + patience;
  signal(daemon, "SIGTERM");
  while (isAlive(daemon.owner) && Date.now() < until) await wait(lookEvery);
  if (!isAlive(daemon.owner)) return;
  const strays = straysOf(daemonFilesOf(daemon.store).mark); // the next daemon has another mark
  signal(daemon, "SIGKILL"); // it hangs or was halted; what it had begun is taken up at the next start
  while (isAlive(daemon.owner) && Date.now() < until + 2_000) await wait(lookEvery);
  if (isAlive(daemon.owner))
    throw unreachable(daemon, "it does not stop", "end the process yourself, then run `hookline down` again");
  await strays.end();
  removeState(file, daemon);
}

function signal(daemon: DaemonState, name: NodeJS.Signals): void {
  try {
    process.kill(daemon.pid, name);
  } catch (error) {
    if (isAlive(daemon.owner))
      throw unreachable(daemon, "this user may not stop it", "stop it as the user that started it", error);
  }
}

const unreachable = ({ pid }: DaemonState, reason: string, advice: string, cause?: unknown): HooklineError =>
  new HooklineError("daemon_unreachable", { reason, where: `process ${pid}`, advice }, { cause });

/** What a client shows, and what the daemon shows in its answer. */
interface Secrets {
  token: string;
  proof: string;
}

export interface DaemonStatus extends Secrets {
  readonly version: string;
  /** The place for the unix socket, free; undefined: paths are too long here. May throw what the file system says. */
  socketPlace(): string | undefined;
  /** May throw what the file system says. */
  is(state: Pick<DaemonState, "phase">): void;
  /** It listens: clients may ask. May throw what the file system says. */
  listens(port: number, socket: string | undefined): DaemonState;
  /** Never throws: the daemon ends also where that cannot be written. */
  ends(): void;
  remove(): void;
  /** Since it listens, its store or its address was taken away, or another daemon has written its own. Never throws. */
  isGone(): boolean;
}

/** Called by the holder of the lock, until it releases the lock. Each start makes new tokens. */
export function daemonStatusAt(
  files: DaemonFiles,
  given: Pick<DaemonState, "store"> & { environment: Invocation["environment"]; onDemand: boolean; shares: boolean },
): DaemonStatus {
  const { store, environment, onDemand, shares } = given;
  const { pid } = process;
  const version = buildVersion();
  const own = { pid, owner: ownerOf(pid), started: Date.now(), version, store };
  const [token, proof] = [secret(), secret()];
  let isThere = false;
  const place = socketPath(files.socket, environment);
  const write = (now: Pick<DaemonState, "phase" | "port" | "token">): DaemonState => {
    const state: DaemonState = { ...own, ...(onDemand ? { onDemand } : {}), ...(shares ? { shares } : {}), ...now };
    writeState(files.state, state);
    return state;
  };
  const isGone = (): boolean => isThere && (isAddressLost(files.address, pid) || !existsSync(store));
  return {
    ...{ token, proof, version },
    socketPlace() {
      if (place === "") return undefined;
      freeSocketPlace(place, files.socket);
      return place;
    },
    is: (state) => void write(state),
    listens(port, socket = "") {
      const state = write({ phase: "up", port, token });
      writeAddress(files.address, { port, token, proof, pid, version, socket });
      isThere = true;
      return state;
    },
    isGone,
    ends() {
      if (isGone()) return;
      isThere = false;
      removeAddress(files.address, own);
      try {
        write({ phase: "ending" });
      } catch {
        // the disk is full, say: then it seems to be up until it is gone
      }
    },
    remove() {
      const hasOther = (readAddress(files.address)?.pid ?? pid) !== pid;
      removeAddress(files.address, own);
      if (place !== "" && !hasOther) removeSocket(place);
      removeState(files.state, own);
    },
  };
}

const secret = (): string => randomBytes(32).toString("base64url");

/** hookline down. */
export async function down(invocation: Invocation): Promise<ExitCode> {
  const { terminal, json, flags } = invocation;
  const files = daemonFilesOf(storePath(invocation, textFlag(flags, "store")));
  const daemon = runningDaemon(files);
  if (daemon) await endDaemon(daemon, files.state);
  const words = daemon ? `the daemon has stopped (process ${daemon.pid})` : "no daemon is running";
  terminal.print(json ? JSON.stringify({ stopped: daemon?.pid ?? null }) : words);
  return 0;
}
