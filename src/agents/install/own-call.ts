/**
 * The line or the address that calls Hookline from the settings of an agent, and the files in the state folder that clients look
 * for. A line of ours that is run as a hook would call itself without end, so it is recognised by whatever path.
 */
import { join } from "node:path";
import type { Hook } from "../../engine/hook.ts";

export interface OwnCall {
  agent: string;
  event: string;
  by?: string;
}

const word = String.raw`(?:"(?:[^"\\]|\\.)*"|[^\s"';&|<>]+)`;
/** A client, or Node or bash with what it runs; a shell may become it. */
const call = new RegExp(
  `^(?:exec )?(?<program>${word}(?: -p)?(?: ${word})?) hook (?<agent>[\\w-]+) --event (?<event>\\w+)(?: --by (?<by>\\w+))?$`,
);

/** A line that tries one thing after the other, and says what it comes to where none can be started. */
const string = String.raw`"(?:[^"\\]|\\.)*"`;
const climbing = String.raw`(?: hl_top=\$PWD; while \[ "\$hl_top" \] && ! \[ -e ${string} \]; do hl_top=\$\{hl_top%/\*\}; done;)?`;
const trying = new RegExp(
  `^set -- hook (?<agent>[\\w-]+) --event (?<event>\\w+)(?: --by (?<by>\\w+))?(?: --guarded)?;${climbing}(?<program>(?: \\[ -r ${string} \\] && \\. ${string};| \\[ -x ${string} \\] && \\[ -f ${string} \\] && exec ${string} ${string} "\\$@";)+) (?:echo "hookline: [^"]*" >&2|printf '%s\\\\n' '[^']*'); exit [02]$`,
);

/** Nothing but a call of ours; a longer line that only contains one belongs to its author. */
export function readOwnCall(command: unknown): OwnCall | undefined {
  if (typeof command !== "string") return undefined;
  const { program = "", agent, event, by } = (trying.exec(command) ?? call.exec(command))?.groups ?? {};
  if (agent === undefined || event === undefined || !/hookline/i.test(program)) return undefined;
  return { agent, event, ...(by !== undefined && { by }) };
}

const address = /^http:\/\/127\.0\.0\.1:(?<port>\d+)\/hook\/(?<agent>[\w-]+)\?event=(?<event>\w+)&by=(?<by>\w+)$/;

/** Where an agent sends an event to the daemon over HTTP. */
export interface OwnDoor extends Required<OwnCall> {
  /** As it was written: it need not be one that a program can have. */
  port: number;
}

/** Who asks where a mod of ours does; its request may end before the answer comes, which its line then waits for. */
export const byMod = "mod";
export const byModsSocket = "socket";

/** What install was given for a mod, by what stands in a layer's files. */
export function modWords(entries: readonly { event: string; inMod?: true }[]): string[] {
  const inMod = entries.find((one) => one.inMod);
  if (!inMod) return [];
  return [entries.some((one) => !one.inMod && one.event === inMod.event) ? "--mod" : "--mod-alone"];
}

/** Whether a program can listen there. */
export const isPort = (port: number): boolean => port > 0 && port <= 65_535;

export const ownAddress = (port: number, { agent, event, by }: Required<OwnCall>): string =>
  `http://127.0.0.1:${port}/hook/${agent}?event=${event}&by=${by}`;

export function readOwnDoor(url: unknown): OwnDoor | undefined {
  const { port, agent, event, by } = (typeof url === "string" && address.exec(url)?.groups) || {};
  if (agent === undefined || event === undefined || by === undefined) return undefined;
  return { port: Number(port), agent, event, by };
}

export const isOwnCall = ({ steps: [step] }: Hook): boolean =>
  (step.uses === "command" && readOwnCall(step.with.command) !== undefined) ||
  (step.uses === "http" && readOwnDoor(step.with.url) !== undefined);

/** What registered lines read: it starts a client. */
export const startFile = (stateFolder: string): string => join(stateFolder, "start.sh");

/** What an event comes to where nothing can be started. While it is there, loads note their guards for it. */
export const goneFile = (stateFolder: string): string => join(stateFolder, "gone.sh");

/** A file for each folder with guards: the folder, and the calls on which they wait. */
export const guardedFolder = (stateFolder: string): string => join(stateFolder, "guarded");

/** The client for shells. */
export const clientFile = (stateFolder: string): string => join(stateFolder, "client.sh");

/** The client that is compiled. */
export const nativeClientFile = (stateFolder: string): string => join(stateFolder, "hookline-client");

/** While it is there, a client that finds no daemon starts one for the next event, at the port that it names, if it names one. */
export const onDemandFile = (stateFolder: string): string => join(stateFolder, "daemon-on-demand");

/** When a client last started one. */
export const startedFile = (stateFolder: string): string => join(stateFolder, "daemon-started");

/** What sessions that began without a daemon leave for the one that their agent sends the rest to. */
export const sessionsFolder = (stateFolder: string): string => join(stateFolder, "sessions-begun");

/** Compiled code that bin/hookline.js keeps. */
export const codeFolder = (stateFolder: string): string => join(stateFolder, "code");

/** What an agent's own HTTP hooks send; it outlives the daemon, and opens nothing but the door of their events. */
export const httpTokenFile = (stateFolder: string): string => join(stateFolder, "http-token");
