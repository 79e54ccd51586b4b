import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { parse } from "unbash";
import { HooklineError } from "../../src/engine/error.ts";
import { type Fields, firstTurn } from "../../src/engine/event.ts";
import type { Scope, ShellTemplate } from "../../src/engine/ports.ts";
import { compileShellTemplate } from "../../src/shell/template.ts";
import { compileArguments } from "../../src/shell/values.ts";
import { temporaryFolder } from "../actions/context.ts";

const scopeOf = (data: Fields): Scope => ({
  event: { id: "e", name: "PreToolUse", at: 0, cwd: "/", data, sender: "test" },
  turn: firstTurn,
  names: [],
  results: [],
});
const value = "{{event.v}}";

function accepted(line: string): ShellTemplate {
  const template = compileShellTemplate(line);
  assert.ok(template && !Array.isArray(template), `${line} ${JSON.stringify(template)}`);
  return template;
}
const lineOf = (line: string): string => accepted(line).line;
function whereOf(line: string): string {
  const faults = compileShellTemplate(line);
  assert.ok(Array.isArray(faults), `accepted: ${line}`);
  assert.match(faults[0]?.placeholder ?? "", /^\{\{.*\}\}$/);
  return faults[0]?.where ?? "";
}

test("[R18] a placeholder becomes a variable, quoted for its place in the line", () => {
  const lines = [
    ["cat {{event.v}}", 'cat "$HOOKLINE_VALUE_1"'],
    ['cat "a {{ event.v }} b"', 'cat "a ${HOOKLINE_VALUE_1} b"'],
    ["cat 'a {{event.v}} b'", `cat 'a '"\${HOOKLINE_VALUE_1}"' b'`],
    ["cat $'a\\n{{event.v}}'", `cat $'a\\n'"\${HOOKLINE_VALUE_1}"$''`],
    ['cd "$(dirname {{event.v}})"', 'cd "$(dirname "$HOOKLINE_VALUE_1")"'],
    [
      "x={{event.v}} y={{event.w}} z={{event.v}} a",
      'x="$HOOKLINE_VALUE_1" y="$HOOKLINE_VALUE_2" z="$HOOKLINE_VALUE_1" a',
    ],
  ] as const;
  for (const [written, line] of lines) assert.equal(lineOf(written), line);
  assert.deepEqual(accepted("a {{event.v}} {{event.w}}").values(scopeOf({ v: "x y", w: [1] })), {
    HOOKLINE_VALUE_1: "x y",
    HOOKLINE_VALUE_2: "[1]",
  });
});

test("[R18, D70] a line without placeholders is not looked at, and an unknown root stays as written", () => {
  for (const line of ["ls", "echo 'open", "docker ps --format '{{.Names}}'", "echo {{foo}} {{ }} }}"])
    assert.equal(compileShellTemplate(line), undefined, line);
  assert.equal(
    lineOf("docker ps -f name={{event.v}} --format '{{.Names}}'"),
    `docker ps -f name="$HOOKLINE_VALUE_1" --format '{{.Names}}'`,
  );
});

/** What people write. */
const usual = [
  "prettier --write V",
  "set -e; prettier --write V",
  "set -euo pipefail\nprettier --write V",
  'npx eslint --fix "V"',
  "echo V >> notes.log",
  "node scripts/check.js V",
  '"$CLAUDE_PROJECT_DIR"/hooks/fmt.sh V',
  "bash .hookline/x.sh V 2>&1 | tail -5",
  "case V in *.ts) npx tsc --noEmit;; esac",
  "if [ -f V ]; then wc -l < V; fi",
  'f=V; gofmt -w "$f"',
  "grep -q TODO V && echo found",
  "[[ V == *.py ]] && ruff check V",
  "curl -s -d V https://example.org",
  "printf '%s\\n' V",
  "python3 tools/lint.py V",
  "git add -- V",
  "test -n V || exit 0",
  "jq . V",
  "sed -i 's/a/b/' V",
  "awk '{print $1}' V",
  "ruff check V | head -n 3",
  'mkdir -p "$(dirname V)"',
  "timeout 5 node x.js V",
  "env FOO=1 ./run.sh V",
  "./run.sh V",
  "cd lib && npx vitest run V",
  'cd "$(dirname V)" && npx prettier --write V',
  "git commit -m V",
  "echo V | jq -R .",
  "cat <<< V",
  'while IFS= read -r l; do echo "$l"; done < V',
  'for f in V b; do wc -l "$f"; done',
  "bash -c 'echo \"$1\"' _ V",
  "find . -name V",
  "python3 -m py_compile V",
  "sudo -u me cat V",
  "command -v prettier >/dev/null 2>&1 || exit 0; prettier --write V",
  "jq -n --arg p V '{path:$p}'",
  '( cd "$(dirname "V")" && ls ) > out 2>&1',
  "{ echo V; date; } >> log.txt",
  'echo "V ran at $(date)" >> ~/log.txt',
  "npm test && echo V >> done.log",
  "[ -x ./fmt.sh ] && ./fmt.sh V",
  "case V in *.go) gofmt -w V ;; *.ts|*.tsx) npx prettier --write V ;; esac",
  "[[ -f V && ! -x V ]]",
  'name="$(basename V .ts)"; echo "${name%.test}" >> x',
  "black --quiet V && git add -- V",
  "node --check V",
  "bash -n V",
  'tsc --noEmit; eslint "src/V"',
  "rm -- V",
  "export FILE=V; ./x.sh",
  "notify-send 'Done' V",
  "osascript notify.scpt V",
  "docker ps -f name=V --format '{{.Names}}'",
  'curl -d \'{"text":"V"}\' http://x',
  "cargo fmt; echo V",
  "rustfmt V &",
  "[[ V == *.ts ]] || [[ V == *.tsx ]] && tsc",
  "if [ -f V ]; then cat V; elif true; then :; else cat V; fi",
  "export P=V; make",
  'echo V | while read -r l; do echo "$l"; done',
  "! grep -q TODO V",
  "time cat V &> log &",
  "cat V |& tee log",
  "sh -c 'cd \"$0\" && ls' V",
  "until cat V; do sleep 1; done # wait",
  'diff -u "${base:-main.txt}" V > out.diff',
  "python -m pytest -q V",
  "find V -name '*.ts' -newer stamp",
  "cargo clippy --quiet && echo V",
  'curl -fsS --data-urlencode "text=V" http://x | jq -r .id',
];

test("[R18] what people write for a tool's parameters is taken, and stays a line of the shell", () => {
  for (const line of usual) {
    const { errors = [] } = parse(lineOf(line.replaceAll("V", value)));
    assert.deepEqual(errors, [], line);
  }
});

/** Where a value could be more than an argument, by what is said of it. */
const refused: { readonly [where: string]: readonly string[] } = {
  "here-document": ["cat <<E\nV\nE", "cat <<'E'\nV\nE", "cat <<E\nx\nE\ncat V"],
  "in a comment": ["ls # V", "ls\n# V\nls", "{ # V\n:; }"],
  arithmetic: ["echo $((V+1))", "((x=V))", "echo $[V]", 'echo "$((V))"', "x=$((1+2)); cat V", "true; ((V))"],
  "[[": [
    "[[ V -eq 1 ]]",
    "[[ 1 -lt V ]]",
    "[[ -v V ]]",
    "[[ a =~ V ]]",
    "[[ -f x && V == a ]]",
    "x=V; [[ x -gt 1 ]]",
    "[[ a == a || ! V == b ]]",
  ],
  "pattern of a case": ["case a in V) ;; esac", "case a in (b|V*) ;; esac", "x=V; case a in $x) ;; esac"],
  "plain text": [
    "echo ${a:-V}",
    "echo ${V}",
    'echo "${a#V}"',
    "echo ${a[V]}",
    "echo ${a:V}",
    "x=V; echo ${!x}",
    "x=V; echo ${a:x}",
    "x=V; echo ${x@P}",
    'x=V; : "${y:=$x}"',
  ],
  backticks: ["echo `cat V`", 'echo "`cat V`"'],
  "has to be named": [
    "V a",
    '"V" a',
    "x/V a",
    "a && V",
    "$(V)",
    "if V; then :; fi",
    "x=1 V",
    "! V",
    "a | V",
    "sudo V",
    "nohup V &",
    "timeout 5 V",
    "x=V; $x",
    "$x V",
    "/bin/ba?h -c x; echo V",
    "ba{sh,} -c V",
    '"$SHELL" V',
    "time -f x bash V",
  ],
  "as code or runs it": [
    "eval ls V",
    "ssh h ls V",
    "trap V EXIT",
    "source V",
    ". V",
    'su me -c "V"',
    "xargs V",
    "read x; declare x=V",
    "local x=V",
    "let V",
    "unset V",
    "set V",
    "set -- V",
    "shift; echo V",
    "mapfile V",
    "getopts ab V",
    "coproc cat V",
    "ls /x | xargs rm; echo V",
    "wait V",
  ],
  "reads as code": [
    "bash -c V",
    'bash -c "ls V"',
    "sh -c 'V'",
    'awk "{print V}"',
    "sed s/a/V/ f",
    'jq ".V"',
    "bash -c $x V",
  ],
  "more than run a script": [
    "bash -euo pipefail -c 'ls V'",
    "python -c \"print('V')\"",
    "node -e V",
    "perl -ne 'V'",
    "bash V",
    "python3 V",
    "bash; echo V",
    "bash $x V",
    "echo V | sh -s x",
    "node -r x y.js V",
  ],
  "takes a command": ["find . -exec V \\;", 'find . -exec sh -c "V" \\;', "rg --pre V x", "curl --eval=V"],
  "in a line with git": ["git -c core.pager=V log", "git config a.b V", "git -C V diff", "git rebase --exec V"],
  "write -- before it": ["git add V", "git diff V", "git log --format=V"],
  "npx does": ["npm run lint -- V", "npm test -- V", "yarn V", "pnpm run y V", "make F=V", "cargo run -- V"],
  "what it runs": ["env -S V", "sudo --unheard-of x V", "nice -x V"],
  "write it in quotes": [
    "x=V; cat $x",
    "cat $(cat V)",
    "for f in $(cat V); do :; done",
    "test $x V",
    "cat < $(echo V)",
  ],
  "variable's name": ["export V", "read V", "for V in a; do :; done", "export -n V"],
  "printf's format": ['printf "V\\n"', "printf V", "printf -- V", "printf -v V a"],
  "more than one comparison": ["[ V V ]", 'test "V" V', "test -v V", "[ -v V ]", "[ V -eq 1 ]", "[ -f V -a -f b ]"],
  "behind a backslash": ["echo \\V", 'echo "a \\V"', "echo $'\\V'"],
  "reads it twice": ["echo a >& V", "echo a 2>&V", 'x=V; echo a >& "$x"'],
  "behind a $": ["echo $V", 'echo "$V"'],
  "which changes what programs do": [
    "PATH=V ls",
    "IFS=V",
    "LD_PRELOAD=V ls",
    "env NODE_OPTIONS=V node x",
    "export BASH_ENV=V",
    "OPTIND=V",
    "SECONDS=1; echo V",
  ],
  "as the value of": ["ABC=V ls", "export MYVAR=V"],
  "may write it": [
    "echo V > s.sh; bash s.sh",
    "echo V | tee s.sh; ./s.sh",
    "echo a > V; bash s.sh",
    "cp V x/s.sh; sh x/s.sh",
  ],
  "folder that a value names": ["cd V && ./x.sh", 'cd "$(dirname V)"; node x.js'],
  "may run or write": ["sed 's/a/b/e' V", "sed 'w f' V", "awk '{system($1)}' V"],
  "cannot be read": [
    "a(V)",
    "echo V 'x",
    'echo V "x',
    "echo V $(x",
    "echo V )",
    "echo V; fi",
    "case V",
    "echo $'\\'' V",
    "while :; cat V",
  ],
  "inside a command": ["f() { cat V; }"],
  "no plain NAME=": ["x+=V", "a[V]=1", "a=(V b)"],
  "with $": ["echo $_ V", 'echo "$1" V', 'echo "$@" V'],
};

test("[R18] where a value could be more than an argument, the line is refused with the place", () => {
  for (const [where, lines] of Object.entries(refused))
    for (const line of lines) {
      const said = whereOf(line.replace(/\bV\b/g, value));
      assert.ok(said.includes(where), `${line}: ${said}`);
      assert.match(said, / \(.*\)$/s, "it says what to do instead");
    }
});

/** What the parser takes and a shell does not, or not every shell. */
const forgiven = [
  "cat(V",
  "cat V (",
  "! ; cat V",
  "!cat V; !( cat V )",
  "cat ${ echo; } V",
  'cat "${|echo}" V',
  "[[\nV == a ]]",
  "[[ a ==\nV ]]",
  "[[ a == #\\\nV ]]",
  "[[ V == #a ]]",
  "[[ V & a ]]",
  "time -- cat V",
  "for i; do cat V; done",
  "case V in *|&a) : ;; esac; cat(",
];

test("[R18] what a parser forgives and some shell would read in another way is refused", () => {
  for (const line of forgiven) whereOf(line.replace(/\bV\b/g, value));
});

/** Each of these runs or evaluates a value in some shell, or in a program that many have. */
const evaluating = [
  "tar xf V; ./x.sh",
  "npx -y bash@1 -c V",
  "echo V | go run /dev/stdin",
  "sed 's/x*//;s/.*/&/e' <<< V",
  "bash -c '$0' V",
  "rg --hostname-bin=V x",
  "fd . -X sh -c V",
  "fd x -x V",
  "curl -os.sh V; sh s.sh",
  "export CMD=V; bash -c 'eval \"$CMD\"'",
  "x=V; trap '$x' EXIT",
  "x=V; trap 'eval \"$x\"' EXIT",
  "x=V; eval 'eval \"$x\"'",
  "bash -c 'eval \"$1\"' _ V",
  "bash -c '$1' _ V",
  "bash -c '[[ $1 -eq 1 ]]' _ V",
  "bash -c 'sh -c \"wc -l $1\"' _ V",
  "declare -x -i n; n=V",
  "declare -g -n r; r=V; echo $r",
  "x=V; y=x; (( y ))",
  "x=V; a=([$x]=1)",
  "x=V; a=([x]=1)",
  "shopt -s expand_aliases\nalias run=eval\nrun V",
  'f() { eval "${10}"; }; f a b c d e f g h i V',
  ': V; eval "$_"',
  "source /dev/stdin <<< V",
  ". /dev/stdin <<< V",
  "bash /dev/stdin <<< V",
  "bash <(echo V)",
  "bash -s -- arg <<< V",
  "echo V | bash -s foo",
  "echo V | python3 - arg",
  "python3 - arg <<< V",
  "echo V > >(sh)",
  "echo V | tee >(sh)",
  "exec 3> >(sh); echo V >&3",
  "coproc eval V",
  "coproc bash -c V",
  '"$SHELL" -c "echo V"',
  'P=python3; "$P" -c "print(\'V\')"',
  'echo V | "$SHELL"',
  'echo V | "${SHELL:-sh}"',
  "python3.13 -c V",
  "perl5.36 -e V",
  "printf 'a\\nb\\n' | split --filter=\"cat > V.gz\"",
  "tar -I V -cf x.tar /dev/null",
  "sort --compress-program=V /dev/null",
  "flock lock V",
  "flock lock -c V",
  "bash $'-c' V",
  'c=-c; bash "$c" V',
  "mapfile -C eval -c 1 a <<< V",
  "taskset 1 V",
  "unshare V",
  "strace V",
  "sg root V",
  "if true; then eval V; fi",
  'function f { eval "$1"; }; f V',
  'f() ( eval "$1" ); f V',
  'f() for i in 1; do eval "$1"; done; f V',
  'x=1; y=V; [ V "$y" ]',
  'y=V; test -v "$y"',
  "echo V | docker exec -i web sh",
  "echo V | sudo -s",
  "echo V | (cat | sh)",
  "echo V | { read l; $l; }",
  'select x in V; do eval "$x"; done <<< 1',
  'for x in V; do eval "$x"; done',
  "for x in V; do $x; done",
  "x=V; `echo eval` $x",
  "x=V; $(echo $x)",
  "x=V; cat <<E | sh\necho $x\nE",
  'x=V; sh <<E\necho "$x"\nE',
  'x=V; bash -s a <<E\necho "$x"\nE',
  'x=V; python3 - a <<E\nprint("$x")\nE',
  "x=V; export x; sh <<'E'\neval \"$x\"\nE",
  'awk "BEGIN { print \\"V\\" }"',
  "awk --source V",
  "gawk -i V 'x'",
  'yq ".a = \\"V\\"" f',
  'git filter-branch --env-filter "X=V" HEAD',
  "git bisect run V",
  "git -c core.pager=V log",
  "git config alias.x '!V' && git x",
  "git log --format=V",
  "git grep -O{{event.v}} x",
  "MANPAGER=V man ls",
  "SHELL=V vi",
  "TAR_OPTIONS=V tar -cf x.tar /dev/null",
  "RSYNC_RSH=V rsync a h:b",
  "PERLLIB=V perl x",
  'hyperfine "cat V"',
  'npx concurrently "echo V"',
  "just build V",
  "scp a host:V",
  "tclsh <<< V",
  "csh -c V",
  "pypy3 -c V",
  "tsx -e V",
  "find . -name V -exec sh -c 'echo $0' {} \\;",
  "find . -maxdepth 0 -exec sh -c 'eval \"$1\"' _ V \\;",
  "linux64 bash -c V",
  "choom -n 5 bash -c V",
  "op run -- bash -c V",
  "rustup run stable bash -c V",
  "pdksh -c V",
  "eatmydata bash -c V",
  "env -S V",
  "env --split-string=V",
  'env -S "bash -c V"',
  "xargs -I% sh -c 'echo %' <<< V",
  "echo V | xargs -I% echo %",
  "echo a | xargs -I% sh -c V",
  "echo a | xargs echo V",
  "timeout 1 eval V",
  "command eval V",
  "builtin eval V",
  "exec bash -c V",
  'echo V | while read -r l; do eval "$l"; done',
  "echo V | while read -r l; do (( l > 1 )); done",
  'while read -r l; do eval "$l"; done <<< V',
  'while read -r l; do eval "$l"; done < <(echo V)',
  'read -ra a <<< V; "${a[@]}"',
  "read -ra a <<< V; ${a[*]}",
  'IFS=, read -r a b <<< V; eval "$b"',
  'a=(V); "${a[@]}"',
  'a=(V); eval "${a[0]}"',
  'a=(V); b="${a[@]}"; eval "$b"',
  'x=V; y="$x"; z=y; eval "${!z}"',
  'x=V; v=x; bash -c "${!v}"',
  'x=V; declare -n r=x; eval "$r"',
  'x=V; : "${x@P}"',
  'x=V; echo "${x:0:x}"',
  'x=V; export -n x; let "x"',
  "x=V; echo $[x]",
  "x=V; a[x]=1",
  'x=V; echo "${a[x]}"',
  "x=V; [[ x -gt 1 ]]",
  'x=V; [ -v "$x" ]',
  "x=V; [[ -v x ]]",
  "x=V; [[ -v $x ]]",
  'x=V; exec {fd}> "$x"',
  "x=V; for ((i=0;i<x;i++)); do :; done",
  'printf -v y %s V; eval "$y"',
  'export y=V; eval "$y"',
  "env y=V sh -c 'eval \"$y\"'",
  "env y=V sh -c '$y'",
  'set -- V; eval "$1"',
  'set -- V; shift 0; "$@"',
  'set V; "$@"',
  "getopts V o",
  "case V in *) eval V;; esac",
  "case x in x) bash -c V;; esac",
  "case V in V) : ;; esac",
  "wait -n -p V",
  "ls V > >(bash)",
  "bash < <(echo V)",
  "bash 0< <(echo V)",
  "bash 3< <(echo V) <&3",
  "{ bash; } <<< V",
  "( bash ) <<< V",
  "if bash; then :; fi <<< V",
  "while bash; do break; done <<< V",
  "f() { bash; }; f <<< V",
  "f() { bash; } <<< V; f",
  "f() { bash; }; echo V | f",
  "f() { cat; }; f <<< V | bash",
  "exec <<< V; bash",
  "exec 0<<< V\nbash",
  "{ echo; } 3<<< V",
  "cat <<< V > s.sh; bash s.sh",
  "echo V | tee s.sh; sh ./s.sh",
  "python3 <(echo V)",
  "vim -es -c ':q' V",
  "make X=V",
  "echo V | dash -x",
  "echo V | python3",
  "echo V | python3 -",
  "echo V | python3 /dev/stdin",
  "echo V | bash /proc/self/fd/0",
  "python3 -c 'exec(open(0).read())' <<< V",
  'x="$(echo V)"; read y <<< "$x"; eval "$y"',
  'f() { local c="$1"; bash -c "$c"; }; f V',
  'while IFS= read -r f; do bash -c "$f"; done <<< V',
  'a=(1 V); for i in "${a[@]}"; do (( i )); done',
  "a=(1 V); echo $(( a[1] ))",
  "a=(V); (( a > 0 ))",
  "a=(V); [[ ${a[0]} -gt 0 ]]",
  "n=V; [[ $n -gt 0 ]]",
  "n=V; m=$n; seq 1 $((m))",
  'n=V; echo "${#a[n]}"',
  'n=V; echo "${a:n:1}" "${a[@]:n}"',
  'n=V; echo "${@:n}"',
  'n=V; x=abcdef; echo "${x: n}"',
  'n=V; x=abcdef; echo "${x: -1:n}"',
  "n=V; m[n]=1",
  "n=V; m=([n]=1)",
  "n=V; m+=( [n]=1 )",
  "n=V; unset 'm[n]'",
  "n=V; read 'm[n]' <<< 1",
  "n=V; declare 'm[n]=1'",
  "n=V; printf -v 'm[n]' x",
  "n=V; test -v 'm[n]'",
  "n=V; [ -v 'm[n]' ]",
  "n=V; [[ -v m[n] ]]",
  "n=V; [[ m[n] -eq 1 ]]",
  "n=V; let 'y = n + 1'",
  "n=V; let y=n+1",
  "n=V; y='n+1'; echo $((y))",
  "n=V; local -i y=n",
  "declare -i y; n=V; y=n",
  "declare -i y; n=V; y=$n",
  "declare -ir y=5; n=V",
  "typeset -x -i y; y=V",
  "n=V; : $((n > 1 ? 1 : 0))",
  "n=V; printf '%s' \"${n@P}\"",
  'n=V; PS4="$n"; set -x; :',
  'n=V; BASH_ENV="$n" bash -c :',
  "PROMPT_COMMAND=V bash -i",
  "env -i PATH=/bin:/usr/bin BASH_ENV=V bash -c :",
  'n=V; sed "s/a/$n/e" <<< a',
  'n=V; sed "s/a/$n/" <<< a',
  'n=V; awk "BEGIN { $n }"',
  "n=V; python3 -c \"print('$n')\"",
  'n=V; find . -maxdepth 0 -exec sh -c "echo $n" \\;',
  'n=V; ssh h "ls $n"',
  'n=V; xargs -I{} sh -c "echo $n" <<< a',
  'n=V; env sh -c "echo $n"',
  'n=V; sudo -u root sh -c "echo $n"',
  'n=V; timeout 5 sh -c "echo $n"',
  'n=V; nice sh -c "echo $n"',
  'n=V; parallel "echo $n" ::: 1',
  'n=V; git -c alias.x="!echo $n" x',
  'n=V; git config alias.x "!echo $n"; git x',
  'n=V; split --filter="echo $n" <<< a',
  'n=V; tar --to-command="$n" -xf x.tar',
  'n=V; tar cf x.tar --checkpoint=1 --checkpoint-action=exec="$n" /dev/null',
  'n=V; echo "$n" | sh',
  "n=V; printf '%s' \"$n\" | sh -s x",
  'n=V; make -f - <<< "$n"',
  'n=V; trap "$n" EXIT',
  'n=V; trap -- "echo $n" EXIT',
  'n=V; source <(echo "$n")',
  'n=V; bash <(echo "$n")',
  'n=V; . /dev/fd/3 3<<< "$n"',
  "n=V; cat <<E\n$n $((n))\nE",
  'n=V; cat <<E\n$(eval "$n")\nE',
  'n=V; cat <<E\n`eval "$n"`\nE',
  'n=V; echo `eval "$n"`',
  "n=V; echo `echo $n | sh`",
  'n=V; echo "`sh -c "$n"`"',
  'n=V; echo "${x:-$(eval "$n")}"',
  'n=V; echo "${x:-`eval "$n"`}"',
  "n=V; echo ${x:-$n} | sh",
  'n=V; y=${z:-$n}; eval "$y"',
  'n=V; : "${y:=$n}"; eval "$y"',
  ': "${y:=$(echo V)}"; eval "$y"',
  'n=V; : "${y=n}"; (( y ))',
  '{ read -r y; eval "$y"; } <<< V',
  'read -r y < <(echo V) && eval "$y"',
  'mapfile -t y <<< V; eval "${y[0]}"',
  'readarray y <<< V; eval "$y"',
  'mapfile <<< V; eval "${MAPFILE[0]}"',
  'read <<< V; eval "$REPLY"',
  "coproc { echo V; }",
  '[[ x =~ (.*) && V =~ (.*) ]]; eval "${BASH_REMATCH[1]}"',
  '[[ V =~ (.*) ]] && eval "${BASH_REMATCH[1]}"',
  "[[ V =~ ^(.*)$ ]] && (( BASH_REMATCH[1] > 0 ))",
  '[[ V =~ ^(.*)$ ]] && bash -c "echo ${BASH_REMATCH[1]}"',
  'cd V; eval "echo $PWD"',
  'echo V >f; read y <f; eval "$y"',
  'getopts a: o -a V; eval "$OPTARG"',
  ': V; sh -c "echo $_"',
  ': V; echo "$_" | sh',
  ": V; $_",
  'f() { shift; "$@"; }; f x V',
  "f() { (( $# > 0 )) && (( $1 > 0 )); }; f V",
  "f() { [[ $1 -gt 0 ]]; }; f V",
  "f() { local n=$1; (( n )); }; f V",
  "f() { n=$1; echo $((n)); }; f V",
  'f() { for a; do eval "$a"; done; }; f V',
  'f() { for a in "$@"; do (( a )); done; }; f V',
  'f() { for a do bash -c "$a"; done; }; f V',
  'set -- V; for a; do eval "$a"; done',
  'set -- V; while [ $# -gt 0 ]; do eval "$1"; shift; done',
  'set -- V; bash -c "$*"',
  'set -- a V; eval "${@:2}"',
  'set -- V; eval "${!#}"',
  'set -- V; eval "${*}"',
  "if grep -q x V; then eval x; fi",
  "bash -c 'exec \"$@\"' _ V",
  "bash -lc 'echo \"$0\"' V",
  "bash -c 'echo $(( $1 + 1 ))' _ V",
  "node -e 'eval(process.argv[1])' V",
  "echo V | at now",
  "echo V |& bash",
  "! echo V | bash",
  "time echo V | bash",
  "echo V | if true; then bash; fi",
  "echo V | cat | bash",
  "echo V | cat - | env bash",
  "echo V | tee /dev/null | command bash",
  "echo V | exec bash",
  "echo V | (exec bash)",
  "echo V | \\bash",
  'echo V | ba""sh',
  "echo V | /bin/ba?h",
  "echo V | /bin/{bash,}",
  "{bash,-c,V}",
  "{bash,-c} V",
  "ba{sh,} -c V",
  "/bin/ba* -c V",
  "/bin/ba[s]h -c V",
  "~/../../bin/bash -c V",
  "echo V | ~+/../../../bin/bash",
  "echo V | make -f -",
  'echo V > "$x$y"; bash s.sh',
  "[[ a == b || V == c ]]",
  "env 'BASH_FUNC_ls%%=() { V; }' bash x.sh",
  "constructor=1 __proto__ V | sh",
  "python3 <(echo V)",
  "cd /dev; bash ./stdin <<< V",
  "cat V | /bin/bash /dev/./stdin",
  "n=V; export n; awk 'BEGIN { system(ENVIRON[\"n\"]) }'",
  "y=V; x=y; SECONDS=x",
];

test("[R18, T10] lines that would run or evaluate a value somewhere on the way are refused", () => {
  for (const line of evaluating) whereOf(line.replace(/\bV\b/g, value));
});

test("[R18] the message quotes the part of the line, and the placeholder in it", () => {
  const [fault] = compileShellTemplate("echo {{event.a}}; npm test -- {{event.b}}") as {
    placeholder: string;
    where: string;
  }[]; // it is refused
  assert.equal(fault?.placeholder, "{{event.b}}");
  assert.match(fault?.where ?? "", /^at "\{\{…\}\}": npm may make a line for a shell/);
});

test("[R18, D5] a value with NUL, a value that is too large, and a value that would be an option are refused when it runs", () => {
  const refusal = (line: string, v: string): string => {
    try {
      accepted(line).values(scopeOf({ v }));
    } catch (error) {
      assert.ok(error instanceof HooklineError && error.code === "parameters_invalid");
      return error.message;
    }
    return "";
  };
  assert.match(refusal("cat {{event.v}}", "a\0b"), /NUL/);
  assert.match(refusal("echo {{event.v}}", "é".repeat(50_001)), /at most 100000 bytes but has 100002 bytes/);
  for (const line of [
    "rm {{event.v}}",
    "rm '{{event.v}}'",
    'rm "{{event.v}}/x"',
    "rm {{event.none}}{{event.v}}",
    "sudo -- rm {{event.v}}",
    'x={{event.v}}; y="$x"; rm "$y"',
    'for x in a {{event.v}}; do rm "$x"; done',
    "bash -c 'rm \"$1\"' _ {{event.v}}",
  ])
    assert.match(refusal(line, "-rf"), /no "-" at its beginning/, line);
  for (const line of [
    "rm -- {{event.v}}",
    "rm ./{{event.v}}",
    "rm --file={{event.v}}",
    "echo {{event.v}}",
    "[ {{event.v}} = a ]",
    "printf '%s' {{event.v}}",
    "x={{event.v}}",
    "cat < {{event.v}}",
    "for x in {{event.v}}; do :; done",
    "git add -- {{event.v}}",
    "bash -c 'rm -- \"$1\"' _ {{event.v}}",
  ])
    assert.equal(refusal(line, "-rf"), "", line);
  assert.equal(refusal("rm {{event.v}}", "a-b"), "");
});

test("[R18] without a shell each value stays in its argument, and what looks like a variable in it is text", () => {
  const { args, values } = compileArguments(["-f", "a {{event.v}}", "{{event.w}}", "${HOME}", "--", "{{event.v}}"]);
  assert.deepEqual(args, [
    "-f",
    "a ${HOOKLINE_VALUE_1}",
    "${HOOKLINE_VALUE_2}",
    "${HOME}",
    "--",
    "${HOOKLINE_VALUE_1}",
  ]);
  assert.deepEqual(values(scopeOf({ v: "-${HOOKLINE_X}", w: "" })), {
    HOOKLINE_VALUE_1: "-${HOOKLINE_X}",
    HOOKLINE_VALUE_2: "",
  });
  assert.throws(() => values(scopeOf({ v: "", w: "-x" })), HooklineError);
});

test("[R18] reading a line takes linear time and never throws", () => {
  const started = performance.now();
  const units = [
    "V ",
    "'V'",
    '"V"',
    "$(",
    "${",
    "((",
    "`",
    "<<E\n",
    "[[ ",
    "case x in ",
    "if ",
    "{ ",
    "a=(",
    "x=V;",
    "| sh ",
    "\\V",
    "# V\n",
  ];
  for (const unit of units)
    compileShellTemplate(`echo ${unit.repeat(8_000)}V`.slice(0, 99_000).replaceAll("V", "{{event}}"));
  assert.ok(performance.now() - started < 30_000);
});

/** Each runs a command where it stands, in every way a value could be run. */
const canaries = (path: string): string[] => [
  `$(: >${path})`,
  `\`: >${path}\``,
  `; : >${path} ;`,
  `a[$(: >${path})]`,
  `'; : >${path} #`,
  `"; : >${path} #`,
  `'$(: >${path})'`,
  `\n: >${path}\n`,
  `| : >${path}`,
  `x)\n: >${path} ;;`,
  `}; : >${path}; {`,
  `([$(: >${path})]=1)`,
  `\\"; : >${path} #`,
  `\${x:=$(: >${path})}`,
  `x=$(: >${path})`,
  `E\n: >${path}\nE`,
];
const harmless = [
  "",
  " ",
  "a b",
  "*",
  "?",
  "[a-z]*",
  "~",
  "-n",
  "-e x",
  "--",
  "é 💥 ﷽",
  "\u202e",
  "\t",
  "a\nb",
  "\\",
  "\\n",
  "$HOME",
  "%s%n",
  "!!",
  "{a,b}",
  "#x",
  "&",
  "x".repeat(3_000),
];

const singleQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

interface Case {
  line: string;
  value: string;
  /** What the program is given. */
  words: string[];
}

/** Places for one placeholder; `show` prints its arguments. */
const places: readonly ((v: string) => { line: string; words: string[] })[] = [
  (v) => ({ line: "show V", words: [v] }),
  (v) => ({ line: "show a V b", words: ["a", v, "b"] }),
  (v) => ({ line: "show aVb", words: [`a${v}b`] }),
  (v) => ({ line: "show --path=V", words: [`--path=${v}`] }),
  (v) => ({ line: 'show "V"', words: [v] }),
  (v) => ({ line: 'show "it\'s \\"V\\" \\$x"', words: [`it's "${v}" $x`] }),
  (v) => ({ line: "show 'V'", words: [v] }),
  (v) => ({ line: 'show \'{"a":"V"}\'V', words: [`{"a":"${v}"}${v}`] }),
  (v) => ({ line: "show V'x'\"V\"y", words: [`${v}x${v}y`] }),
  (v) => ({ line: "show \\\nV\\ x", words: [`${v} x`] }),
  (v) => ({ line: 'x=V; show "$x"', words: [v] }),
  (v) => ({ line: 'x=aV"V" ; show "$x"', words: [`a${v}${v}`] }),
  (v) => ({ line: 'export x=V; show "$x"', words: [v] }),
  (v) => ({ line: 'for x in V b; do show "$x"; done', words: [v, "b"] }),
  (v) => ({ line: "if [ V = 'no way' ]; then show no; else show V; fi", words: [v] }),
  (v) => ({ line: "case V in 'no way') show no ;; *) show 'V' ;; esac", words: [v] }),
  (v) => ({ line: '( show V ); { show "V"; }', words: [v, v] }),
  (v) => ({ line: "true && show V || show no", words: [v] }),
  (v) => ({ line: "show V | cat", words: [v] }),
  (v) => ({ line: "! show V", words: [v] }),
  (v) => ({ line: 'show "$(printf %s. V)"', words: [`${v}.`] }),
  (v) => ({ line: "show \"a$(printf '%s.' \"$(printf %s. 'V')\")\"", words: [`a${v}..`] }),
  (v) => ({ line: 'bash -c \'printf "<%s>" "$1"\' _ V', words: [v] }),
  (v) => ({ line: 'env x=V bash -c \'printf "<%s>" "$x"\'', words: [v] }),
  (v) => ({ line: "show {a,V}", words: ["a", v] }),
  (v) => ({ line: "show $'a\\tVb'", words: [`a\t${v}b`] }),
  (v) => ({ line: '[[ V == V ]] && [[ V != *"no way" ]] && show V', words: [v] }),
  (v) => ({ line: 'x="$(printf %s V; echo .)"; show "${x%.}" <<< V', words: [`${v}`] }),
];
/** The last ones are bash's own. */
const bashOnly = 4;

/** Runs all cases in one process of this shell, each line by eval, as -c would read it. */
function runCases(shell: string, folder: string, cases: readonly Case[]): string[] {
  const script = ["show() { printf '<%s>' \"$@\"; }"];
  for (const one of cases) {
    const { line, values } = accepted(one.line);
    for (const [name, held] of Object.entries(values(scopeOf({ v: one.value }))))
      script.push(`export ${name}=${singleQuoted(held)}`);
    script.push(`( eval ${singleQuoted(line)} ) </dev/null; printf '\\0'`);
  }
  const file = join(folder, "cases.sh");
  writeFileSync(file, script.join("\n"));
  const ended = spawnSync(shell, [file], { cwd: folder, maxBuffer: 1 << 28, env: { PATH: process.env.PATH } });
  assert.equal(ended.stderr.toString(), "");
  return ended.stdout.toString().split("\0").slice(0, -1);
}

function randomCases(count: number, path: string, from: typeof places): Case[] {
  const text = fc.oneof(
    fc.constantFrom(...canaries(path), ...harmless),
    fc.string({ unit: fc.constantFrom(..."'\"`$(){}[]<>;&|*?~#!\\ \n\t=-ab1/%é") }),
    fc.tuple(fc.constantFrom(...canaries(path)), fc.string({ maxLength: 5 })).map((both) => both.join("")),
  );
  const clean = text.filter((one) => !one.includes("\0") && !hasHalf(one));
  return fc.sample(fc.tuple(fc.nat(from.length - 1), clean), { numRuns: count, seed: 18 }).flatMap(([index, v]) => {
    const place = from[index]?.(v);
    if (!place) return [];
    const line = place.line.replaceAll("V", value);
    // Where a value would be an option, it is refused; that has its own test.
    return v.startsWith("-") && isOption(line, v) ? [] : [{ ...place, line, value: v }];
  });
}

const hasHalf = (text: string): boolean => !text.isWellFormed();

function isOption(line: string, v: string): boolean {
  try {
    accepted(line).values(scopeOf({ v }));
    return false;
  } catch {
    return true;
  }
}

function assertExact(shell: string, folder: string, from: typeof places, count: number): void {
  const cases = randomCases(count, join(folder, "canary"), from);
  assert.ok(cases.length > count * 0.8);
  const printed = runCases(shell, folder, cases);
  assert.equal(printed.length, cases.length);
  for (const [index, { line, words }] of cases.entries())
    assert.equal(printed[index], words.map((word) => `<${word}>`).join(""), line);
  assert.deepEqual(readdirSync(folder), ["cases.sh"]);
}

test("[R18, D54, T10] in bash a program receives exactly the value as one argument, and nothing else runs", (context: TestContext) => {
  assertExact("bash", temporaryFolder(context), places, 2_500);
});

test("[R18, T10] in sh a program receives exactly the value too", {
  skip: !existsSync("/bin/dash"),
}, (context: TestContext) => {
  assertExact("dash", temporaryFolder(context), places.slice(0, -bashOnly), 1_000);
});

/** What lines are made of, where the placeholder may stand anywhere. */
const loose = splitPieces(
  'V|V|V|V| | | | |\n|;|&&|\'|"|`|$(|)|${|}|{ |; }|$((|))|((|[[ | ]]|[ | ]|-eq|=~|==|#|\\|$|x=|x[|]=|$x|"$x"|${x}|${x:-|${!x}|a|:|echo|eval|bash -c|sh|read x|printf|-v|let|test|export|declare|case |in|a)|;;|esac|if |then|fi|for x in|do |done|<<E\n|\nE\n|<<<|<(|>|2>&1|| |source|.|trap|exec|f() |$1|$@|-c|(|!|time|a=(|-n|<|[@]|@P|function g|$[|&',
);
const programs = splitPieces(
  "eval|bash -c|bash|sh|read|printf|printf -v|test|[|[[|export|readonly|declare|declare -i|declare -a|local|let|unset|trap|.|source|exec|command|env|set --|mapfile|getopts|case|for x in|echo|:|x=1|x+=V|x=V|x=V|x=V|a=(V)|a[1]=V|f|f() { eval|f() { echo|if|while read x; do|typeset -n|wait -p|cd|exit|return|shift|((|time|!|{|(",
);
const operands = splitPieces(
  'V|V|V|"V"|\'V\'|aV|x=V|$x|"$x"|\'$x\'|x|$1|"$@"|${x}|${a[x]}|${x:x}|${!x}|${x@P}|$((x))|$((V))|-v|-c|-n|-eq|=|==|=~|1|]|]]|}|)|;|; }|; fi|; done|; then|in|*) echo|;; esac|| bash|| sh|| read x|<<< V|<<< "$x"|< <(echo V)|> /dev/null|2>&1|EXIT|a[x]|a[V]|a[$x]|$(echo V)|$(echo "$x")|`echo $x`|--|&& eval $x|\\V|# V|\n',
);

const anyLine = fc.oneof(
  fc.array(fc.constantFrom(...loose), { minLength: 2, maxLength: 9 }).map((some) => some.join("")),
  fc
    .array(
      fc
        .tuple(fc.constantFrom(...programs), fc.array(fc.constantFrom(...operands), { maxLength: 4 }))
        .map(([program, rest]) => [program, ...rest].join(" ")),
      { minLength: 1, maxLength: 4 },
    )
    .map((commands) => commands.join("; ")),
);

test("[R18, T10] whatever line is taken, its values do not run", (context: TestContext) => {
  const folder = temporaryFolder(context);
  const [bin, work, canary] = [join(folder, "bin"), join(folder, "work"), join(folder, "canary")];
  mkdirSync(bin);
  mkdirSync(work);
  const bash = spawnSync("bash", ["-c", "command -v bash"]).stdout.toString().trim();
  for (const name of ["bash", "sh"]) symlinkSync(bash, join(bin, name));
  const script: string[] = [];
  const taken: string[] = [];
  for (const [made, choice] of fc.sample(fc.tuple(anyLine, fc.nat()), { numRuns: 200_000, seed: 180 })) {
    const template = compileShellTemplate(made.replaceAll("V", value));
    if (!template || Array.isArray(template)) continue;
    const hostile = canaries(`${canary}-${taken.length}`);
    script.push(`export HOOKLINE_VALUE_1=${singleQuoted(hostile[choice % hostile.length] ?? "")}`);
    // What a line leaves in the background holds 9, so the end of the output is the end of everything.
    script.push(`( cd ${taken.length}; eval ${singleQuoted(template.line)} ) 9>&1 </dev/null >/dev/null 2>&1`);
    // A folder of its own: what one line writes to a file, another may run.
    mkdirSync(join(work, String(taken.length)));
    if (taken.push(template.line) === 1_000) break;
  }
  assert.equal(taken.length, 1_000);
  const file = join(folder, "lines.sh");
  writeFileSync(file, script.join("\n"));
  const ended = spawnSync(bash, [file], { cwd: work, maxBuffer: 1 << 28, env: { PATH: bin }, timeout: 120_000 });
  assert.equal(ended.error, undefined);
  const ran = readdirSync(folder).filter((name) => name.startsWith("canary"));
  assert.deepEqual(
    ran.map((name) => taken[Number(name.slice(name.indexOf("-") + 1))]),
    [],
  );
});

/** "|" parts them, and two in a row are one. */
function splitPieces(text: string): string[] {
  return text.split(/(?<!\|)\|(?!\|(?!\|))|(?<=\|\|)\|/).filter((one) => one !== "");
}
