/** Lines that once ran a program unseen, found by the fuzzer: each way by its name. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ShellReading } from "../../src/engine/effects.ts";
import { readShell } from "../../src/shell/read.ts";

const read = (line: string): ShellReading => readShell(line, { cwd: "/w", home: "/home/ada" });
const givesUp = (line: string): boolean => read(line).unknown.some(({ what }) => what === "runs");
const texts = (line: string): string[] => read(line).commands.map(({ words }) => words.join(" "));
const folders = (line: string): (string | undefined)[] => read(line).commands.map(({ cwd }) => cwd);

function runsOne(line: string, text: string): void {
  assert.ok(texts(line).includes(text), `${line}\nruns ${JSON.stringify(texts(line))}`);
}

const isUnknown = (...lines: readonly string[]): void =>
  assert.deepEqual(
    lines.filter((line) => !givesUp(line)),
    [],
  );

test("an argument that looks like an assignment has its tilde filled in by bash, and by no other shell", () => {
  runsOne("bash -c 'rm of=~/x:~/y'", "rm of=/home/ada/x:/home/ada/y");
  runsOne("rm of=~/x:~", "rm of=/home/ada/x:/home/ada");
  runsOne("sh -c 'rm of=~/x'", "rm of=\0");
  runsOne("rm 'of=~/x'", "rm of=~/x");
  runsOne("rm of=~/'a b'", "rm of=/home/ada/a b");
});

test("set -k makes variables of words behind the program", () =>
  isUnknown("set -k; x PATH=.", "set -o keyword", "bash -k x"));

test("mapfile and compgen add words to the line of -C", () => {
  for (const line of ["mapfile -C 'rm -f' -c 1 x", "readarray -tC 'rm -f' -c 1", "compgen -C 'rm -f' x"])
    runsOne(line, "rm -f \0\0");
  isUnknown('mapfile -C "$x" -c 1 y');
});

test("the words of compgen -W keep what stands in their substitutions together", () => {
  isUnknown("compgen -W '$(true; rm x)'", "compgen -W '$(true\nrm x)' y", "compgen -W '$(bash <<E\nrm x\nE\n)'");
  runsOne("compgen -W '$(rm x)'", "rm x");
});

test("the text of a list is evaluated again by declare -a", () => {
  isUnknown("declare -a 'x=($(rm y))'", "typeset -A 'x=([a]=`rm y`)'");
  assert.equal(givesUp("declare -a x=(a b)"), false);
});

test("arithmetic runs the substitution in a subscript, also by declare -i and [[", () => {
  isUnknown(
    "declare -i n='a[$(rm x)]'",
    "[[ 'a[$(rm x)]' -gt 0 ]]",
    "[[ -v 'a[$(rm x)]' ]]",
    "x='a[$(rm y)]'; [[ $x -eq 1 ]]",
  );
  isUnknown("x=a y='[$(rm z)]'; echo $((x$y))");
  assert.equal(givesUp("[[ 'a[$(rm x)]' == b && -f $x ]]"), false);
});

test("git gives the words behind an alias to its line", () => {
  runsOne("git -c alias.x='!rm' x -rf y", "rm -rf y");
  runsOne("git -c alias.x='!f() { rm \"$@\"; }; f' x -rf y", "rm -rf y");
  runsOne("git config alias.x '!rm'", "rm \0\0");
});

test("settings and hooks of git that the line writes are read", () => {
  runsOne("printf '[alias]\\nx = \"!rm y\"\\n' > ~/.gitconfig; git x", "rm y \0\0");
  runsOne("cat > .git/hooks/pre-commit <<'E'\nrm y\ngit diff\nE\ngit commit -m x", "rm y");
  runsOne("echo 'rm y' > h/pre-push; git -c core.hooksPath=h push", "rm y");
  runsOne("cp hook.sh .git/hooks/pre-commit; git commit", "hook.sh \0\0");
  isUnknown("curl -o .git/hooks/pre-commit x; git commit", "curl -o ~/.gitconfig x; git y");
  assert.equal(givesUp("printf '[user]\\n\\tname = Ada\\n' > ~/.gitconfig; git commit -m x"), false);
});

test("a program called git-x that the line makes is git's sub-command x", () => {
  runsOne("ln -s /bin/rm git-foo; PATH=.:$PATH git foo y", "/bin/rm y");
  runsOne("cp /bin/rm ~/bin/git-foo; git foo y", "/bin/rm y");
});

test("a program that the line brings to a folder of programs is found by its name", () => {
  runsOne("cp /bin/rm ~/.local/bin/ls; ls -rf x", "/bin/rm -rf x");
  runsOne("echo 'rm y' > ~/bin/other; chmod +x ~/bin/other; other", "rm y");
  isUnknown(
    'ln -s /bin/rm "$BIN/ls"; curl -o ~/bin/x y; x',
    "curl -o /usr/local/bin/x y; chmod +x /usr/local/bin/x; x",
  );
  assert.equal(givesUp("curl -o data/jq x; jq . y"), false);
});

test("whatever sets PATH changes where programs are looked for", () => {
  for (const set of [
    'read -r PATH <<< "sub:$PATH"',
    'printf -v PATH %s "sub:$PATH"',
    "printf -vPATH %s sub",
    "for PATH in sub; do :; done",
  ])
    runsOne(`ln -s /bin/rm sub/ls; ${set}; ls y`, "/bin/rm y");
});

test("a variable that stands attached to its option is set", () =>
  isUnknown(
    "x=ls; printf -vx rm; $x y",
    "x=ls; read -rax <<< rm; $x y",
    "x=ls; if true; then printf -vx rm; fi; $x y",
  ));

test("find -execdir runs its program in each file's folder", () => {
  assert.deepEqual(folders("find . -name x -execdir rm y \\;"), ["/w", undefined]);
  assert.deepEqual(folders("find . -name x -exec rm y \\;"), ["/w", "/w"]);
});

test("what PS4 holds runs in whatever folder the shell is in", () =>
  assert.deepEqual(folders("PS4='$(rm x)' bash -xc 'cd y; true'")[1], undefined));

test("behind a question nobody knows whether the line went to the folder", () => {
  assert.equal(folders("[ -d x ] && cd x; rm y").at(-1), undefined);
  assert.equal(folders("false && pushd x; rm y").at(-1), undefined);
  assert.equal(folders("time [ -d x ] && cd x; rm y").at(-1), undefined);
  assert.equal(folders("echo a | xargs -I% [ -d x ] && cd x; rm y").at(-1), undefined);
  assert.equal(folders("mkdir -p x && cd x; rm y").at(-1), "/w/x");
});

test("an alias that ends in a blank has the next word looked up, and one with lines or a comment is not put together", () =>
  isUnknown("alias e='env ' c=rm; e c y", "alias x='rm y #'; x z", "alias x='rm y\n'; x z"));

test("a shell reads the start files that the line has written", () => {
  runsOne("echo 'rm y' > ~/.bashrc; bash -i -c true", "rm y");
  runsOne("echo 'rm y' >> ~/.profile; sh -lc true", "rm y");
  isUnknown("curl x > ~/.bash_profile; bash -l");
});

test("tasks that the line has written are run by the program of the tasks", () => {
  runsOne("printf 'all:\\n\\t@rm y\\n' > Makefile; make", "rm y");
  runsOne("printf 'R = rm -rf\\nall: ; $(R) y\\n' > Makefile; make all", "rm -rf y");
  runsOne("printf 'all:\\n\\t$(RM) $@ $$x\\n' > Makefile; make", "rm -f \0 \0\0");
  runsOne('echo \'{"scripts":{"a":"rm y"}}\' > package.json; npm run a', "rm y");
  isUnknown("printf 'x := $(shell rm y)\\n' > Makefile; make", "printf 'all:\\n\\t$(X) y\\n' > Makefile; make");
  isUnknown("echo '{' > package.json; npm install", "curl -o justfile x; just");
  assert.equal(givesUp("printf 'all:\\n\\t$(CC) -o $@ $<\\n' > Makefile; make"), false);
});

test("other shells end $'…' at the first quote, and take it for text", () => {
  isUnknown("sh -c \"x=$'a[\\\\x24(rm y)]'; echo \\$((x))\"");
  isUnknown("sh -c $'x $\\'a\\\\\\'; rm y #\\''");
  runsOne("sh -c \"rm $'-rf' x\"", "rm \0 x");
  runsOne("bash -c \"rm $'-rf' x\"", "rm -rf x");
});

test("a slash in a substitution does not end what it is the pattern of", () => {
  isUnknown("echo ${x/$(ls a/b; rm y)/}", "echo ${x/`ls a/b; rm y`/}", "echo ${x//$(echo ')'/; rm y)/}");
  assert.equal(givesUp('echo "${f/$(pwd)/.}"'), false);
});

test("a quote between backticks in quotes ends the quotes for braces", () => {
  isUnknown('echo "`"{ls,rm}" y`"', 'echo "`x "\\$( {ls,rm} y )"`"');
  assert.equal(givesUp('echo "`git log --format="%h" -1`"'), false);
});

test("behind || nobody went to a folder that command cd did not find", () =>
  assert.notEqual(folders("command cd x || rm y").at(-1), "/w/x"));

test("a function that only a start file defines is read", () =>
  runsOne("export BASH_ENV=e.sh; echo 'f() { rm y; }; compgen -F f x' > e.sh; bash -c true", "rm y"));

test("xargs -n1 without input gives its program no word", () => {
  runsOne("ls | xargs -n1 rm y", "rm y \0\0");
  runsOne("ls | xargs -n1 bash", "bash \0");
});

test("an alias holds for the line that changes or removes it", () => {
  isUnknown("alias x='rm y'\nalias x=ls; x");
  runsOne("alias x='rm y'\nunalias x; x", "rm y");
});

test("a word of a list that looks like an assignment keeps its tilde", () =>
  runsOne('a=(rm x=~); "${a[@]}"', "rm x=~"));

test("a function that calls itself with other arguments runs what they name", () => {
  isUnknown('f() { "$@"; f rm y; }; f ls', 'f() { g "$@"; }; g() { "$@"; f rm y; }; f ls');
  runsOne('f() { rm "$@"; f z; }; f y', "rm \0\0");
  assert.equal(givesUp("f() { ls; f; }; f"), false);
});

test("an alias of git without words behind it gets none", () => {
  runsOne(`git config alias.x '!set -- rm y; "$@"'; git x`, "rm y");
  runsOne(`git -c alias.x='!set -- rm y; "$@"' x`, "rm y");
});

test("other shells know no builtin and no pushd, and stay in their folder", () => {
  for (const moves of ["builtin cd x", "pushd x"]) {
    assert.equal(folders(`sh -c '${moves}; rm y'`).at(-1), undefined);
    assert.equal(folders(`bash -c '${moves}; rm y'`).at(-1), "/w/x");
  }
});

test("a script whose name nobody knows may be a program of that name", () =>
  isUnknown("ls | xargs -n1 bash", 'bash "$x"', "find . -exec sh {} \\;"));

test("behind cd x || return nobody can tell where the line goes on, as only a function returns", () => {
  assert.equal(folders("cd x || return; rm y").at(-1), undefined);
  assert.equal(folders("cd x || exit; rm y").at(-1), "/w/x");
});

test("in a shell that knows no declare a variable keeps the value that nobody knows", () => {
  const words = (line: string): string => read(line).commands.at(-1)?.words.join(" ") ?? "";
  assert.equal(words("bash -c 'declare x=rm; $x y'"), "rm y");
  isUnknown("sh -c 'declare x=rm; $x y'", "sh -c 'typeset x=rm; $x y'");
  assert.equal(words("sh -c 'export x=rm; $x y'"), "rm y");
});
