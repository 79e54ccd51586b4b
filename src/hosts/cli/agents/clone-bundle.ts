/**
 * In a clone Hookline runs from its sources, which takes an agent's event three times as long as the package's bundle. So a
 * clone registers a bundle of its own with agents and git, in build/, built anew when sources have changed. The package never builds.
 */

import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { messageOf } from "../../../engine/error.ts";
import { fingerprint } from "../../../engine/fingerprint.ts";

/** Set by every build. */
declare const BUILT_FROM: string;

interface RegisteredProgram {
  /** Absolute paths: Node, and the bin that agents and git run. */
  program: readonly [string, string];
  /** For the person. */
  notes: string[];
}

/** What agents and git run; builds the bundle where that is needed. Never throws: without a bundle they run the sources, and a note says why. */
export function programToRegister([node, bin]: readonly [string, string]): RegisteredProgram {
  const root = dirname(dirname(bin));
  if (typeof BUILT_FROM !== "undefined" || !existsSync(buildScript(root))) return { program: [node, bin], notes: [] };
  const failure = build(root, node);
  return failure === undefined
    ? { program: [node, bundleIn(root)], notes: [] }
    : {
        program: [node, bin],
        notes: [`the build of this clone failed, so its sources are registered, which is slower: ${failure}`],
      };
}

/** The same, of a bundle that install has built. Nothing is built. */
export function programRegistered([node, bin]: readonly [string, string]): readonly [string, string] {
  const bundle = bundleIn(dirname(dirname(bin)));
  return [node, typeof BUILT_FROM === "undefined" && existsSync(bundle) ? bundle : bin];
}

/** Where install has made one: made anew if sources have changed since. Gives why it could not be, for the person. */
export function renewBundle([node, bin]: readonly [string, string]): string | undefined {
  const root = dirname(dirname(bin));
  return typeof BUILT_FROM === "undefined" && existsSync(bundleIn(root)) ? build(root, node) : undefined;
}

const buildScript = (root: string): string => join(root, "scripts", "build.ts");
const bundleIn = (root: string): string => join(root, "build", "bin", "hookline.js");

/** Gives why it failed. Another process that builds is waited for. */
function build(root: string, node: string): string | undefined {
  const lock = join(root, "build", ".lock");
  try {
    mkdirSync(dirname(lock), { recursive: true });
    for (let tries = 0; isStale(root); tries++) {
      if (!take(lock)) {
        if (tries > waitsAtMost) return "another process is building it and does not finish";
        Atomics.wait(pause, 0, 0, 100);
        continue;
      }
      try {
        const words = [buildScript(root), `--clone=${stateOf(root)}`];
        const { status, stderr, error } = spawnSync(node, words, { cwd: root, encoding: "utf8" });
        if (status !== 0)
          return (error?.message ?? stderr.trim().split("\n")[0]) || `the build ended with exit code ${status}`;
      } finally {
        rmdirSync(lock);
      }
    }
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
const waitsAtMost = 600;
const pause = new Int32Array(new SharedArrayBuffer(4));

/** One that was left by a process that was ended is taken over. */
function take(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
    if (since !== undefined && Date.now() - since > leftAfter) rmdirSync(lock);
    return false;
  }
}
const leftAfter = 120_000; // milliseconds

function isStale(root: string): boolean {
  const noted = join(root, "build", "built-from");
  return !existsSync(bundleIn(root)) || !existsSync(noted) || readFileSync(noted, "utf8") !== stateOf(root);
}

/** Names, sizes and times of all that a bundle is made of: their texts would take ten times as long to read. */
function stateOf(root: string): string {
  const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(?:ts|js|sh)$/.test(name))
    .sort()
    .map((name) => join("src", name));
  const all = [
    ...sources,
    ...globSync("{examples/demo,testing}/*.ts", { cwd: root }).sort(),
    join("bin", "hookline.js"),
    join("scripts", "build.ts"),
    "package.json",
    "package-lock.json",
  ];
  const facts = all.map((name) => {
    const { size, mtimeMs } = statSync(join(root, name));
    return `${name} ${size} ${mtimeMs}`;
  });
  return fingerprint(facts.join("\n"));
}
