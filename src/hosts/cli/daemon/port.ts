/** The port of a daemon for which no port is named, and agents that send their events to another one. */
import { type HttpDoor, knownHttpDoors, registeredPorts } from "../../../agents/install/client.ts";
import { daemonFilesOf, runningDaemon } from "../../daemon/state-file.ts";
import { type Place, stateFolder, storePath, usualStore } from "../place.ts";
import { shortPath } from "../terminal.ts";

/** Where nobody names another. */
const usualPort = 4665;

/** Agents' own HTTP hooks tell the daemon of the usual store, by whatever path it was named, and know nothing but its port. */
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

interface MissingDoor extends HttpDoor {
  /** Of the store whose daemon is told, where the one that is asked about is another's. */
  store?: string;
}

/**
 * Agents that tell a daemon at another port than this one's: their events reach nobody, or somebody else. Also those that tell
 * the usual store's, where none runs because the environment names another store. Never throws.
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

/** A sentence for the person, with what to do. */
export function missingDoorWords({ cwd, home }: Place, { agent, by, port, file, store }: MissingDoor): string {
  const told = `${agent} sends its events to a daemon at port ${port} (${shortPath(file, cwd, home)})`;
  const install = `hookline install ${agent} --layer ${by}`;
  return store === undefined
    ? `${told}, but this daemon listens on another port: run \`${install} --http\``
    : `${told}, the port of the daemon of ${shortPath(store, cwd, home)}, which is not running: unset HOOKLINE_STORE, which names another store, or run \`${install}\` without --http`;
}
