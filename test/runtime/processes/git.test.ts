import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createWatchedChanges } from "../../../src/runtime/changes/watched.ts";
import { createGit, type GitAnswer, type Repository } from "../../../src/runtime/processes/git.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { attributes, environmentAt, type Trap, testTraps, trapIn, traps } from "./git-traps.ts";

testTraps([
  "core.fsmonitor",
  "a clean filter",
  "a missing object and a remote that is a program",
  "a repository that is no submodule",
]);

test("[T5] what is put into the configuration of a repository that is watched does not run either", async (context) => {
  const trap = trapIn(context);
  const finder = createWatchedChanges(createGit(environmentAt(join(trap.folder, ".."))));
  context.after(() => finder.close());
  const place = { folder: trap.folder, isRepository: true };
  finder.expect?.(place);
  assert.notEqual(await finder.watched(trap.folder), 0);
  traps["a clean filter"]?.arm(trap);
  for (const name of ["a.ts", "b.ts"]) {
    trap.touch(name);
    assert.ok("repositories" in (await finder.look(place, 0)));
  }
  assert.equal(existsSync(trap.canary), false);
  assert.notEqual(await finder.watched(trap.folder), 0);
});

test("[T5] a bare repository inside a clone is not asked", async (context) => {
  const trap = trapIn(context);
  const bare = join(trap.folder, "docs");
  trap.git("init", "-q", "--bare", bare);
  mkdirSync(join(trap.folder, "work"));
  writeFileSync(
    join(bare, "config"),
    `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ../work\n\tfsmonitor = ${trap.program}\n`,
  );
  const status = (): GitAnswer | Promise<GitAnswer> =>
    createGit(environmentAt(join(trap.folder, ".."))).askIn(bare, ["status"]);
  spawnSync("git", ["status"], { cwd: bare, env: environmentAt(join(trap.folder, "..")) });
  assert.ok(existsSync(trap.canary), "the trap works: a plain git runs it");
  rmSync(trap.canary);
  const answer = await status();
  assert.equal(answer.ok, false);
  assert.equal(existsSync(trap.canary), false);
});

test("[T5] a work tree in another place is not walked through", async (context) => {
  const trap = trapIn(context);
  trap.git("config", "core.worktree", join(trap.folder, ".."));
  const found = await createGit(environmentAt("/nonexistent")).repositoryAt(trap.folder);
  assert.ok("none" in found);
  assert.match(found.none, /lies elsewhere/);
});

test("[T5] the `git` of the folder itself is not run, whatever PATH says", async (context) => {
  const trap = trapIn(context);
  trap.write("git", `#!/bin/sh\nexec '${trap.program}' </dev/null\n`, 0o755);
  for (const before of [".", "", "relative"]) {
    const path = `${before}:${process.env.PATH}`;
    const found = await createGit(environmentAt("/nonexistent", path)).repositoryAt(trap.folder);
    assert.ok("top" in found);
  }
  assert.equal(existsSync(trap.canary), false);
});

test("the process that calls us, such as a git hook, does not say where git works", async (context) => {
  const [trap, other] = [trapIn(context), trapIn(context)];
  const environment = {
    ...environmentAt("/nonexistent"),
    GIT_DIR: join(other.folder, ".git"),
    GIT_WORK_TREE: other.folder,
    GIT_INDEX_FILE: join(other.folder, "no-index"),
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "core.fsmonitor",
    GIT_CONFIG_VALUE_0: trap.program,
  };
  const found = await createGit(environment).repositoryAt(trap.folder);
  assert.ok("top" in found);
  assert.equal(found.head, trap.git("rev-parse", "HEAD").trim());
  const status = await found.ask(["status", "--porcelain"]);
  assert.ok(status.ok);
  assert.equal(status.stdout.toString(), "");
  assert.equal(existsSync(trap.canary), false);
});

test("filters of the user's own configuration still hold, so that files are not taken for changed", async (context) => {
  const trap = trapIn(context);
  const upper = `${trap.program}-upper`;
  writeFileSync(upper, "#!/bin/sh\ntr a-z A-Z\n", { mode: 0o755 });
  writeFileSync(join(trap.folder, "..", ".gitconfig"), `[filter "upper"]\n\tclean = ${upper}\n`);
  attributes(trap, "*.ts filter=upper");
  trap.git("config", "filter.upper.clean", upper); // the same once more, as `git lfs install --local` does
  trap.git("add", "--renormalize", ".");
  trap.git("add", "-A");
  trap.git("commit", "-q", "-m", "in capitals");
  trap.touch("a.ts");
  const found = await createGit(environmentAt(join(trap.folder, ".."))).repositoryAt(trap.folder);
  assert.ok("top" in found);
  const status = await found.ask(["status", "--porcelain"]);
  assert.ok(status.ok);
  assert.equal(status.stdout.toString(), "");
});

test("asking writes nothing into the repository", async (context) => {
  const trap = trapIn(context);
  trap.touch("a.ts");
  const listed = (): string[] => readdirSync(join(trap.folder, ".git"), { recursive: true, encoding: "utf8" }).sort();
  const before = [listed(), trap.git("ls-files", "--debug")];
  const found = await createGit(environmentAt("/nonexistent")).repositoryAt(trap.folder);
  assert.ok("top" in found);
  assert.ok((await found.ask(["status"])).ok);
  assert.deepEqual([listed(), trap.git("ls-files", "--debug")], before);
});

test("the place of a repository is found, in linked work trees and under odd names too", async (context) => {
  const trap = trapIn(context);
  const odd = join(trap.folder, "..", "line\nbreak and 'quote'");
  trap.git("worktree", "add", "-q", "-b", "linked", odd);
  const git = createGit(environmentAt("/nonexistent"));
  assert.deepEqual(withoutAsk(await git.repositoryAt(trap.folder)), {
    top: trap.folder,
    gitFolder: join(trap.folder, ".git"),
    commonFolder: join(trap.folder, ".git"),
    head: trap.git("rev-parse", "HEAD").trim(),
  });
  const linked = withoutAsk(await git.repositoryAt(odd));
  assert.equal(linked.top, odd);
  assert.equal(linked.commonFolder, join(trap.folder, ".git"));
  assert.match(linked.gitFolder, /\.git\/worktrees\//);
});

function withoutAsk(found: Repository | { none: string }): Omit<Repository, "ask"> {
  assert.ok("top" in found, JSON.stringify(found));
  const { ask: _question, ...rest } = found;
  return rest;
}

const unusable: Record<string, { make(trap: Trap): { folder: string; path?: string }; reason: RegExp }> = {
  "no git is installed": { make: ({ folder }) => ({ folder, path: "/nonexistent" }), reason: /no program git/ },
  "it is bare": {
    make({ folder, git }) {
      git("init", "-q", "--bare", join(folder, "..", "bare.git"));
      return { folder: join(folder, "..", "bare.git") };
    },
    reason: /bare|work tree/,
  },
  "its HEAD is broken": {
    make({ folder, write }) {
      write(".git/HEAD", "what\n");
      return { folder };
    },
    reason: /not a git repository|lies elsewhere/i,
  },
  "its configuration cannot be read": {
    make({ folder, write }) {
      write(".git/config", "[broken\n");
      return { folder };
    },
    reason: /bad config/,
  },
  "the folder is gone": { make: ({ folder }) => ({ folder: join(folder, "gone") }), reason: /ENOENT|not/ },
};

for (const [name, { make, reason }] of Object.entries(unusable)) {
  test(`a repository that cannot be used is none, with the reason: ${name}`, async (context) => {
    const { folder, path } = make(trapIn(context));
    const found = await createGit(environmentAt("/nonexistent", path)).repositoryAt(folder);
    assert.ok("none" in found);
    assert.match(found.none, reason);
  });
}

/** A program of this name that does something else. */
function otherGit(context: TestContext, script: string): Record<string, string> {
  const folder = temporaryFolder(context);
  writeFileSync(join(folder, "git"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { PATH: `${folder}:${process.env.PATH}` };
}

test("git that hangs is ended at the limit, and git that floods at its own", async (context) => {
  const hanging = createGit(otherGit(context, "exec sleep 60"));
  const late = await hanging.askIn("/", ["status"], { limit: 0.2 });
  assert.deepEqual(late, { ok: false, reason: "git took longer than 0.2 seconds" });
  const flood = await createGit(otherGit(context, "exec yes")).askIn("/", ["status"], { limit: 600 });
  assert.ok(!flood.ok);
  assert.match(flood.reason, /MAXBUFFER/);
});

test("git is ended by the signal, and not begun after it", async (context) => {
  const hanging = createGit(otherGit(context, "exec sleep 60"));
  const stop = new AbortController();
  const asked = hanging.askIn("/", ["status"], { signal: stop.signal });
  stop.abort();
  assert.deepEqual(await asked, { ok: false, reason: "git was stopped" });
  assert.ok(!(await hanging.askIn("/", ["status"], { signal: stop.signal })).ok);
});

test("an exit code is reported, and input is given as it is", async (context) => {
  const git = createGit(otherGit(context, 'cat; echo "what is wrong" >&2; exit 7'));
  assert.deepEqual(await git.askIn("/", [], { input: "x\0" }), { ok: false, reason: "what is wrong", code: 7 });
  const quiet = await createGit(otherGit(context, "cat")).askIn("/", [], { input: "x\0" });
  assert.ok(quiet.ok);
  assert.deepEqual(quiet.stdout, Buffer.from("x\0"));
});
