/** Lines that mean files of hooks, or Hookline's own, by a pattern or through what another program finds: no name of theirs stands in the line. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Fields } from "../../src/engine/event.ts";
import { managedFoldersOf } from "../../src/loading/places.ts";
import { selfProtection } from "../../src/loading/self-protection.ts";
import { lineOf } from "../formats/rules-helpers.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const bash = (command: string): Fields => ({ tool_name: "Bash", tool_input: { command } });

interface Place {
  home: string;
  workspace: string;
  state: string;
}

/** A home folder with what Hookline and agents keep in one, and a workspace with hooks. */
function arranged(t: TestContext): Place {
  const home = temporaryFolder(t);
  const place: Place = { home, workspace: join(home, "shop"), state: join(home, ".local", "state", "hookline") };
  const files = `.claude/settings.json .config/hookline/rules/guard.yaml .local/state/hookline/hookline.db shop/.claude/settings.json
    shop/.hookline/rules/team.yaml shop/src/main.ts shop/dist/main.js shop/.editorconfig shop/package.json shop/test/settings.json
    lib/node_modules/hookline/package.json lib/node_modules/hookline/bin/hookline.js`;
  for (const file of files.split(/\s+/)) {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), file.endsWith("package.json") ? '{"name":"hookline"}' : "");
  }
  return place;
}

/** Those that nobody is asked about, or those that somebody is. */
async function answered(t: TestContext, lines: string, is: "asked" | "passed"): Promise<string[]> {
  const { home, workspace, state } = arranged(t);
  const before = process.env.HOME;
  process.env.HOME = home;
  t.after(() => {
    process.env.HOME = before;
  });
  const hook = selfProtection({
    home,
    environment: { XDG_STATE_HOME: dirname(state) },
    managed: managedFoldersOf("linux"),
  });
  const line = lineOf(t, { hooks: [hook] });
  const found: string[] = [];
  for (const command of lines.trim().split("\n")) {
    const { verdict } = await line.emit("PreToolUse", bash(command), { cwd: workspace });
    if ((verdict === undefined ? "passed" : "asked") === is) found.push(command);
  }
  return found;
}

const byPatterns = `
cd .cl* && cp /tmp/x settings.json
cd .cl* && cp /tmp/x settings.local.json
cp x ~/.claud?/settings.json
cp x "$HOME"/.cl*/settings.json
echo '{}' > ~/.claud[e]/settings.json
echo '{}' > ~/.claud[a-f]/settings.json
echo '{}' >> ~/.claud[!x]/settings.json
tee .[c]laude/settings.json < x
cp /tmp/x .*/settings.json
mv x .c*e/settings.json
cp x ./.cl*/s*.json
cd ~/.config/hook* && rm rules/guard.yaml
sed -i s/deny/ask/ ~/.config/*/rules/*.yaml
sed -i s/deny/ask/ ~/.con*/h*/r*/g*
rm -rf .h*
rm -rf ~/.cl*
mv .hook* x
ln -sfn /tmp/x .cl*
chmod 000 .h*/rules
pushd .cl* && rm settings.json
(cd .cl*; : > settings.json)
cd ~/.local/state/ho* && rm *.db
rm ~/.local/st*/ho*/hookline.db
: > ~/.loc*/state/*/hookline.db
cd ~/lib/node_modules/h* && node bin/*.js purge
node ~/lib/node_modules/*/bin/*.js purge
node ~/lib/node_mod*/hook*/bin/hookline.j? untrust
`;
const throughOthers = `
find . -name settings.json -exec cp /tmp/x {} ;
find . -name settings.json -exec cp /tmp/x {} \\;
find . -path '*/.claude/*' -exec sed -i s/deny/allow/ {} +
find . -name team.yaml -delete
find . -name team.yaml | xargs rm
find . -name '*.yaml' -exec sed -i s/deny/ask/ {} +
find . -name '*.yaml' | xargs sed -i s/deny/ask/
for f in $(find . -name '*.yaml'); do sed -i s/deny/ask/ "$f"; done
find .hookline/.. -name 't*.yaml' -exec rm {} +
find .claude -type f -exec sed -i s/deny/allow/ {} +
find .claude -type f -execdir rm {} \\;
find . -name '.claude' -exec rm -rf {} +
find . -name settings.json | xargs sed -i s/deny/allow/
find .hookline -type f -print0 | xargs -0 rm
grep -rl deny .claude | xargs sed -i s/deny/allow/
ls -d .claude/* | xargs rm -f
ls .claude/settings.json | xargs -I{} cp /tmp/x {}
fd settings.json .claude -x rm
fd . .hookline -X sed -i s/deny/allow/
for f in .claude/*; do rm "$f"; done
for f in .cl*/*; do rm "$f"; done
for f in ~/.cl*/*; do rm $f; done
f=$(ls .claude/*.json | head -1); rm "$f"
mapfile -t all < <(ls .claude/*); rm "\${all[@]}"
while read -r f; do rm "$f"; done < <(ls .claude/*)
rm $(ls .claude/*)
echo .claude/settings.json | xargs rm
find . -name .claude -exec sh -c 'rm -rf "$1"' _ {} \\;
grep -rl deny .claude | while read -r f; do sed -i s/deny/allow/ "$f"; done
scp host:settings.json .claude/
scp host:x .claude/settings.json
sed -n 'w .claude/settings.json' x
sed 's/x/y/w .claude/settings.json' x
awk '{print > ".claude/settings.json"}' x
docker cp box:/x .claude/settings.json
kubectl cp pod:/x .claude/settings.json
wget -x -nH http://example.org/.claude/settings.json
wget -P .claude http://example.org/settings.json
curl -o .cl*/settings.json http://example.org/x
rsync -a evil/.claude/ .claude/
`;
const ordinary = `
ls *.ts
ls .*
cat .cl*/settings.json
cat ~/.config/*/rules/*.yaml
rm -rf dist/*
rm -f src/*.js *.log
rm -rf node_modules/.c*
rm -rf .next* .cache*
cp .e* /tmp
prettier --write src/**/*.ts
sed -i s/a/b/ src/*.ts
sed -i s/a/b/ test/*.json
cd di* && rm *.js
cd src && rm *.js
chmod +x bin/*
find . -name '*.orig' -delete
find . -name '*.yaml' ! -path './.hookline/*' -exec sed -i s/a/b/ {} +
find . -path ./.hookline -prune -o -name '*.yaml' -exec sed -i s/a/b/ {} +
find src -name '*.yaml' -delete
find . -name '*.yaml' -exec cat {} +
find . -name '*.ts' -exec sed -i s/a/b/ {} +
find src -type f -exec chmod 644 {} +
find . -name settings.json -exec cat {} +
find . -name settings.json | xargs cat
find .claude -type f | xargs grep -l deny
grep -rl foo src | xargs sed -i s/foo/bar/
ls .claude | xargs -n1 echo
git ls-files '*.ts' | xargs npx prettier --write
for f in src/*.ts; do sed -i s/a/b/ "$f"; done
for f in .claude/*; do cat "$f"; done
[ -f x ] && rm x
node dist/*.js
docker cp box:/x dist/
wget -P dist http://example.org/settings.json
`;

test("a person is asked about a line that means files of hooks or of Hookline by a pattern", async (t) => {
  assert.deepEqual(await answered(t, byPatterns, "passed"), []);
});

test("a person is asked about a line that changes files of hooks as another program finds them", async (t) => {
  assert.deepEqual(await answered(t, throughOthers, "passed"), []);
});

test("patterns and searches that mean other files, or only look, are not asked about", async (t) => {
  assert.deepEqual(await answered(t, ordinary, "asked"), []);
});
