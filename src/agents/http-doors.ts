/** Where agents tell the daemon themselves, over HTTP: the settings that say so, the port that they name, and their token. */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { httpTokenFile, onDemandFile } from "./client-files.ts";
import { journalledFiles } from "./journal.ts";
import { isPort, type OwnDoor, readOwnDoor } from "./own-call.ts";
import { groupsIn } from "./settings-edit.ts";
import { makePrivateFolder } from "./settings-file.ts";

/** What one settings file of an agent says, of any number of events. */
export interface HttpDoor extends Omit<OwnDoor, "event"> {
  file: string;
}

/** Of all that we are installed in, in any project. May throw what the file system says. */
export const httpDoors = (stateFolder: string): HttpDoor[] =>
  journalledFiles(stateFolder).flatMap((file) => {
    const urls = existsSync(file) ? urlsIn(readFileSync(file, "utf8"), file) : [];
    const doors = urls
      .flatMap((url) => readOwnDoor(url) ?? [])
      .map(({ port, agent, by }) => ({ file, port, agent, by }));
    return [...new Map(doors.map((door) => [JSON.stringify(door), door])).values()];
  });

function urlsIn(text: string, file: string): unknown[] {
  try {
    return groupsIn(text, file).flatMap(({ handlers }) => handlers.map(({ url }) => url));
  } catch {
    // Its author is about to mend it: what looks like an address is one, with the slashes as JSON may write them.
    return [...text.matchAll(/"(http:[^"\s]+)"/g)].map(([, url = ""]) => url.replaceAll("\\/", "/"));
  }
}

/** The same, for whoever does without what cannot be read. Never throws. */
export const knownHttpDoors = (stateFolder: string): HttpDoor[] => ifReadable(() => httpDoors(stateFolder)) ?? [];

/**
 * The ports that settings name and the one that install has noted, the best first: of several the one that install named last.
 * Those that no program can have are left out. None: clients find the daemon at any. Never throws.
 */
export function registeredPorts(stateFolder: string): number[] {
  const ports = [...new Set(knownHttpDoors(stateFolder).map(({ port }) => port))];
  const noted = ifReadable(() => notedPort(onDemandFile(stateFolder)));
  if (noted === undefined) return ports.filter(isPort);
  return (ports.includes(noted) ? [noted, ...ports] : [...ports, noted]).filter(isPort);
}

function notedPort(file: string): number | undefined {
  const [digits] = (existsSync(file) && /^\d+\s*$/.exec(readFileSync(file, "utf8"))) || [];
  return digits === undefined ? undefined : Number(digits);
}

function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined; // a file of another user, or a damaged one
  }
}

/** The token of agents' own HTTP hooks, made when it is first asked for. May throw what the file system says. */
export function httpToken(stateFolder: string): string {
  const file = httpTokenFile(stateFolder);
  if (!existsSync(file)) {
    makePrivateFolder(stateFolder);
    writeFileSync(file, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600, flag: "wx" });
  }
  return readFileSync(file, "utf8").trim();
}
