/** Rules about one program, on ordinary lines that run others: what they need not know they do not hold. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadPatterns } from "../../src/conditions/patterns.ts";
import { compileToolPattern } from "../../src/engine/pattern.ts";
import { readShell } from "../../src/shell/read.ts";
import { corpus } from "../packs/judge.ts";

const rules = ["git push", "rm", "curl", "kubectl delete", "npm publish", "sudo"];
const place = { cwd: "/w", home: "/home/ada" };
const givesUp = (line: string): boolean => readShell(line, place).unknown.some(({ what }) => what === "runs");

test("of the ordinary commands two are held by rules about another program, both because nobody can tell what they run", async () => {
  const patterns = await loadPatterns();
  const tests = rules.map((rule) => ({
    named: new RegExp(rule.replace(" ", "\\b.*\\b")),
    test: compileToolPattern(`Bash(${rule} *)`, patterns),
  }));
  const held = corpus("ordinary").flatMap(({ command }) => {
    const input = { names: ["Bash"], input: { command }, cwd: place.cwd };
    const isHeld = tests.some((rule) => rule.test(input, "deny") !== false && !rule.named.test(command));
    return isHeld ? [command] : [];
  });
  assert.deepEqual(held, [
    "printf '%s\\n' src/*.ts | xargs -I{} sh -c 'echo {} $(grep -c any {})'",
    "tmux send-keys -t py 'import os; os.getcwd()' Enter",
  ]);
});

/** As people and agents write them: a part is known only to the shell, the program is not. */
const known = [
  'PYTHON=python3.12; "$PYTHON" -m pytest',
  'PY=$(which python3); "$PY" --version; $PY -m pip list',
  'NODE=$(command -v node) && "$NODE" --version',
  "BIN=./node_modules/.bin; $BIN/tsc --noEmit",
  '"$JAVA_HOME/bin/java" -version; $JAVA_HOME/bin/javac A.java',
  '"$(brew --prefix openssl@3)/bin/openssl" version; $(npm bin)/jest',
  'ROOT=$(git rev-parse --show-toplevel); "$ROOT/bin/check"',
  "source .venv/bin/activate && python -m pytest",
  'for t in tests/*.sh; do bash "$t" || echo "FAIL $t"; done',
  'for f in scripts/*.sh; do bash -n "$f"; done',
  "for tool in node npm git; do command -v $tool >/dev/null || echo missing $tool; done",
  "for py in python3.11 python3.12; do command time $py --version; done",
  "find . -name '*.sh' -exec bash -n {} \\;",
  "git ls-files '*.sh' | xargs -n1 bash -n",
  "cat script.sh | bash -n",
  'exec "$SHELL"',
  "for t in *.sh; do bash $t; done",
  "for t in tests/*.sh; do sh $t; done",
  "\"$SHELL\" -c 'echo hi'",
  "cargo build && cp target/release/shop ~/.local/bin/ && shop --version",
  "perf record -g -- ./build/bench && perf report --stdio",
  "valgrind --leak-check=full ./build/t",
  "nix-shell -p jq --run 'jq . a.json'",
  "nix develop -c cargo test",
];

test("a line with a part that only the shell knows still tells its programs", () =>
  assert.deepEqual(known.filter(givesUp), []));

/** The same in appearance, and another program may run. */
const open = [
  'x="$1/y"; $x z',
  "read VIRTUAL_ENV < names; $VIRTUAL_ENV/y",
  "export JAVA_HOME='rm -rf'$x; bash -c '$JAVA_HOME/y'",
  "v=VIRTUAL_; read ${v}ENV; $VIRTUAL_ENV/y",
  "SHELL=$x; $SHELL -c y",
  'ls | while read -r t; do bash "$t"; done',
  'bash -c "$t"',
  'bash "$t" x',
  "ls | xargs -n1 bash -c",
  "ls | xargs bash -n",
  "echo 'rm y' > a; bash \"$x\"",
  'command "$x" y',
  "for t in rm; do command $t; $t; read t; $t y; done",
  "valgrind $x y",
  "nix-shell -p jq",
  'nix-shell --run "$x"',
  "perf stat $x",
  "IFS=n; trap 'x $HOME' EXIT",
];

test("where a part that only the shell knows may bring another program, nobody can tell", () =>
  assert.deepEqual(
    open.filter((line) => !givesUp(line)),
    [],
  ));

test("programs behind perf, valgrind, nix and a copy of a program are named", () => {
  const texts = (line: string): string[] => readShell(line, place).commands.map(({ words }) => words.join(" "));
  for (const [line, text] of [
    ["perf stat -e cycles rm y", "rm y"],
    ["valgrind -q --tool=memcheck rm y", "rm y"],
    ["nix-shell -p jq --run 'rm y'", "rm y"],
    ["nix develop .#x -c rm y", "rm y"],
    ["cp bin/shop ~/.local/bin/; shop y", "bin/shop y"],
    ["$SHELL -c 'rm y'", "rm y"],
    ['R=$(which rm); "$R" y', "/\0/rm y"],
  ] as const)
    assert.ok(texts(line).includes(text), `${line} runs ${JSON.stringify(texts(line))}`);
});

test("what a program's own options, settings and variables start is read, of build tools and viewers as of all", () => {
  const found = (line: string): boolean =>
    readShell(line, { cwd: "/w", home: "/home/ada" }).commands.some(({ words }) => words.join(" ") === "rm y");
  for (const line of [
    "go build -toolexec='rm y' ./...",
    "fzf --preview 'rm y'",
    "fzf --bind 'start:execute(rm y)'",
    "bat --pager='rm y' f",
    "gcc -wrapper rm,y x.c",
    "apt-get update -o DPkg::Pre-Invoke::='rm y'",
    "cargo --config 'build.rustc-wrapper=\"rm y\"' build",
    "RUSTC_WRAPPER='rm y' cargo build",
    "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER='rm y' cargo test",
    "FZF_DEFAULT_OPTS='--preview \"rm y\"' fzf",
    "make CC='rm y'",
    "cmake -DCMAKE_C_COMPILER_LAUNCHER='rm y' .",
    "hg --config hooks.pre-status='rm y' status",
    "tsup --onSuccess 'rm y'",
  ])
    assert.ok(found(line), line);
});

test("what runs the text that it works on is told to run nobody knows what", () => {
  const givesUp = (line: string): boolean =>
    readShell(line, { cwd: "/w", home: "/home/ada" }).unknown.some(({ what }) => what === "runs");
  for (const line of ["sed 's/.*/rm y/;e' f", "sed '1!d;s/x/y/;e'", 'sqlite3 x ".once |sh" "select 1"'])
    assert.ok(givesUp(line), line);
  for (const line of ["sed 's/a/e/;p' f", "sed 's;a;e;' f", 'sqlite3 x ".once out.csv" "select 1"'])
    assert.ok(!givesUp(line), line);
});

test("what a line writes into a file that a program reads by itself, or is told to, is read as that program's", () => {
  const found = (line: string): boolean =>
    readShell(line, place).commands.some(({ words }) => words.join(" ") === "rm y");
  for (const line of [
    "echo '!rm y' > a; vim -S a",
    "echo 'silent !rm y' > .vimrc; vim -u .vimrc",
    "echo '\\! rm y' > a; psql --file=a",
    "echo '\\! rm y' > .psqlrc; psql",
    "echo 'run-shell \"rm y\"' > a; tmux -f a new",
    "echo 'shell rm y' > .gdbinit; gdb ./x",
    "echo '.shell rm y' > a; sqlite3 x '.read a'",
    "echo 'screen rm y' > a; screen -c a",
    "echo 'spawn rm y' > a; expect -f a",
    "echo 'system(\"rm y\")' > .Rprofile; Rscript x.R",
  ])
    assert.ok(found(line), line);
  assert.ok(!found("echo 'shell rm y' > notes.txt; gdb ./x"));
});
