/** Puts our hook where git looks for it and takes it out again: who listens, in which worktree, and what is then written. */
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { configFolder } from "../agents/folders.ts";
import { preCommit } from "../agents/git.ts";
import { anyConsent, forgetConsent, hasConsent, noteConsent } from "../agents/git-consent.ts";
import { carryOut, readHooksFolder, setTime } from "../agents/git-files.ts";
import { type HooksFolder, type HooksPlan, planInstall, planRemoval, type Wanted } from "../agents/git-hooks.ts";
import { type GitPlace, gitPlace, hooksOf } from "../agents/git-place.ts";
import { isStub } from "../agents/git-stub.ts";
import { watchedBelow } from "../agents/git-stub-text.ts";
import { messageOf } from "../core/error.ts";
import { type Hook, isGuard } from "../core/hook.ts";
import { listensTo } from "../core/plan.ts";
import type { LoadedHooks } from "../sources/load.ts";
import { managedFoldersOf } from "../sources/places.ts";
import { askGitAs } from "./git-program.ts";
import { type Place, stateFolder } from "./line.ts";

export interface GitHooksOptions {
  place: Place;
  /** Node and our bin, absolute. */
  program: readonly [string, string];
  /** The hooks that hold in a folder. */
  load(cwd: string): Promise<Pick<LoadedHooks, "set" | "watched">>;
}

export interface GitHooksResult {
  place: GitPlace;
  plan: HooksPlan;
  /** Every hook that a commit in one of the worktrees asks. */
  listeners: Hook[];
}

/** What install would do, or has done. @throws HooklineError repository_unusable, and what loading throws */
export async function installGitHooks(options: GitHooksOptions & { dryRun?: boolean }): Promise<GitHooksResult> {
  const place = gitPlace(askGitAs(options.place.environment), options.place.cwd);
  const result = await bringUpToDate(options, place);
  if (!options.dryRun) noteConsent(stateFolder(options.place), place.common);
  return result;
}

/** @throws HooklineError repository_unusable */
export function uninstallGitHooks({ place: where, dryRun }: { place: Place; dryRun?: boolean }): {
  place: GitPlace;
  plans: { folder: string; plan: HooksPlan }[];
} {
  const place = gitPlace(askGitAs(where.environment), where.cwd);
  const folders = [...new Set(place.worktrees.map((worktree) => hooksOf(place, worktree)))];
  const plans = folders
    .map((folder) => ({ folder, plan: planRemoval(readHooksFolder(folder)) }))
    .filter(({ folder, plan }) => plan.changed || folder === place.hooks);
  if (!dryRun) {
    for (const { folder, plan } of plans) carryOut(folder, plan.steps);
    forgetConsent(stateFolder(where), place.common);
  }
  return { place, plans };
}

/** Why it is looked at again. */
export type Refresh =
  /** A session begins. */
  | { because: "session" }
  /** This file of ours has been run; it may have seen that hooks changed, or been replaced by what it ran itself. */
  | { because: "run"; file: string; hooksChanged: boolean };

/**
 * Where a person has installed it: put back what another tool has written over, and taken out when the last script went
 * (E51). Costs one look at a folder where nothing was ever installed. Never rejects; gives what a person should know.
 */
export async function refreshGitHooks(options: GitHooksOptions, refresh: Refresh): Promise<string[]> {
  const state = stateFolder(options.place);
  if (refresh.because === "session" && !anyConsent(state)) return [];
  try {
    if (refresh.because === "run" && !refresh.hooksChanged && isInPlace(refresh.file)) return [];
    const place = gitPlace(askGitAs(options.place.environment), options.place.cwd);
    if (!isOurAffair(place, refresh, state)) return [];
    const before = ownHookIn(readHooksFolder(place.hooks));
    const { plan } = await bringUpToDate(options, place);
    return movedNotes(before, plan.name, place.hooks);
  } catch (error) {
    return [messageOf(error)];
  }
}

/** What a new text alone changes, nobody needs to know. */
function movedNotes(before: string | undefined, after: string | undefined, folder: string): string[] {
  if ((before === undefined) === (after === undefined)) return [];
  return after === undefined
    ? [`no hook listens to commits any more: git no longer asks Hookline (${folder})`]
    : [`git asks Hookline before commits again: another tool had written its hook anew (${join(folder, after)})`];
}

const isInPlace = (file: string): boolean => ownHookIn(readHooksFolder(dirname(file))) === basename(file);

/** Consent is given for a repository; where its hook lies in a folder that serves others, they keep it up to date too. */
function isOurAffair({ common, hooks }: GitPlace, { because }: Refresh, state: string): boolean {
  if (!existsSync(hooks)) return false;
  return hasConsent(state, common) || (because === "run" && ownHookIn(readHooksFolder(hooks)) !== undefined);
}

export interface GitHookHere {
  /** Where git looks for hooks. */
  hooks: string;
  /** The name of ours in it. */
  hook: string | null;
}

/** Never throws; null: no repository, or git cannot be asked. */
export function gitHookHere({ cwd, environment }: Place): GitHookHere | null {
  try {
    const { hooks } = gitPlace(askGitAs(environment), cwd);
    return { hooks, hook: ownHookIn(readHooksFolder(hooks)) ?? null };
  } catch {
    return null; // not every folder belongs to a repository, and not every machine has git
  }
}

/** The name under which our hook lies in the folder, if git or another hook calls it there. */
export function ownHookIn({ files }: HooksFolder): string | undefined {
  return calledNames.find((name) => isStub(files.get(name)?.text ?? ""));
}
const calledNames = ["pre-commit", "pre-commit.legacy"];

async function bringUpToDate(
  { place: where, program, load, dryRun }: GitHooksOptions & { dryRun?: boolean },
  place: GitPlace,
): Promise<GitHooksResult> {
  const at = Date.now();
  const found = await Promise.all(
    place.worktrees.filter((top) => existsSync(top)).map(async (top) => ({ top, ...(await load(top)) })),
  );
  const worktrees = found.map((one) => ({ ...one, hooks: one.set.hooks.filter((hook) => listensTo(hook, preCommit)) }));
  const listeners = uniqueHooks(worktrees.flatMap(({ hooks }) => hooks));
  const folder = readHooksFolder(place.hooks);
  // Whether other repositories need it there, nobody can tell.
  const isWanted = listeners.length > 0 || (place.isShared && ownHookIn(folder) !== undefined);
  const plan = isWanted
    ? planInstall(folder, wantedBy(worktrees, place, { program, scriptFolders: outerFolders(where) }))
    : planRemoval(folder);
  if (!dryRun) {
    carryOut(place.hooks, plan.steps);
    if (plan.name !== undefined) setTime(place.hooks, plan.name, new Date(at - slackInMilliseconds));
  }
  return { place, plan, listeners };
}

/** Some shells compare times by the second. */
const slackInMilliseconds = 2_000;

const uniqueHooks = (hooks: readonly Hook[]): Hook[] => [...new Map(hooks.map((hook) => [hook.id, hook])).values()];

interface Worktree {
  top: string;
  hooks: Hook[];
  watched: readonly string[];
}

/** What the stub cannot find out by itself: hooks that are no scripts, and scripts in places that it does not look at. */
function wantedBy(
  worktrees: readonly Worktree[],
  { isShared }: GitPlace,
  fixed: Pick<Wanted, "program" | "scriptFolders">,
): Wanted {
  const folders = new Set([
    ...fixed.scriptFolders,
    ...worktrees.flatMap(({ top }) => scriptFolders.map((name) => join(top, name))),
  ]);
  const others = worktrees.flatMap(({ top, hooks }) =>
    hooks
      .filter(({ origin: { dialect, file } }) => dialect !== "script" || !file || !folders.has(dirname(file)))
      .map((hook) => ({ hook, path: hook.origin.file === undefined ? "." : nameFrom(top, hook.origin.file) })),
  );
  // The stub reads scripts itself, and every commit changes the repository's own folder.
  const isElsewhere = (path: string): boolean =>
    folders.has(path) || folders.has(dirname(path)) || basename(path) === ".git";
  const isOwn = (path: string): boolean => !isShared || isAbsolute(path);
  const watched = worktrees.flatMap(({ top, watched: paths }) =>
    paths.filter((path) => !isElsewhere(path)).map((path) => nameFrom(top, path)),
  );
  return {
    ...fixed,
    noted: [...new Set([...(isShared ? anyHookFile : []), ...others.map(({ path }) => path).filter(isOwn)])],
    guarded: others.some(({ hook }) => isGuard(hook)),
    watched: [...new Set(watched.filter((path) => isOwn(path) && !watchedBelow.includes(path)))],
  };
}

/** Of the machine and of the user. */
const outerFolders = (where: Place): string[] =>
  [managedFoldersOf(process.platform).hookline, configFolder(where)].map((folder) => join(folder, "hooks"));
const scriptFolders = [".discobot/hooks", ".hookline/hooks"];

/** In a folder that serves all repositories nothing is known of the others: where one of these is there, Hookline is asked. */
const anyHookFile = [
  ".hookline/hooks.json",
  ".hookline/hooks.local.json",
  ".hookline/app.yaml",
  ".hookline/rules",
  "hookline.yaml",
  "hookline.yml",
  ...["ts", "mts", "js", "mjs"].map((extension) => `hookline.config.${extension}`),
];

/** Below the worktree's top it is the same name in each of them. */
function nameFrom(top: string, path: string): string {
  const below = relative(top, path);
  const isBelow = below !== "" && below !== ".." && !below.startsWith(`..${sep}`) && !isAbsolute(below);
  return isBelow ? below : path;
}

/** Through links, as Node itself sees its program: a link of a version manager leads elsewhere tomorrow. */
export const programOf = ([node, bin]: readonly [string, string]): readonly [string, string] => [
  realpathSync(node),
  bin,
];
