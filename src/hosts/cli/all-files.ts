/** Every file of a workspace, for hooks that a person runs on all of it. */
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { HooklineError, messageOf } from "../../engine/error.ts";
import { pathOf, textOfNames } from "../../files/names.ts";
import { createGit } from "../../runtime/processes/git.ts";

/**
 * Names relative to the folder, with forward slashes: what git knows or does not ignore, and without a repository what lies
 * there, but for installed packages.
 *
 * @throws HooklineError file_unreadable
 */
export async function allFiles(folder: string, environment: Readonly<Record<string, string>>): Promise<string[]> {
  const words = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
  const answer = await createGit(environment).askIn(folder, words);
  if (!answer.ok) return filesBelow(folder);
  const names = new Set(textOfNames(answer.stdout).split("\0"));
  return [...names].filter((name) => name !== "" && isFile(join(folder, name)));
}

/** What was removed is still listed, and so are repositories within this one. */
function isFile(path: string): boolean {
  const found = lstatSync(pathOf(path), { throwIfNoEntry: false });
  return found !== undefined && !found.isDirectory();
}

const notOurs: ReadonlySet<string> = new Set([".git", "node_modules"]);

function filesBelow(folder: string): string[] {
  const files: string[] = [];
  const left = [""];
  for (let place = left.pop(); place !== undefined; place = left.pop()) {
    for (const entry of entriesOf(join(folder, place))) {
      const own = textOfNames(entry.name);
      const name = place === "" ? own : `${place}/${own}`;
      if (!entry.isDirectory()) files.push(name);
      else if (!notOurs.has(own)) left.push(name);
    }
  }
  return files.sort();
}

function entriesOf(path: string): ReturnType<typeof readEntries> {
  try {
    return readEntries(path);
  } catch (error) {
    throw new HooklineError("file_unreadable", { reason: messageOf(error), where: path }, { cause: error });
  }
}

const readEntries = (path: string) => readdirSync(pathOf(path), { withFileTypes: true, encoding: "buffer" });
