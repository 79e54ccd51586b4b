/** Which revisions git brings into a work tree by a line that names no path, and what goes there. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { writes } from "../../src/shell/effects/written.ts";
import { readShell } from "../../src/shell/read.ts";
import { createSpell } from "../../src/shell/spelling.ts";

/** In short: `from..to`, `from...to` of a merge, `-what` that goes, `?` where nobody can tell; in brackets what counts only for a later command. */
function read(line: string): string {
  const written = writes(readShell(line, { cwd: "/srv/shop", home: "/home/ada" }), true, createSpell());
  const each = written.flatMap(({ trees }) => {
    if (!trees) return [];
    const pairs = trees.pairs.map(({ from = "", to, isMerge }) => `${from}${isMerge ? "..." : ".."}${to}`);
    const all = [...pairs, ...(trees.loses ?? []).map((one) => `-${one}`), ...(trees.isUntold ? ["?"] : [])].join(" ");
    return all === "" ? [] : trees.isName ? `(${all})` : all;
  });
  return each.join(" ");
}

const bringing: readonly (readonly [line: string, brings: string])[] = [
  ["git checkout evil", "HEAD..evil"],
  ["git checkout -", "HEAD..@{-1}"],
  ["git checkout -b mine evil", "HEAD..evil"],
  ["git checkout --detach evil~1", "HEAD..evil~1"],
  ["git checkout -f", "-changed"],
  ["git checkout -f evil", "HEAD..evil -changed"],
  ["git checkout evil -- .", "HEAD..evil -changed"],
  ["git checkout -- .", "-changed"],
  ["git checkout evil -- --abort .", "HEAD..evil -changed"],
  ["git switch --create mine evil", "HEAD..evil"],
  ["git switch --discard-changes evil", "HEAD..evil -changed"],
  ["git merge evil far", "HEAD...evil HEAD...far"],
  ["git merge -m --abort evil", "HEAD...evil"],
  ["git merge", "HEAD...@{upstream}"],
  ["git pull", "HEAD...@{upstream}"],
  ["git pull --rebase origin main", "HEAD...origin/main"],
  ["git pull /tmp/x.bundle main", "?"],
  ["git pull . evil", "HEAD...evil"],
  ["git switch --orphan x", "-tracked"],
  ["git sparse-checkout set src", "-tracked"],
  ["git rm -r ':!src'", "-tracked"],
  ["git rm -r --cached src; git clean -fd", "(-tracked) -untracked"],
  ["git pull https://example.org/x.git main", "?"],
  ["git rebase evil", "HEAD...evil"],
  ["git rebase --onto before main topic", "HEAD..before HEAD..topic"],
  ["git rebase -i HEAD~3", "HEAD..HEAD~3"],
  ["git cherry-pick -x a b..c", "a^..a b..c"],
  ["git revert --no-edit -m 1 main", "main^..main"],
  ["git reset --hard", "-changed -staged"],
  ["git reset --keep before", "HEAD..before -changed -staged"],
  ["git read-tree -mu HEAD evil", "HEAD..HEAD HEAD..evil"],
  ["git stash", "-changed -staged"],
  ["git stash -ua", "-changed -staged -untracked -ignored"],
  ["git stash push -um in", "-changed -staged -untracked"],
  ["git stash pop", "stash@{0}^1..stash@{0} ..stash@{0}^3"],
  ["git stash apply 2", "stash@{2}^1..stash@{2} ..stash@{2}^3"],
  ["git stash branch mine held", "HEAD..held^1 held^1..held ..held^3"],
  ["git restore -s evil -SW :/", "HEAD..evil -changed"],
  ["git restore .", "-changed"],
  ["git clean -fd", "-untracked"],
  ["git clean -fdx .", "-untracked -ignored"],
  ["git clean -fX", "-ignored"],
  ["git bisect start HEAD before", "HEAD..HEAD HEAD..before"],
  ["git branch tmp evil && git checkout tmp", "(HEAD..evil) HEAD..tmp"],
  ["git read-tree evil && git checkout-index -fa", "(HEAD..evil) -changed"],
  ["git symbolic-ref HEAD refs/heads/evil; git reset --hard", "(HEAD..refs/heads/evil) -changed -staged"],
  ["git bundle unbundle x.bundle; git merge x", "(?) HEAD...x"],
  ["git remote add x ../elsewhere && git pull x main", "(?) HEAD...x/main"],
  ["git checkout $(cat name)", "-changed ?"],
  ["B=evil; git checkout $B", "HEAD..evil"],
  ["git -C sub --no-pager checkout evil", "HEAD..evil"],
  ["/usr/lib/git-core/git-checkout evil", "HEAD..evil"],
  ["git -c alias.c=checkout c evil", "HEAD..evil"],
];
const leaving = [
  "git checkout -b mine",
  "git checkout evil -- src",
  "git merge --abort",
  "git rebase --continue",
  "git stash list",
  "git stash drop",
  "git stash show -p stash@{1}",
  "git stash push src -m 'in .claude'",
  "git restore src --source=evil",
  "git clean -nd",
  "git clean -fd build",
  "git fetch origin",
  "git log evil",
  "git diff evil",
  "git commit -m 'git checkout evil'",
];

test("git brings the trees of the revisions that its sub-commands name, and takes away what they overwrite", () => {
  for (const [line, brings] of bringing) assert.equal(read(line), brings, line);
});

test("sub-commands that look, that end what was begun, or that name other paths bring no tree", () => {
  for (const line of leaving) assert.equal(read(line), "", line);
});

test("an alias of git is read as what it stands for, with the words behind it", () => {
  const aliases: { readonly [name: string]: string } = {
    pf: "push --force",
    nuke: "!git reset --hard",
    twice: "twice",
    pull: "push -f",
  };
  const gitAlias = (name: string): string | undefined => (Object.hasOwn(aliases, name) ? aliases[name] : undefined);
  const last = (line: string): string =>
    readShell(line, { cwd: "/srv/shop", home: "/home/ada", gitAlias }).commands.at(-1)?.words.join(" ") ?? "";
  assert.equal(last("git pf origin"), "git push --force origin");
  assert.equal(last("git -C a nuke"), "git reset --hard");
  assert.equal(last("git twice"), "git twice");
  assert.equal(last("git pull"), "git pull"); // git lets no alias stand in for a command of its own
});
