/**
 * Asks git as whoever called us would: with their index, environment and configuration, which a git hook gives and which
 * decides where hooks lie. Apart from runtime/processes/git.ts, whose questions leave all of that out.
 */
import { spawnSync } from "node:child_process";
import type { AskGit } from "../../agents/git/repository.ts";
import { textOfNames } from "../../files/names.ts";

const longestAnswerInBytes = 64 << 20;
const limitInMilliseconds = 30_000;

/** Nothing of the repository is run: the words that may follow need no pager, no monitor and no outside diff. */
const safely = ["-c", "core.fsmonitor=false", "-c", "core.pager=cat", "-c", "diff.external="];

export function askGitAs(environment: Readonly<Record<string, string>>): AskGit {
  return (words, folder) => {
    const { status, stdout, stderr, error } = spawnSync("git", [...safely, ...words], {
      cwd: folder,
      env: { ...environment, GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0" },
      input: "",
      maxBuffer: longestAnswerInBytes,
      timeout: limitInMilliseconds,
    });
    if (error) return { ok: false, reason: `git could not be asked: ${error.message}` };
    if (status === 0) return { ok: true, text: textOfNames(stdout) };
    const [said = ""] = stderr.toString("utf8").trim().split("\n");
    const reason = said.replace(/^fatal: /, "") || `git ended with exit code ${status}`;
    return { ok: false, reason, ...(status === null ? {} : { code: status }) };
  };
}
