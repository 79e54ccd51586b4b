/** A repository with branches that hold hook files, and what is asked about lines of git there. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import type { Fields } from "../../src/engine/event.ts";
import type { Hook } from "../../src/engine/hook.ts";
import { managedFoldersOf } from "../../src/loading/places.ts";
import { selfProtection } from "../../src/loading/self-protection.ts";
import { lineOf } from "../formats/rules-helpers.ts";
import { emptyRepository } from "../repository.ts";
import { temporaryFolder } from "../temporary-folder.ts";

export const hook: Hook = selfProtection({ home: homedir(), environment: {}, managed: managedFoldersOf("linux") });
export const bash = (command: string): Fields => ({ tool_name: "Bash", tool_input: { command } });

/** Those that are not answered so. */
export async function others(
  t: TestContext,
  commands: readonly string[],
  is: string | undefined,
  cwd: string,
): Promise<string[]> {
  const line = lineOf(t, { hooks: [hook] });
  const found: string[] = [];
  for (const command of commands)
    if ((await line.emit("PreToolUse", bash(command), { cwd })).verdict?.is !== is) found.push(command);
  return found;
}
export const reasonOf = async (t: TestContext, command: string, cwd: string): Promise<string | undefined> =>
  (await lineOf(t, { hooks: [hook] }).emit("PreToolUse", bash(command), { cwd })).verdict?.reason;

export function put(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

const hooks = '{"disableAllHooks":true}\n';
const stream = `
blob
mark :1
data 2
a

commit refs/heads/before
mark :10
committer Ada <ada@example.org> 1 +0000
data 0
M 100644 :1 a.txt
M 100644 :1 src/b.txt

blob
mark :2
data 3
{}

commit refs/heads/main
mark :11
committer Ada <ada@example.org> 2 +0000
data 0
from :10
M 100644 :2 .claude/settings.json

blob
mark :3
data ${hooks.length}
${hooks}
commit refs/heads/topic
mark :12
committer Ada <ada@example.org> 3 +0000
data 0
from :11
M 100644 :3 a.txt

commit refs/heads/evil
mark :13
committer Ada <ada@example.org> 4 +0000
data 0
from :11
M 100644 :3 .claude/settings.json

commit refs/heads/evil
mark :14
committer Ada <ada@example.org> 5 +0000
data 0
from :13
M 100644 :3 src/b.txt

reset refs/remotes/origin/far
from :14

reset refs/remotes/origin/near
from :12

commit refs/untracked
mark :15
committer Ada <ada@example.org> 6 +0000
data 0
M 100644 :3 hookline.yaml

commit refs/index
mark :16
committer Ada <ada@example.org> 6 +0000
data 0
from :11

commit refs/stash
mark :17
committer Ada <ada@example.org> 7 +0000
data 0
from :11
merge :16
M 100644 :3 a.txt

commit refs/held
mark :18
committer Ada <ada@example.org> 8 +0000
data 0
from :11
merge :16
merge :15
M 100644 :3 a.txt
`;

/** main has hooks. topic and the stash leave them alone, evil and far change them, before has none, and held brings another. */
export function repository(t: TestContext): string {
  const folder = temporaryFolder(t);
  emptyRepository(folder);
  execFileSync("git", ["fast-import", "--quiet"], { cwd: folder, input: stream.trimStart() });
  execFileSync("git", ["reset", "-q", "--hard"], { cwd: folder });
  return folder;
}

export const asked: string = `
git checkout evil
git switch far
git checkout -b mine before
git checkout evil .
git merge --no-edit evil
git pull origin far
git pull ../elsewhere main
git rebase evil
git rebase --onto before HEAD~0
git cherry-pick evil~1
git revert main
git reset --hard HEAD~1
git stash apply held
git restore --source=evil .
cd src && git -C .. switch evil
git read-tree evil && git checkout-index -fa
git fetch ../elsewhere main && git merge FETCH_HEAD
git checkout $(cat name)
git switch --orphan x
git switch --orphan=x
git sparse-checkout set src
git sparse-checkout set --no-cone '/*' '!.claude'
git sparse-checkout init --cone
git sparse-checkout reapply
git rm -q $(git ls-files '*.json')
git ls-files '*.json' | xargs git rm
git rm -r ':!src'
git rm '*.json'
git rm --pathspec-from-file=list
git rm -r --cached . && git clean -fd
git read-tree --empty && git clean -fdx
git pull . evil
git pull --rebase . evil
git pull .git evil:main
git fetch . evil:tmp && git merge tmp
git push . evil:tmp && git merge tmp
git checkout evil -- ':!src'
git checkout evil ':(exclude)src'
git checkout evil -- '*.json'
git restore -s evil ':(glob)**/*.json'
cd src && git checkout evil -- ':(top,exclude)src'
cd src && git checkout evil -- ':!b.txt'
bash -c 'B=evil; git checkout "$B"'
`;
export const free: string = `
git checkout topic
git switch near
git checkout -b mine
git checkout evil -- src
git checkout .
git merge topic
git merge evil --abort
git pull
git pull origin near
git fetch https://example.org/x.git main
git rebase topic
git cherry-pick evil
git reset --hard
git reset HEAD~1
git stash -u
git stash pop
git clean -fdx
git diff evil
git branch tmp evil
git checkout no-such-branch
git commit -m "git checkout evil"
git checkout --orphan x
git sparse-checkout set src .claude
git sparse-checkout set .claude/x
git sparse-checkout add src
git sparse-checkout list
git rm -q $(git ls-files '*.txt')
git rm $(git ls-files --deleted)
git rm 'src/*'
git rm src/*.txt
git rm -r --cached . && git add . && git commit -m x
git rm -n -r .
git pull . topic
git push . topic:tmp
git checkout evil -- '*.txt'
git checkout evil -- ':!.claude'
git restore -s evil ':(glob)src/**'
cd src && git checkout evil -- b.txt
`;
export const linesOf = (text: string): string[] => text.trim().split("\n");
