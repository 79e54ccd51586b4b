/**
 * Questions to git that run nothing of the repository they are about. Apart from spawn.ts, because a hostile repository
 * makes a plain `git status` run its code (SAFETY T5), and because what git says is bytes with NUL between names.
 */

import type { ExecFileException } from "node:child_process";
import { realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { messageOf } from "../../engine/error.ts";
import type { Seconds } from "../../engine/event.ts";
import type { Ports } from "../../engine/ports.ts";
import { environmentFor, findGit, noGit, safely } from "../../files/git-safely.ts";
import { waitsForGit } from "../../files/git-waits.ts";
import { textAt } from "../../files/regular-file.ts";

export interface GitOptions {
  signal?: AbortSignal;
  input?: string | Uint8Array;
  /** Default: 15. */
  limit?: Seconds;
  /** So much of the answer is enough: what is longer is cut, and git is ended. Default: it has to be whole. */
  keptInBytes?: number;
}
export type GitAnswer =
  | { ok: true; stdout: Buffer; cut?: true }
  | { ok: false; reason: string /** Absent: it did not end by itself. */; code?: number };
/** Words that follow `git`. Never rejects. */
export type AskGit = (words: readonly string[], options?: GitOptions) => Promise<GitAnswer>;

/** A repository with a work tree. */
export interface Repository {
  /** The top of its work tree, written as it was asked for. */
  top: string;
  /** What belongs to this work tree (HEAD, index), and what all work trees share (refs, config). */
  gitFolder: string;
  commonFolder: string;
  /** Absent: it has no commits. */
  head?: string;
  /** Asked in `top` about this repository and none above it; filters that its own configuration names are left out. */
  ask: AskGit;
}
export interface Git {
  /** The repository whose work tree begins in this folder, or why there is none for us. Never rejects. */
  repositoryAt(top: string, options?: GitOptions): Promise<Repository | { none: string }>;
  /** For what needs no repository, or no more than its place. */
  askIn(folder: string, words: readonly string[], options?: GitOptions): Promise<GitAnswer>;
}

const usualLimit: Seconds = 15;
const longestAnswerInBytes = 64 << 20;

/** @param environment where PATH and the user's own configuration are found; its GIT_ variables are left out */
export function createGit(given: Readonly<Record<string, string>>): Git {
  const environment = environmentFor(given);
  const ask = (call: Omit<Call, "program">, options: GitOptions = {}): Promise<GitAnswer> => {
    const program = findGit(given, call.folder);
    return program === undefined
      ? Promise.resolve({ ok: false, reason: noGit })
      : run({ ...call, program, words: [...safely, ...call.words] }, options);
  };
  return {
    askIn: (folder, words, options) => ask({ folder, words, environment }, options),
    async repositoryAt(top, options) {
      const real = realOf(top);
      if (real === undefined) return { none: `${top} is not there` };
      const within = { ...environment, GIT_CEILING_DIRECTORIES: dirname(real) };
      return openRepository(
        (words, more) => ask({ folder: top, words, environment: within }, more),
        top,
        real,
        options,
      );
    },
  };
}

interface Call {
  program: string;
  folder: string;
  environment: Record<string, string>;
  words: readonly string[];
}

function run(call: Call, { signal, input, limit = usualLimit, keptInBytes }: GitOptions): Promise<GitAnswer> {
  if (signal?.aborted) return Promise.resolve({ ok: false, reason: "git did not run: the call was stopped before" });
  const waits = waitsForGit(call.folder, call.environment);
  if (waits !== undefined) return Promise.resolve({ ok: false, reason: waits });
  const { execFile } = process.getBuiltinModule("node:child_process"); // costs 3 ms, which most events need not pay
  return new Promise((settle) => {
    const options = {
      cwd: call.folder,
      env: call.environment,
      encoding: "buffer" as const, // names are bytes, and NUL stands between them
      maxBuffer: keptInBytes ?? longestAnswerInBytes,
      timeout: limit * 1000,
      killSignal: "SIGKILL" as const, // it has nothing to put in order
      windowsHide: true,
      ...(signal ? { signal } : {}),
    };
    try {
      const child = execFile(call.program, call.words, options, (error, stdout, stderr) => {
        const isCut = keptInBytes !== undefined && error?.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER";
        if (isCut) settle({ ok: true, stdout, cut: true });
        else settle(error ? { ok: false, ...failureOf(error, stderr, limit) } : { ok: true, stdout });
      });
      child.stdin?.on("error", () => {}); // who does not read to the end has its reasons, and says so by its exit
      child.stdin?.end(input ?? "");
    } catch (error) {
      settle({ ok: false, reason: `git did not start: ${messageOf(error)}` });
    }
  });
}

function failureOf(error: ExecFileException, stderr: Buffer, limit: Seconds): { reason: string; code?: number } {
  if (error.name === "AbortError") return { reason: "git was stopped" };
  if (error.killed && typeof error.code !== "string") return { reason: `git took longer than ${limit} seconds` };
  if (typeof error.code === "number") {
    const said = stderr.toString("utf8").trim().split("\n")[0] ?? "";
    return { reason: said || `git ended with exit code ${error.code}`, code: error.code };
  }
  return { reason: `git failed: ${error.code ?? error.signal ?? error.message}` };
}

async function openRepository(
  askHere: AskGit,
  top: string,
  real: string,
  options: GitOptions = {},
): Promise<Repository | { none: string }> {
  const question = ["rev-parse", "--revs-only", "--show-toplevel", "--absolute-git-dir", "--git-common-dir", "HEAD"];
  const answer = await askHere(question, options);
  if (!answer.ok) return { none: answer.reason };
  const text = answer.stdout.toString("utf8");
  if (!text.startsWith(`${real}\n`)) return { none: `the work tree of ${top} lies elsewhere` };
  const folders = await foldersIn(text.slice(real.length + 1), (words) => askHere(words, options));
  if (!folders) return { none: `git does not say where the repository of ${top} lies` };
  const [gitFolder, common] = folders;
  const place = { top, gitFolder, commonFolder: resolve(real, common) };
  const filters = (more?: GitOptions): Promise<Filters> => filterSettings(place, (words) => askHere(words, more));
  const found = await filters(options);
  if ("reason" in found) return { none: found.reason };
  const head = /(?:^|\n)([0-9a-f]{40,64})\n$/.exec(text)?.[1];
  return {
    ...place,
    ...(head === undefined ? {} : { head }),
    async ask(words, more) {
      const now = await filters(more); // the configuration may be another one by now
      return "reason" in now ? { ok: false, reason: now.reason } : askHere([...now.settings, ...words], more);
    },
  };
}

/** As git writes it. */
function realOf(folder: string): string | undefined {
  try {
    const real = realpathSync(folder);
    return process.platform === "win32" ? real.replaceAll("\\", "/") : real;
  } catch {
    return undefined; // it went away meanwhile
  }
}

/** One line each, unless a folder's name holds a line break: then each is asked for alone. */
async function foldersIn(
  lines: string,
  ask: (words: readonly string[]) => Promise<GitAnswer>,
): Promise<[string, string] | undefined> {
  const [own, common, ...rest] = lines.split("\n");
  if (own && common && rest.length <= 2) return [own, common];
  const answers = await Promise.all([ask(["rev-parse", "--absolute-git-dir"]), ask(["rev-parse", "--git-common-dir"])]);
  const [first, second] = answers.map((one) => (one.ok ? one.stdout.toString("utf8").replace(/\n$/, "") : ""));
  return first && second ? [first, second] : undefined;
}

const filtersAtMost = 50;

/** Words for the command line, or why the repository cannot be asked safely. */
type Filters = { settings: string[] } | { reason: string };

/**
 * Filters run on files whose content git has to compare. Those of the user's own configuration are his; a repository's
 * are emptied. Asked of git only where the repository's configuration speaks of filters or of other files.
 */
async function filterSettings(
  { gitFolder, commonFolder }: Pick<Repository, "gitFolder" | "commonFolder">,
  ask: (words: readonly string[]) => Promise<GitAnswer>,
): Promise<Filters> {
  const files = [join(commonFolder, "config"), join(gitFolder, "config.worktree")];
  if (!files.some(speaksOfFilters)) return { settings: [] };
  const answer = await ask(["config", "-z", "--show-scope", "--get-regexp", "^filter\\."]);
  if (!answer.ok) {
    return answer.code === 1 ? { settings: [] } : { reason: `which filters it has is not known: ${answer.reason}` };
  }
  const names = foreignFilters(answer.stdout.toString("utf8"));
  const odd = names.find((name) => name.includes("=")); // there the name of a setting ends on the command line
  if (odd !== undefined) return { reason: `its filter ${JSON.stringify(odd)} cannot be switched off` };
  if (names.length > filtersAtMost) return { reason: `its configuration names ${names.length} filters` };
  const empty = ["clean=", "smudge=", "process=", "required=false"];
  return { settings: names.flatMap((name) => empty.flatMap((end) => ["-c", `filter.${name}.${end}`])) };
}

const speaksOfFilters = (file: string): boolean => /filter|include/i.test(textAt(file) ?? "");

/** Names of filters to which the repository's own configuration gives what the user's does not. */
function foreignFilters(text: string): string[] {
  const words = text.split("\0");
  const [own, users] = [new Map<string, string>(), new Map<string, string>()];
  for (let at = 0; at + 1 < words.length; at += 2) {
    const entry = words[at + 1] ?? "";
    const [key = ""] = entry.split("\n", 1);
    (words[at] === "global" ? users : own).set(key, entry.slice(key.length + 1));
  }
  const foreign = [...own].filter(([key, value]) => users.get(key) !== value);
  return [...new Set(foreign.map(([key]) => key.slice("filter.".length, key.lastIndexOf("."))))];
}

/** The port through which hooks ask git: about the repository around a folder, wherever in it the folder lies. Never rejects. */
export function createGitPort(git: Git): NonNullable<Ports["git"]> {
  return async ({ folder, words, limit, keptInBytes }, signal) => {
    const answer = await askAround(git, folder, words, { signal, limit, keptInBytes });
    if (!answer.ok) return answer;
    return { ok: true, stdout: answer.stdout.toString("utf8"), cut: answer.cut === true };
  };
}

async function askAround(git: Git, folder: string, words: readonly string[], options: GitOptions): Promise<GitAnswer> {
  const { keptInBytes: _whole, ...patience } = options;
  const top = await git.askIn(folder, ["rev-parse", "--show-toplevel"], patience);
  if (!top.ok) return top;
  const repository = await git.repositoryAt(top.stdout.toString("utf8").replace(/\n$/, ""), patience);
  return "none" in repository ? { ok: false, reason: repository.none } : repository.ask(words, options);
}
