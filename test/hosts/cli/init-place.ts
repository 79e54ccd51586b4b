/** A home with a project in it, and agents that init finds there. */
import { globSync, mkdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { TestContext } from "node:test";
import { type World, world } from "../../world.ts";

export interface Machine extends World {
  /** What lies in the home but for our state, by path. */
  files(): Record<string, string>;
}

/** A home with a project in it, where Claude Code is on the PATH and Codex has a folder. */
export function machine(t: TestContext, files: Readonly<Record<string, string>> = {}, agents = true): Machine {
  const own = Object.entries({ "shop/.git/HEAD": "", ...files }).map(([path, text]) => [`home/${path}`, text]);
  const here = world(t, Object.fromEntries(own), { workspace: "home/shop", variables: { HOOKLINE_DAEMON: "off" } });
  const { folder, home, environment } = here;
  environment.PATH = [join(folder, "bin"), "/usr/bin", "/bin"].join(delimiter);
  if (agents) {
    mkdirSync(join(home, ".codex"));
    here.write("bin/claude", "#!/bin/sh\n: >ran\n");
  }
  return {
    ...here,
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
