/** The port of a daemon for which no port is named, and agents that send their events to another one. */
import { knownHttpDoors, registeredPorts } from "../../../agents/install/client.ts";
import type { MissingDoor } from "../../../operations/machine.ts";
import { daemonFilesOf, runningDaemon } from "../../daemon/state-file.ts";
import { type Place, stateFolder, storePath, usualStore } from "../place.ts";

/** Where no other is named. */
const usualPort = 4665;

/** Agents' own HTTP hooks reach the daemon of the usual store, by whatever path it was named, and know only its port. */
export const servesAgents = (place: Place, store: string): boolean => isSame(store, usualStore(place));

const isSame = (store: string, other: string): boolean => daemonFilesOf(store).address === daemonFilesOf(other).address;

/** A port at which agents look for the usual store's daemon is no other one's. 0: any. Never throws. */
export function portFor(place: Place, store: string): number {
  const registered = registeredPorts(stateFolder(place));
  if (servesAgents(place, store)) return registered[0] ?? usualPort;
  return registered.includes(usualPort) ? 0 : usualPort;
}

/** Where the daemon to come will listen: there, or where another program listens, at one that is free now. Never rejects. */
export async function portToCome(place: Place, store: string): Promise<number> {
  const wanted = portFor(place, store);
  return (await freePort(wanted)) ?? (await freePort(0)) ?? wanted;
}

/** @param port 0: any */
async function freePort(port: number): Promise<number | undefined> {
  const { createServer } = await import("node:net");
  return new Promise((resolve) => {
    const server = createServer().on("error", () => resolve(undefined));
    server.listen(port, "127.0.0.1", () => {
      const bound = server.address();
      server.close(() => resolve(typeof bound === "object" ? bound?.port : undefined));
    });
  });
}

/**
 * Agents that send their events to another port than this daemon's: another program gets them, or none does. Also those of the
 * usual store's daemon, where none runs because the environment names another store. Never throws.
 *
 * @param port where the daemon of the store listens; undefined: nowhere
 */
export function missingDoors(place: Place, store: string, port: number | undefined): MissingDoor[] {
  if (port === undefined) return [];
  const doors = knownHttpDoors(stateFolder(place));
  if (servesAgents(place, store)) return doors.filter((door) => door.port !== port);
  const usual = usualStore(place);
  const isByEnvironment = isSame(store, storePath(place, undefined));
  return isByEnvironment && !runningDaemon(daemonFilesOf(usual))
    ? doors.map((door) => ({ ...door, store: usual }))
    : [];
}
