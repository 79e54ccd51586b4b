/** The port through which hooks ask git: about the repository around a folder, wherever in it the folder lies. */
import type { Ports } from "../core/ports.ts";
import type { Git, GitAnswer, GitOptions } from "./git.ts";

type Ask = NonNullable<Ports["git"]>;

/** Never rejects. */
export function createGitPort(git: Git): Ask {
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
