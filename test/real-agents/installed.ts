/** Where the real agents are that `npm run test:agents` installs, and whether they run. Apart, because the installer asks it too. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Its own manifest pins the exact versions; git ignores what is installed beside it. */
export const agentsFolder: string = import.meta.dirname;

/** The exact versions that the tests were written for, by package. */
export function pinnedVersions(): { [name: string]: string } {
  return manifest(join(agentsFolder, "package.json"))?.dependencies ?? {};
}

/**
 * The native program of the pinned Claude Code, or why there is none.
 * The package's own `claude` is a stub until an install script has run; the program lies in the package of the platform.
 */
export function findClaude(): { program: string } | { missing: string } {
  const name = "@anthropic-ai/claude-code";
  const version = pinnedVersions()[name];
  const modules = join(agentsFolder, "node_modules");
  const installed = manifest(join(modules, name, "package.json"));
  if (installed?.version !== version) return { missing: `${name} ${version} is not installed` };
  const programs = Object.keys(installed?.optionalDependencies ?? {})
    .flatMap((platform) => [join(modules, platform, "claude"), join(modules, platform, "claude.exe")])
    .filter((program) => existsSync(program));
  const program = programs.find((one) => versionOf(one).startsWith(`${version} `));
  return program ? { program } : { missing: `${name} ${version} has no program that runs on this machine` };
}

interface Manifest {
  version?: string;
  dependencies?: { [name: string]: string };
  optionalDependencies?: { [name: string]: string };
}

function manifest(path: string): Manifest | undefined {
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
}

function versionOf(program: string): string {
  try {
    return execFileSync(program, ["--version"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    return ""; // a program for another C library does not start: it is not the one that is looked for
  }
}
