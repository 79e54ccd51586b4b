/**
 * The last look before a trusted hook starts a program: each workspace file that it was trusted with must hold what it held then. A
 * program or script of the workspace folder that is started by its path is started from a copy of the verified bytes, so that an
 * exchange between this look and the start changes nothing. A line for a shell names its files itself, and what lies above the folder
 * has no place in a copy of it: there, a moment is left (SAFETY g).
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import type { Hook } from "../../engine/hook.ts";
import type { Command } from "../../engine/program.ts";
import { readRegularBytesSync } from "../../files/regular-file.ts";
import { makePrivateFolder } from "../../files/write.ts";
import { fileOf, sha256, stateOfBytes, stateOfFile } from "./item.ts";

type Bound = NonNullable<Hook["bound"]>;
type Started = Omit<Command, "input">;
export type Verify = <C extends Started>(command: C, hook: Hook) => C | string;

/** @param stateFolder where copies are kept, out of reach of the workspace. Never throws. */
export const createVerify =
  (stateFolder: string): Verify =>
  (command, { bound, origin: { root } }) => {
    if (!bound || root === undefined) return command;
    const contents = new Map<string, Uint8Array>();
    for (const [path, state] of Object.entries(bound)) {
      const bytes = bytesAt(path);
      if (stateNow(path, bytes) !== state)
        return `${path} is not what was trusted: hookline trust shows what has changed`;
      if (bytes) contents.set(path, bytes);
    }
    const words = [command.program, ...command.args];
    const isBound = (path: string): boolean => contents.has(path) && path.startsWith(root + sep);
    // What stands behind -c is a line for a shell, also where it is a path.
    const isPath = words.map(
      (word, index) => !/^-c$|^-Command$/.test(words[index - 1] ?? "") && isBound(resolve(command.cwd, word)),
    );
    // Another user, as whom root starts it, cannot read our copies.
    if (command.user || !isPath.includes(true)) return command;
    try {
      const copies = copyOf(root, bound, contents, stateFolder);
      const [program = "", ...args] = words.map((word, index) =>
        isPath[index] ? (copies(resolve(command.cwd, word)) ?? word) : word,
      );
      return { ...command, program, args };
    } catch (error) {
      return `the verified copy of its program could not be made: ${error instanceof Error ? error.message : String(error)}`;
    }
  };

function bytesAt(path: string): Uint8Array | undefined {
  try {
    return readRegularBytesSync(fileOf(path));
  } catch {
    return undefined; // its state says so
  }
}

function stateNow(path: string, bytes: Uint8Array | undefined): string {
  try {
    if (bytes) return stateOfBytes(path, bytes);
    if (!existsSync(fileOf(path))) return "absent";
    return statSync(fileOf(path)).isDirectory() ? stateOfFile(path) : "unreadable";
  } catch {
    return "unreadable";
  }
}

/** A folder for each state of the files of a hook: the files themselves at their places, links to what lies beside them. */
function copyOf(
  root: string,
  bound: Bound,
  contents: ReadonlyMap<string, Uint8Array>,
  stateFolder: string,
): (path: string) => string | undefined {
  const base = makePrivateFolder(stateFolder, ["trust", "copies"]);
  const folder = join(base, sha256(JSON.stringify([root, bound])).slice(0, 32));
  const inCopy = (path: string): string | undefined =>
    contents.has(path) && path.startsWith(root + sep) ? join(folder, path.slice(root.length + 1)) : undefined;
  if (existsSync(folder)) return inCopy;
  const unfinished = `${folder}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  for (const [path, bytes] of contents) {
    const copy = inCopy(path);
    if (copy === undefined) continue;
    const target = join(unfinished, copy.slice(folder.length + 1));
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    writeFileSync(target, bytes, { mode: 0o600 });
    chmodSync(target, (bound[path] ?? "").startsWith("x") ? 0o500 : 0o400);
  }
  linkNeighbours(root, unfinished);
  putInPlace(unfinished, folder);
  return inCopy;
}

/** A program finds what lies beside it, and above it up to the workspace folder; what it loads from there is not bound. */
function linkNeighbours(from: string, to: string): void {
  const own = new Map(readdirSync(to, { withFileTypes: true }).map((one) => [one.name, one.isDirectory()]));
  for (const name of readdirSync(from)) {
    const isFolder = own.get(name);
    if (isFolder === undefined) symlinkSync(join(from, name), join(to, name));
    else if (isFolder) linkNeighbours(join(from, name), join(to, name));
  }
}

/** Of two that are made at once, the first is kept. */
function putInPlace(unfinished: string, folder: string): void {
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}
