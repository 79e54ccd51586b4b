/** hookline test --watch: performs the tests again after each change in their projects, until it is ended. */
import { dirname, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../../engine/error.ts";
import { watchRefusal, watchTree } from "../../../files/watch-tree.ts";
import { findProject } from "../../../loading/project.ts";
import { type ExitCode, type Invocation, textFlag, usageError } from "../command.ts";
import { namesIn } from "./scratch.ts";

/** An editor writes a file in several steps. */
const quietFor = 100;
const mostFolders = 2_000;

/** @param once performs all tests; what it finds wrong with the files that were named is shown, and a change may mend it */
export async function watchTests(
  invocation: Invocation,
  files: () => Promise<string[]>,
  once: (files: readonly string[]) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { terminal, signal, usage, json, cwd } = invocation;
  if (json) throw usageError("--watch shows results to a person: leave out --json", usage);
  const junit = textFlag(invocation.flags, "junit");
  const written = junit === undefined ? undefined : resolve(cwd, junit);
  while (!signal.aborted) {
    let wake = (): void => {};
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const tree = watchTree({
      changed: (folder, name) => void (join(folder, name ?? "") === written || wake()),
      lost: (reason) => terminal.error(`hookline: changes are no longer seen: ${watchRefusal(reason)}`),
    });
    try {
      const found = await files();
      for (const folder of await foldersOf(found, invocation)) tree.enter(folder);
      await once(found);
      terminal.print(terminal.paint("dim", "waiting for changes; Ctrl-C ends this"));
    } catch (error) {
      terminal.error(`hookline: ${messageOf(error)}`);
    }
    const alive = setInterval(() => {}, 60_000); // watches alone keep no process
    signal.addEventListener("abort", wake, { once: true });
    await woken;
    clearInterval(alive);
    tree.close();
    await delay(quietFor, undefined, { signal }).catch(() => {}); // Ctrl-C
  }
  return 0;
}

/** All folders with files of the projects that the tests are about. */
async function foldersOf(files: readonly string[], { home, environment }: Invocation): Promise<Iterable<string>> {
  const folders = new Set(files.map((file) => dirname(file)));
  for (const root of new Set(files.map((file) => findProject(dirname(file), home).root)))
    for (const name of await namesIn(root, environment)) {
      if (folders.size >= mostFolders) return folders;
      folders.add(dirname(join(root, name)));
    }
  return folders;
}
