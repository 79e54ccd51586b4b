/** The steps that ask git: git_diff and file_diff. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import { compileTemplate } from "../../src/engine/template.ts";
import { emptyRepository } from "../repository.ts";
import { contextOf, PATH } from "./context.ts";
import { outputOf, runStep, temporaryFolder } from "./step-context.ts";

interface Place {
  root: string;
  git(...words: string[]): void;
  write(name: string, text: string): void;
}
const identity = ["-c", "user.name=test", "-c", "user.email=test@example.org"];

function placeAt(root: string): Place {
  const git = (...words: string[]): void => {
    execFileSync("git", [...identity, ...words], { cwd: root, env: { PATH, HOME: root }, stdio: "pipe" });
  };
  return { root, git, write: (name, text) => writeFileSync(join(root, name), text) };
}

/** Two commits on main, and one on a branch that is checked out: made once, and copied. */
function repository(t: TestContext): Place {
  const root = temporaryFolder(t);
  cpSync(original, root, { recursive: true, preserveTimestamps: true });
  return placeAt(root);
}
const original = ((): string => {
  const root = temporaryFolder({ after });
  emptyRepository(root);
  const { git, write } = placeAt(root);
  write("a.txt", "one\n");
  git("add", "a.txt");
  git("commit", "-q", "-m", "first");
  git("checkout", "-q", "-b", "work");
  write("a.txt", "two\n");
  git("commit", "-q", "-a", "-m", "second");
  return root;
})();

test("[A30] git_diff gives what the branch has changed since it left the other, from any folder of the repository", async (t) => {
  const { root, git, write } = repository(t);
  mkdirSync(join(root, "sub"));
  write("a.txt", "three, which is in no commit\n");
  for (const params of [{}, { workspace: "sub" }, { base_branch: "main" }]) {
    const { ok, output } = await runStep("git_diff", params, { root });
    assert.deepEqual([ok, output.exit_code, output.error], [true, 0, undefined]);
    assert.match(String(output.diff), /^diff --git a\/a\.txt b\/a\.txt\n[\s\S]*\n-one\n\+two\n$/);
  }
  git("checkout", "-q", "-f", "main");
  assert.deepEqual(await outputOf("git_diff", { base_branch: "work" }, { root }), {
    diff: "",
    exit_code: 0,
    _step_index: 0,
  });
});

test("[A30] outside a repository and for a branch that there is not, git_diff says why there is no diff", async (t) => {
  const { root } = repository(t);
  const unknown = await runStep("git_diff", { base_branch: "nowhere" }, { root });
  assert.deepEqual([unknown.ok, unknown.output.diff, unknown.output.exit_code], [false, "", 128]);
  assert.match(String(unknown.output.error), /bad revision 'nowhere\.\.\.HEAD'/);
  const outside = await outputOf("git_diff", {}, { root: temporaryFolder(t) });
  assert.deepEqual([outside.diff, outside.exit_code], ["", 128]);
  assert.match(String(outside.error), /not a git repository/);
  const gone = await outputOf("git_diff", { workspace: "gone" }, { root });
  assert.deepEqual(gone, { error: `the folder ${join(root, "gone")} does not exist`, _step_index: 0 });
});

test("[A30] what begins with a dash, or is nothing, is no branch", async (t) => {
  const { root } = repository(t);
  const file = join(root, "written");
  for (const base_branch of [`--output=${file}`, "", "  "]) {
    const { error } = await outputOf("git_diff", { base_branch }, { root });
    assert.match(String(error), /^base_branch is /);
  }
  assert.ok(!existsSync(file));
});

test("[A30] a diff is cut at 50,000 characters, and one that is far larger is not read to its end", async (t) => {
  const { root, git, write } = repository(t);
  write("large.txt", "0123456789\n".repeat(200_000));
  git("add", ".");
  git("commit", "-q", "-m", "large");
  const { ok, notes } = await runStep("git_diff", {}, { root });
  assert.deepEqual([ok, notes], [true, ["diff was cut at 50000 characters"]]);
});

test("of a diff that is too long both ends are kept, with what lies between them", async (t) => {
  const { root, git, write } = repository(t);
  write("long.txt", `${"0123456789\n".repeat(10_000)}the end\n`);
  git("add", ".");
  git("commit", "-q", "-m", "long");
  const diff = String((await outputOf("git_diff", {}, { root })).diff);
  assert.ok(diff.length <= 50_000);
  assert.match(diff, /^diff --git [\s\S]*\n\[cut: \d+ of \d+ characters are left out here\]\n[\s\S]*\+the end\n$/);
});

test("[A30, A37] neither step runs what a repository names", async (t) => {
  const { root, git, write } = repository(t);
  const trap = join(root, "trap.sh");
  writeFileSync(trap, `#!/bin/sh\ntouch '${join(root, "sprung")}'\ncat\n`, { mode: 0o755 });
  write(".gitattributes", "*.txt diff=odd filter=odd\n");
  const settings = `[diff "odd"]\n\tcommand = ${trap}\n\ttextconv = ${trap}\n[diff]\n\texternal = ${trap}\n`;
  appendFileSync(
    join(root, ".git/config"),
    `${settings}[filter "odd"]\n\tclean = ${trap}\n[core]\n\tfsmonitor = ${trap}\n`,
  );
  write("a.txt", "changed\n");
  assert.match(String((await outputOf("git_diff", {}, { root })).diff), /\+two/);
  assert.match(String((await outputOf("file_diff", { path: "a.txt" }, { root })).diff), /\+changed/);
  assert.ok(!existsSync(join(root, "sprung")));
  git("diff", "HEAD", "--", "a.txt");
  assert.ok(existsSync(join(root, "sprung")), "a plain git diff runs it");
});

test("[A37] file_diff gives how a file differs from its last commit, staged or not, changed or gone", async (t) => {
  const { root, git, write } = repository(t);
  const clean = await outputOf("file_diff", { path: "a.txt" }, { root });
  assert.deepEqual(clean, { diff: "", path: join(root, "a.txt"), exit_code: 0, _step_index: 0 });
  write("a.txt", "three\n");
  for (const stage of [() => {}, () => git("add", "a.txt")]) {
    stage();
    assert.match(String((await outputOf("file_diff", { path: "a.txt" }, { root })).diff), /-two\n\+three\n$/);
  }
  rmSync(join(root, "a.txt"));
  assert.match(String((await outputOf("file_diff", { path: "a.txt" }, { root })).diff), /deleted file/);
  write("new.txt", "new\n");
  assert.equal((await outputOf("file_diff", { path: "new.txt" }, { root })).diff, "");
  git("add", "new.txt");
  assert.match(String((await outputOf("file_diff", { path: join(root, "new.txt") }, { cwd: root })).diff), /\+new\n$/);
});

test("[A37] it works before the first commit, through a link, and takes signs in a name for what they are", async (t) => {
  const { root, git, write } = placeAt(temporaryFolder(t));
  emptyRepository(root);
  write("a*.txt", "star\n");
  write("ab.txt", "other\n");
  git("add", ".");
  const link = join(temporaryFolder(t), "link");
  symlinkSync(root, link);
  for (const workspace of [root, link]) {
    const { diff, path } = await outputOf("file_diff", { path: "a*.txt", workspace });
    assert.equal(path, join(workspace, "a*.txt"));
    assert.match(String(diff), /\+star\n$/);
    assert.doesNotMatch(String(diff), /other/);
  }
});

test("[A37, AT36] without a path, outside git, and for a file outside the repository it says why", async (t) => {
  const root = temporaryFolder(t);
  assert.deepEqual(await outputOf("file_diff", {}, { root }), { error: "path is required", _step_index: 0 });
  const { scope } = contextOf({ data: { path: join(root, "a.txt") } });
  const { path } = compileTemplate({ path: "{{event.path}}" })(scope) as { path: string }; // a template keeps the shape
  const outside = await outputOf("file_diff", { path }, { root });
  assert.deepEqual([outside.diff, outside.path, outside.exit_code], ["", join(root, "a.txt"), 128]);
  assert.match(String(outside.error), /not a git repository/);
  const own = { root: repository(t).root, origin: { layer: "user" as const } };
  const elsewhere = await outputOf("file_diff", { path: "/etc/hosts" }, own);
  assert.match(String(elsewhere.error), /outside repository/);
});
