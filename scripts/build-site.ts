/** Builds the documentation's pages into a folder; the daemon of a clone starts it when a browser first asks for them. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { siteOf } from "./site/site.ts";

export async function buildSite(folder: string): Promise<void> {
  const files = await siteOf(join(dirname(import.meta.dirname), "docs"));
  rmSync(folder, { recursive: true, force: true });
  for (const [path, content] of files) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

const [, script, folder] = process.argv;
if (script === import.meta.filename && folder !== undefined) await buildSite(folder);
