/** The two clients that agents start on every event: client.sh, and the program of native/client.c where one is compiled for this system. */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { filled, nativeProgram, ownText } from "../../files/own-files.ts";
import { foldersOnPath, ownProgramsOf } from "../../files/paths.ts";
import { readRegularBytesSync, readRegularTextSync } from "../../files/regular-file.ts";
import { writeWhole } from "../../files/write.ts";
import { answersWithin, payloadAtMost } from "../request.ts";
import { asWord, type Launched } from "./launch.ts";
import { clientFile, goneFile, nativeClientFile, startFile } from "./own-call.ts";

interface ClientScript {
  /** Absolute paths: bash 5, the Node that runs us, and our bin. */
  bash: string;
  program: readonly string[];
  /** A daemon of another version refuses it. */
  version: string;
}

/** Measured on Linux: a socket that no program reads takes more than this. */
const bufferedAtMost = 48 * 1024;

/** What belongs into it. */
export const clientText = (stateFolder: string, { bash, program, version }: ClientScript): string =>
  filled(ownText(import.meta.url, "./client.sh"), {
    BASH: bash,
    VERSION: asWord(version),
    GONE: asWord(goneFile(stateFolder)),
    PROGRAM: program.map(asWord).join(" "),
    PAYLOAD_AT_MOST: String(payloadAtMost),
    BUFFERED_AT_MOST: String(bufferedAtMost),
    ANSWERS_WITHIN: String(answersWithin / 1000),
  });

const usualPlaces = ["/bin/bash", "/usr/bin/bash"];

/**
 * Bash 5 (a clock in milliseconds), which reaches sockets and hands on what a local variable hides, on a system that shows a
 * process its environment as it was given. A bash that was built without sockets looks for the file. What does not answer at
 * once is none.
 */
const needs = `hides() { local +x HOOKLINE_TRIES=no; "$BASH" -p -c '[[ $HOOKLINE_TRIES == yes ]]' < <(:); }
((BASH_VERSINFO[0] >= 5)) && mapfile -d '' -t all </proc/self/environ && [[ " \${all[*]} " == *" HOOKLINE_TRIES=yes "* ]] && hides || exit 1
{ exec 3<>/dev/tcp/127.0.0.1/9; } 2>&1`;

/** Undefined: there is none that can run the client. */
export function findBash(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const isOwn = ownProgramsOf(environment.PWD ?? "/", environment); // it is tried, and no person has trusted what a project brings
  const named = foldersOnPath(environment.PATH).map((folder) => join(folder, "bash"));
  return [...new Set([...usualPlaces, ...named.filter((path) => !isOwn(path))])].find(canRunClient);
}

function canRunClient(bash: string): boolean {
  if (!existsSync(bash)) return false;
  const environment = { HOOKLINE_TRIES: "yes", LC_ALL: "C" };
  const tried = spawnSync(bash, ["-p", "-c", needs], { env: environment, encoding: "utf8", timeout: 5_000 });
  return tried.status === 0 || (tried.status === 1 && /refused/i.test(tried.stdout));
}

/** For its owner alone. Replaces it in one step: one that runs reads on in the old one. May throw what the file system says. */
export function writeClient(stateFolder: string, client: ClientScript): void {
  const file = clientFile(stateFolder);
  const text = clientText(stateFolder, client);
  if (existsSync(file) && readRegularTextSync(file) === text) return;
  writeWhole(file, text, { mode: 0o700, finish: (temporary) => chmodSync(temporary, 0o700) }); // whatever the umask
}

/** For which bash and which version a client was written; undefined: there is none. May throw what the file system says. */
export function writtenClient(stateFolder: string): Pick<ClientScript, "bash" | "version"> | undefined {
  const file = clientFile(stateFolder);
  const text = existsSync(file) ? readRegularTextSync(file) : "";
  const [, bash] = /^#!(\S.*) -p\n/.exec(text) ?? [];
  const [, version = ""] = /\bversion='([^']*)'/.exec(text) ?? [];
  return bash === undefined ? undefined : { bash, version };
}

// The compiled client does what the client for bash does, without the start of bash. The program is the same for everybody: what differs
// stands as words in start.sh.

/**
 * A file that only a machine with this processor has: the loader of its programs. A state folder may be shared with machines of another
 * processor, and a shell that is to become a program of another one reads it as a script.
 */
const loaders: Readonly<Record<string, readonly string[]>> = {
  x64: ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-musl-x86_64.so.1"],
  arm64: ["/lib/ld-linux-aarch64.so.1", "/lib/ld-musl-aarch64.so.1"],
};

type NativeClient = NonNullable<Launched["native"]>;

const loaderHere = (): string | undefined => loaders[process.arch]?.find((file) => existsSync(file));

/** It runs, sees when a process began, and may use sockets. What does not answer at once does not. */
const canRun = (file: string): boolean => spawnSync(file, ["--can-run"], { timeout: 5_000 }).status === 0;

export interface NativeProgram {
  file: string;
  loader: string;
}

/** The program of the package. Undefined: there is none for this machine. */
export function findNativeClient(): NativeProgram | undefined {
  const file = nativeProgram("hookline-client");
  const loader = loaderHere();
  return file !== undefined && loader !== undefined && canRun(file) ? { file, loader } : undefined;
}

/**
 * A copy in the state folder, for its owner alone, which goes on asking a daemon where the package has gone. It replaces another in one
 * step. Undefined: no program can be started there. May throw what the file system says.
 */
export function writeNativeClient(
  stateFolder: string,
  version: string,
  found: NativeProgram | undefined = findNativeClient(),
): NativeClient | undefined {
  if (!found) return undefined;
  const file = nativeClientFile(stateFolder);
  const program = readRegularBytesSync(found.file);
  if (!existsSync(file) || !readRegularBytesSync(file).equals(program))
    writeWhole(file, program, { mode: 0o700, finish: (temporary) => chmodSync(temporary, 0o700) }); // whatever the umask
  if (canRun(file)) return { file, loader: found.loader, version };
  rmSync(file, { force: true });
  return undefined;
}

/** For which version start.sh starts it; undefined: it does not. May throw what the file system says. */
export function writtenNativeClient(stateFolder: string): NativeClient | undefined {
  const [start, file] = [startFile(stateFolder), nativeClientFile(stateFolder)];
  if (!existsSync(start) || !existsSync(file)) return undefined;
  const line = new RegExp(
    `^\\[ -e '(?<loader>[^']*)' \\] .*/${basename(nativeClientFile(""))}' '(?<version>[^']*)' `,
    "m",
  );
  const { loader, version } = line.exec(readRegularTextSync(start))?.groups ?? {};
  return loader === undefined || version === undefined ? undefined : { file, loader, version };
}
