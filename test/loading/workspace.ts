/** A temporary home, project and managed folder for one test, filled from a table of paths and contents. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { type LoadedHooks, loadHooks } from "../../src/loading/load.ts";
import { temporaryFolder } from "../temporary-folder.ts";

export interface Workspace {
  home: string;
  project: string;
  managed: string;
  write(path: string, content: unknown, mode?: number): string;
  load(cwd?: string, environment?: Record<string, string>): LoadedHooks;
}

/** @param files by path in the workspace: "home/…", "home/project/…", "managed/…"; objects become JSON */
export function workspace(context: TestContext, files: Record<string, unknown> = {}): Workspace {
  const folder = temporaryFolder(context);
  const at = (path: string): string => join(folder, path);
  const made: Workspace = {
    home: at("home"),
    project: at("home/project"),
    managed: at("managed"),
    write(path, content, mode) {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), typeof content === "string" ? content : JSON.stringify(content, null, 2));
      if (mode !== undefined) chmodSync(at(path), mode);
      return at(path);
    },
    load: (cwd = at("home/project"), environment = {}) =>
      loadHooks({
        cwd,
        home: at("home"),
        environment,
        managedFolders: { claude: at("managed/claude"), hookline: at("managed/hookline") },
        platform: "linux",
      }),
  };
  mkdirSync(at("home/project"), { recursive: true });
  for (const [path, content] of Object.entries(files)) made.write(path, content);
  return made;
}

export const hooks = (event: string, ...commands: (string | object)[]): object => ({
  hooks: {
    [event]: [{ hooks: commands.map((one) => (typeof one === "string" ? { type: "command", command: one } : one)) }],
  },
});
export const guard = (command: string): object => ({ type: "command", command, role: "guard" });

export const names = ({ set }: LoadedHooks): string[] =>
  set.hooks.filter(({ enabled }) => enabled).map(({ name }) => name);
