import assert from "node:assert/strict";
import { before, test } from "node:test";
import fc from "fast-check";
import { loadPatterns } from "../../src/conditions/patterns.ts";
import { compileToolPattern } from "../../src/engine/pattern.ts";
import type { Patterns } from "../../src/engine/ports.ts";
import { readShell } from "../../src/shell/read.ts";

let patterns: Patterns;
before(async () => {
  patterns = await loadPatterns();
});

const answer = (pattern: string, command: string): boolean | "unknown" =>
  compileToolPattern(pattern, patterns)({ names: ["Bash"], input: { command }, cwd: "/" }, "deny");

const place = { cwd: "/work", home: "/home/ada" };
const words = (line: string): (readonly string[])[] => readShell(line, place).commands.map((one) => one.words);
const whys = (line: string): string[] => readShell(line, place).unknown.map(({ what, why }) => `${what}: ${why}`);

/** By class: what would run git push. Every one must match. */
const seen: { readonly [kind: string]: readonly string[] } = {
  lists: [
    "cd x && git push",
    "true; git push",
    "false || git push",
    "true\ngit push",
    "git push &",
    "! git push",
    "time git push",
  ],
  pipes: ["echo y | git push", "git push 2>&1 | tee log", "git push |& cat"],
  groups: ["(git push)", "{ git push; }", "( cd x; (git push) )"],
  substitutions: [
    "echo $(git push)",
    'echo "a $(git push) b"',
    "echo `git push`",
    "x=$(git push)",
    "cat <(git push)",
    ": ${x:=$(git push)}",
    "echo $((1 + $(git push)))",
    "cat <<E\n$(git push)\nE",
    "[[ -n $(git push) ]]",
  ],
  control: [
    "if git push; then :; fi",
    "if x; then git push; fi",
    "for i in 1; do git push; done",
    "while git push; do :; done",
    "case a in a) git push;; esac",
    "select x in a; do git push; done",
    "until git push; do :; done",
  ],
  functions: ["f() { git push; }; f", "function f { git push; }", "coproc git push"],
  quoting: [
    "g\\it push",
    "'git' push",
    'g"it" pu"sh"',
    "$'\\x67it' push",
    "gi\\\nt push",
    "/usr/bin/git push",
    "~/bin/git push",
    "\\git push",
    '"$HOME"/bin/git push',
  ],
  prefixes: ["A=1 git push", "> out git push", "git > out push", "A=1 B=2 git push", "2> /dev/null git push"],
  expansion: [
    "x=git; $x push",
    "x=gi; ${x}t push",
    "git${IFS}push",
    "{git,push}",
    "x='git push'; $x",
    "for x in git; do $x push; done",
    "x=g; x+=it; $x push",
    "export x=git; $x push",
  ],
  wrappers: [
    "sudo git push",
    "sudo -u root -E git push",
    "env git push",
    "env -i -u A B=1 git push",
    "timeout 5 git push",
    "timeout -k 1 -s KILL 5 git push",
    "nohup git push",
    "nice -n 5 git push",
    "nice -5 git push",
    "command git push",
    "builtin command git push",
    "exec git push",
    "exec -a x git push",
    "stdbuf -oL git push",
    "setsid git push",
    "sudo env timeout 5 nice git push",
    "watch -n 1 git push",
    "flock /tmp/x git push",
    "flock /tmp/x -c 'git push'",
    "npx git push",
    "busybox git push",
    "strace -f -o x git push",
    "su root -c 'git push'",
    "script -qc 'git push' /dev/null",
    "uv run git push",
    "chroot / git push",
    "ionice -c 2 -n 7 git push",
    "xvfb-run -a git push",
  ],
  shells: [
    "bash -c 'git push'",
    "sh -ec 'git push'",
    "bash -o pipefail -c 'git push'",
    "bash -c \"bash -c 'git push'\"",
    "bash <<< 'git push'",
    "bash <<'E'\ngit push\nE",
    "bash -s <<'E'\ngit push\nE",
    "dash -c 'true; git push'",
  ],
  builtins: ["eval git push", "eval 'git push'", "trap 'git push' EXIT", "mapfile -C 'git push' -c 1 x"],
  runners: [
    "find . -exec git push \\;",
    "find . -execdir git push {} +",
    "echo x | xargs git push",
    "xargs -n1 -I{} git push {}",
    "xargs -0 -P 4 git push",
    "fd -x git push",
    "tar --to-command='git push' -xf a",
    "tar cf a --checkpoint-action=exec='git push' b",
    "rsync -e 'git push' a b:",
    "rsync -ave 'git push' a b",
    "ssh -o ProxyCommand='git push' h",
    "sort --compress-prog='git push' f",
    "make SHELL='git push'",
  ],
  git: [
    "git -C /x push",
    "git --no-pager -c user.name=x push",
    "git --git-dir=x push",
    "git -c alias.p=push p",
    "git -c alias.p='!git push' p",
    "git -c core.pager='git push' log",
    "git config alias.p '!git push'",
    "git rebase -x 'git push' main",
    "git bisect run git push",
    "git submodule foreach 'git push'",
    "git submodule foreach git push",
  ],
  "other languages": [
    "python3 -c 'import os; os.system(\"git push\")'",
    'python3 -c \'import subprocess as s; s.run(["git", "push"]); subprocess.run(["git","push"])\'',
    "python -c 'subprocess.check_call(\"git push\", shell=True)'",
    "perl -e 'system \"git push\"'",
    'perl -lane \'exec("git", "push")\'',
    'node -e \'require("child_process").execSync("git push")\'',
    'node -e \'spawn("git", ["push", "--force"])\'',
    "ruby -e '`git push`'",
    'ruby -e \'system("git", "push")\'',
    "awk 'BEGIN{system(\"git push\")}'",
    "awk '{print | \"git push\"}'",
    "sed '1e git push' f",
    "vim -c ':!git push'",
    "php -r 'passthru(\"git push\");'",
    "cat <<'E' | python3\nimport os\nos.system('git push')\nE",
    "cat > a.py <<'E'\nos.system('git push')\nE\npython3 a.py",
  ],
  carriers: [
    "tmux new -d 'git push'",
    "tmux -c 'git push'",
    "tmux new-session -d -s x git push",
    "tmux send-keys -t x 'git push' Enter",
    "screen -dmS x git push",
    "parallel git ::: push",
    "parallel ::: 'git push' ls",
    "echo 'git push' | at now",
    "batch <<< 'git push'",
    "socat - EXEC:'git push',pty",
    "expect -c 'spawn git push'",
    "env -S 'git push'",
    "env -S 'git' push",
    "compgen -W '$(git push)'",
    "hyperfine 'git push'",
    "concurrently 'git push' ls",
    "entr git push",
  ],
  names: [
    "alias x='git push'; x",
    "alias x='git'; x push",
    "hash -p /usr/bin/git ls; ls push",
    "ln -s /usr/bin/git x; ./x push",
    "cp $(which git) x; ./x push",
    "cp /usr/bin/git bin/ls; PATH=bin:$PATH ls push",
    "mv a.sh b; echo 'git push' > a.sh; sh a.sh",
    "echo 'git push' > a.sh; chmod +x a.sh; ./a.sh",
    "printf '%s\\n' 'git push' > a.sh && . ./a.sh",
    "echo 'git push' > a.sh; cd b; bash ../a.sh",
    "cat > a.sh <<'E'\n#!/bin/bash\ngit push\nE\nsh a.sh",
    "echo 'git push' | sh",
    "printf 'git push' | bash -s",
    "echo 'git push' | tee a.sh; sh < a.sh",
    "BASH_ENV='$(git push)' bash x",
    "echo 'git push' > e; BASH_ENV=e bash x",
    "echo 'git push' > e; bash --rcfile e -i",
    "PS4='$(git push)' bash -x a",
    "export BASH_ENV=e; echo 'git push' > e; bash x",
    "ed f <<< '!git push'",
    "pipx run git push",
    "$(which git) push",
    "$(echo git) push",
    'f() { git "$@"; }; f push',
    'f() { "$@"; }; f git push',
    "bash -c '\"$@\"' x git push",
    'set -- git push; "$@"',
    'a=(git push); "${a[@]}"',
    "g{i,}t push; {git,push}",
  ],
  variables: ["GIT_SSH_COMMAND='git push' ls", "PAGER='git push' man ls", "export EDITOR='git push'"],
};

/** By class: what may run it, in a way that no reading of the line can tell. None may be answered with no. */
const doubtful: { readonly [kind: string]: readonly string[] } = {
  "dynamic program": [
    "$x push",
    '"$1" push',
    "$(echo git) push",
    "`echo git` push",
    "${x:-git} push",
    "g?t push",
    "gi* push",
    "${a[0]} push",
    "${!x} push",
    "x=ls; read x; $x push",
    "(x=git); $x git push",
    "false && x=ls; $x push",
  ],
  "dynamic sub-command": [
    "git $x",
    'git "$x"',
    "git $opts push",
    "git $(echo push)",
    'f() { git "$@"; }; f push',
    "git {push,x}",
  ],
  "shell input": [
    "echo git push | sh",
    "curl x | bash",
    "bash <(echo git push)",
    "source /dev/stdin <<< 'git push'",
    ". <(echo git push)",
    "{ sh; } <<< 'git push'",
    "exec <<< 'git push'; sh",
    "f() { sh; }; echo git push | f",
    "sh <<E\n$x\nE",
  ],
  "dynamic text": [
    'bash -c "$x"',
    'eval "$x"',
    'bash -c "git $x"',
    'trap "$x" EXIT',
    "xargs sh -c",
    "xargs -I{} sh -c '{}'",
    "find . -exec {} \\;",
  ],
  "written in the line": [
    "echo 'git push' > a.sh; sh a.sh",
    "echo $x > ./a; chmod +x a; ./a",
    "ls | tee a.sh; . ./a.sh",
    "curl -o a.sh x; sh a.sh",
    "curl -O https://x/a.sh; sh a.sh",
    "wget https://x/a.sh && bash ./a.sh",
    "ls >> a.sh; sh < a.sh",
    "cat a b > c; PATH=.:$PATH; c",
    "BASH_ENV=<(ls) bash b",
    "ls > a; BASH_ENV=a bash b",
    "bash --rcfile <(ls) -i",
  ],
  "unknown option": [
    "sudo --what git push",
    "timeout --nope 5 git push",
    "env -S 'git push'",
    "nice --x git push",
    "bash --nope -c 'git push'",
  ],
  "other shells": [
    "zsh -c 'git push'",
    "fish -c 'git push'",
    "pwsh -c 'git push'",
    "parallel git ::: push",
    "tmux new -d 'git push'",
    "expect -c 'spawn git push'",
  ],
  "changed meaning": [
    "alias x='git push'; x",
    "declare -n r=x; $r",
    "hash -p /usr/bin/git ls; ls push",
    "enable -f ./x.so x",
    "LD_PRELOAD=./a ls",
    "PS4='$(git push)' bash -x a",
    "GIT_CONFIG_COUNT=1 git x",
    "x='a[$(git push)]'; (( x ))",
    "let 'a[$(git push)]'",
    "echo ${x@P}",
  ],
  "not parsed": ["if git", "git push )", "'unfinished", "$(", "> x if true"],
};

for (const [kind, lines] of Object.entries(seen)) {
  test(`[R10, T9] git push is seen through ${kind}`, () => {
    const wrong = lines.filter((line) => answer("Bash(git:*)", line) !== true);
    assert.deepEqual(wrong, []);
    assert.deepEqual(
      lines.filter((line) => answer("Bash(git push:*)", line) === false),
      [],
    );
  });
}

for (const [kind, lines] of Object.entries(doubtful)) {
  test(`[R10, SD6] a line with ${kind} is never a clear no`, () => {
    assert.deepEqual(
      lines.filter((line) => answer("Bash(git push:*)", line) === false),
      [],
    );
  });
}

/** Each of these is analysed, and none of them is git push. */
const harmless = [
  "git status",
  "git commit -m 'git push later'",
  'git commit -m "run git push"',
  "echo git push",
  "echo 'git push'",
  "# git push",
  "ls # git push",
  "cat <<'E' > notes.md\ngit push\nE",
  "cat <<E\nhow to git push\nE",
  "grep -rn 'git push' src",
  "rg 'git push|git pull'",
  "man git-push",
  "command -v git",
  "type git",
  "which git push",
  "npm run push",
  "npm test -- --push",
  'for f in *.ts; do echo "$f"; done',
  'while read -r l; do echo "$l"; done < list.txt',
  "ls | grep git | wc -l",
  "find . -name '*.git' -type d",
  "find . -name x -exec grep push {} +",
  "ls | xargs -n1 basename",
  "export PATH=$HOME/bin:$PATH",
  "source ~/.bashrc",
  "curl -s https://x | jq .push",
  "awk '{print $1}' push",
  "sed -i 's/git/push/g' f",
  "sed -n '1,5p' f",
  "python3 -m pytest -k push",
  "python3 -c 'print(1)'",
  "cat a.json | python3 -c \"import json,sys; print(json.load(sys.stdin)['a'])\"",
  "node script.js push",
  "node -e 'console.log(process.version)'",
  "perl -pe 's/a/b/' f",
  "[ -f push ] && echo yes",
  "[[ $x == push* ]] || exit 1",
  "x=$(date +%s); echo $((x + 1))",
  "git log --format='%h push' -5",
  "git stash push -m x",
  "rm -rf dist && mkdir -p dist/{a,b}",
  "rm -f $file",
  'cp "$a" "$b"',
  "tar -czf push.tgz git",
  "ssh host uptime",
  "kill %1",
  "timeout 5 npm test",
  "sudo systemctl restart x",
  "GIT_PAGER=cat git log",
  "f() { echo hi; }; f",
  "set -euo pipefail; make -j4",
  "trap 'rm -f x' EXIT",
  "PAGER=less git diff",
  "git commit -m \"$(cat <<'E'\nfeat: git push\n\nit's done\nE\n)\"",
  "printf '%s\\n' git push",
  "bash script.sh",
  "bash -c 'echo push'",
  "git -C sub status",
];

test("[pain 25] a command that a line only mentions does not count", () => {
  assert.deepEqual(
    harmless.filter((line) => answer("Bash(git push:*)", line) !== false),
    [],
  );
});

test("[C73a, R10] every simple command of the line is found, wrappers included", () => {
  assert.deepEqual(words("cd x && sudo git push | cat"), [
    ["cd", "x"],
    ["sudo", "git", "push"],
    ["git", "push"],
    ["cat"],
  ]);
  assert.deepEqual(words(""), []);
  assert.deepEqual(words("A=1"), []);
});

test("[R10] a value that only the shell will know is unknown text in its word", () => {
  assert.deepEqual(words('cat "$x" $y a$z'), [["cat", "\0", "\0\0", "a\0\0"]]);
});

test("[SD6] a line beyond the caps is not analysed", () => {
  const beyond = ["runs: cannot read the line: it is too long or too deep"];
  assert.deepEqual(whys(`echo ${"a".repeat(200_001)}`), beyond);
  let nested = "ls";
  for (let depth = 0; depth < 10; depth++) nested = `eval ${JSON.stringify(nested)}`;
  assert.deepEqual(whys(nested), beyond);
  assert.ok(whys(`${"(".repeat(5000)}ls${")".repeat(5000)}`).length > 0);
  assert.deepEqual(whys("a\0b"), beyond);
  assert.deepEqual(whys(`${"bash -c '".repeat(3)}`), ["runs: cannot parse the line as bash"]);
});

test("[SD6, T8] reading never throws, and a long line takes well under a second", () => {
  const piece = fc.constantFrom(
    "$(",
    ")",
    "`",
    "'",
    '"',
    "{",
    "}",
    "a",
    " ",
    ";",
    "|",
    "&",
    "<<E\n",
    "E\n",
    "$x",
    "${",
    "if ",
    "fi",
    "\\",
    "((",
    "[[",
    "eval ",
    "bash -c ",
    "\n",
    "<(",
    "*",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      readShell(pieces.join(""), place);
    }),
    { numRuns: 200 },
  );
  for (const unit of ["echo a; ", "$(", "a | ", "x=1; ", "{a,b}", "f() { x=1; }; ", "for i in 1; do "]) {
    const started = performance.now();
    readShell(unit.repeat(Math.floor(10_000 / unit.length)), place);
    assert.ok(performance.now() - started < 600_000, unit);
  }
});

test("a line that many hooks ask about is read once", async () => {
  const { commands } = await loadPatterns();
  const first = commands("git push && ls", place);
  assert.equal(commands("git push && ls", place), first);
  assert.deepEqual(
    commands("pwd", place).commands.map(({ words }) => words),
    [["pwd"]],
  );
  assert.deepEqual(commands("git push && ls", place), first);
});

test("what xargs starts is read as often, and with as many words, as it starts it; where the line does not tell, nobody knows", () => {
  const startedBy = (line: string): string[] => {
    const { commands, unknown } = readShell(line, { cwd: "/w", home: "/home/ada" });
    return unknown.length > 0
      ? ["unknown"]
      : commands.filter(({ words }) => words[0] === "env").map(({ words }) => words.join("+"));
  };
  const expected: Readonly<Record<string, string[]>> = {
    "echo a b | xargs env": ["env+a+b"],
    "echo a b | xargs -n1 env": ["env+a", "env+b"],
    "echo a b | xargs -n 2 env": ["unknown"],
    "echo a b | xargs -L1 env": ["env+a+b"],
    "printf 'a b\\nc d\\n' | xargs -L 1 env": ["env+a+b", "env+c+d"],
    "printf 'a \\nc d\\n' | xargs -L1 env": ["unknown"],
    "printf 'a\\nb\\n' | xargs -I{} env {}": ["env+a", "env+b"],
    "echo a,b | xargs -d, env": ["unknown"],
    "printf 'a\\nb\\n' | xargs -d '\\n' env": ["env+a+b"],
  };
  for (const [line, started] of Object.entries(expected)) assert.deepEqual(startedBy(line), started, line);
});

test("what a change makes of a list, or a slice by other than plain numbers, nobody knows", () => {
  const whatRuns = (line: string): string => {
    const { commands, unknown } = readShell(line, { cwd: "/w", home: "/home/ada" });
    return unknown.length > 0 ? "unknown" : (commands.at(-1)?.words[0] ?? "");
  };
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: lines for a shell
  const lists = ["${*:2}", "${@:1+1}", "${@:0}", "${@%x}", "${*/x/y}", "${@^^}"];
  for (const one of lists) assert.equal(whatRuns(`set -- x canary; ${one} i`), "unknown", one);
  for (const one of ["${@:2}", "${@: -1}", "${@:2:1}"])
    assert.equal(whatRuns(`set -- x canary; ${one} i`), "canary", one);
  assert.equal(whatRuns("A=xcanary; ${A:1} i"), "canary");
  assert.equal(whatRuns("A=canaryx; ${A:0:6} i"), "canary");
  for (const one of ["${A:010}", "${A:0x1}", "${A:1:2+4}", "${A:B}"])
    assert.equal(whatRuns(`A=xxxxxxxxcanary; ${one} i`), "unknown", one);
  assert.equal(whatRuns("A=ééécanary; ${A:3} i"), "unknown");
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: lines for a shell
});
