/** NOTICE: the licences of the libraries that are bundled into the command, read from what is installed. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { importsOf, sourceFiles } from "../imports.ts";

/** The libraries that our sources import, and all that those bring. */
function bundled(): string[] {
  const found = new Set<string>();
  const waiting = sourceFiles()
    .flatMap(importsOf)
    .filter(({ own, to, typeOnly }) => !own && !typeOnly && !to.startsWith("node:") && !foreign.has(to))
    .map(({ to }) => packageOf(to));
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    const { dependencies, peerDependencies } = manifestOf(name);
    waiting.push(...Object.keys({ ...dependencies, ...peerDependencies }).filter(isInstalled));
  }
  return [...found].sort();
}

const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
const manifestOf = (name: string): Manifest =>
  JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")) as Manifest; // a manifest of npm has these
const isInstalled = (name: string): boolean => existsSync(`node_modules/${name}/package.json`);

/** Named in our sources, but not part of the command. */
const foreign: ReadonlySet<string> = new Set(["hookline"]);

interface Manifest {
  version: string;
  license: string;
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

function textIn(name: string, pattern: RegExp): string | undefined {
  const file = readdirSync(`node_modules/${name}`).find((one) => pattern.test(one));
  return file && readFileSync(`node_modules/${name}/${file}`, "utf8").replaceAll("\r\n", "\n").trim();
}

export function notice(): string {
  const parts = bundled().map((name) => {
    const { version, license } = manifestOf(name);
    const text =
      textIn(name, /^licen[cs]e/i) ??
      textIn(name, /^readme/i)?.match(/^#+ *licen[cs]e\n+([\s\S]+)/im)?.[1] ??
      (license === "Apache-2.0" ? "The text of this licence is in LICENSE." : undefined);
    if (text === undefined) throw new Error(`${name} has no licence file, and its readme holds none`);
    return `${name} ${version} (${license})\n${"-".repeat(72)}\n${text}\n`;
  });
  return `Hookline
Licensed under the Apache License, Version 2.0: see LICENSE.

The command holds the following libraries, each under its own licence.

${parts.join(`\n${"=".repeat(72)}\n\n`)}`;
}
