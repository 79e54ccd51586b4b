/** Repositories whose own settings make git run a program, and everything that we ask of repositories. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createColdChanges } from "../../../src/runtime/changes/cold.ts";
import type { ChangeFinder } from "../../../src/runtime/changes/look.ts";
import { createWatchedChanges } from "../../../src/runtime/changes/watched.ts";
import { createGit, type Repository } from "../../../src/runtime/processes/git.ts";
import { emptyRepository } from "../../repository.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

/** A repository with a commit, whose own programs would leave a file. */
export interface Trap {
  folder: string;
  /** A shell line that leaves the canary, and what it is given. */
  program: string;
  canary: string;
  git(...words: string[]): string;
  write(name: string, text: string, mode?: number): void;
  /** Another time on a file makes git compare its content. */
  touch(name: string): void;
}

const identity = [
  "-c",
  "user.name=test",
  "-c",
  "user.email=test@example.org",
  "-c",
  "protocol.file.allow=always",
  "-c",
  "maintenance.auto=false",
];
export const environmentAt = (home: string, path: string = process.env.PATH ?? ""): Record<string, string> => ({
  PATH: path,
  HOME: home,
  GIT_CONFIG_NOSYSTEM: "1",
});

export function trapIn(context: TestContext): Trap {
  const home = temporaryFolder(context);
  const folder = join(home, "app");
  mkdirSync(folder);
  const canary = join(home, "canary");
  const write: Trap["write"] = (name, text, mode = 0o644) => {
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), mode);
  };
  const git = (...words: string[]): string =>
    execFileSync("git", [...identity, ...words], {
      cwd: folder,
      env: environmentAt(home),
      encoding: "utf8",
      stdio: "pipe",
    });
  const program = `${home}/leave-canary`;
  writeFileSync(program, `#!/bin/sh\ntouch '${canary}'\n[ "$1" = "--end" ] || cat\n`, { mode: 0o755 });
  trapBefore ??= folderWithCommit();
  cpSync(trapBefore, folder, { recursive: true, preserveTimestamps: true });
  git("update-index", "-q", "--refresh"); // the index knows other files by their times and numbers
  const touch = (name: string): void => utimesSync(join(folder, name), 1, 1);
  return { folder, program, canary, git, write, touch };
}

let trapBefore: string | undefined;

/** The repository without its program; each trap is a copy. */
function folderWithCommit(): string {
  const folder = mkdtempSync(join(tmpdir(), "hookline-trap-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  emptyRepository(folder);
  for (const name of ["a.ts", "b.ts"]) writeFileSync(join(folder, name), "export {};\n");
  for (const words of [
    ["add", "-A"],
    ["commit", "-q", "-m", "first"],
  ])
    execFileSync("git", [...identity, ...words], { cwd: folder, env: environmentAt("/nonexistent"), stdio: "pipe" });
  return folder;
}

export const attributes = (trap: Trap, line: string): void => trap.write(".gitattributes", `${line}\n`);

/** How a repository's own files make git run a program, and a plain command that does so. */
export const traps: Record<string, { arm(trap: Trap): void; plain?: readonly string[] }> = {
  "core.fsmonitor": {
    arm: ({ git, program }) => git("config", "core.fsmonitor", program),
    plain: ["status"],
  },
  "core.hooksPath": {
    arm({ git, program, folder, touch }) {
      mkdirSync(join(folder, "evil"));
      for (const name of ["post-index-change", "post-checkout", "reference-transaction", "pre-commit"])
        writeFileSync(join(folder, "evil", name), `#!/bin/sh\nexec '${program}' </dev/null\n`, { mode: 0o755 });
      git("config", "core.hooksPath", "evil");
      touch("a.ts");
    },
    plain: ["status"],
  },
  ".git/hooks": {
    arm({ program, folder, touch }) {
      const hook = join(folder, ".git", "hooks", "post-index-change");
      mkdirSync(join(folder, ".git", "hooks"), { recursive: true });
      writeFileSync(hook, `#!/bin/sh\nexec '${program}' </dev/null\n`, { mode: 0o755 });
      touch("a.ts");
    },
    plain: ["status"],
  },
  "core.pager": {
    arm({ git, program }) {
      for (const key of ["core.pager", "pager.status", "pager.diff-tree", "pager.ls-tree"]) git("config", key, program);
    },
  },
  "diff.external": {
    arm({ git, program, write }) {
      git("config", "diff.external", program);
      write("a.ts", "changed\n");
    },
    plain: ["diff"],
  },
  "a diff driver": {
    arm(trap) {
      attributes(trap, "*.ts diff=evil");
      trap.git("config", "diff.evil.command", trap.program);
      trap.write("a.ts", "changed\n");
    },
    plain: ["diff"],
  },
  textconv: {
    arm(trap) {
      attributes(trap, "*.ts diff=evil");
      trap.git("config", "diff.evil.textconv", trap.program);
      trap.write("a.ts", "changed\n");
    },
    plain: ["diff"],
  },
  "a clean filter": {
    arm(trap) {
      attributes(trap, "*.ts filter=evil");
      trap.git("config", "filter.evil.clean", trap.program);
      trap.git("config", "filter.evil.required", "true");
      trap.touch("a.ts");
    },
    plain: ["status"],
  },
  "a filter process": {
    arm(trap) {
      attributes(trap, "*.ts filter=evil");
      trap.git("config", "filter.evil.process", trap.program);
      trap.touch("a.ts");
    },
    plain: ["status"],
  },
  "a filter with an odd name": {
    arm(trap) {
      attributes(trap, "*.ts filter=Ev.il]\"$(x)'");
      trap.git("config", "filter.Ev.il]\"$(x)'.clean", trap.program);
      trap.touch("a.ts");
    },
    plain: ["status"],
  },
  "a filter whose name holds the sign of a setting": {
    arm(trap) {
      attributes(trap, "*.ts filter=ev=il");
      trap.git("config", "filter.ev=il.clean", trap.program);
      trap.touch("a.ts");
    },
    plain: ["status"],
  },
  "a filter in an included file": {
    arm(trap) {
      attributes(trap, "*.ts filter=evil");
      trap.write("settings", `[filter "evil"]\n\tclean = ${trap.program}\n`);
      trap.git("config", "include.path", "../settings");
      trap.touch("a.ts");
    },
    plain: ["status"],
  },
  "a filter in the work tree's own configuration": {
    arm(trap) {
      attributes(trap, "*.ts filter=evil");
      trap.git("config", "extensions.worktreeConfig", "true");
      trap.git("config", "--worktree", "filter.evil.clean", trap.program);
      trap.touch("a.ts");
    },
    plain: ["status"],
  },
  "an alias": {
    arm({ git, program }) {
      for (const name of ["status", "rev-parse", "evil"]) git("config", `alias.${name}`, `!${program}`);
    },
    plain: ["evil"],
  },
  "a missing object and a remote that is a program": {
    arm({ git, program, folder }) {
      const name = git("rev-parse", "HEAD:a.ts").trim();
      rmSync(join(folder, ".git", "objects", name.slice(0, 2), name.slice(2)), { force: true });
      git("rm", "-q", "--cached", "b.ts"); // its content is the same
      git("config", "extensions.partialClone", "origin");
      git("config", "remote.origin.promisor", "true");
      git("config", "remote.origin.url", `ext::${program} --end`);
      git("config", "protocol.ext.allow", "always");
    },
    plain: ["cat-file", "-p", "HEAD:a.ts"],
  },
  "a submodule": {
    arm(trap) {
      const library = join(trap.folder, "..", "library");
      mkdirSync(library);
      trap.git("-C", library, "init", "-q", ".");
      writeFileSync(join(library, "x.ts"), "x\n");
      trap.git("-C", library, "add", "-A");
      trap.git("-C", library, "commit", "-q", "-m", "first");
      trap.git("submodule", "add", "-q", library, "library");
      trap.git("-C", join(trap.folder, "library"), "config", "core.fsmonitor", trap.program);
    },
    plain: ["status"],
  },
  "a repository that is no submodule": {
    arm(trap) {
      const inner = join(trap.folder, "vendored");
      mkdirSync(inner);
      trap.git("-C", inner, "init", "-q", ".");
      trap.git("-C", inner, "config", "core.fsmonitor", trap.program);
    },
  },
};

/** All that we ask of repositories. @param isQuick without what is asked in the same way once more */
async function askEverything({ folder }: Trap, isQuick: boolean): Promise<void> {
  const git = createGit(environmentAt(join(folder, "..")));
  const repository = await git.repositoryAt(folder);
  if (!("none" in repository)) await askThings(repository);
  const finders = isQuick ? [createWatchedChanges(git)] : [createColdChanges(git), createWatchedChanges(git)];
  for (const finder of finders) await lookWith(finder, folder);
}

async function askThings({ ask }: Repository): Promise<void> {
  await ask(["status"]);
  await ask(["diff", "--no-ext-diff", "--no-textconv"]);
  await ask(["cat-file", "-p", "HEAD:a.ts"]);
  await ask(["ls-files", "-z"]);
}

async function lookWith(finder: ChangeFinder, folder: string): Promise<void> {
  const place = { folder, isRepository: true };
  finder.expect?.(place);
  await finder.marks(place);
  for (let times = 0; times < 2; times++) {
    const look = await finder.look(place, 0);
    if (!("unknown" in look)) for (const one of look.repositories) await one.movedSince(undefined).catch(() => {});
  }
  await finder.close();
}

/** @param names of those that are tried, and quickly; all, if not given */
export function testTraps(names?: readonly string[]): void {
  for (const [name, { arm, plain }] of Object.entries(traps)) {
    if (names && !names.includes(name)) continue;
    test(`[T5] nothing of the repository runs: ${name}`, async (context) => {
      const trap = trapIn(context);
      arm(trap);
      if (plain) {
        spawnSync("git", plain, { cwd: trap.folder, env: environmentAt(join(trap.folder, "..")) });
        assert.ok(existsSync(trap.canary), "the trap works: a plain git runs it");
        rmSync(trap.canary);
        if (existsSync(join(trap.folder, "a.ts"))) trap.touch("b.ts");
      }
      await askEverything(trap, names !== undefined);
      assert.equal(existsSync(trap.canary), false);
    });
  }
}
