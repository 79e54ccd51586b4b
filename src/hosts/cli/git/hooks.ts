/** Puts our hook where git looks for it and takes it out again: who listens, in which worktree, and what is then written. */

import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { carryOut, readHooksFolder, setTime } from "../../../agents/git/files.ts";
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
import { messageOf } from "../../../engine/error.ts";
import type { Hook } from "../../../engine/hook.ts";
import type { Store } from "../../../engine/record.ts";
import { programRegistered } from "../agents/clone-bundle.ts";
import { type Place, stateFolder } from "../place.ts";
import { knownBelow, wantedBy } from "./wanted.ts";
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
  const plan = stays || isWanted(found) ? planUpkeep(options, place, found) : planRemoval(found.folder);
  if (!options.dryRun) {
    carryOutAt(place, found, plan);
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
  /** This file of ours has been run; it may have seen that hooks changed, or been replaced by what it ran itself. */
  | { because: "run"; file: string; hooksChanged: boolean };

/**
 * Where a person has installed it: brought up to date, and put back where another tool has written over it (E51). Never
 * taken out: it serves every branch, and only the one that is checked out can be read. Costs one look at a folder where
 * nothing was ever installed. Never rejects; gives what a person should know.
 */
export async function refreshGitHooks(options: GitHooksOptions, refresh: Refresh): Promise<string[]> {
  const state = stateFolder(options.place);
  if (refresh.because === "session" && !anyConsent(state)) return [];
  try {
    if (refresh.because === "run" && !refresh.hooksChanged && isInPlace(refresh.file)) return [];
    const place = gitPlace(askGitAs(options.place.environment), options.place.cwd);
    const consent = consentFor(state, place.common);
    if (!isOurAffair(place, refresh, consent)) return [];
    const found = await look(options, place);
    const wasInPlace = consent?.inPlace ?? true;
    const stays = wasInPlace || calledName(found.folder) !== undefined;
    if (!stays && !isWanted(found)) return [];
    const plan = planUpkeep(options, place, found);
    carryOutAt(place, found, plan);
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

const isInPlace = (file: string): boolean => calledName(readHooksFolder(dirname(file))) === basename(file);

/** Consent is given for a repository; where its hook lies in a folder that serves others, they keep it up to date too. */
function isOurAffair({ hooks }: GitPlace, { because }: Refresh, consent: Consent | undefined): boolean {
  if (!existsSync(hooks)) return false;
  return consent !== undefined || (because === "run" && calledName(readHooksFolder(hooks)) !== undefined);
}

export interface GitHookHere {
  /** Where git looks for hooks. */
  hooks: string;
  /** The name of ours in it. */
  hook: string | null;
  /** A person has installed it here, and it has been there. */
  wasInstalled: boolean;
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
  /** When the look began: what changes from then on is news. */
  at: number;
  known: readonly string[];
  worktrees: readonly Worktree[];
  listeners: Hook[];
  folder: HooksFolder;
}

async function look({ place: where, store }: GitHooksOptions, place: GitPlace): Promise<Found> {
  const at = Date.now();
  const known = knownBelow(place.worktrees);
  const worktrees = await readWorktrees(where, place, store);
  const listeners = uniqueHooks(worktrees.flatMap(({ hooks }) => hooks));
  return { at, known, worktrees, listeners, folder: readHooksFolder(place.hooks) };
}

const isWanted = ({ listeners, worktrees }: Found): boolean =>
  listeners.length > 0 || worktrees.some(({ unread }) => unread.length > 0);

const planUpkeep = ({ place: where, program }: GitHooksOptions, place: GitPlace, found: Found): HooksPlan =>
  planInstall(found.folder, wantedBy({ where, place, program: programRegistered(program), ...found }));

function carryOutAt({ hooks }: GitPlace, { at }: Found, { steps, name }: HooksPlan): void {
  carryOut(hooks, steps);
  if (name !== undefined) setTime(hooks, name, new Date(at - slackInMilliseconds));
}

/** Some shells compare times by the second. */
const slackInMilliseconds = 2_000;

const uniqueHooks = (hooks: readonly Hook[]): Hook[] => [...new Map(hooks.map((hook) => [hook.id, hook])).values()];
