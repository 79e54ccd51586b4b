/** Commits where the Hookline that was installed is gone: what git runs has to answer alone. And that file itself, in each shell of this machine. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { isStub, printStub } from "../../../src/agents/git/stub.ts";
import { emptyRepository } from "../../repository.ts";
import { gone, removeHookline, shells, start, without } from "./gone-place.ts";
import {
  beginSession,
  bin,
  foreign,
  guarding,
  hook,
  hooksIn,
  listening,
  mustRun,
  place,
  refusing,
  scratch,
  script,
} from "./scratch.ts";
import { standingNode } from "./standing-node.ts";

test("[E48] without Hookline a commit that a guard waits for is refused, and says how to get Hookline, and how to go on without it", (t) => {
  const self = scratch(t);
  self.write(place, foreign, 0o755);
  self.write(hook, refusing, 0o755);
  mustRun(self, ["git", "install"]);
  removeHookline(self);
  self.write("bad", "");
  const { code, stderr } = self.commit({ environment: without });
  assert.notEqual(code, 0);
  assert.equal(
    stderr,
    `the first hook\n${gone}and a guard waits for it, so the commit is refused — npm install -g hookline installs it (npm docs hookline opens its page), and hookline git install puts it in place; or take it out of git: mv .git/hooks/pre-commit.original .git/hooks/pre-commit; or pass by it once: git commit --no-verify\n`,
  );
  assert.equal(self.commit({ environment: without, words: ["--no-verify"] }).code, 0);
  renameSync(join(self.top, `${place}.original`), join(self.top, place));
  assert.deepEqual(self.commit({ environment: without }).stderr, "the first hook\n");
});

test("without Hookline a commit passes for which no guard waits, and says so", (t) => {
  const self = scratch(t);
  self.write(".hookline/hooks.json", listening("exit 9"));
  mustRun(self, ["git", "install"]);
  removeHookline(self);
  const { code, stderr } = start(self);
  assert.equal(code, 0);
  assert.match(stderr, /so its hooks do not run before commits — npm install -g hookline .*: rm \S+pre-commit\n$/);
});

test("in a folder of hooks that serves all repositories commits are refused without Hookline only where a guard waits", (t) => {
  const self = scratch(t);
  const shared = join(self.folder, "home", "hooks of all");
  self.write("../home/.gitconfig", `[core]\n\thooksPath = ${shared}\n`);
  self.write(hook, refusing, 0o755);
  mustRun(self, ["git", "install"]);
  const [other, third] = ["it's another", "third"].map((name) => {
    const top = join(self.folder, name);
    mkdirSync(top);
    emptyRepository(top);
    return top;
  }) as [string, string]; // one for each of the two names
  self.write("../it's another/.hookline/hooks.json", guarding);
  assert.notEqual(self.commit({ cwd: other }).code, 0);
  assert.equal(self.commit({ cwd: third }).code, 0);
  const file = join(shared, "pre-commit");
  removeHookline(self, "../home/hooks of all/pre-commit");
  const codes = [self.top, other, third].map((cwd) => start(self, { cwd, file }).code);
  assert.deepEqual(codes, [1, 1, 0]);
});

test("a Hookline of the PATH takes the place of one that is gone, but for one that a repository brings", (t) => {
  const self = scratch(t);
  self.write(hook, refusing, 0o755);
  mustRun(self, ["git", "install"]);
  removeHookline(self);
  self.write("bad", "");
  const program = `#!/bin/sh\nexec '${standingNode()}' '${bin}' "$@"\n`;
  const [own, brought] = ["../programs/hookline", "tools/hookline"].map((path) =>
    join(self.write(path, program, 0o755), ".."),
  );
  const asked = (folder: string | undefined): string =>
    self.commit({ environment: { PATH: `${folder}:${self.environment.PATH}` } }).stderr;
  assert.match(asked(brought), /^hookline: Hookline, .* is gone, and a guard waits/);
  assert.match(asked(own), /^bad is there\nhookline: "Type check" refused/);
});

test("a Hookline of which only the front is left refuses in one sentence, which says how to continue", (t) => {
  const self = scratch(t);
  self.write(hook, script({ type: "pre-commit" }, "exit 0"), 0o755);
  const copy = self.write("../rest/bin/hookline.js", readFileSync(bin, "utf8"));
  self.write(place, printStub({ program: [process.execPath, copy], guarded: ["."] }), 0o755);
  const { code, stderr } = start(self);
  assert.notEqual(code, 0);
  assert.match(
    stderr,
    /^hookline: \S+main\.js is missing — \S+ — install Hookline again; the commit is refused .*--no-verify\n$/,
  );
});

test("[E48] in each shell the kept hook comes first, and names of folders and programs never become shell text", (t) => {
  const evil = 'a\'b "$(touch made)" `touch made`; touch made\n#';
  const self = scratch(t, { name: evil });
  const program = self.write(`../${evil}/${evil}`, '#!/bin/sh\necho "reached $1 $2 $3 $4 $5"\n', 0o755);
  const kept = self.write(`${place}.original`, '#!/bin/sh\necho "kept ${0##*/} $1"; [ ! -e worse ] || exit 9\n', 0o755);
  for (const shell of shells.filter(([name = "", ...words]) => spawnSync(name, [...words, "-c", ":"]).status === 0)) {
    const file = self.write(
      place,
      printStub({ program: ["/bin/sh", program], original: "pre-commit.original", guarded: [] }),
      0o755,
    );
    assert.equal(start(self, { shell }).stdout, `kept pre-commit.original \nreached git run pre-commit --by ${file}\n`);
    const named = { program: ["/bin/sh", program], original: "pre-commit.original", shell: ["/bin/sh", "-e"] } as const;
    self.write(place, printStub({ ...named, guarded: [`${self.top}/.git`] }), 0o755);
    assert.match(start(self, { shell }).stdout, /^kept pre-commit \nreached /, "read in its place, under git's name");
    self.write("worse", "");
    assert.deepEqual(start(self, { shell }), { code: 9, stdout: "kept pre-commit \n", stderr: "" });
    rmSync(join(self.top, "worse"));
    removeHookline(self);
    self.mustGit(["--version"]);
    assert.equal(start(self, { shell }).code, 1, "a guard waits for it");
  }
  rmSync(kept);
  assert.ok(!self.has("made"));
});

test("the hook of an earlier build is replaced by the next commit, session or install, and uninstall gives back what it kept", (t) => {
  const earlier = readFileSync(join(import.meta.dirname, "../../fixtures/git/pre-commit-of-an-earlier-build"), "utf8");
  const self = scratch(t);
  self.write(hook, refusing, 0o755);
  self.write(place, foreign, 0o755);
  mustRun(self, ["git", "install"]);
  const now = self.read(place).replace("\n\n", "\n# made: its folder\n");
  for (const meet of [
    () => beginSession(self),
    () => mustRun(self, ["git", "run", "pre-commit", "--by", place, "--renew"]),
    () => mustRun(self, ["git", "install"]),
  ]) {
    self.write(place, earlier, 0o755);
    meet();
    assert.deepEqual(self.read(place).replace(/^# sum: .*$/m, ""), now.replace(/^# sum: .*$/m, ""));
    assert.deepEqual(hooksIn(join(self.top, ".git/hooks")), ["pre-commit", "pre-commit.original"]);
  }
  self.write(place, earlier, 0o755);
  assert.ok(isStub(earlier));
  mustRun(self, ["git", "uninstall"]);
  assert.deepEqual([hooksIn(join(self.top, ".git/hooks")), self.read(place)], [["pre-commit"], foreign]);
});
