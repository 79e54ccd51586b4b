/** At which port a daemon listens that is told none, and which agents look for it elsewhere. */
import { type HttpDoor, knownHttpDoors, registeredPorts } from "../agents/http-doors.ts";
import { daemonFilesOf } from "../daemon/state-file.ts";
import { shortPath } from "./list.ts";
import { type Place, stateFolder, storePath } from "./place.ts";

/** Where nobody names another. */
const usualPort = 4665;

/** Agents' own HTTP hooks tell the daemon of the usual store, by whatever path it was named, and know nothing but its port. */
export const servesAgents = (place: Place, store: string): boolean =>
  daemonFilesOf(store).address === daemonFilesOf(storePath(place, undefined)).address;

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
 * Agents that tell a daemon at another port than this one's: their events reach nobody, or somebody else. Never throws.
 *
 * @param port where the daemon of the store listens; undefined: nowhere
 */
export function missingDoors(place: Place, store: string, port: number | undefined): HttpDoor[] {
  if (port === undefined || !servesAgents(place, store)) return [];
  return knownHttpDoors(stateFolder(place)).filter((door) => door.port !== port);
}

/** A sentence for the person, with what to do. */
export const missingDoorWords = ({ cwd, home }: Place, { agent, by, port, file }: HttpDoor): string =>
  `${agent} tells a daemon at port ${port} (${shortPath(file, cwd, home)}), and this one listens elsewhere: hookline install ${agent} --layer ${by} --http`;
