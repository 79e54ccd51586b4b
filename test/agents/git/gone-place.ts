/** A repository whose commits ask Hookline, and Hookline that goes. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { type Ended, place, type Scratch } from "./scratch.ts";

/** Its program and Node are no longer there. */
export function removeHookline(self: Scratch, file: string = place): void {
  const text = self.read(file);
  self.write(file, text.replace(/^(node|bin)='.*'$/gm, "$1='/nowhere/$1'"), 0o755);
}

/** A machine without Hookline, as a graphical program starts git there. */
export const without: Readonly<Record<string, string>> = { PATH: "/usr/bin:/bin" };

/** Starts the file as git does, without git. */
export function start(
  self: Scratch,
  {
    cwd = self.top,
    file = join(self.top, place),
    shell = [],
  }: { cwd?: string; file?: string; shell?: readonly string[] } = {},
): Ended {
  const [program = file, ...words] = [...shell, ...(shell.length > 0 ? [file] : [])];
  const { status, stdout, stderr } = spawnSync(program, words, {
    cwd,
    env: { ...self.environment, ...without },
    encoding: "utf8",
  });
  return { code: status, stdout, stderr };
}

export const gone = "hookline: Hookline, which runs the hooks of commits and of coding agents, is gone, ";

export const shells: readonly (readonly string[])[] = [
  ["dash"],
  ["bash"],
  ["bash", "--posix"],
  ["busybox", "sh"],
  ["ksh"],
];
