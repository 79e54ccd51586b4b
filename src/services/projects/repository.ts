/** What git says of a project's folder: its worktrees, where it comes from, and its default branch. */
import { basename, dirname } from "node:path";
import { withoutCredentials } from "../../engine/one-line.ts";
import type { RepositoryFacts } from "./projects.ts";

/** Questions to git, by its words; undefined where it has no answer. Never rejects. */
export type AskGit = (folder: string, words: readonly string[]) => Promise<string | undefined>;

/** Never rejects: outside of repositories, and without git, there is nothing to say. */
export async function repositoryFacts(ask: AskGit, folder: string): Promise<RepositoryFacts> {
  const line = async (...words: string[]): Promise<string | undefined> => {
    const answer = (await ask(folder, words))?.replace(/\r?\n$/, "");
    return answer === "" ? undefined : answer;
  };
  const top = await line("rev-parse", "--show-toplevel");
  if (top === undefined) return {};
  const [common, address, remoteHead, head] = await Promise.all([
    line("rev-parse", "--path-format=absolute", "--git-common-dir"),
    line("config", "--get", "remote.origin.url"),
    line("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"),
    line("symbolic-ref", "--quiet", "--short", "HEAD"),
  ]);
  const main = common !== undefined && basename(common) === ".git" ? dirname(common) : undefined;
  const branch = remoteHead?.replace(/^origin\//, "") ?? head;
  return {
    top,
    ...(main === undefined || main === top ? {} : { main }),
    ...(address === undefined ? {} : { repository: withoutCredentials(address) }),
    ...(branch === undefined ? {} : { branch }),
  };
}
