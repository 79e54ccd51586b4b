/** How a folder without a repository is now: the files that are newer than a session, found by walking it in slices. */
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Instant } from "../core/event.ts";
import { pathOf, textOfNames } from "../files/names.ts";
import { type Look, pause, signatureOf } from "./look.ts";

/** What tools put there, whatever the project is. */
const passedOver: ReadonlySet<string> = new Set(
  ".git .hg .svn .jj node_modules .venv venv __pycache__ .tox .mypy_cache .pytest_cache".split(" "),
);
/** Entries that are looked at; the walk goes from the top down, so what is left out lies deepest. */
const entriesAtMost = 50_000;
const slice = 200;
/** The clock that stamps files may lag behind ours by a tick. */
const tickInMilliseconds = 20;

/** Removed files are not seen: nothing says that they were there. */
export async function readFolder(base: string, begun: Instant): Promise<Look> {
  const since = begun - tickInMilliseconds;
  const dirty = new Map<string, string>();
  const waiting = [""];
  let looked = 0;
  let leftOut = 0;
  for (const folder of waiting) {
    for (const entry of entriesOf(join(base, folder))) {
      if (++looked % slice === 0) await pause();
      const name = textOfNames(entry.name);
      if (looked > entriesAtMost) leftOut += 1;
      else if (entry.isDirectory()) {
        if (!passedOver.has(name)) waiting.push(`${folder}${name}/`);
      } else if (isNewer(join(base, folder, name), since))
        dirty.set(`${folder}${name}`, signatureOf(join(base, folder, name)));
    }
  }
  const repositories = [{ prefix: "", dirty, movedSince: async () => new Map(), newestBefore: async () => undefined }];
  return { base, repositories, leftOut };
}

function entriesOf(folder: string): ReturnType<typeof readFolderEntries> {
  try {
    return readFolderEntries(folder);
  } catch {
    return []; // it went away meanwhile, or nobody may look
  }
}
const readFolderEntries = (folder: string) => readdirSync(pathOf(folder), { withFileTypes: true, encoding: "buffer" });

function isNewer(path: string, since: Instant): boolean {
  const found = lstatSync(pathOf(path), { throwIfNoEntry: false });
  return found !== undefined && Math.max(found.mtimeMs, found.ctimeMs) >= since;
}
