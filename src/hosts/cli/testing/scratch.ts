/**
 * A scratch copy of a project, with a store, a state folder and no daemon of its own: hooks that are tried there reach neither the
 * person's files nor the person's store. What a person trusts of the project is trusted of the copy, and nothing else.
 */
import { spawnSync } from "node:child_process";
import {
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { conventions } from "../../../agents/index.ts";
import { HooklineError } from "../../../engine/error.ts";
import { pathOf } from "../../../files/names.ts";
import { formatOf } from "../../../loading/places.ts";
import { findProject, workspaceOf } from "../../../loading/project.ts";
import type { Item } from "../../../loading/trust/item.ts";
import { trusting, trustRecords } from "../../compose/trust.ts";
import { allFiles, filesBelow } from "../hooks/run.ts";
import type { Place } from "../place.ts";
import { foldersAt } from "../trust/folders.ts";

export interface Scratch {
  /** Where hooks are tried: in the copy of the folder that was asked for. */
  place: Place;
  /** Outside of the copy. */
  own: string;
  /** Paths of the project as those of the copy, in any text; and back. */
  into(text: string): string;
  back(text: string): string;
  /** Writes a file of the copy: a path in it, or ~/… in its home folder. Throws HooklineError usage where it would lie elsewhere. */
  write(path: string, text: string): void;
  /** Makes the copy again, as it was. */
  renew(): void;
  close(): void;
}

interface Wanted {
  /** The person's: whose project, trust and home folder it is. */
  place: Place;
  /** The files and folders that are copied; absent: the whole project. */
  only?: readonly string[];
  /** Whether the person's own hooks take part. */
  home: "own" | "empty";
  files?: Readonly<Record<string, string>>;
  environment?: Readonly<Record<string, string>>;
  /** All of it comes with Hookline, so it is trusted as Hookline is. */
  isOurs?: boolean;
  /** A file, from the project's folder, that counts as trusted: a person has named it, and nothing of it runs. */
  accepts?: string;
}

/** Throws HooklineError usage. */
export async function openScratch(wanted: Wanted): Promise<Scratch> {
  const { place, home, files = {} } = wanted;
  const project = findProject(place.cwd, place.home);
  const workspace = workspaceOf(project);
  const copies = await copiesOf(wanted, workspace, project.root);
  const own = realpathSync(mkdtempSync(join(tmpdir(), "hookline-scratch-")));
  const copy = join(own, basename(workspace) || "project");
  const [ownHome, cwd] = [join(own, "home"), join(copy, relative(workspace, project.root))];
  mkdirSync(ownHome);
  const scratchPlace: Place = {
    cwd,
    home: home === "own" ? place.home : ownHome,
    environment: environmentIn(own, wanted, ownHome),
  };

  function write(path: string, text: string): void {
    const base = path.startsWith("~/") ? ownHome : cwd;
    const target = join(base, path.replace(/^~\//, ""));
    if (isAbsolute(path) || !isBelow(target, base === cwd ? copy : ownHome) || isOfGit(target))
      throw new HooklineError("usage", {
        what: `the file "${path}" lies outside of the copy`,
        where: cwd,
        advice: "name a path below the project, or ~/… in the home folder of the copy",
      });
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, filled(text, scratchPlace), { mode: text.startsWith("#!") ? 0o755 : 0o644 });
  }

  function fill(): void {
    mkdirSync(cwd, { recursive: true });
    for (const [from, to] of copies) copyOne(from, join(copy, to));
    for (const [path, text] of Object.entries(files)) write(path, text);
    if (existsSync(join(workspace, ".git"))) commit(copy, place.environment);
  }

  try {
    fill();
    await carryTrust(wanted, scratchPlace, { copy, workspace });
    return {
      ...{ place: scratchPlace, own, write },
      into: (text) => renamed(text, workspace, copy),
      back: (text) => renamed(text, copy, workspace),
      renew() {
        rmSync(copy, { recursive: true, force: true });
        fill();
      },
      close: () => rmSync(own, { recursive: true, force: true }),
    };
  } catch (error) {
    rmSync(own, { recursive: true, force: true });
    throw error;
  }
}

/** Texts of tests name the folders of the copy so. */
export const filled = (text: string, { cwd, home }: Pick<Place, "cwd" | "home">): string =>
  text.replaceAll("{{project}}", cwd).replaceAll("{{home}}", home);

/** A longer name that only begins like the folder's is another one. */
export const renamed = (text: string, from: string, to: string): string =>
  text.split(from).reduce((done, part) => `${done}${/^[\w.-]/.test(part) ? from : to}${part}`);

const isBelow = (path: string, folder: string): boolean => path.startsWith(folder + sep);
/** What git runs lies there. */
const isOfGit = (path: string): boolean => path.split(sep).includes(".git");

/** A store and a state folder of its own, and no daemon. What an agent has set for the session that this may run in says nothing here. */
export function scratchEnvironment(own: string, given: Place["environment"]): Record<string, string> {
  const kept = Object.entries(given).filter(
    ([name]) => conventions.kindOf(name) === undefined && name !== "HOOKLINE_SESSION_ID",
  );
  return {
    ...Object.fromEntries(kept),
    XDG_STATE_HOME: join(own, "state"),
    HOOKLINE_STORE: join(own, "hookline.db"),
    HOOKLINE_DAEMON: "off",
  };
}

function environmentIn(own: string, { place, home, environment }: Wanted, ownHome: string): Record<string, string> {
  const given = { ...place.environment, ...environment };
  if (home === "own") return scratchEnvironment(own, given);
  const kept = Object.entries(given).filter(([name]) => !name.startsWith("XDG_"));
  return scratchEnvironment(own, { ...Object.fromEntries(kept), HOME: ownHome });
}

/** A copy of more than this takes longer than a person waits. */
const mostFiles = 50_000;

/** What is copied, and where to: paths below the workspace stay. */
async function copiesOf(
  { place, only }: Wanted,
  workspace: string,
  root: string,
): Promise<readonly (readonly [from: string, to: string])[]> {
  const found: (readonly [string, string])[] = [];
  for (const path of only ?? [workspace]) {
    if (lstatSync(path).isDirectory())
      for (const name of await namesIn(path, place.environment))
        found.push([join(path, name), join(relative(workspace, path), name)]);
    else found.push([path, join(relative(workspace, root), placeOfHooks(path, root))]);
  }
  if (found.length > mostFiles)
    throw new HooklineError("usage", {
      what: `the project has ${found.length} files, and a copy holds ${mostFiles} at most`,
      where: workspace,
      advice: "name in hooks: the files and folders that the test needs",
    });
  return found;
}

/** As git sees the folder; what git ignores is in no copy. A folder that git ignores is taken as it is. */
export async function namesIn(folder: string, environment: Place["environment"]): Promise<string[]> {
  const names = await allFiles(folder, environment);
  return names.length > 0 ? names : filesBelow(folder);
}

/** Where a hook file that lies in no place of hooks is put. */
const places: Readonly<Record<string, string>> = {
  rules: ".hookline/rules",
  script: ".hookline/hooks",
  registry: ".system/hooks",
  automation: ".hookline/automations",
};

/** From the project's folder. A file outside of it, or in none of the places where hooks are looked for, is put into one. */
export function placeOfHooks(path: string, root: string): string {
  const own = relative(root, path);
  const isInPlace =
    !own.startsWith("..") && (own.startsWith(".") || /^(hookline\.(ya?ml|config\.)|app\.ya?ml$)/.test(own));
  const place = places[formatOf(path)];
  return isInPlace || place === undefined ? (own.startsWith("..") ? basename(path) : own) : join(place, basename(path));
}

function copyOne(from: string, to: string): void {
  const [source, target] = [pathOf(from), pathOf(to)];
  mkdirSync(pathOf(dirname(to)), { recursive: true });
  if (lstatSync(source).isSymbolicLink()) symlinkSync(readlinkSync(source, "buffer"), target);
  else copyFileSync(source, target, constants.COPYFILE_FICLONE);
}

/** Hooks that look at changed files need a commit to compare with. No setting and no hook of the person's git counts. */
function commit(copy: string, environment: Place["environment"]): void {
  const person = { GIT_AUTHOR_NAME: "hookline", GIT_AUTHOR_EMAIL: "hookline@localhost" };
  const committer = { GIT_COMMITTER_NAME: "hookline", GIT_COMMITTER_EMAIL: "hookline@localhost" };
  const env = {
    PATH: environment.PATH,
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    ...person,
    ...committer,
  };
  const run = (...words: string[]): boolean =>
    spawnSync("git", ["-c", "core.hooksPath=/dev/null", ...words], { cwd: copy, env, stdio: "ignore" }).status === 0;
  void (
    run("init", "-q", "--template=") &&
    run("add", "--all", "--force") &&
    run("commit", "-q", "--allow-empty", "-m", "start")
  );
}

/** A person's trust is bound to content, so the same content is trusted in the copy. */
async function carryTrust(
  { place, isOurs, accepts }: Wanted,
  scratch: Place,
  { copy, workspace }: { copy: string; workspace: string },
): Promise<void> {
  const { trust } = trusting(place);
  if (!trust) return;
  const records = trustRecords(scratch);
  for (const folder of await foldersAt(scratch, records)) {
    const known = trust.of(join(workspace, relative(copy, folder.path))).items;
    const isAccepted = ({ hash, file }: Item): boolean =>
      isOurs || known?.has(hash) === true || (accepts !== undefined && join(copy, file) === join(scratch.cwd, accepts));
    const items = folder.items.flatMap(({ item }) => (isAccepted(item) ? item : []));
    if (items.length > 0) records.add(folder.path, items, Date.now());
  }
}

/** Whether a person trusts all that the hooks of the folder would run, and has trusted some of it. */
export async function isTrusted(place: Place): Promise<boolean> {
  const { trust } = trusting(place);
  if (!trust) return true;
  const folders = await foldersAt(place, trust);
  return (
    folders.some(({ state }) => state === "trusted") &&
    folders.every(({ items }) => items.every((one) => one.isTrusted))
  );
}
