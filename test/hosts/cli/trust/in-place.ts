/** A repository whose hooks a person has trusted, where they lie. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { packageForTests } from "../../../../scripts/package-for-tests.ts";
import { codeCache, runCommand } from "../../../program.ts";
import { emptyRepository } from "../../../repository.ts";
import { temporaryFolder } from "../../../temporary-folder.ts";

export interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
}
export interface Repository {
  root: string;
  state: string;
  hookline(words: readonly string[], input?: string, folder?: string): Ran;
  git(...words: readonly string[]): Ran;
  read(path: string): string;
}

/** A repository in the package that users have, as a fresh clone is. */
export function clonedRepository(t: TestContext, files: Readonly<Record<string, string>>): Repository {
  const folder = temporaryFolder(t);
  const [root, home] = [join(folder, "project"), join(folder, "home")];
  mkdirSync(home);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text, { mode: path.endsWith(".sh") ? 0o755 : 0o644 });
  }
  const author = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@b", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b" };
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: home,
    HOOKLINE_DAEMON: "off",
    NODE_COMPILE_CACHE: codeCache,
    ...author,
  };
  const bin = join(packageForTests("asked"), "bin", "hookline.js");
  const hookline = (words: readonly string[], input = "", cwd = root): Ran =>
    runCommand(words, { bin, cwd, environment: env, input });
  const git = (...words: readonly string[]): Ran => spawnSync("git", words, { cwd: root, env, encoding: "utf8" });
  emptyRepository(root);
  const state = join(home, ".local", "state", "hookline");
  return { root, state, hookline, git, read: (path) => readFileSync(join(root, path), "utf8") };
}

/** The same once a person has trusted its hooks. */
export function trustedRepository(t: TestContext, files: Readonly<Record<string, string>>): Repository {
  const repository = clonedRepository(t, files);
  trustAll(repository);
  return repository;
}

export function trustAll({ hookline }: Repository): void {
  for (const { path, hash, state } of JSON.parse(hookline(["trust", "list", "--json"]).stdout))
    if (state !== "trusted") assert.equal(hookline(["trust", path, "--hash", hash]).status, 0);
}
