/** Who becomes the daemon of a store: whoever gets its lock. One that nobody asked for by name makes room for whoever is asked for. */
import { statSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { type Lock, takeLock } from "../daemon/place.ts";
import { type DaemonFiles, type DaemonState, runningDaemon } from "../daemon/state-file.ts";
import { buildVersion } from "./build-version.ts";
import { endDaemon } from "./end-daemon.ts";

/** So long whoever holds the lock may take to say who it is. */
const tellsWithin = 2_000;
const look = 25;

/** Undefined: another one is the daemon, and stays it. */
export async function takePlace(files: DaemonFiles, { onDemand }: { onDemand: boolean }): Promise<Lock | undefined> {
  const lock = takeLock(files.lock);
  if (lock) return lock;
  const daemon = onDemand ? runningDaemon(files) : await whoIs(files);
  if (!daemon || !makesRoom(daemon, onDemand)) return undefined;
  await endDaemon(daemon, files.state);
  return takeLock(files.lock); // who was faster is the daemon now
}

async function whoIs(files: DaemonFiles): Promise<DaemonState | undefined> {
  const until = Date.now() + tellsWithin;
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
