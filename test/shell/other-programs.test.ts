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
  "for t in *.sh; do bash $t; done",
  "for t in tests/*.sh; do sh $t; done",
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
