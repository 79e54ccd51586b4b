/** Writes client.sh, which agents start on every event where there is a bash that can run it and no compiled client does. */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { filled, ownText } from "../../files/own-text.ts";
import { foldersOnPath, ownProgramsOf } from "../../files/paths.ts";
import { readRegularTextSync } from "../../files/regular-file.ts";
import { writeWhole } from "../../files/write.ts";
import { answersWithin, payloadAtMost } from "../request.ts";
import { asWord } from "./launch.ts";
import { clientFile, goneFile } from "./own-call.ts";

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
