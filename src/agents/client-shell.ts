/** The shell's client as a file: whether this machine's bash can run it, and writing it. Apart from its text, which is pure. */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { writeWhole } from "../files/write.ts";
import { clientFile } from "./client-files.ts";
import { type ClientScript, clientScript } from "./client-script.ts";

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
  const named = (environment.PATH ?? "").split(delimiter).filter(isAbsolute);
  return [...new Set([...usualPlaces, ...named.map((folder) => join(folder, "bash"))])].find(canRunClient);
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
  const text = clientScript(client);
  if (existsSync(file) && readFileSync(file, "utf8") === text) return;
  writeWhole(file, text, { mode: 0o700, finish: (temporary) => chmodSync(temporary, 0o700) }); // whatever the umask
}

/** For which bash and which version a client was written; undefined: there is none. May throw what the file system says. */
export function writtenClient(stateFolder: string): Pick<ClientScript, "bash" | "version"> | undefined {
  const file = clientFile(stateFolder);
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const [, bash] = /^#!(\S.*) -p\n/.exec(text) ?? [];
  const [, version = ""] = /\bversion='([^']*)'/.exec(text) ?? [];
  return bash === undefined ? undefined : { bash, version };
}
