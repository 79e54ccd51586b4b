/**
 * A scratch copy of a project, with a store, a state folder and no daemon of its own: hooks that are tried there reach neither the
 * person's files nor the person's store. What a person trusts of the project is trusted of the copy, and nothing else.
 */
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
import { createGit } from "../../../runtime/processes/git.ts";
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
  renew(): Promise<void>;
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
    const [base, folder] = path.startsWith("~/") ? [ownHome, ownHome] : [cwd, copy];
    const target = join(base, path.replace(/^~\//, ""));
    if (
      isAbsolute(path) ||
      !isBelow(target, folder) ||
      isOfGit(target) ||
      !isBelow(realOf(dirname(target)) + sep, folder)
    )
      throw outside(`the file "${path}"`, cwd);
    mkdirSync(dirname(target), { recursive: true });
    rmSync(target, { force: true }); // a link would lead elsewhere
    writeFileSync(target, filled(text, scratchPlace), { mode: text.startsWith("#!") ? 0o755 : 0o644, flag: "wx" });
  }

  async function fill(): Promise<void> {
    mkdirSync(cwd, { recursive: true });
    copyAll(copies, copy);
    for (const [path, text] of Object.entries(files)) write(path, text);
    if (existsSync(join(workspace, ".git"))) await commit(copy, place.environment, ownHome);
  }

  try {
    await fill();
    await carryTrust(wanted, scratchPlace, { copy, workspace });
    return {
      ...{ place: scratchPlace, own, write },
      into: (text) => renamed(text, workspace, copy),
      back: (text) => renamed(text, copy, workspace),
      async renew() {
        rmSync(copy, { recursive: true, force: true });
        await fill();
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

const outside = (what: string, where: string): HooklineError =>
  new HooklineError("usage", {
    what: `${what} lies outside of the project`,
    where,
    advice: "name a path below the project, or in files ~/… in the home folder of the copy",
  });

/** Where the nearest part of the path that exists really lies. */
function realOf(path: string): string {
  for (let at = path; ; at = dirname(at)) if (existsSync(at) || dirname(at) === at) return realpathSync(at);
}

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

type Copies = readonly (readonly [from: string, to: string])[];

/** What is copied, and where to in the copy: paths below the workspace stay. */
async function copiesOf({ place, only }: Wanted, workspace: string, root: string): Promise<Copies> {
  const found: (readonly [string, string])[] = [];
  for (const path of only ?? [workspace]) {
    const isFolder = lstatSync(path).isDirectory();
    if (isFolder && relative(workspace, path).startsWith("..")) throw outside(`the folder ${path}`, workspace);
    if (isFolder)
      for (const name of await namesIn(path, place.environment))
        found.push([join(path, name), join(relative(workspace, path), name)]);
    else found.push([path, join(relative(workspace, root), placeOfHooks(path, root) ?? placeOfOther(path, root))]);
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

/** The folder into which a hook file is put that lies in no place of hooks. */
const places: Readonly<Record<string, string>> = {
  ...{ config: "", app: "", module: "" },
  rules: ".hookline/rules",
  script: ".hookline/hooks",
  registry: ".system/hooks",
  automation: ".hookline/automations",
};
export const placeOfSettings: string = join(".hookline", "hooks.json");

/** What a hook starts: where it lies, or at the top. */
const placeOfOther = (path: string, root: string): string =>
  relative(root, path).startsWith("..") ? basename(path) : relative(root, path);

/** From the project's folder. A hook file outside of it, or in none of the places where hooks are looked for, is put into one. Undefined: it is none. */
export function placeOfHooks(path: string, root: string): string | undefined {
  const own = relative(root, path);
  const isInPlace =
    !own.startsWith("..") && (own.startsWith(".") || /^(hookline\.(ya?ml|config\.)|app\.ya?ml$)/.test(own));
  if (isInPlace) return own;
  const place = places[formatOf(path)];
  if (place !== undefined) return join(place, basename(path));
  return basename(path) === basename(placeOfSettings) ? placeOfSettings : undefined;
}

/** Links come last, so that nothing is written through one. What is neither file nor link, such as a pipe, is left out. */
function copyAll(copies: Copies, copy: string): void {
  const links: [string | Buffer, string | Buffer][] = [];
  for (const [from, to] of copies) {
    const [source, target] = [pathOf(from), pathOf(join(copy, to))];
    const found = lstatSync(source);
    if (!found.isFile() && !found.isSymbolicLink()) continue;
    mkdirSync(pathOf(dirname(join(copy, to))), { recursive: true });
    if (found.isFile()) copyFileSync(source, target, constants.COPYFILE_FICLONE);
    else links.push([source, target]);
  }
  for (const [source, target] of links) symlinkSync(readlinkSync(source, "buffer"), target);
}

/** Hooks that look at changed files need a commit to compare with. Without git, or where git refuses, the copy is no repository. */
async function commit(copy: string, environment: Place["environment"], home: string): Promise<void> {
  const git = createGit({ ...environment, HOME: home });
  const person = ["-c", "user.name=hookline", "-c", "user.email=hookline@localhost", "-c", "maintenance.auto=false"];
  const words = [
    ["init", "--quiet", "--template="],
    ["add", "--all", "--force"],
    [...person, "commit", "--quiet", "--allow-empty", "--message=start"],
  ];
  for (const one of words) if (!(await git.askIn(copy, one)).ok) return;
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
