/** Which workspace files a hook runs, as far as its text tells: a change of one of them asks a person again. */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { type TestContext, test } from "node:test";
import type { Json } from "../../../src/engine/event.ts";
import { filesIn } from "../../../src/loading/trust/bound-files.ts";
import { itemOf } from "../../../src/loading/trust/item.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

function repository(t: TestContext): { folder: string; files(content: Json, root?: string): string[] } {
  const folder = temporaryFolder(t);
  const write = (name: string, text: string, mode = 0o644): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), mode);
  };
  for (const name of [
    "hooks/a.sh",
    "hooks/lib.sh",
    "check.py",
    "tool/__main__.py",
    "run.mjs",
    "tool/inner.py",
    "sub/x.js",
    "sub/Makefile",
    "Makefile",
    "script",
    "rb.rb",
    "it's here.sh",
  ])
    write(name, "echo\n");
  write("hooks/plain", "#!/bin/sh\n");
  write("bin/go", "\u007fELF", 0o755);
  write("docs/guide.md", "text\n");
  write("package.json", '{"main":"run.mjs","scripts":{"lint":"eslint ."}}');
  write("node_modules/eslint/cli.js", "#!/usr/bin/env node\n", 0o755);
  mkdirSync(join(folder, "node_modules", ".bin"));
  symlinkSync("../eslint/cli.js", join(folder, "node_modules", ".bin", "eslint"));
  return {
    folder,
    files: (content, root = folder) =>
      filesIn(content, { root, workspace: folder })
        .map((path) => relative(folder, path))
        .sort(),
  };
}

const lines: readonly (readonly [string, readonly string[]])[] = [
  ["bash hooks/a.sh", ["hooks/a.sh"]],
  ["./hooks/plain --fast", ["hooks/plain"]],
  ['"$CLAUDE_PROJECT_DIR"/hooks/a.sh', ["hooks/a.sh"]],
  [`\${HOOKLINE_PROJECT_DIR}/bin/go build`, ["bin/go"]],
  ["cd sub && node x.js", ["sub/x.js"]],
  ["node sub/x", ["sub/x.js"]],
  ["D=hooks; . $D/lib.sh && echo done", ["hooks/lib.sh"]],
  ["bash -c 'source hooks/lib.sh; run'", ["hooks/lib.sh"]],
  ["echo hi | ./bin/go", ["bin/go"]],
  ["test -f x && $(./bin/go list)", ["bin/go"]],
  ["timeout 5 python3 -u check.py", ["check.py"]],
  ["python3 -m tool", ["tool/__main__.py"]],
  ["env A=1 ./hooks/plain", ["hooks/plain"]],
  ['sh "it\'s here.sh"', ["it's here.sh"]],
  ["npm run lint", ["package.json#scripts"]],
  ["npx eslint .", ["node_modules/.bin/eslint", "node_modules/eslint/cli.js"]],
  ["make check", ["GNUmakefile", "Makefile", "makefile"]],
  ["xargs -n1 ./hooks/plain < list", ["hooks/plain"]],
  ["node --require ./run.mjs -e 1", ["run.mjs"]],
  ["bash hooks/missing.sh", ["hooks/missing.sh"]],
  ["cd sub && sh missing", ["missing", "sub/missing"]],
  ["npx missing", ["node_modules/.bin/missing"]],
  ["sh missing", ["missing"]],
  ["npx missing", ["node_modules/.bin/missing"]],
  ["$(git rev-parse --show-toplevel)/hooks/a.sh", ["hooks/a.sh"]],
  ["`pwd`/hooks/a.sh", ["hooks/a.sh"]],
  ['D=$(pwd)/hooks; sh "$D/lib.sh"', ["hooks/lib.sh"]],
  [`"\${CLAUDE_PROJECT_DIR%/}/hooks/a.sh"`, ["hooks/a.sh"]],
  ["sh < script", ["script"]],
  ["cat script | sh", ["script"]],
  ['eval "$(cat script)"', ["script"]],
  ["bash <(cat script)", ["script"]],
  ["bash -eu -o pipefail script", ["script"]],
  ["python3 -X dev script", ["script"]],
  ["node --conditions dev sub/x", ["sub/x.js"]],
  [`node -e "require('./sub/x.js')"`, ["sub/x.js"]],
  ["PYTHONPATH=tool python3 -m inner", ["tool/inner.py"]],
  ["python3 -c 'import check'", ["check.py"]],
  ["PATH=bin:$PATH go", ["bin/go"]],
  ["make -C sub", ["GNUmakefile", "Makefile", "makefile", "sub/GNUmakefile", "sub/Makefile", "sub/makefile"]],
  ["npm --prefix sub run x", ["package.json#scripts", "sub/package.json#scripts"]],
  ["node --run lint", ["package.json#scripts"]],
  ["sh hooks/*.sh", ["hooks"]],
  ["for f in hooks/*; do . $f; done", ["hooks"]],
  ["run-parts hooks", ["hooks"]],
  ["node tool", ["tool", "tool/__main__.py"]],
  ["jq -f script data.json", ["script"]],
  ["vim -S script", ["script"]],
  ["just -f script build", [".justfile", "Justfile", "justfile", "script"]],
  ["ruby -r./check.py -e 1", ["check.py"]],
  ["ruby -r ./rb -e 1", ["rb.rb"]],
  ["find hooks -name '*.x' -exec sh {} \\;", ["hooks"]],
  ["ls hooks | xargs -n1 sh", ["hooks"]],
  ["go run ./sub", ["sub"]],
  ["node .", ["package.json", "run.mjs"]],
  ["git commit -m script", ["script"]],
  ["prettier --config docs/guide.md", []],
  ["npx eslint --fix check.py", ["node_modules/.bin/eslint", "node_modules/eslint/cli.js"]],
  ["node_modules/.bin/eslint sub/x.js", ["node_modules/.bin/eslint", "node_modules/eslint/cli.js"]],
  ["tsc --noEmit run.mjs && ruff check check.py", []],
  ["python3 -m ruff check check.py", []],
  ["poetry run mypy check.py", []],
  ["git diff -- check.py; git -C sub log -1 -- x.js", []],
  ["wc -l < check.py", []],
  ["cat check.py", []],
  ["tail -1 run.mjs >> seen.txt", []],
  ["sed -n 1p run.mjs | head -3", []],
  ["grep -rn source run.mjs", []],
  ["test -f check.py && [ -x hooks/plain ] && echo run.mjs", []],
  ["test -f hooks/lib.sh && sh hooks/a.sh", ["hooks/a.sh"]],
  ["stylelint --rulesdir hooks -c run.mjs sub/x.js", ["run.mjs"]],
  ["stylelint --parser=./run.mjs sub/x.js", ["run.mjs"]],
  ["jq . run.mjs", []],
  ["cat check.py | python3", ["check.py"]],
  ["rg --pre ./hooks/plain x", ["hooks/plain"]],
  ["frobnicate check.py", ["check.py"]],
  ["./hooks/plain check.py", ["check.py", "hooks/plain"]],
  ["cat() { sh $1; }; cat hooks/a.sh", ["hooks/a.sh"]],
  ["PATH=hooks:$PATH cat run.mjs", ["hooks/cat", "run.mjs"]],
  ["cp hooks/a.sh x.sh && sh x.sh", ["hooks/a.sh", "x.sh"]],
  ["cat docs/guide.md", []],
  ["echo x > hooks/out.sh", []],
  ["curl https://example.com/hooks/a.sh", []],
  ["git push origin main", []],
  ["bash /etc/profile", []],
  ["bash ../outside.sh", []],
];

test("the workspace files that a line runs are found, and what it only reads or writes is not one of them", (t) => {
  const { files } = repository(t);
  for (const [line, expected] of lines) assert.deepEqual(files({ command: line }), expected, line);
});

test("a program with arguments names its files by word, and an argument may be a line for a shell", (t) => {
  const { files } = repository(t);
  assert.deepEqual(files({ command: "node", args: ["run.mjs", "docs/guide.md"] }), ["run.mjs"]);
  assert.deepEqual(files({ command: "bash", args: ["-c", "./hooks/plain && true"] }), ["hooks/plain"]);
  assert.deepEqual(files([{ after: { command: "./bin/go" } }, "bash hooks/a.sh"]), ["bin/go", "hooks/a.sh"]);
});

test("a folder of a repository names files of the repository around it, which are a stranger's as well", (t) => {
  const { folder, files } = repository(t);
  assert.deepEqual(files({ command: "bash ../hooks/a.sh" }, join(folder, "sub")), ["hooks/a.sh"]);
});

test("[T7] a text that names more files than can be followed is trusted by nobody, as its state is never the same", (t) => {
  const { folder, files } = repository(t);
  const text = (count: number): string =>
    `PATH=${"a:".repeat(count)} ${Array.from({ length: count }, (_, index) => `cd f${index}; ./s${index}.sh`).join("; ")}`;
  const unlisted = "(more files than can be followed)";
  assert.ok(!files({ command: text(100) }).includes(unlisted));
  assert.ok(files({ command: text(6_000) }).includes(unlisted));
  const item = (): string =>
    itemOf({ root: folder, kind: "hook", name: "x", file: "x", content: {} }, [join(folder, unlisted)]).hash;
  assert.notEqual(item(), item());
});
