/** Starts a daemon for the next event, where none is there and install has allowed it. Apart from asking one: this event is answered. */

import { existsSync, statSync } from "node:fs";
import { onDemandFile, startedFile } from "../../agents/install/own-call.ts";
import { touch } from "../../files/write.ts";
import { daemonFilesOf, hasDaemon, readAddress } from "../daemon/state-file.ts";
import { buildVersion } from "./build-version.ts";
import { type Place, stateFolder, storePath, usualStore } from "./place.ts";

/** One that cannot be started is not tried again by each event. */
const notAgainWithin = 10_000;

/** To be called when the answer is written. Never rejects. */
export async function startOnDemand(place: Place, store: string | undefined): Promise<void> {
  const state = stateFolder(place);
  if (place.environment.HOOKLINE_DAEMON === "off" || !existsSync(onDemandFile(state))) return;
  try {
    const { address } = daemonFilesOf(storePath(place, store));
    if (address !== daemonFilesOf(usualStore(place)).address) return; // a person starts that of another one
    if (isThere(address) || wasStarted(startedFile(state))) return;
    touch(startedFile(state), new Date());
    const { startDaemon } = await import("./start-daemon.ts");
    startDaemon(place);
  } catch {
    // The next event is judged by its own command again, as this one was; `hookline status` says that there is no daemon.
  }
}

/** Of our version, and alive. */
function isThere(file: string): boolean {
  const address = readAddress(file);
  return address !== undefined && address.version === buildVersion() && hasDaemon(address);
}

/** A clock that was set back does not keep it from being started. */
function wasStarted(file: string): boolean {
  const last = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return last !== undefined && Math.abs(Date.now() - last) < notAgainWithin;
}
