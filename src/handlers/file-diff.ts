/** The file_diff step of automations (specification 000, 4.10): how a file differs from its last commit. */
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Handler, StepContext } from "../core/ports.ts";
import type { GitReply } from "../core/reach.ts";
import { object, say, text } from "../core/schema.ts";
import { contextStep } from "./context-step.ts";
import { askForDiff, diffLimit, diffResult } from "./step-diff.ts";
import { folderFor } from "./step-folder.ts";

export interface FileDiffParams {
  path?: string;
  workspace?: string;
}

export const fileDiff: Handler<FileDiffParams> = contextStep(
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
