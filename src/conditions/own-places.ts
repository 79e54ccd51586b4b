/** Where Hookline's own files lie, and which words of a line mean its program: by the file that would run, whatever it is called (R92). */
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { compileNameGlob } from "../engine/glob.ts";
import type { AgentProgram, OwnPlaces } from "../engine/loosening.ts";
import type { Patterns } from "../engine/ports.ts";
import { isRecord } from "../engine/schema.ts";
import { findOnPath, isInside } from "../files/paths.ts";
import { readRegularFileSync } from "../files/regular-file.ts";

export interface OwnFolders {
  /** Where Hookline keeps what it remembers: store, trust, token, socket, launchers. */
  state: string;
  /** Where its program lies; absent: it is a part of another one. */
  package?: string;
  /** Programs of agents, which can be started with code of others, or without hooks. */
  programs?: AgentProgram[];
}

const ownName = /^hookline(?:-client)?$/i;
/** `hookline@1.2.3`, `hookline.js`, `hookline.cmd`. */
const bare = (word: string): string =>
  basename(word.replace(/^(?:npm|file|link|github):|#.*$/g, ""))
    .replace(/@[\w.^~*-]+$/, "")
    .replace(/(?:-\d[\w.+-]*)?\.(?:tgz|tar\.gz|git)$/i, "")
    .replace(/\.(?:[cm]?js|cmd|exe|ps1)$/i, "");

const isCode = (path: string): boolean => /\.[cm]?[jt]s$|\/bin\/[^/.]+$/.test(path);
const launchers = /\/\.hookline\/launch\.sh$/;
/** What lets its reader do all that the user may: the daemon's token. */
const keys = /\/(?:[\w.-]*daemon\.json|[\w-]*token|[\w.-]+\.key)$/;
const keyNames = ["daemon.json", "http-token"];
const isKeyName = (name: string): boolean => {
  const fits = compileNameGlob(name.replaceAll("\0", "*"));
  return keyNames.some(fits);
};
/** What lies in its folders, as far as searches name files one by one. */
const ownFiles =
  "hookline.db hookline.db-wal hookline.log daemon.json daemon.sock http-token trust a.json start.sh client.sh gone.sh hookline.js hookline-client package.json main.js guard.yaml".split(
    " ",
  );
const manifestInBytes = 100_000;

export function createOwnPlaces(
  folders: OwnFolders,
  { real = (path) => path, like = () => [] }: Pick<Patterns, "real" | "like"> = {},
): OwnPlaces {
  const home = homedir();
  const both = (folder: string | undefined): string[] => (folder === undefined ? [] : [folder, real(folder)]);
  const states = both(folders.state);
  const packages = both(folders.package);
  const programs = (folders.programs ?? []).map(({ names, variables = [], ...program }) => ({
    words: program.always
      ? names
      : [...Object.keys(program.commands ?? {}), ...(program.flags ?? []), ...(program.says ?? [])],
    isNamed: new RegExp(`(?:^|[^\\w.-])(?:${names.join("|")})(?![\\w.])`), // the names are of our own tables
    isMoved:
      variables.length > 0
        ? new RegExp(
            `(?:^|[\\s;&|(])(?:chroot|bwrap|firejail|proot|nsjail|systemd-nspawn|unshare|nsenter|faketime)\\s[^;&|\\n]{0,500}[\\s/'"](?:${names.join("|")})(?![\\w.-])|(?:^|[\\s;&|(])(?:${variables.join("|")})=\\S{0,500}(?:\\s{1,9}\\w{1,60}=\\S{0,500}){0,9}\\s{0,9}(?:;|&&|\\s)\\s{0,9}(?:\\S{0,300}/)?(?:${names.join("|")})(?![\\w.-])`,
          )
        : undefined,
  }));
  const among = (all: readonly string[], path: string): boolean => all.some((folder) => isInside(folder, path));

  /** What `which` prints is looked up as it does. */
  function absolute(word: string, cwd: string | undefined): string | undefined {
    const named = word.startsWith("/\0/") ? word.slice("/\0/".length) : "";
    if (/^[^/\0]+$/.test(named)) return findOnPath(named, process.env.PATH ?? "");
    if (word.includes("\0")) return undefined;
    if (word === "~" || word.startsWith("~/")) return join(home, word.slice(1));
    return isAbsolute(word) || cwd !== undefined ? resolve(cwd ?? "/", word) : undefined;
  }

  function isOwnFile(path: string): boolean {
    if (launchers.test(path) || among(states, path)) return true;
    if (!isCode(path)) return false;
    // What a clone has installed for its own development, Node among it, is not Hookline.
    const isInstalled = packages.some((own) => isInside(join(own, "node_modules"), path));
    return !isInstalled && (among(packages, path) || isOfOtherCopy(path));
  }

  return {
    home,
    absolute,
    isProgram(word, cwd) {
      if (word === "" || word.endsWith("/")) return false;
      if (ownName.test(bare(word))) return true;
      const path = word.includes("/") || isCode(word) ? absolute(word, cwd) : findOnPath(word, process.env.PATH ?? "");
      return path !== undefined && [path, ...like(path)].some((one) => isOwnFile(real(one)));
    },
    kindOf(path) {
      const places = [path, ...like(path)].flatMap((one) => [one, real(one)]);
      if (places.some((one) => among(states, one))) return places.some((one) => keys.test(one)) ? "key" : "state";
      return places.some((one) => among(packages, one) || launchers.test(one)) ? "package" : undefined;
    },
    // `rm -rf node_modules` takes Hookline's program of that project, and comes back with the next install: guards refuse meanwhile.
    isAround: (path, workspace) =>
      [path, real(path), ...like(path)].some((one) =>
        [...states, ...packages.filter((own) => !isInside(workspace, own) || own === real(one))].some(
          (own) => isInside(one, own) && own !== one,
        ),
      ),
    holdsKey(path) {
      const names = path.split("/");
      const open = names.findIndex((name) => /[*?[\0]/.test(name));
      // `**` means folders that no pattern of a shell would.
      const top =
        open > 0 && names.includes("**") && isKeyName(names.at(-1) ?? "") ? names.slice(0, open).join("/") : path;
      return [top, ...like(top)].some((one) =>
        [one, real(one)].some(
          (place) => states.some((own) => isInside(place, own)) || (among(states, place) && keys.test(place)),
        ),
      );
    },
    isKeyName,
    isName(name) {
      const fits = compileNameGlob(name.replaceAll("\0", "*"));
      const around = [...states, ...packages].flatMap((own) => own.split("/"));
      return [...ownFiles, ...around].some(fits);
    },
    isParent: (path) =>
      [path, ...like(path)].some((one) => states.some((own) => dirname(own) === real(one) || dirname(own) === one)),
    agent(word) {
      const name = bare(word);
      const whole = word.replace(/(?<=.)@[\w.^~*-]+$/, "");
      return folders.programs?.find(({ names }) =>
        names.some((one) => name === one || whole === one || name === `${one}-code` || name === `${one}-cli`),
      );
    },
    speaksOfAgent: (line) =>
      programs.some(({ words, isNamed }) => words.some((word) => line.includes(word)) && isNamed.test(line)),
    movesAgent: (line) => programs.some(({ isMoved }) => isMoved?.test(line) === true),
    daemon() {
      try {
        const found = readRegularFileSync(join(folders.state, "daemon.json"), manifestInBytes);
        const state: unknown = "text" in found ? JSON.parse(found.text) : undefined;
        if (!isRecord(state)) return undefined;
        const { pid, port } = state;
        return typeof pid === "number" ? { pid, ...(typeof port === "number" ? { port } : {}) } : undefined;
      } catch {
        return undefined; // none has been started
      }
    },
  };
}

/** A copy or a clone of Hookline elsewhere. */
function isOfOtherCopy(path: string): boolean {
  let folder = dirname(path);
  for (let up = 0; up < 4 && dirname(folder) !== folder; up++, folder = dirname(folder)) {
    try {
      const found = readRegularFileSync(join(folder, "package.json"), manifestInBytes);
      if (!("text" in found)) continue;
      const manifest: unknown = JSON.parse(found.text);
      return isRecord(manifest) && manifest.name === "hookline";
    } catch {
      // there is none here, or none that is JSON: the folder above may have one
    }
  }
  return false;
}
