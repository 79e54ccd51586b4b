/**
 * A repository in a folder of its own, with its own home, in which git is the real one, and Hookline too: what git starts of it is
 * performed by the process that stays, unless a test asks for a Node of its own.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { codeCache, runCommand } from "../../program.ts";
import { emptyRepository } from "../../repository.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { standingNode } from "./standing-node.ts";

export { bin } from "../../program.ts";

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}
export interface Scratch {
  /** The folder of it all. */
  folder: string;
  /** The top of the repository. */
  top: string;
  state: string;
  environment: Record<string, string>;
  git(words: readonly string[], more?: { cwd?: string; environment?: Record<string, string> }): Ended;
  /** Fails the test unless git succeeds. */
  mustGit(words: readonly string[], cwd?: string): string;
  /** Everything staged, then a commit. */
  commit(more?: { cwd?: string; environment?: Record<string, string>; words?: readonly string[] }): Ended;
  hookline(words: readonly string[], more?: { cwd?: string; input?: string }): Ended;
  write(path: string, text: string, mode?: number): string;
  read(path: string): string;
  has(path: string): boolean;
}

interface Given {
  /** Of the repository's folder, whatever it holds. */
  name?: string;
  /** git starts Node itself. Else it does not answer while the test goes on: git has to be waited for. */
  ownNode?: boolean;
}

export function scratch(t: TestContext, { name = "repository", ownNode = false }: Given = {}): Scratch {
  const folder = temporaryFolder(t);
  const top = join(folder, name);
  mkdirSync(top, { recursive: true });
  mkdirSync(join(folder, "home"));
  writeFileSync(join(folder, "home", ".gitconfig"), "[maintenance]\n\tauto = false\n"); // a process more for each commit
  const environment = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ""}`,
    HOME: join(folder, "home"),
    XDG_STATE_HOME: join(folder, "state"),
    TMPDIR: folder,
    NODE_COMPILE_CACHE: codeCache,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "Ada",
    GIT_AUTHOR_EMAIL: "ada@example.org",
    GIT_COMMITTER_NAME: "Ada",
    GIT_COMMITTER_EMAIL: "ada@example.org",
  };
  const run = (program: string, words: readonly string[], options: object): Ended => {
    const { status, stdout, stderr } = spawnSync(program, words, {
      cwd: top,
      env: environment,
      encoding: "utf8",
      ...options,
    });
    return { code: status, stdout, stderr };
  };
  const self: Scratch = {
    folder,
    top,
    state: join(folder, "state", "hookline"),
    environment,
    git: (words, { cwd = top, environment: more = {} } = {}) =>
      run("git", words, { cwd, env: { ...environment, ...more } }),
    mustGit(words, cwd = top) {
      const done = self.git(words, { cwd });
      assert.equal(done.code, 0, `git ${words.join(" ")}: ${done.stderr}`);
      return done.stdout;
    },
    commit({ cwd = top, environment: more = {}, words = [] } = {}) {
      self.mustGit(["add", "--all"], cwd);
      return self.git(["commit", "--quiet", "--allow-empty", "--message", "one more", ...words], {
        cwd,
        environment: more,
      });
    },
    hookline(words, { cwd = top, input = "" } = {}) {
      const node = ownNode ? process.execPath : standingNode();
      const { status, ...said } = runCommand(words, { cwd, environment, node, input });
      return { code: status, ...said };
    },
    write(path, text, mode = 0o644) {
      const place = join(top, path);
      mkdirSync(dirname(place), { recursive: true });
      writeFileSync(place, text);
      chmodSync(place, mode);
      return place;
    },
    read: (path) => readFileSync(join(top, path), "utf8"),
    has: (path) => existsSync(join(top, path)),
  };
  emptyRepository(top);
  return self;
}

/** Fails the test unless the command succeeds and complains of nothing; gives what it says. */
export function mustRun({ hookline }: Scratch, words: readonly string[], cwd?: string): string {
  const { code, stdout, stderr } = hookline(words, cwd === undefined ? {} : { cwd });
  assert.equal(code, 0, stderr);
  assert.equal(stderr, "");
  return stdout;
}

/** A person has said it in this folder. */
export const installed = (self: Scratch, cwd?: string): string => mustRun(self, ["git", "install"], cwd);

/** A session of an agent begins; gives what the person is told. */
export function beginSession(self: Scratch): string {
  const input = JSON.stringify({ session_id: "s", cwd: self.top, hook_event_name: "SessionStart", source: "startup" });
  const { code, stderr } = self.hookline(["hook", "claude-code"], { input });
  assert.equal(code, 0, stderr);
  return stderr;
}

/** A script of specification 004. */
export const script = (fields: Record<string, string>, body: string): string =>
  ["#!/bin/sh", "#---", ...Object.entries(fields).map(([key, value]) => `# ${key}: ${value}`), "#---", body, ""].join(
    "\n",
  );

/** Refuses, as long as there is a file called bad. */
export const refusing: string = script(
  { name: "Type check", type: "pre-commit" },
  "[ ! -e bad ] || { echo bad is there; exit 3; }",
);

/** A file of hooks with one that a commit asks. */
export const listening = (command: string, more: object = {}): string =>
  JSON.stringify({ hooks: { "git.pre-commit": [{ hooks: [{ type: "command", command, ...more }] }] } });
export const guarding: string = listening("echo refused by guard >&2; exit 2", { role: "guard" });

/** A hook of somebody else. */
export const foreign = "#!/bin/sh\necho the first hook\n[ ! -e first-refuses ] || exit 4\n";

export const hook = ".hookline/hooks/check.sh";
export const place = ".git/hooks/pre-commit";

/** What lies in the folder of hooks under our name or one that begins with it. */
export const hooksIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.startsWith("pre-commit") && !name.endsWith(".sample"))
    .sort();
