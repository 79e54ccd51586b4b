/**
 * How an agent calls Hookline: the client that it starts on each event and what that needs in the state folder, the settings that
 * send events to the daemon over HTTP with their port and token, and taking away what nothing needs any more.
 */
import { randomBytes } from "node:crypto";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { messageOf } from "../../engine/error.ts";
import { readRegularTextSync, textAt } from "../../files/regular-file.ts";
import { writePrivate } from "../../files/write.ts";
import {
  findBash,
  findNativeClient,
  type NativeProgram,
  writeClient,
  writeNativeClient,
  writtenClient,
  writtenNativeClient,
} from "./client-programs.ts";
import { journalledFiles, journalNames, makePrivateFolder } from "./files.ts";
import { launcherOf, writeLaunchers } from "./launch.ts";
import {
  clientFile,
  codeFolder,
  goneFile,
  guardedFolder,
  httpTokenFile,
  isPort,
  nativeClientFile,
  type OwnDoor,
  onDemandFile,
  readOwnDoor,
  sessionsFolder,
  startedFile,
  startFile,
} from "./own-call.ts";
import type { Try } from "./registration.ts";
import { groupsIn } from "./settings-groups.ts";

/** Which client an agent is to start on each event, what that needs in the state folder, and taking it away again. */

interface ClientChoice {
  is: "native" | "shell" | "node";
  /** What the line that the agent runs tries, one after the other. */
  tries: readonly Try[];
  /** For the person. */
  because: string;
}

/** What was found on the way to the choice: each look starts a program. */
export interface ChosenClient extends ClientChoice {
  bash?: string;
  native?: NativeProgram;
}

export interface Clients {
  stateFolder: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** Absolute paths: the Node that runs us, and our bin. */
  program: readonly [string, string];
  version: string;
  /** Where an agent of this machine sends events to the daemon itself; absent: a daemon may listen anywhere. */
  port?: number;
}

/** Nothing is written yet. */
export function chooseClient({ stateFolder, environment, program }: Clients): ChosenClient {
  if (environment.HOOKLINE_DAEMON === "off")
    return nodeChoice(stateFolder, program, "HOOKLINE_DAEMON is off, so each event is decided by a command of its own");
  const bash = findBash(environment);
  const native = findNativeClient();
  if (!native) return choiceWithout({ stateFolder, program }, bash);
  return {
    is: "native",
    native,
    tries: asking(stateFolder, program),
    because: `hookline-client ${asks}`,
    ...(bash !== undefined && { bash }),
  };
}
const asks = "asks the daemon, and starts Node only if none answers";

/** Where the state folder has been deleted, Node still decides. */
const asking = (stateFolder: string, program: Clients["program"]): readonly Try[] => [
  { read: startFile(stateFolder) },
  { run: program },
];

/** Where the client that is compiled does not run. */
function choiceWithout(
  { stateFolder, program }: Pick<Clients, "stateFolder" | "program">,
  bash: string | undefined,
): ChosenClient {
  const none =
    "hookline-client does not run here, and no bash from version 5 on was found that reaches sockets and sees /proc";
  if (bash === undefined) return nodeChoice(stateFolder, program, none);
  return { is: "shell", tries: asking(stateFolder, program), because: `${bash} ${asks}`, bash };
}

const nodeChoice = (stateFolder: string, program: Clients["program"], because: string): ClientChoice => ({
  is: "node",
  tries: [{ run: program }, { read: goneFile(stateFolder) }],
  because,
});

/**
 * Writes what the chosen client needs, and lets clients start a daemon.
 *
 * @param choice what was chosen for them, where that is known
 * @returns the choice that holds: another one, where the client that is compiled does not run from there, and Node, where none can
 * be written
 * @throws HooklineError settings_unusable
 */
export function prepareClient(clients: Clients, choice: ChosenClient = chooseClient(clients)): ClientChoice {
  const { stateFolder, program, version, environment } = clients;
  makePrivateFolder(stateFolder);
  try {
    if (environment.HOOKLINE_DAEMON !== "off") allowOnDemand(onDemandFile(stateFolder), clients.port);
    const isNative = choice.is === "native";
    // Where none is wanted, another layer may call it.
    const native = isNative ? writeNativeClient(stateFolder, version, choice.native) : writtenNativeClient(stateFolder);
    const bash = choice.bash ?? writtenClient(stateFolder)?.bash;
    writeLaunchers(stateFolder, { program, ...(native && { native }), ...(bash !== undefined && { bash }) });
    if (choice.bash !== undefined) writeClient(stateFolder, { bash: choice.bash, program, version });
    return isNative && !native ? choiceWithout(clients, choice.bash) : choice;
  } catch (error) {
    return nodeChoice(stateFolder, program, `no client can be written: ${messageOf(error)}`);
  }
}

/** The file names the port, where one is registered with an agent: another layer's install leaves that as it is. */
function allowOnDemand(file: string, port: number | undefined): void {
  if (port !== undefined || !existsSync(file)) writePrivate(file, port === undefined ? "" : `${port}\n`);
}

/**
 * After an install or uninstall: what no settings file needs any more goes. All of it with the last of them; the token, the port
 * and what sessions left for a daemon with the last that reaches one over HTTP; and what asks or starts a daemon where install was
 * told that none is wanted, and no other settings call it. What cannot be removed stays, and does nothing.
 */
export function removeUnused(stateFolder: string, { daemonWanted }: { daemonWanted: boolean }): void {
  const remove = (...files: ((stateFolder: string) => string)[]): void => {
    for (const file of files) rmSync(file(stateFolder), { force: true, recursive: true });
  };
  try {
    const installs = journalNames(stateFolder).length;
    if (installs === 0) {
      remove(sessionsFolder, onDemandFile, startedFile, httpTokenFile, codeFolder);
      remove(nativeClientFile, clientFile, startFile, goneFile, guardedFolder);
    }
    if (installs === 0 || httpDoors(stateFolder).length > 0) return;
    if (existsSync(httpTokenFile(stateFolder))) {
      remove(httpTokenFile, sessionsFolder);
      if (existsSync(onDemandFile(stateFolder))) writePrivate(onDemandFile(stateFolder), "");
    }
    // Where there was no client, those of other layers who start a daemon look like those who are to start none.
    const isAlone = installs === 1 || [nativeClientFile, clientFile].some((file) => existsSync(file(stateFolder)));
    if (!daemonWanted && isAlone && !journalledFiles(stateFolder).some(callsClient))
      remove(nativeClientFile, clientFile, onDemandFile, startedFile);
  } catch {
    // The folder cannot be written, or settings not be read: what nothing calls does no harm.
  }
}

/** By way of what a team has committed, or as an earlier build registered it, too. */
function callsClient(settings: string): boolean {
  const text = textAt(settings);
  if (text === undefined && existsSync(settings)) throw new Error(`${settings} cannot be read`);
  return text !== undefined && [startFile, clientFile, launcherOf].some((file) => text.includes(basename(file(""))));
}

/** What one settings file of an agent says, of any number of events. */
export interface HttpDoor extends Omit<OwnDoor, "event"> {
  file: string;
}

/** Of all that we are installed in, in any project. May throw what the file system says. */
const httpDoors = (stateFolder: string): HttpDoor[] =>
  journalledFiles(stateFolder).flatMap((file) => {
    const text = textAt(file);
    const urls = text === undefined ? [] : urlsIn(text, file);
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

/** The same, without those that cannot be read. Never throws. */
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
  const [digits] = (existsSync(file) && /^\d+\s*$/.exec(readRegularTextSync(file))) || [];
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
    try {
      writeFileSync(file, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600, flag: "wx" });
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) rmSync(file, { force: true }); // a full disk leaves a part
      throw error;
    }
  }
  return readRegularTextSync(file).trim();
}
