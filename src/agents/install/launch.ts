/**
 * The shell texts between a registered line and Hookline: `start.sh` starts a client, `gone.sh` answers where none can be started,
 * and `.hookline/launch.sh` is what a team commits, without a path of anybody's machine. All are read by the agent's own sh and
 * start no program on the way to a client. Without Hookline a guard's event is refused, and all others pass (R78, R79).
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { filled, ownText } from "../../files/own-files.ts";
import { readRegularTextSync } from "../../files/regular-file.ts";
import { makePrivateFolder, writePrivate } from "../../files/write.ts";
import { agents, conventions, hookFiles } from "../index.ts";
import { clientFile, goneFile, startFile } from "./own-call.ts";

/** As one word of a shell, whatever it holds. */
export const asWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

export interface Launched {
  /** Absolute paths: the Node that runs us, and our bin. */
  program: readonly [string, string];
  /** The compiled client; absent: there is none for this machine. */
  native?: {
    file: string;
    /** While it is there, this is a machine that can run the client. */
    loader: string;
    /** A daemon of another version refuses it. */
    version: string;
  };
  /** The bash that runs the shell's client; absent: there is none. Without any client it is Node. */
  bash?: string;
}

/** Writes what registered lines read, and keeps notes of guards from here on. May throw what the file system says. */
export function writeLaunchers(stateFolder: string, launched: Launched): void {
  makePrivateFolder(stateFolder, ["guarded"]);
  for (const { file, text } of launcherTexts(stateFolder, launched))
    if (textAt(file) !== text) writePrivate(file, text);
}

const textAt = (file: string): string | undefined => (existsSync(file) ? readRegularTextSync(file) : undefined);

/** What belongs into the files that registered lines read. */
export const launcherTexts = (stateFolder: string, launched: Launched): { file: string; text: string }[] => [
  { file: startFile(stateFolder), text: startText(stateFolder, launched) },
  { file: goneFile(stateFolder), text: goneText(stateFolder) },
];

/** Node and the bin that start.sh names; undefined: there is none, or another program has written it. May throw what the file system says. */
export function launchedProgram(stateFolder: string): Launched["program"] | undefined {
  const name = String.raw`'((?:[^']|'\\'')*)'`;
  const last = new RegExp(`^\\[ -x ${name} \\] && \\[ -f ${name} \\] && exec`, "m").exec(
    textAt(startFile(stateFolder)) ?? "",
  );
  const [node, bin] = last?.slice(1).map((one) => one.replaceAll(`'\\''`, "'")) ?? [];
  return node === undefined || bin === undefined ? undefined : [node, bin];
}

/** "$@" is the call. What is started takes the shell's place; where nothing can be, the text behind this one goes on. */
function startText(stateFolder: string, { program: [node, bin], native, bash = "" }: Launched): string {
  const { file = "", loader = "", version = "" } = native ?? {};
  const [start, client, gone] = [startFile(stateFolder), clientFile(stateFolder), goneFile(stateFolder)];
  const ours = { START: start, CLIENT: client, GONE: gone, NODE: node, BIN: bin };
  const values = { ...ours, BASH: bash, NATIVE: file, LOADER: loader, VERSION: version };
  const words = Object.entries(values).map(([name, value]) => [name, asWord(value)]);
  const text = filled(ownText(import.meta.url, "./start.sh"), Object.fromEntries(words));
  return text.replaceAll(/^\[ -[ex] '' \].*\n/gm, ""); // the line of a client that is not there
}

/** Called as a program or read by a line: "$@" is the call, and --because=WORDS may follow it. It ends the shell. */
const goneText = (stateFolder: string): string =>
  filled(ownText(import.meta.url, "./gone.sh"), { STATE: asWord(stateFolder), ANSWER: answerText() });

const launcherMark = "# hookline:managed launcher";

/** Below the project's root. */
export const launcherOf = (root: string): string => join(root, ".hookline", "launch.sh");
export const isLauncher = (text: string): boolean => text.split("\n", 3).includes(launcherMark);

/** The same for everybody: what differs between machines is found when it runs. */
export const launcherText = (): string => filled(ownText(import.meta.url, "./launch.sh"), { ANSWER: answerText() });

/**
 * Runs a Hookline of the PATH, unless a project has put it there: one that npm or an agent was started with lists the project's own.
 *
 * @param folders words of a shell: folders of the project
 * @param call words of a shell, too
 */
export const onPathText = (folders: string, call: string): string =>
  filled(ownText(import.meta.url, "./on-path.sh"), { FOLDERS: folders, CALL: call });

/** A Hookline of the PATH, a trusted project's own, or an answer by the guards that the last load has noted. */
function answerText(): string {
  const projectFiles = hookFiles().flatMap(({ project, local }) => [project, local].filter((one) => one !== undefined));
  return filled(ownText(import.meta.url, "./answer.sh"), {
    PROJECT: conventions.projectVariables().reduceRight((otherwise, name) => `\${${name}:-${otherwise}}`, "$PWD"),
    PROJECT_FILES: projectFiles.map(asWord).join(" "),
    ON_PATH: onPathText('"$hl_here" "$hl_there"', '"$@"'),
    REFUSALS: refusalsOfAgents(),
  });
}

/** Of agents that read a refusal in their own form only: the reason goes without what only the shell knows. */
const refusalsOfAgents = (): string =>
  Object.values(agents)
    .flatMap(({ name, sends, refuse }) =>
      [...sends].map((event) => ({ call: `${name}/${event}`, reply: refuse(blockedAlone, event) })),
    )
    .flatMap(({ call, reply: { body, exitCode } }) =>
      body === undefined ? [] : [`  ${call}) printf '%s\\n' ${asWord(JSON.stringify(body))}; exit ${exitCode} ;;`],
    )
    .join("\n");
const blockedAlone =
  "hookline: Hookline cannot be started, and a guard is active for this event, so it is blocked — npm install -g hookline installs it (npm docs hookline opens its page), and HOOKLINE_DISABLE=1 in your own environment does without it in this session";
