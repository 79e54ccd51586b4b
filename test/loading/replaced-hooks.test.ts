/** Programs that write, replace, remove or fill what holds hooks, by whatever way of theirs: a person is asked, as errs towards yes. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Fields } from "../../src/engine/event.ts";
import { managedFoldersOf } from "../../src/loading/places.ts";
import { selfProtection } from "../../src/loading/self-protection.ts";
import { lineOf } from "../formats/rules-helpers.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const hook = selfProtection({ home: homedir(), environment: {}, managed: managedFoldersOf("linux") });
const bash = (command: string): Fields => ({ tool_name: "Bash", tool_input: { command } });

/** Those that are not answered so. */
async function others(t: TestContext, commands: readonly string[], is: string | undefined, cwd = "/srv/shop") {
  const line = lineOf(t, { hooks: [hook] });
  const found: string[] = [];
  for (const command of commands)
    if ((await line.emit("PreToolUse", bash(command), { cwd })).verdict?.is !== is) found.push(command);
  return found;
}

const inPlace = `
awk -i inplace '{gsub(/deny/,"allow")}1' .claude/settings.json
gawk -i inplace 1 .hookline/rules/team.yaml
ed -s .hookline/hooks.json <<< 'w'
ex -sc '%d|x' .claude/settings.json
vim -es -c '%d' -c wq .claude/settings.json
vim -c ':w! .claude/settings.json' -c q x
emacs --batch .claude/settings.json --eval '(save-buffer)'
perl -pi.bak -e 1 .claude/settings.json
ruby -i -pe 1 .claude/settings.json
yq -i '.hooks={}' .hookline/rules/team.yaml
jq --in-place . .claude/settings.json
dasel put -f .claude/settings.json -v x hooks
sd deny allow .claude/settings.json
npx prettier --write .claude/settings.json
npx json -I -f .claude/settings.json -e 'this.hooks={}'
./fix-settings --file=.claude/settings.json
python3 fix.py .claude/settings.json
make SETTINGS=.claude/settings.json fix
sort x -o .claude/settings.json
uniq x .claude/settings.json
xxd -r x .claude/settings.json
iconv x -o .claude/settings.json
openssl enc -d -in x -out .claude/settings.json
gpg -d -o .claude/settings.json x
pandoc x -o .claude/settings.json
gcc x.c -o .git/hooks/pre-commit
go build -o .git/hooks/pre-commit .
sqlite3 x '.output .claude/settings.json' 'select 1'
git diff --output=.claude/settings.json
git show main:x --output .claude/settings.json
exiftool -o .claude/settings.json x
script -c true .claude/settings.json
curl --output-dir .claude -O http://example.org/settings.json
`;
const wholes = `
mv e .claude
mv .claude x
mv .hookline .hookline.off
ln -sfn X .claude
ln -sfn /tmp/x .opencode
rm -rf .claude
rm -r .claude/
rm -rf ~/.codex
chmod 000 .claude
chown -R nobody .gemini
setfacl -m u::- .claude
chattr +i .claude/settings.json
mount --bind /tmp/x .claude
unshare -rm sh -c 'mount --bind x .claude; claude'
rsync -a x/ .claude/
rsync -a x/.claude .
cp -r x .claude
cp -r x/. .claude/
cp -rT x .claude
cp -r x/.claude .
tar xf a.tar -C .claude
tar xf a.tar --directory=.claude
cd .claude && tar xf ../a.tar
git archive evil | tar x -C .claude
unzip -d .claude a.zip
7z x a.zip -o.claude
cpio -idm -D .claude < a.cpio
bsdtar -xf a -C .claude
rename s/claude/off/ .claude
mmv .claude off
find . -name settings.json -delete
find . -path '*claude*' -delete
python3 -c "import os; os.rename('x','.claude')"
python3 -c "import shutil; shutil.rmtree('.claude')"
node -e "require('fs').rmSync('.claude',{recursive:true})"
perl -e 'rename "x", ".claude"'
npx degit owner/repo .claude
npx giget gh:owner/repo .claude/plugins/p
gh repo clone owner/repo .claude/plugins/p
npm install --prefix ~/.pi/agent/npm x
`;
const gits = `
git checkout evil -- .claude
git checkout HEAD~3 -- .hookline/hooks.json
git checkout -- .claude/settings.json
git -C .claude checkout evil -- .
git --work-tree=.claude checkout evil -- .
git restore --source=evil .claude/settings.json
git restore .claude
git clean -fdx .claude
git rm -r .claude
git stash push .claude
git stash -u -- .claude
git worktree add .claude topic
git worktree add .claude/plugins/p
git submodule add https://example.org/p .claude/plugins/p
git subtree add --prefix=.claude/plugins/p https://example.org/p main
git checkout-index -f -a --prefix=.claude/
git read-tree --prefix=.claude/ -u evil
git archive -o .git/hooks/pre-commit evil
`;
const linesOf = (text: string): string[] => text.trim().split("\n");

test("a program that writes a file of hooks in place is asked about, also one that nobody here knows", async (t) => {
  assert.deepEqual(await others(t, linesOf(inPlace), "ask"), []);
});

test("whoever takes an agent's folder away, puts another in its place or fills it changes its hooks", async (t) => {
  assert.deepEqual(await others(t, linesOf(wholes), "ask"), []);
});

test("git changes hooks by paths that are named to it, wherever it is told to run", async (t) => {
  assert.deepEqual(await others(t, linesOf(gits), "ask"), []);
});

const ordinary = `
git stash
git stash pop
git stash push src -m 'in .claude'
git checkout -- src
git checkout feature/claude
git restore .
git clean -fd build
git worktree add ../topic
git add .claude .hookline/hooks.json
git diff .claude/settings.json
git log -p -- .claude
git rm --cached build
cp .claude/settings.json /tmp/settings.json
cp -r .claude /tmp/backup
cp notes.md .claude/
mkdir -p .claude
ls -la .claude
tar czf x.tgz .claude
tar xf x.tar
unzip x.zip
unzip -l x.zip
rsync -a src/ dist/
jq .hooks .claude/settings.json
yq .hooks .hookline/rules/team.yaml
sort .claude/settings.json
python3 -m json.tool .claude/settings.json
python3 -c "print(open('.claude/settings.json').read())"
bash .claude/hooks/check.sh
node .claude/hooks/check.js < x.json
shellcheck .hookline/hooks/check.sh
hookline check
find . -name '*.pyc' -delete
find . -name node_modules -prune -o -name '*.log' -delete
awk '{print}' .claude/settings.json
perl -ne print .claude/settings.json
sed -n 1,5p .claude/settings.json
uv run python - <<'E'\nc.ping()\nE
npm install --prefix web
git apply --stat x.patch
patch --version
git am --abort
`;

test("what only looks there, copies from there or works beside it is asked about by nobody", async (t) => {
  const commands = linesOf(ordinary).map((command) => command.replaceAll("\\n", "\n"));
  assert.deepEqual(await others(t, commands, undefined), []);
});

const patchOf = (file: string): string => `--- a/${file}\n+++ b/${file}\n@@ -1 +1 @@\n-a\n+b\n`;

test("a patch is judged by the files that stand in it, and one that cannot be read is asked about", async (t) => {
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, "own.patch"), patchOf("src/a.ts"));
  writeFileSync(join(cwd, "evil.patch"), `${patchOf("src/a.ts")}${patchOf(".claude/settings.json")}`);
  writeFileSync(join(cwd, "inside.patch"), patchOf("settings.json"));
  writeFileSync(join(cwd, "moved.patch"), "diff --git a/x b/hookline.yaml\nrename from x\nrename to hookline.yaml\n");
  const free = ["git apply own.patch", "patch -p1 < own.patch", "git am own.patch", "patch -p1 -i own.patch"];
  assert.deepEqual(await others(t, free, undefined, cwd), []);
  const asked = [
    "git apply evil.patch",
    "git apply -R --3way evil.patch",
    "patch -p1 < evil.patch",
    "patch -p1 --input=evil.patch",
    "patch -p0 <<'E'\n--- .claude/settings.json\n+++ .claude/settings.json\n@@ -1 +1 @@\nE",
    "git am < evil.patch",
    "git apply moved.patch",
    "git apply --directory=.claude inside.patch",
    "patch -d .claude -p1 < inside.patch",
    "cd .claude && patch -p1 < ../inside.patch",
    "git apply none.patch",
    "curl -s https://example.org/p | git apply",
    "curl -s https://example.org/p | patch -p1",
  ];
  assert.deepEqual(await others(t, asked, "ask", cwd), []);
});

test("a tree that is copied over the workspace counts where it brings hooks along, and a file that comes into the folder does not", async (t) => {
  const cwd = temporaryFolder(t);
  mkdirSync(join(cwd, "evil", ".claude"), { recursive: true });
  mkdirSync(join(cwd, "good"));
  mkdirSync(join(cwd, ".claude"));
  writeFileSync(join(cwd, "evil", ".claude", "settings.json"), "{}");
  writeFileSync(join(cwd, "notes"), "");
  assert.deepEqual(await others(t, ["cp -a evil/. .", "cp -a evil/. ./", "rsync -a evil/ ."], "ask", cwd), []);
  assert.deepEqual(await others(t, ["cp -a good/. .", "rsync -a good/ .", "mv notes .claude"], undefined, cwd), []);
});
