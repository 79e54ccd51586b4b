/** The git_diff step of automations (specification 000, 4.5): what a branch has changed since it left another. */
import type { Handler } from "../core/ports.ts";
import { object, say, text } from "../core/schema.ts";
import { contextStep } from "./context-step.ts";
import { askForDiff, diffLimit, diffResult } from "./step-diff.ts";
import { folderFor } from "./step-folder.ts";

export interface GitDiffParams {
  workspace?: string;
  base_branch?: string;
}

export const gitDiff: Handler<GitDiffParams> = contextStep(
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
