/** Repositories and folders of a test's own, and what a session of theirs is told. */
import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import type { TestContext } from "node:test";
import type { Changes, HookEvent } from "../../../src/engine/event.ts";
import type { Hook, HookSet } from "../../../src/engine/hook.ts";
import type { ChangeFinder } from "../../../src/runtime/changes/look.ts";
import { createTracking, type Tracked } from "../../../src/runtime/changes/tracking.ts";
import { openMemoryStore } from "../../../src/storage/memory/memory.ts";
import { aHook } from "../../engine/a-hook.ts";
import { emptyRepository } from "../../repository.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

export { temporaryFolder } from "../../temporary-folder.ts";

/** As a person's shell has it, without anything that says where git should work. */
export const environment: Record<string, string> = {
  PATH: process.env.PATH ?? "",
  HOME: "/nonexistent",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
};

export interface Repository {
  folder: string;
  git(...words: string[]): string;
  write(name: string, text?: string): void;
  /** Everything as it is. @param at another time than now */
  commit(at?: Date): void;
}

export function repositoryIn(folder: string): Repository {
  emptyRepository(folder);
  return handsOn(folder);
}

const settings = {
  "user.name": "test",
  "user.email": "test@example.org",
  "protocol.file.allow": "always",
  "maintenance.auto": "false", // else each commit starts another process
};
const identity = Object.entries(settings).flatMap(([key, value]) => ["-c", `${key}=${value}`]);

/** What works in a repository that is there. */
function handsOn(folder: string): Repository {
  const gitIn = (env: Record<string, string>, ...words: string[]): string =>
    execFileSync("git", [...identity, ...words], { cwd: folder, env, encoding: "utf8", stdio: "pipe" });
  const git = (...words: string[]): string => gitIn(environment, ...words);
  return {
    folder,
    git,
    write(name, text = `${name}\n`) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    },
    commit(at) {
      git("add", "-A");
      const dated = at ? { ...environment, GIT_COMMITTER_DATE: at.toISOString() } : environment;
      gitIn(dated, "commit", "-q", "--allow-empty", "-m", "work");
    },
  };
}

/** With a file in the top, two in folders, and a rule of what is ignored. */
export function usualRepository(context: TestContext): Repository {
  usual ??= madeOnce();
  const folder = join(temporaryFolder(context), "app");
  cpSync(usual, folder, { recursive: true, preserveTimestamps: true });
  const repository = handsOn(folder);
  repository.git("update-index", "-q", "--refresh"); // the index knows other files by their times and numbers
  return repository;
}
let usual: string | undefined;

/** The first of them; the others are its copies. */
function madeOnce(): string {
  const folder = mkdtempSync(join(tmpdir(), "hookline-usual-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const { write, commit } = repositoryIn(folder);
  for (const name of ["a.ts", "src/b.ts", "src/deep/c.ts"]) write(name);
  write(".gitignore", "ignored/\n*.log\n");
  commit();
  return folder;
}

/** What `git submodule add` leaves of a library with these files, without the twenty processes that it starts. */
export function submoduleIn(outer: Repository, place: string, files: readonly string[] = []): void {
  const inner = repositoryIn(join(outer.folder, place));
  for (const file of files) inner.write(file);
  inner.commit();
  const kept = join(outer.folder, ".git", "modules", place);
  mkdirSync(dirname(kept), { recursive: true });
  renameSync(join(inner.folder, ".git"), kept);
  inner.write(".git", `gitdir: ${relative(inner.folder, kept)}\n`);
  appendFileSync(join(kept, "config"), `\tworktree = "${relative(kept, inner.folder)}"\n`); // the file ends in [core]
  outer.write(".gitmodules", `[submodule "${place}"]\n\tpath = ${place}\n\turl = ../library\n`);
}

/** A must-pass check of changed files. */
export const aCheck = (given: Partial<Hook> = {}): Hook =>
  aHook("script:check", "script", {
    on: { event: ["Stop"] },
    when: { is: "changed_files", with: { patterns: ["*"] } },
    limits: { untilPass: true, overlap: "queue" },
    ...given,
  });

let counter = 0;
export const anEvent = (cwd: string, given: Partial<HookEvent> = {}): HookEvent => {
  counter += 1;
  return {
    id: `event-${counter}`,
    name: "Stop",
    at: Date.now(),
    cwd,
    data: {},
    sender: "test",
    session: "s",
    ...given,
  };
};

export interface Session {
  tracked: Tracked;
  /** An event at which nobody looks. */
  begin(): Promise<void>;
  /** The end of a turn; the work stands for a script that runs then. */
  look(work?: () => void): Promise<Changes>;
  /** The same, or why nothing is known. */
  ask(): Promise<Changes | { unknown: string }>;
}

/** A session whose turns end in `cwd`. */
export function sessionIn(cwd: string, finder: ChangeFinder, hooks: Hook[] = [aCheck()]): Session {
  const store = openMemoryStore();
  const options = { store, now: Date.now, home: "/nonexistent", root: () => cwd, finder: async () => finder };
  const tracked = createTracking(options);
  const set: HookSet = { id: "set", hooks };
  return {
    tracked,
    begin: async () => tracked.tracking.begin(anEvent(cwd, { name: "SessionStart" }), set),
    async look(work) {
      const event = anEvent(cwd);
      await tracked.tracking.begin(event, set);
      const changes = await tracked.changesOf(event);
      work?.();
      await tracked.tracking.end({ ...event, changes }, work ? ["completed"] : []);
      if ("unknown" in changes) throw new Error(changes.unknown);
      return changes;
    },
    ask: () => tracked.changesOf(anEvent(cwd)),
  };
}
