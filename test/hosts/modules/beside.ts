/** Projects with modules, and a program that decides beside them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import type { Fields } from "../../../src/engine/event.ts";
import type { Outcome } from "../../../src/engine/outcome.ts";
import type { Run } from "../../../src/engine/record.ts";
import { createHookline, defineHook } from "../../../src/index.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

export function project(t: TestContext, files: Readonly<Record<string, string>>): Pick<Told, "folder" | "write"> {
  const folder = temporaryFolder(t);
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  return { folder, write };
}

export interface Told {
  emit(command: string, tool?: string): Promise<Outcome>;
  last(): Promise<Run | undefined>;
  logged: string[];
  folder: string;
  write(path: string, text: string): void;
}

/** A program with a guard of its own, which comes last, in a project with this module. */
export async function beside(
  t: TestContext,
  module: string,
  files: Readonly<Record<string, string>> = {},
): Promise<Told> {
  const place = project(t, { "hookline.config.mjs": module, ...files });
  const logged: string[] = [];
  const line = await createHookline({
    cwd: place.folder,
    home: join(place.folder, "home"),
    observe: (seen) => {
      if (seen.is === "log") logged.push(`${seen.level} ${seen.message}`);
    },
  });
  t.after(() => line.close());
  line.use(
    defineHook({
      on: "PreToolUse",
      name: "own",
      role: "guard",
      priority: 999,
      run: ({ data }) => (String(data.tool_input.command).startsWith("rm") ? { deny: "no rm" } : undefined),
    }),
  );
  const emit = async (command: string, tool_name = "Bash"): Promise<Outcome> =>
    line.emit("PreToolUse", { tool_name, tool_input: { command } as Fields });
  const last = async (): Promise<Run | undefined> => (await line.runs()).find(({ hookName }) => hookName !== "own");
  return { ...place, emit, last, logged };
}

export const hook = (run: string, more = ""): string =>
  `export default [{ on: "PreToolUse", name: "theirs", ${more} run: ${run} }];`;
