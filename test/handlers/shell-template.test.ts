import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { parse } from "unbash";
import { HooklineError } from "../../src/core/error.ts";
import { type Fields, firstTurn } from "../../src/core/event.ts";
import type { Scope } from "../../src/core/ports.ts";
import { compileArguments, compileShellTemplate, type ShellTemplate } from "../../src/handlers/shell-template.ts";
import { temporaryFolder } from "./context.ts";

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

test("[R18] a placeholder becomes a variable, quoted for the place where it stands", () => {
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
  "ruff check \"V\" && ruff format 'V'",
  'echo "V ran" >> ~/log.txt',
  "if [ -f V ]; then cat V; elif true; then :; else cat V; fi",
  'for f in V b; do wc -l "$f"; done',
  "case V in *.py) black V ;; *.ts|*.js) prettier -w -- V;; esac",
  "[[ V == *.ts ]] && tsc",
  "[[ -f V && ! -x V ]]",
  'F=V; cat "$F"',
  "echo V | jq -R .",
  "cat <<< V",
  "jq -n --arg p V '{path:$p}'",
  `curl -d '{"text":"V"}' http://x`,
  'git -C "$(dirname V)" diff',
  `bash -c 'echo "$1"' _ V`,
  "sudo -u me cat V",
  "timeout 5 npx -y prettier --write V",
  "env A=V cmd",
  "find . -name V",
  'f() { cat "$1"; }; f V',
  "cat <<E\nhello\nE\ncat V",
  'a=(V b); echo "${a[@]}"',
  "diff <(cat V) <(git show HEAD:./V)",
  '( cd "$(dirname "V")" && ls ) > out 2>&1',
  "x=$((1+2)); cat V # done",
  'while read -r l; do echo "$l"; done < V',
  "export P=V; make",
  "npm run lint -- V",
  'git commit -m "edit V"',
  "python3 -m py_compile V",
  "sed -i 's/a/b/' V",
  "awk '{print}' V",
  'set -- V; cat "$1"',
  "! grep -q TODO V",
  "time cat V &> log &",
  "cat V |& tee log",
  "${CLAUDE_PLUGIN_ROOT}/bin/x V",
  "printf '%s\\n' V",
  "bash -n V",
  "{ echo V; } 2>/dev/null",
  'eval "$(fnm env)"; npx prettier V',
  "test -f V && shellcheck V",
  "select x in V; do break; done",
  "until cat V; do sleep 1; done",
  "function f { cat V; }; f",
  "for ((i=0; i<3; i++)); do cat V; done",
];

test("[R18] what people write for a tool's parameters is taken, and stays a line of the shell", () => {
  for (const line of usual) {
    const { errors = [] } = parse(lineOf(line.replaceAll("V", value)));
    assert.deepEqual(errors, [], line);
  }
});

/** Where a value could be more than an argument, by what is said of it. */
const refused: { readonly [where: string]: readonly string[] } = {
  "in a here-document": ["cat <<E\nV\nE", "cat <<'E'\nV\nE", "cat <<-E\n\tV\n\tE", "cat <<V\nx\nV"],
  "in a comment": ["ls # V", "ls\n# V\nls", "f() { # V\n:; }"],
  "in arithmetic": ["echo $((V+1))", "((x=V))", "echo $[V]", "for ((i=V; i<3; i++)); do :; done", 'echo "$((V))"'],
  "which is arithmetic": ["[[ V -eq 1 ]]", "[[ 1 -lt V ]]", "[[ -v V ]]"],
  "regular expression": ["[[ a =~ V ]]", "[[ a =~ ^(V|b)$ ]]"],
  "pattern of a case": ["case a in V) ;; esac", "case a in (b|V*) ;; esac"],
  "array's subscript": ["a[V]=1", "a=([V]=1)"],
  "inside ${…}": ["echo ${a:-V}", "echo ${V}", 'echo "${a#V}"', "echo ${a[V]}", "echo ${a:V}"],
  backticks: ["echo `cat V`", 'echo "`cat V`"'],
  "as the command itself": ["V a", '"V" a', "x/V a", "a && V", "$(V)", "if V; then :; fi", "x=1 V", "! V", "a | V"],
  "command that": ["sudo V", "nohup V &", "env V", "xargs V", "timeout 5 V", "exec V", "command V", "npx -y V"],
  "reads as code": [
    "bash -c V",
    "bash -c $x V",
    'bash -c "ls V"',
    "bash -euo pipefail -c 'ls V'",
    "sh -c 'V'",
    `python -c "print('V')"`,
    "node -e V",
    "perl -ne 'V'",
    'awk "{print V}"',
    "sed s/a/V/ f",
    "sed -e s/a/V/ f",
    'find . -exec sh -c "V" \\;',
    "find . -exec V \\;",
    'docker exec c sh -c "ls V"',
    'jq ".V"',
    "git -c core.pager=V log",
    "rsync -e V a b",
  ],
  "which reads it as code": [
    "eval ls V",
    "eval 'V'",
    "ssh h ls V",
    "trap V EXIT",
    "source V",
    ". V",
    'su me -c "V"',
    'sqlite3 db "V"',
  ],
  "not clear": ["env -S V", "sudo --unheard-of x V", "awk --unheard-of x V"],
  "variable's name": [
    "export V",
    "export -n V",
    "printf -v V a",
    "read V",
    "declare V",
    "declare x=V",
    "local x=V",
    "let V",
    "test -v V",
    "[ -v V ]",
    "unset V",
    "mapfile V",
    "getopts ab V",
    "for V in a; do :; done",
  ],
  "printf's format": ['printf "V\\n"', "printf V", "printf -- V"],
  "as code": [
    "echo V | sh",
    "bash <<< V",
    "{ bash; } <<< V",
    "echo V | { read x; sh; }",
    "echo V | xargs rm",
    "echo V | (cat; python3)",
    "f() { sh; }; echo V | f",
    "exec < <(echo V); sh",
    "bash < <(echo V) $x",
    "sh < <(echo V)",
  ],
  "which the line runs": [
    'x=V; eval "$x"',
    'f() { eval "$1"; }; f V',
    "x=V; $x",
    'printf -v x V; eval "$x"',
    'x=V; echo a >& "$x"',
    'x=V; bash -c $1 "$x"',
    'x=V; sh <<< "$x"',
    'x=V; echo "$x" | sh',
    'x=V; python3 - <<E\nprint("$x")\nE',
    'read x <<< V; eval "$x"',
    'x=$(cat V); bash -c "$x"',
    'for x in V; do eval "$x"; done',
    'x=V; [ -v "$x" ]',
    'set -- V; eval "$1"',
    'x=V; y=$x; eval "$y"',
    'export x=V; sudo "$x"',
  ],
  "which the line evaluates": [
    "x=V; echo $((x))",
    "x=V; [[ $x -gt 1 ]]",
    "x=V; echo ${!x}",
    "x=V; echo ${a[x]}",
    "x=V; ((x > 1))",
    "x=V; declare -i x",
    "x=V; echo ${a:x}",
    "x=V; echo ${x@P}",
    'x=V; let "$x"',
  ],
  "behind a backslash": ["echo \\V", 'echo "a \\V"', "echo $'\\V'"],
  "reads it twice": ["echo a >& V", "echo a 2>&V", "x=V; echo a >& V"],
  "behind a $": ["echo $V", 'echo "$V"'],
  "as the value of": [
    "PATH=V ls",
    "IFS=V",
    "LD_PRELOAD=V ls",
    "env NODE_OPTIONS=V node x",
    "export BASH_ENV=V",
    "OPTIND=V",
  ],
  "directly behind another": ["[ V V ]", 'test "V" V'],
  "as an option of set": ["set V"],
  "argument of make": ["make F=V"],
  "as the command of": ["tar cf x --to-command V", "tar cf x --checkpoint-action=exec=V", "rg --pre V x"],
  "write it in quotes": ["$x V", "$(a) V", 'eval"$x" V', "bash $x V", "printf -v $x V", "test $x V", "git $x V"],
  "cannot be read": [
    "echo V 'x",
    'echo V "x',
    "echo V $(x",
    "echo V )",
    "if V",
    "coproc cat V",
    "a(V)",
    "echo V; fi",
    "case V",
    "((x) ; V)",
    "x[ V ]=1",
    "echo $'\\'' V",
    "while :; V",
  ],
};

test("[R18] where a value could be more than an argument, the line is refused with the place", () => {
  for (const [where, lines] of Object.entries(refused))
    for (const line of lines) {
      const said = whereOf(line.replace(/\bV\b/g, value));
      assert.ok(said.includes(where), `${line}: ${said}`);
    }
});

test("[R18] a single quoted variable in code is the inner shell's own to fill in, and is taken", () => {
  for (const line of ["export x=V; bash -c 'cat \"$x\"'", "x=V; trap 'rm \"$x\"' EXIT", 'x=1; y=V; echo $((x)) "$y"'])
    lineOf(line.replaceAll("V", value));
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
    "bash -c 'x \"$1\"' _ {{event.v}}",
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
  assert.ok(performance.now() - started < 10_000);
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
  (v) => ({ line: 'set -- V; show "$1"', words: [v] }),
  (v) => ({ line: "if [ V = 'no way' ]; then show no; else show V; fi", words: [v] }),
  (v) => ({ line: "case V in 'no way') show no ;; *) show 'V' ;; esac", words: [v] }),
  (v) => ({ line: 'f() { show "$@"; }; f V c', words: [v, "c"] }),
  (v) => ({ line: '( show V ); { show "V"; }', words: [v, v] }),
  (v) => ({ line: "true && show V || show no", words: [v] }),
  (v) => ({ line: "show V | cat", words: [v] }),
  (v) => ({ line: "! show V", words: [v] }),
  (v) => ({ line: 'show "$(printf %s. V)"', words: [`${v}.`] }),
  (v) => ({ line: "show \"a$(printf '%s.' \"$(printf %s. 'V')\")\"", words: [`a${v}..`] }),
  (v) => ({ line: "cat <<E >/dev/null\n'\nE\nshow V # it's over", words: [v] }),
  (v) => ({ line: 'bash -c \'printf "<%s>" "$1"\' _ V', words: [v] }),
  (v) => ({ line: 'env x=V bash -c \'printf "<%s>" "$x"\'', words: [v] }),
  (v) => ({ line: "show {a,V}", words: ["a", v] }),
  (v) => ({ line: "show $'a\\tVb'", words: [`a\t${v}b`] }),
  (v) => ({ line: 'show $"V"', words: [v] }),
  (v) => ({ line: '[[ V == V && V != *"no way" ]] && show V', words: [v] }),
  (v) => ({ line: 'a=(V "V" c); show "${a[@]}"', words: [v, v, "c"] }),
  (v) => ({ line: 'IFS= read -r -d "" x < <(printf "%s\\0" V); show "$x"', words: [v] }),
  (v) => ({ line: 'readonly y=V; show "$y"', words: [v] }),
];
/** The last ones are bash's own. */
const bashOnly = 7;

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
    if (taken.push(template.line) === 3_000) break;
  }
  assert.equal(taken.length, 3_000);
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
