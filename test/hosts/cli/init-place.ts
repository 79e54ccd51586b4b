/** A home with a project in it, and agents that init finds there. */
import { chmodSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { codeCache, runCommand } from "../../program.ts";
import type { CommandAnswer } from "../../standing-command.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

export interface World {
  home: string;
  workspace: string;
  environment: Record<string, string>;
  hookline(...words: string[]): CommandAnswer;
  /** What lies in the home but for our state, by path. */
  files(): Record<string, string>;
}

/** A home with a project in it, where Claude Code is on the PATH and Codex has a folder. */
export function machine(t: TestContext, files: Readonly<Record<string, string>> = {}, agents = true): World {
  const folder = temporaryFolder(t);
  const [home, bin] = [join(folder, "home"), join(folder, "bin")];
  const workspace = join(home, "shop");
  for (const one of [workspace, bin]) mkdirSync(one, { recursive: true });
  for (const [path, text] of Object.entries({ "shop/.git/HEAD": "", ...files })) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text, { mode: text.startsWith("#!") ? 0o755 : 0o644 });
  }
  if (agents) {
    mkdirSync(join(home, ".codex"));
    writeFileSync(join(bin, "claude"), "#!/bin/sh\n: >ran\n");
    chmodSync(join(bin, "claude"), 0o755);
  }
  const environment = {
    NODE_COMPILE_CACHE: codeCache,
    PATH: [bin, "/usr/bin", "/bin"].join(delimiter),
    HOME: home,
    XDG_STATE_HOME: join(folder, "state"),
    HOOKLINE_DAEMON: "off",
  };
  return {
    ...{ home, workspace, environment },
    hookline: (...words) => runCommand(words, { cwd: workspace, environment }),
    files: () =>
      Object.fromEntries(
        globSync("**/*", { cwd: home, withFileTypes: true })
          .concat(globSync("{.*,.*/**,*/.*,*/.*/**}", { cwd: home, withFileTypes: true }))
          .filter((one) => one.isFile())
          .map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), "utf8")]),
      ),
  };
}

export const nodeProject = {
  "shop/package.json": '{"scripts":{"test":"node --test"},"devDependencies":{"prettier":"3"}}',
  "shop/tsconfig.json": "{}",
};
