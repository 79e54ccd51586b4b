/** NOTICE: the licences of the libraries that are bundled into the command, read from what is installed. */
import { globSync, readFileSync } from "node:fs";
import { importsOf, sourceFiles } from "../imports.ts";

const bundled = (): string[] =>
  [
    ...new Set(
      sourceFiles()
        .flatMap(importsOf)
        .filter(({ own, to, typeOnly }) => !own && !typeOnly && !to.startsWith("node:") && !foreign.has(to))
        .map(({ to }) => to),
    ),
  ].sort();
/** Named in our sources, but not part of the command. */
const foreign: ReadonlySet<string> = new Set(["hookline"]);

interface Manifest {
  version: string;
  license: string;
  dependencies?: Record<string, string>;
}

export function notice(): string {
  const parts = bundled().map((name) => {
    const folder = `node_modules/${name}`;
    const manifest = JSON.parse(readFileSync(`${folder}/package.json`, "utf8")) as Manifest; // a manifest of npm has these
    const further = Object.keys(manifest.dependencies ?? {});
    if (further.length > 0)
      throw new Error(`${name} brings ${further.join(", ")}: their licences belong into NOTICE too`);
    const [file] = globSync(`${folder}/LICENSE*`);
    if (!file) throw new Error(`${name} has no licence file`);
    return `${name} ${manifest.version} (${manifest.license})\n${"-".repeat(72)}\n${readFileSync(file, "utf8").replaceAll("\r\n", "\n").trim()}\n`;
  });
  return `Hookline
Licensed under the Apache License, Version 2.0: see LICENSE.

The command holds the following libraries, each under its own licence.

${parts.join(`\n${"=".repeat(72)}\n\n`)}`;
}
