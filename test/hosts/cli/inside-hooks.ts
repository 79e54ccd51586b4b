/** A project whose hooks' programs call hookline, each in a process of its own. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { bin, codeCache, runCommand } from "../../program.ts";

interface Place {
  hookline(...words: string[]): { status: number | null; stdout: string; stderr: string };
  /** With --json; it has to exit 0. */
  json(...words: string[]): ReturnType<typeof JSON.parse>;
}

export function place(t: TestContext): Place {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-inside-")));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const [cwd, home] = [join(folder, "shop"), join(folder, "home")];
  for (const path of [cwd, home]) mkdirSync(path);
  const environment = {
    NODE_COMPILE_CACHE: codeCache,
    PATH: process.env.PATH ?? "",
    HOME: home,
    XDG_STATE_HOME: join(folder, "state"),
  };
  const hookline: Place["hookline"] = (...words) => runCommand(words, { cwd, environment });
  return {
    hookline,
    json(...words) {
      const { status, stdout, stderr } = hookline(...words, "--json");
      assert.equal(status, 0, stderr);
      return JSON.parse(stdout);
    },
  };
}

export const calls = (words: string): string =>
  JSON.stringify([{ type: "shell", command: `'${process.execPath}' '${bin}' ${words}` }]);

export const always: readonly string[] = [
  "--overlap",
  "queue",
  "--cooldown-seconds",
  "0",
  "--skip-llm",
  "--context-steps",
];
