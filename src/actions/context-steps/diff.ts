/** The git_diff and file_diff steps of automations (specification 000, 4.5 and 4.10). */

import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Fields } from "../../engine/event.ts";
import type { Handler, StepContext, StepResult } from "../../engine/ports.ts";
import type { GitReply } from "../../engine/reach.ts";
import { object, say, text } from "../../engine/schema.ts";
import { failed, firstCharacters, noted } from "../step.ts";
import { contextStep, folderFor, isOverLimit } from "./context-step.ts";

const diffLimit = 30;
const mostCharacters = 50_000;

/** Drivers and text converters are programs that a repository may name; colours are for terminals. */
const plainly = ["--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short", "--ignore-submodules=dirty"];

/** @param what which states are compared, and of what */
async function askForDiff(folder: string, what: readonly string[], context: StepContext): Promise<GitReply> {
  const { ports, signal } = context;
  if (!ports.git) throw new Error("nothing here can ask git");
  const words = ["--literal-pathspecs", "diff", ...plainly, ...what];
  // The step's own limit comes first; git's is for whoever stops listening.
  return ports.git({ folder, words, limit: diffLimit + 1, keptInBytes: 4 * mostCharacters }, signal);
}

/** @param others fields of the result beside those of every diff */
function diffResult(reply: GitReply, { signal, timeout }: StepContext, others: Fields = {}): StepResult {
  if (reply.ok) {
    const { text: diff, notes } = firstCharacters(reply.stdout, mostCharacters, "diff");
    const told = reply.cut && notes.length === 0 ? ["diff was cut"] : notes;
    return { ok: true, output: { diff, ...others, exit_code: 0 }, ...noted(told) };
  }
  const isLate = isOverLimit(signal);
  const error = isLate ? `git diff timed out after ${timeout}s` : reply.reason;
  return failed(isLate ? "timeout" : "exit", error, { diff: "", ...others, exit_code: reply.code ?? -1, error });
}

export const gitDiff: Handler = contextStep(
  {
    type: "git_diff",
    summary: "What the current branch has changed since it left another: `git diff <base_branch>...HEAD`.",
    limit: diffLimit,
    gives: {
      diff: "what git says, up to 50,000 characters",
      exit_code: "git's own; -1 where it did not end by itself",
    },
  },
  {
    params: object(
      {},
      {
        workspace: say(text(), "a folder of the repository; a relative path starts at the project's workspace", "."),
        base_branch: say(text(), "the branch, tag or commit to compare with", "main"),
      },
    ),
    needs: ["git"],
    async run({ workspace = ".", base_branch: base = "main" }, context) {
      const folder = folderFor(workspace, context);
      if (base.trim() === "") throw new Error("base_branch is empty");
      if (base.startsWith("-")) throw new Error(`base_branch is no branch: ${base}`);
      return diffResult(await askForDiff(folder, [`${base}...HEAD`, "--"], context), context);
    },
  },
);

export const fileDiff: Handler = contextStep(
  {
    type: "file_diff",
    summary: "How a file differs from its last commit: `git diff HEAD -- <path>`.",
    limit: diffLimit,
    gives: {
      diff: "what git says, up to 50,000 characters; empty where nothing differs, or git does not know the file",
      path: "the file, as an absolute path",
      exit_code: "git's own; -1 where it did not end by itself",
    },
  },
  {
    params: object(
      {},
      {
        path: say(text(), "the file; a relative path starts at the workspace", ""),
        workspace: say(text(), "a folder of the repository; a relative path starts at the project's workspace", "."),
      },
    ),
    needs: ["git"],
    async run({ path = "", workspace = "." }, context) {
      if (path === "") throw new Error("path is required");
      const folder = folderFor(workspace, context);
      const file = resolve(folder, path);
      return diffResult(await differenceOf(asGitNames(file), folder, context), context, { path: file });
    },
  },
);

/** What is new differs from nothing; before the first commit all is, and there is no HEAD to compare with. */
async function differenceOf(file: string, folder: string, context: StepContext): Promise<GitReply> {
  const now = await askForDiff(folder, ["HEAD", "--", file], context);
  const isBlank = now.ok ? now.stdout.trim() === "" : now.reason.includes("bad revision 'HEAD'");
  return isBlank ? askForDiff(folder, ["--cached", "--", file], context) : now;
}

/** Git knows the real folder, where the path may go through a link. The file itself may be gone, or be a link. */
function asGitNames(file: string): string {
  const folder = dirname(file);
  return existsSync(folder) ? join(realpathSync(folder), basename(file)) : file;
}
