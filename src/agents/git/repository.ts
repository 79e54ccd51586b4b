/**
 * A repository: where git looks for its hooks and whom they serve, asked of git itself, because worktrees and core.hooksPath move
 * them (E45); and whether a person has said `hookline git install` in it, as only there a session may put the hook in place.
 */

import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { HooklineError } from "../../engine/error.ts";
import { fingerprint } from "../../engine/fingerprint.ts";
import { isRecord } from "../../engine/schema.ts";
import { makePrivateFolder, writePrivate } from "../../files/write.ts";
import type { AskGit } from "./event.ts";

export interface GitPlace {
  /** The top of this worktree. */
  top: string;
  /** What all worktrees of the repository share. */
  common: string;
  /** Where git looks for hooks. */
  hooks: string;
  /** core.hooksPath, where that says so: which configuration sets it. */
  setBy?: string;
  /** The folder is one of this worktree, and not git's own. */
  isInWorktree: boolean;
  /** Configuration of the user or the system: the folder serves other repositories too. */
  isShared: boolean;
  /** The tops of all worktrees, this one first. */
  worktrees: string[];
}

/** @throws HooklineError repository_unusable */
export function gitPlace(ask: AskGit, cwd: string): GitPlace {
  const top = topOf(ask, cwd);
  const path = (words: readonly string[]): string => resolve(top, line(ask(words, top), top));
  const hooks = path(["rev-parse", "--git-path", "hooks"]);
  const common = path(["rev-parse", "--git-common-dir"]);
  if (hooks === "/dev/null") {
    throw new HooklineError("repository_unusable", {
      reason: "git runs no hooks, because core.hooksPath is /dev/null",
      where: top,
      advice: "git config --show-origin core.hooksPath says which file sets it",
    });
  }
  const setBy = scopeOfHooksPath(ask, top);
  return {
    top,
    common,
    hooks,
    ...(setBy === undefined ? {} : { setBy }),
    isInWorktree: isBelow(hooks, top) && !isBelow(hooks, common),
    isShared: setBy !== undefined && !ownScopes.has(setBy),
    worktrees: [top, ...worktreesOf(ask, top, common).filter((one) => one !== top)],
  };
}

/** Of one repository, or of this one call. */
const ownScopes: ReadonlySet<string> = new Set(["local", "worktree", "command"]);

/** The top of the worktree. @throws HooklineError repository_unusable */
export function topOf(ask: AskGit, cwd: string): string {
  const answer = ask(["rev-parse", "--show-toplevel"], cwd);
  if (answer.ok) return line(answer, cwd);
  const bare = ask(["rev-parse", "--is-bare-repository"], cwd);
  const isBare = bare.ok && bare.text.trim() === "true";
  throw new HooklineError("repository_unusable", {
    reason: isBare ? "this repository is bare, so nothing is ever committed in it" : answer.reason,
    where: cwd,
    advice: isBare ? "go to one of its worktrees" : "go to a folder of the repository, or make one with git init",
  });
}

/** git ends a path with a line break, which a path may hold as well. */
function line(answer: ReturnType<AskGit>, where: string): string {
  if (answer.ok && answer.text.length > 1) return answer.text.replace(/\r?\n$/, "");
  throw new HooklineError("repository_unusable", {
    reason: answer.ok ? "git does not say where it looks for hooks" : answer.reason,
    where,
    advice: "see whether git rev-parse --git-path hooks works there",
  });
}

/** system, global, local, worktree or command; undefined: nothing sets it. */
function scopeOfHooksPath(ask: AskGit, top: string): string | undefined {
  const answer = ask(["config", "--show-scope", "--get", "core.hooksPath"], top);
  if (answer.ok) return /^\w+/.exec(answer.text)?.[0];
  if (answer.code === 1) return undefined;
  // git before 2.26 does not say, and is asked what it knows.
  if (ask(["config", "--local", "--get", "core.hooksPath"], top).ok) return "local";
  return ask(["config", "--get", "core.hooksPath"], top).ok ? "global" : undefined;
}

/** Where git's own folder lies elsewhere, as a submodule's does, git lists that folder in place of the worktree. */
function worktreesOf(ask: AskGit, top: string, common: string): string[] {
  const withNul = ask(["worktree", "list", "--porcelain", "-z"], top);
  const answer = withNul.ok ? withNul : ask(["worktree", "list", "--porcelain"], top);
  if (!answer.ok) return []; // git before 2.7
  const end = withNul.ok ? "\0" : "\n";
  return answer.text.split(`${end}${end}`).flatMap((entry) => {
    const [first = "", ...more] = entry.split(end);
    if (!first.startsWith("worktree ") || more.includes("bare")) return [];
    const listed = first.slice("worktree ".length);
    return listed === common ? worktreeWith(ask, common) : [listed];
  });
}

/** The worktree that a git folder says is its own, if it does. */
function worktreeWith(ask: AskGit, folder: string): string[] {
  const answer = ask(["rev-parse", "--show-toplevel"], folder);
  const top = answer.ok ? line(answer, folder) : folder;
  return top === folder ? [] : [top];
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The hooks folder of another worktree: its own where core.hooksPath is relative, else this one. */
export const hooksOf = ({ top, hooks, isInWorktree }: GitPlace, worktree: string): string =>
  isInWorktree ? join(worktree, relative(top, hooks)) : hooks;

export interface Consent {
  /** Our hook was in its place when it was last looked at. */
  inPlace: boolean;
}

const folderOf = (stateFolder: string): string => join(stateFolder, "git");
const fileOf = (stateFolder: string, repository: string): string =>
  join(folderOf(stateFolder), fingerprint(repository));

/**
 * Another repository at the same path is nobody's yes. The device says nothing: it has another number after the next start
 * of some machines.
 */
function identityOf(repository: string): string {
  const { ino, birthtimeNs } = statSync(repository, { bigint: true });
  return `${ino}:${birthtimeNs}`;
}

/** One look at one folder, so that it costs nothing where git was never installed. */
export const anyConsent = (stateFolder: string): boolean => existsSync(folderOf(stateFolder));

/**
 * undefined: there is none. Never throws.
 *
 * @param repository the folder that all its worktrees share
 */
export function consentFor(stateFolder: string, repository: string): Consent | undefined {
  try {
    const noted: unknown = JSON.parse(readFileSync(fileOf(stateFolder, repository), "utf8"));
    if (!isRecord(noted) || noted.repository !== repository || noted.identity !== identityOf(repository))
      return undefined;
    return { inPlace: noted.inPlace === true };
  } catch {
    return undefined; // never noted
  }
}

/** May throw what the file system says. */
export function noteConsent(stateFolder: string, repository: string, { inPlace }: Consent): void {
  const noted = { repository, identity: identityOf(repository), inPlace };
  makePrivateFolder(folderOf(stateFolder));
  writePrivate(fileOf(stateFolder, repository), `${JSON.stringify(noted)}\n`);
}

export function forgetConsent(stateFolder: string, repository: string): void {
  rmSync(fileOf(stateFolder, repository), { force: true });
}
