/** A workspace with hooks and scripts that people run by hand. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import type { TestContext } from "node:test";
import { emptyRepository } from "../../repository.ts";
import type { CommandAnswer } from "../../standing-command.ts";
import { type World, world } from "../../world.ts";

export interface Told {
  event: { id: string; name: string; data: Record<string, unknown>; sender: string };
  outcome: { verdict?: { is: string; reason: string } };
  runs: { id: string; hook: string; status: string; reason: string | null }[];
  owed?: boolean;
  because?: string;
}
export interface Scratch extends World {
  /** What is printed with --json, and how it ended. */
  told(...words: string[]): Told & CommandAnswer;
  /** Adds all files to the repository. */
  commit(): void;
}

export function scratchWith(t: TestContext, files: Readonly<Record<string, string>>): Scratch {
  const here = world(t, files);
  const git = (...words: string[]) =>
    spawnSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...words], {
      ...{ cwd: here.workspace, env: here.environment, encoding: "utf8" },
    });
  emptyRepository(here.workspace);
  return {
    ...here,
    told(...words) {
      const said = here.hookline(...words, "--json");
      assert.notEqual(said.stdout, "", said.stderr);
      return { ...said, ...JSON.parse(said.stdout) };
    },
    commit() {
      git("add", "-A");
      assert.equal(git("commit", "-q", "-m", "all").status, 0);
    },
  };
}

export const hooksFile = (hooks: object): Record<string, string> => ({
  "workspace/.hookline/hooks.json": JSON.stringify({ hooks }),
});
export const command = (name: string, text: string): object => ({ hooks: [{ type: "command", name, command: text }] });

export const script = (body: string, more = ""): string =>
  `#!/bin/sh\n#---\n# name: Go format check\n# type: file\n# pattern: "*.go"\n${more}#---\n${body}\n`;
