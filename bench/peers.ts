/** The libraries that Hookline is measured against: pinned in bench/package.json, installed here, and typed only as far as used. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

const folder = import.meta.dirname;

export type Callback = (event: unknown) => unknown;
export interface Peers {
  tapable: {
    AsyncSeriesHook: new (
      names: string[],
    ) => { tap(name: string, call: Callback): void; promise(event: unknown): Promise<unknown> };
  };
  hookable: {
    createHooks(): {
      hook(name: string, call: Callback): () => void;
      callHook(name: string, event: unknown): Promise<unknown>;
    };
  };
  filtrex: {
    compileExpression(source: string, options: { extraFunctions: object }): (fields: object) => unknown;
  };
  eventemitter3: {
    EventEmitter: new () => { on(name: string, call: Callback): unknown; emit(name: string, event: unknown): boolean };
  };
}

/** What is measured against: the versions that bench/package.json pins. The managers of git hooks are optional. */
export function wantedPeers(optional: boolean): Versions {
  const { dependencies, optionalDependencies } = pinned();
  return optional ? { ...dependencies, ...optionalDependencies } : dependencies;
}

/**
 * Installs what is missing or of another version; no install scripts run. Returns why it did not work.
 * What is optional is asked for by its own benchmarks only.
 */
export function installPeers(optional: boolean): string | undefined {
  const wanted = wantedPeers(optional);
  if (isInstalled(wanted)) return undefined;
  console.log(`installing ${Object.keys(wanted).join(", ")} into bench/node_modules (once)`);
  const npm = process.env.npm_execpath;
  const [program = "npm", ...before] = npm ? [process.execPath, npm] : ["npm"];
  const flags = ["--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund", "--fetch-retries=1"];
  if (!optional) flags.push("--omit=optional");
  const path = `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ""}`;
  const words = [...before, "install", "--prefix", folder, ...flags];
  const done = spawnSync(program, words, { cwd: folder, encoding: "utf8", env: { ...process.env, PATH: path } });
  return isInstalled(wantedPeers(false))
    ? undefined
    : `npm install did not work: ${done.stderr || done.error?.message}`;
}

/** Why what needs the libraries cannot be taken. */
export function missingPeers(): string | undefined {
  const missing = Object.keys(pinned().dependencies).filter((name) => !hasPeer(name));
  return missing.length === 0 ? undefined : `bench/node_modules lacks ${missing.join(", ")}`;
}

type Versions = Record<string, string>;

const pinned = (): { dependencies: Versions; optionalDependencies: Versions } =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

/** A peer that has no program for this machine is not there, and its side is left out. */
export const hasPeer = (name: string): boolean => existsSync(join(folder, "node_modules", name, "package.json"));

const isInstalled = (wanted: Readonly<Record<string, string>>): boolean =>
  Object.entries(wanted).every(([name, version]) => {
    try {
      return JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8")).version === version;
    } catch {
      return false; // it is not there
    }
  });

export async function loadPeers(): Promise<Peers> {
  const load = (name: string): Promise<Record<string, unknown>> => import(name); // not a literal: nothing else needs their types
  const [tapable, hookable, eventemitter3, filtrex] = await Promise.all([
    load("tapable"),
    load("hookable"),
    load("eventemitter3"),
    load("filtrex"),
  ]);
  return { tapable: tapable.default, hookable, eventemitter3, filtrex } as Peers; // the pinned versions export these; Peers says what is used of them
}
