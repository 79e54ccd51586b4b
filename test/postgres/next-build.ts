/** Another build of the product, as an upgrade brings it: of the next version, and of sources that are not the same. */
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { packageForTests } from "../../scripts/package-for-tests.ts";

export const nextVersion = "0.2.0-next";

/** Its command, to be started by `process.execPath`. */
export function nextBuild(): string {
  const root = dirname(dirname(import.meta.dirname));
  const sources = mkdtempSync(join(tmpdir(), "hookline-next-"));
  try {
    const own = ["src", "bin", "package.json"];
    const others = readdirSync(root).filter((name) => !own.includes(name) && !name.startsWith("."));
    for (const name of own) cpSync(join(root, name), join(sources, name), { recursive: true });
    for (const name of others) symlinkSync(join(root, name), join(sources, name));
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    writeFileSync(join(sources, "package.json"), JSON.stringify({ ...manifest, version: nextVersion }));
    appendFileSync(join(sources, "src", "engine", "engine.ts"), `\n// as ${nextVersion} has it\n`);
    return join(packageForTests("given", sources), "bin", "hookline.js");
  } finally {
    rmSync(sources, { recursive: true });
  }
}
