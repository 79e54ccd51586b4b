/** Puts our hook where git looks for it and takes it out again: who listens, in which worktree, and what is then written. */

import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { carryOut, readHooksFolder } from "../../../agents/git/files.ts";
import { calledName, type HooksFolder, type HooksPlan, planInstall, planRemoval } from "../../../agents/git/hooks.ts";
import {
  anyConsent,
  type Consent,
  consentFor,
  forgetConsent,
  type GitPlace,
  gitPlace,
  hookName,
  hooksOf,
  noteConsent,
} from "../../../agents/git/repository.ts";
import { guardedOf, isAsWritten, isStub } from "../../../agents/git/stub.ts";
import { messageOf } from "../../../engine/error.ts";
import { type Hook, isGuard } from "../../../engine/hook.ts";
import type { Store } from "../../../engine/record.ts";
import type { GitHookHere } from "../../../operations/machine.ts";
import { programRegistered } from "../agents/clone-bundle.ts";
import { type Place, stateFolder } from "../place.ts";
import { askGitAs, readWorktrees, type Worktree } from "./worktrees.ts";
export interface GitHooksOptions {
  place: Place;
  /** Node and our bin, absolute. */
  program: readonly [string, string];
  /** It knows the last good forms of broken guards. */
  store: Pick<Store, "recentHookSets" | "hookSet">;
}

interface GitHooksResult {
  place: GitPlace;
  plan: HooksPlan;
  /** Every hook that a commit in one of the worktrees asks. */
  listeners: Hook[];
}

/** What install would do, or has done. @throws HooklineError repository_unusable, and what loading throws */
export async function installGitHooks(options: GitHooksOptions & { dryRun?: boolean }): Promise<GitHooksResult> {
  const place = gitPlace(askGitAs(options.place.environment), options.place.cwd);
  const found = await look(options, place);
  const stays = calledName(found.folder) !== undefined; // it serves every branch: only uninstall takes it out
  const guarded = [...guardedElsewhere(place, found.folder), ...guardedHere(place, found.listeners)];
  const plan = stays || isWanted(found) ? planUpkeep(options, found, guarded) : planRemoval(found.folder);
  if (!options.dryRun) {
    carryOut(place.hooks, plan.steps);
    noteConsent(stateFolder(options.place), place.common, { inPlace: plan.name !== undefined });
  }
  return { place, plan, listeners: found.listeners };
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
type Refresh =
  /** A session begins. */
  | { because: "session" }
  /** This file of ours has been run, and may have been replaced by what it ran itself; these hooks were asked. */
  | { because: "run"; file: string; asked: readonly Hook[] };

/**
 * Where a person has installed it: brought up to date, and put back where another tool has written over it (E51). Never
 * taken out: it serves every branch, and only the one that is checked out can be read. Costs one look at a folder where
 * nothing was ever installed. Never rejects; gives what a person should know.
 */
export async function refreshGitHooks(options: GitHooksOptions, refresh: Refresh): Promise<string[]> {
  const state = stateFolder(options.place);
  if (refresh.because === "session" && !anyConsent(state)) return [];
  try {
    if (refresh.because === "run" && isUpToDate(options, refresh)) return [];
    const place = gitPlace(askGitAs(options.place.environment), options.place.cwd);
    const consent = consentFor(state, place.common);
    if (!isOurAffair(place, refresh, consent)) return [];
    const found = await look(options, place);
    const wasInPlace = consent?.inPlace ?? true;
    const stays = wasInPlace || calledName(found.folder) !== undefined;
    if (!stays && !isWanted(found)) return [];
    const plan = planUpkeep(options, found, [
      ...guardedBefore(place, found.folder),
      ...guardedHere(place, found.listeners),
    ]);
    carryOut(place.hooks, plan.steps);
    if (!wasInPlace) noteConsent(state, place.common, { inPlace: true });
    return [...backNotes(found.folder, plan, { folder: place.hooks, wasInPlace }), ...plan.saved];
  } catch (error) {
    return [messageOf(error)];
  }
}

/** Where only the text is new, no person needs to know. */
function backNotes(
  before: HooksFolder,
  { name = hookName }: HooksPlan,
  { folder, wasInPlace }: { folder: string; wasInPlace: boolean },
): string[] {
  if (calledName(before) !== undefined) return [];
  const why = !wasInPlace
    ? "a hook now listens to commits"
    : before.files.has(name)
      ? "another tool had replaced its hook"
      : "its hook had been removed";
  return [`git runs Hookline before commits${wasInPlace ? " again" : ""}: ${why} (${join(folder, name)})`];
}

/** git calls it still, it is as this build writes it, and it knows that a guard waits for commits, if one does. */
function isUpToDate(
  { place, program }: GitHooksOptions,
  { file, asked }: { file: string; asked: readonly Hook[] },
): boolean {
  const [folder, name] = [readHooksFolder(dirname(file)), basename(file)];
  if (calledName(folder) !== name) return false;
  const text = folder.files.get(name)?.text ?? "";
  const guarded = guardedOf(text);
  const isNoted = guarded.includes(thisRepository) || guarded.includes(realPath(join(place.cwd, ".git")));
  if (asked.some(refuses) && !isNoted) return false;
  const isOfAnotherBuild = planInstall(folder, { program: programRegistered(program), guarded }).changed;
  return !(isOfAnotherBuild && isAsWritten(text)); // what a person has edited is left to install and to sessions
}

/** Consent is given for a repository; where its hook lies in a folder that serves others, they keep it up to date too. */
function isOurAffair({ hooks }: GitPlace, { because }: Refresh, consent: Consent | undefined): boolean {
  if (!existsSync(hooks)) return false;
  return consent !== undefined || (because === "run" && calledName(readHooksFolder(hooks)) !== undefined);
}

/** Never throws; null: no repository, or git cannot be asked. */
export function gitHookHere(where: Place): GitHookHere | null {
  try {
    const { hooks, common } = gitPlace(askGitAs(where.environment), where.cwd);
    const wasInstalled = consentFor(stateFolder(where), common)?.inPlace ?? false;
    return { hooks, hook: calledName(readHooksFolder(hooks)) ?? null, wasInstalled };
  } catch {
    return null; // not every folder belongs to a repository, and not every machine has git
  }
}

/** What plans are made from. */
interface Found {
  worktrees: readonly Worktree[];
  listeners: Hook[];
  folder: HooksFolder;
}

async function look({ place: where, store }: GitHooksOptions, place: GitPlace): Promise<Found> {
  const worktrees = await readWorktrees(where, place, store);
  const listeners = uniqueHooks(worktrees.flatMap(({ hooks }) => hooks));
  return { worktrees, listeners, folder: readHooksFolder(place.hooks) };
}

const isWanted = ({ listeners, worktrees }: Found): boolean =>
  listeners.length > 0 || worktrees.some(({ mayHoldMore }) => mayHoldMore);

const planUpkeep = ({ program }: GitHooksOptions, { folder }: Found, guarded: readonly string[]): HooksPlan =>
  planInstall(folder, { program: programRegistered(program), guarded: [...new Set(guarded)].sort() });

// Where a commit is refused without Hookline, as the stub notes it.

/** Whether a commit must not pass without it. */
const refuses = (hook: Hook): boolean => isGuard(hook) && hook.enabled && hook.untrusted === undefined;

const thisRepository = ".";
const guardedHere = ({ isShared, common }: GitPlace, listeners: readonly Hook[]): string[] =>
  listeners.some(refuses) ? [isShared ? realPath(common) : thisRepository] : [];

/** Only install takes a note back: another branch may have the guard that this one has not. */
const guardedBefore = ({ isShared }: GitPlace, { files }: HooksFolder): string[] =>
  [...files.values()]
    .flatMap(({ text }) => (text !== undefined && isStub(text) ? guardedOf(text) : []))
    .filter((path) => (isShared ? existsSync(join(path, "HEAD")) : path === thisRepository));

/** In a folder that serves other repositories too. */
const guardedElsewhere = (place: GitPlace, folder: HooksFolder): string[] =>
  place.isShared ? guardedBefore(place, folder).filter((path) => path !== realPath(place.common)) : [];

/** As a shell names it; one that is gone stays as it is written. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

const uniqueHooks = (hooks: readonly Hook[]): Hook[] => [...new Map(hooks.map((hook) => [hook.id, hook])).values()];
