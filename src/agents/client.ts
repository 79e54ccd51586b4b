/** Which client an agent is to start on each event, what that needs in the state folder, and taking it away again. */
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { messageOf } from "../core/error.ts";
import { clientFile, httpTokenFile, onDemandFile, sessionsFolder, startedFile } from "./client-files.ts";
import { findBash, writeClient } from "./client-shell.ts";
import { journalFolder, journalledFiles } from "./journal.ts";
import { ownHttpPlace } from "./own-call.ts";
import { makePrivateFolder } from "./settings-file.ts";

export interface ClientChoice {
  is: "shell" | "node";
  /** What stands before `hook AGENT` in the line that the agent runs. */
  program: readonly string[];
  /** For the person. */
  because: string;
}

export interface Clients {
  stateFolder: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** Absolute paths: the Node that runs us, and our bin. */
  program: readonly [string, string];
  version: string;
  /** Where an agent of this machine tells the daemon itself; absent: a daemon may listen anywhere. */
  port?: number;
}

/** Nothing is written yet. */
export function chooseClient({ stateFolder, environment, program }: Clients): ClientChoice & { bash?: string } {
  if (environment.HOOKLINE_DAEMON === "off")
    return { is: "node", program, because: "HOOKLINE_DAEMON is off, so each event is judged by a command of its own" };
  const bash = findBash(environment);
  if (bash === undefined)
    return { is: "node", program, because: "no bash from version 5 on was found that reaches sockets and sees /proc" };
  const because = `${bash} asks the daemon, and starts Node only where none answers`;
  return { is: "shell", program: [bash, "-p", clientFile(stateFolder)], because, bash };
}

/**
 * Writes what the chosen client needs, and lets clients start a daemon.
 *
 * @returns the choice that holds: Node, where the shell's client cannot be written
 * @throws HooklineError settings_unusable
 */
export function prepareClient(clients: Clients): ClientChoice {
  const { stateFolder, program, version, environment } = clients;
  const choice = chooseClient(clients);
  makePrivateFolder(stateFolder);
  try {
    if (environment.HOOKLINE_DAEMON !== "off") allowOnDemand(onDemandFile(stateFolder), clients.port);
    if (choice.bash !== undefined) writeClient(stateFolder, { bash: choice.bash, program, version });
    return choice;
  } catch (error) {
    return { is: "node", program, because: `the shell's client cannot be written: ${messageOf(error)}` };
  }
}

/** The file names the port, where one is registered with an agent: another layer's install leaves that as it is. */
function allowOnDemand(file: string, port: number | undefined): void {
  if (port !== undefined || !existsSync(file))
    writeFileSync(file, port === undefined ? "" : `${port}\n`, { mode: 0o600 });
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

/**
 * After an install or uninstall: the token, the port and what sessions left for a daemon go with the last settings file that
 * tells one over HTTP. What cannot be removed stays, and does nothing.
 */
export function forgetHttp(stateFolder: string): void {
  try {
    if (!existsSync(httpTokenFile(stateFolder)) || journalledFiles(stateFolder).some(tellsOverHttp)) return;
    rmSync(httpTokenFile(stateFolder), { force: true });
    if (existsSync(onDemandFile(stateFolder))) writeFileSync(onDemandFile(stateFolder), "", { mode: 0o600 });
    rmSync(sessionsFolder(stateFolder), { recursive: true, force: true });
  } catch {
    // The folder cannot be written, or a journal not be read: a door that nobody knocks at is in nobody's way.
  }
}

/** An address of ours, as install writes it or as an editor would write it anew. */
function tellsOverHttp(file: string): boolean {
  return existsSync(file) && ownHttpPlace.test(readFileSync(file, "utf8"));
}

/** After the last uninstall. What cannot be removed stays, and does nothing. */
export function removeClients(stateFolder: string): void {
  try {
    const notes = journalFolder(stateFolder);
    if (existsSync(notes) && readdirSync(notes).length > 0) return;
    rmSync(sessionsFolder(stateFolder), { recursive: true, force: true });
    for (const file of [clientFile, onDemandFile, startedFile, httpTokenFile])
      rmSync(file(stateFolder), { force: true });
  } catch {
    // The folder cannot be written: a client that nobody calls is in nobody's way.
  }
}
