/** A workspace, a home and a state folder of one test, and the commands of the same user: nothing of this machine's user is read. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeCache, runCommand } from "./program.ts";
import type { CommandAnswer } from "./standing-command.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export interface World {
  folder: string;
  /** Where commands are called. */
  workspace: string;
  home: string;
  /** Hookline's own folder, and its store. */
  state: string;
  store: string;
  /** That of the next command. */
  environment: Record<string, string>;
  /** By path in `folder`, as the files at the beginning; a script can be run. */
  write(path: string, text: string): void;
  read(path: string): string;
  has(path: string): boolean;
  hookline(...words: string[]): CommandAnswer;
  /** The same, with this on its standard input. */
  hooklineWith(input: string, ...words: string[]): CommandAnswer;
  /** What it prints with --json; it has to exit 0. */
  json(...words: string[]): ReturnType<typeof JSON.parse>;
  /** What is done at the end of the test, before the folder goes; the last first. */
  atEnd(work: () => unknown): void;
}
export interface WorldOptions {
  variables?: Readonly<Record<string, string>>;
  /** Its path in the folder. */
  workspace?: string;
  /** Another build of the command, such as the one that asks for trust. */
  bin?: string;
}

/**
 * @param t a test, or `{ after }` of node:test for what several tests of a file share and leave as it is
 * @param files by path: "workspace/…", "home/…"
 */
export function world(
  t: { after(work: () => unknown): void },
  files: Readonly<Record<string, string>> = {},
  { variables = {}, workspace: at = "workspace", bin }: WorldOptions = {},
): World {
  const ends: (() => unknown)[] = [];
  t.after(async () => {
    for (const end of ends.toReversed()) await end();
  });
  const folder = temporaryFolder(t);
  const [workspace, home, state] = [join(folder, at), join(folder, "home"), join(folder, "state", "hookline")];
  for (const path of [workspace, home]) mkdirSync(path, { recursive: true });
  const environment: Record<string, string> = {
    NODE_COMPILE_CACHE: codeCache,
    PATH: process.env.PATH ?? "",
    HOME: home,
    XDG_STATE_HOME: dirname(state),
    NO_COLOR: "1",
    ...variables,
  };
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, { mode: text.startsWith("#!") ? 0o755 : 0o644 });
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  const hooklineWith: World["hooklineWith"] = (input, ...words) =>
    runCommand(words, { cwd: workspace, environment, input, ...(bin !== undefined && { bin }) });
  return {
    ...{ folder, workspace, home, state, store: join(state, "hookline.db"), environment, write, hooklineWith },
    read: (path) => readFileSync(join(folder, path), "utf8"),
    has: (path) => existsSync(join(folder, path)),
    hookline: (...words) => hooklineWith("", ...words),
    json(...words) {
      const { status, stdout, stderr } = hooklineWith("", ...words, "--json");
      assert.equal(status, 0, stderr + stdout);
      return JSON.parse(stdout);
    },
    atEnd: (work) => void ends.push(work),
  };
}
