/** Reads and changes a folder of git hooks: what another tool wrote is never overwritten, and git always finds one whole hook. */
import { isUtf8 } from "node:buffer";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";
import { HooklineError, messageOf } from "../../engine/error.ts";
import { readFileHeadSync } from "../../files/regular-file.ts";
import { writeWhole } from "../../files/write.ts";
import type { HookFile, HookStep, HooksFolder } from "./hooks.ts";
import { hookName } from "./repository.ts";

/** A hook larger than this is a program, and its text says nothing. */
const readAtMostInBytes = 1 << 20;

/** @throws HooklineError repository_unusable */
export function readHooksFolder(folder: string): HooksFolder {
  try {
    const found = statSync(folder, { throwIfNoEntry: false });
    if (!found?.isDirectory()) {
      const other = lstatSync(folder, { throwIfNoEntry: false });
      return { exists: false, files: new Map(), ...(other ? { obstacle: obstacleAt(folder, other) } : {}) };
    }
    const names = readdirSync(folder).filter((name) => name === hookName || name.startsWith(`${hookName}.`));
    const files = new Map(names.map((name) => [name, readHookFile(join(folder, name))]));
    const own = lstatSync(join(folder, hookName), { throwIfNoEntry: false });
    const isFile = !own || own.isFile() || own.isSymbolicLink();
    return { exists: true, files, ...(isFile ? {} : { obstacle: obstacleAt(join(folder, hookName), own) }) };
  } catch (error) {
    throw unusable(folder, error);
  }
}

/** What lies where a folder, or a file of it, has to be. */
const obstacleAt = (where: string, found: Stats): HooksFolder["obstacle"] & object =>
  found.isSymbolicLink()
    ? { reason: "a link leads nowhere", where, advice: "fix the link, or remove it" }
    : { reason: `${found.isDirectory() ? "a folder" : "a file"} is in the way`, where, advice: "move it away" };

function readHookFile(path: string): HookFile {
  const own = lstatSync(path);
  const real = statSync(path, { throwIfNoEntry: false });
  return {
    mode: (real ?? own).mode & 0o7777,
    ...(own.isSymbolicLink() ? { link: readlinkSync(path) } : {}),
    ...(real === undefined ? {} : textIn(path)),
  };
}

/** Nothing of a program that is no text. */
function textIn(path: string): { text?: string } {
  const head = readFileHeadSync(path, readAtMostInBytes);
  return "bytes" in head && head.isWhole && isUtf8(head.bytes) ? { text: head.bytes.toString("utf8") } : {};
}

/** In their order; the first that fails ends it, and what was done before is whole. @throws HooklineError repository_unusable */
export function carryOut(folder: string, steps: readonly HookStep[]): void {
  try {
    for (const step of steps) doOne(folder, step);
  } catch (error) {
    throw unusable(folder, error);
  }
}

function doOne(folder: string, step: HookStep): void {
  if (step.do === "make folder") mkdirSync(folder, { recursive: true });
  else if (step.do === "remove folder") removeEmpty(folder);
  else if (step.do === "keep" && step.replaces) keepInstead(join(folder, step.from), join(folder, step.to));
  else if (step.do === "keep") keep(join(folder, step.from), join(folder, step.to));
  else if (step.do === "write") write(join(folder, step.name), step.text);
  else if (step.do === "restore") renameSync(join(folder, step.from), join(folder, step.to));
  else rmSync(join(folder, step.name));
}

/** Gives it a second name, which must be free; the first is taken in one step by what is written next. */
function keep(from: string, to: string): void {
  if (lstatSync(from).isSymbolicLink()) {
    symlinkSync(readlinkSync(from), to);
    return;
  }
  try {
    linkSync(from, to);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") throw error;
    copyFileSync(from, to, constants.COPYFILE_EXCL); // a file system without hard links
    const { mode, atime, mtime } = statSync(from);
    chmodSync(to, mode & 0o7777);
    utimesSync(to, atime, mtime);
  }
}

function keepInstead(from: string, to: string): void {
  const beside = `${to}.${randomBytes(6).toString("hex")}.new`;
  keep(from, beside);
  renameSync(beside, to);
}

function write(path: string, text: string): void {
  writeWhole(path, text, { mode: 0o755, finish: (temporary) => chmodSync(temporary, 0o755) }); // whatever the umask: git runs what its user may execute
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Something else lives there by now, so it stays.
  }
}

const unusable = (folder: string, cause: unknown): HooklineError =>
  new HooklineError(
    "repository_unusable",
    { reason: messageOf(cause), where: folder, advice: "check the rights of that folder" },
    { cause },
  );
