/**
 * git as a sender: where it looks for its hooks and whom they serve, asked of git itself, because worktrees and core.hooksPath
 * move them (E45); what a commit tells hooks, and the reply to git; and whether a person has said `hookline git
 * install` in a repository, as only there a session may put the hook in place.
 */

import { existsSync, rmSync, statSync } from "node:fs";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { HooklineError } from "../../engine/error.ts";
import type { EventName, HookEvent, Instant, SessionId } from "../../engine/event.ts";
import { fingerprint } from "../../engine/fingerprint.ts";
import type { Outcome } from "../../engine/outcome.ts";
import type { Run } from "../../engine/record.ts";
import { isRecord } from "../../engine/schema.ts";
import { readRegularTextSync } from "../../files/regular-file.ts";
import { makePrivateFolder, writePrivate } from "../../files/write.ts";

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
  const { top, hooks, common } = foldersFrom(ask, cwd);
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

/**
 * In one question at the top of a worktree, where git asks for its hooks, as git is a process each time. Below it git is asked
 * again at the top: what it says of a relative core.hooksPath holds there.
 */
function foldersFrom(ask: AskGit, cwd: string): Pick<GitPlace, "top" | "hooks" | "common"> {
  const answer = ask(["rev-parse", "--show-toplevel", ...askForFolders], cwd);
  const lines = answer.ok ? linesIn(answer.text) : [];
  const [top, hooks, common] = lines;
  if (top === cwd && hooks && common && lines.length === 3)
    return { top, hooks: resolve(top, hooks), common: resolve(top, common) };
  const found = top && lines.length === 3 ? top : topOf(ask, cwd);
  return { top: found, ...foldersOf(ask, found) };
}

const askForFolders = ["--git-path", "hooks", "--git-common-dir"];
const linesIn = (text: string): string[] => text.replace(/\r?\n$/, "").split(/\r?\n/);

/** A path may hold line breaks, and then there are two questions. */
function foldersOf(ask: AskGit, top: string): Pick<GitPlace, "hooks" | "common"> {
  const answer = ask(["rev-parse", ...askForFolders], top);
  const [hooks, common, ...more] = answer.ok ? linesIn(answer.text) : [];
  if (hooks && common && more.length === 0) return { hooks: resolve(top, hooks), common: resolve(top, common) };
  const path = (words: readonly string[]): string => resolve(top, line(ask(["rev-parse", ...words], top), top));
  return { hooks: path(["--git-path", "hooks"]), common: path(["--git-common-dir"]) };
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
 * Another repository at the same path has no consent. The device says nothing: it has another number after the next start
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
    const noted: unknown = JSON.parse(readRegularTextSync(fileOf(stateFolder, repository)));
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

/** The word after `hookline git run`, and the name of git's own hook. */
export const hookName = "pre-commit";
export const preCommit: EventName = "git.pre-commit";

type GitAnswer = { ok: true; text: string } | { ok: false; reason: string; code?: number };
/** Asks git itself, in a folder, as the person's own settings have it. Never throws. */
export type AskGit = (words: readonly string[], folder: string) => GitAnswer;

/** Variables that name the session of a commit; the first that is there counts. */
const sessionVariables = ["HOOKLINE_SESSION_ID", "DISCOBOT_SESSION_ID", "CLAUDE_CODE_SESSION_ID"];

function sessionIn(environment: Readonly<Record<string, string>>): SessionId | undefined {
  const given = sessionVariables.map((name) => environment[name]).find((value) => value !== undefined && value !== "");
  return given === undefined || given.length > 4_096 ? undefined : given;
}

interface Committing {
  ask: AskGit;
  /** The top of the worktree. */
  top: string;
  environment: Readonly<Record<string, string>>;
  id: string;
  at: Instant;
}

/** What is about to be committed. @throws HooklineError repository_unusable */
export function preCommitEvent({ ask, top, environment, id, at }: Committing): HookEvent {
  const session = sessionIn(environment);
  return {
    id,
    name: preCommit,
    at,
    cwd: top,
    data: staged(ask, top),
    sender: "git",
    readBy: "person",
    accepts: ["verdict", "stop", "context", "messages"],
    ...(session === undefined ? {} : { session }),
  };
}

/** Names below the top. */
type Staged = {
  /** All that the commit changes. A renamed file stands here under both names. */
  changed_files: string[];
  /** Of these, what it removes. */
  removed_files: string[];
};

function staged(ask: AskGit, top: string): Staged {
  const words = ["diff", "--cached", "--name-status", "-z", "--no-renames", "--no-ext-diff", "--no-textconv"];
  const answer = ask(words, top);
  if (!answer.ok) {
    throw new HooklineError("repository_unusable", {
      reason: `the staged files cannot be listed: ${answer.reason}`,
      where: top,
      advice: "try git diff --cached --name-status there",
    });
  }
  const parts = answer.text.split("\0");
  const names: Staged = { changed_files: [], removed_files: [] };
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const name = parts[at + 1] ?? "";
    names.changed_files.push(name);
    if (parts[at] === "D") names.removed_files.push(name);
  }
  return names;
}

/** The reply to git, which looks at the exit code, and shows the rest to the person or the agent that commits. */
export interface GitReply {
  exitCode: number;
  stderr: string;
}

/**
 * A commit is refused by a deny, by a stop, and where a hook wants to ask: no person can be asked here. The exit code is the
 * script's own; that of other hooks is 1, as theirs has another meaning.
 */
export function gitReply(outcome: Outcome, runs: readonly Run[]): GitReply {
  const { verdict, stop } = outcome;
  const told = [...(outcome.messages ?? []).map(({ text }) => text), ...(outcome.context ?? [])];
  const refuses = verdict?.is === "deny" || verdict?.is === "ask" || stop !== undefined;
  if (!refuses) return { exitCode: 0, stderr: linesOf(told) };
  const run = runs.find(({ hook }) => hook === verdict?.by);
  const who = run?.hookName ?? verdict?.by ?? "a hook";
  const last = run?.steps.at(-1);
  const log = last?.output.log;
  const code = last?.uses === "script" ? last.evidence?.exitCode : undefined;
  const why = [
    verdict?.is === "ask" ? "it would ask, and no person can be asked here" : "",
    code === undefined ? "" : `exit code ${code}`,
    typeof log === "string" ? `log: ${log}` : "",
  ].filter((one) => one !== "");
  const refusal = `hookline: ${JSON.stringify(who)} refused the commit${why.length > 0 ? ` — ${why.join(" — ")}` : ""}`;
  const reason = verdict?.reason ?? stop?.reason ?? "";
  return { exitCode: isCode(code) ? code : 1, stderr: linesOf([...told, reason, refusal]) };
}

const isCode = (code: number | undefined): code is number => code !== undefined && code > 0 && code < 256;

const linesOf = (texts: readonly string[]): string => {
  const said = texts.map((text) => text.trimEnd()).filter((text) => text !== "");
  return said.join("\n");
};
