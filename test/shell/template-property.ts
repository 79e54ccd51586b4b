/** Lines with hostile values as real shells run them: how many is for the caller to say. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { type Fields, firstTurn } from "../../src/engine/event.ts";
import type { Scope, ShellTemplate } from "../../src/engine/ports.ts";
import { compileShellTemplate } from "../../src/shell/template.ts";
import { temporaryFolder } from "../actions/context.ts";

export const scopeOf = (data: Fields): Scope => ({
  event: { id: "e", name: "PreToolUse", at: 0, cwd: "/", data, sender: "test" },
  turn: firstTurn,
  names: [],
  results: [],
});
export const value: string = "{{event.v}}";

export function accepted(line: string): ShellTemplate {
  const template = compileShellTemplate(line);
  assert.ok(template && !Array.isArray(template), `${line} ${JSON.stringify(template)}`);
  return template;
}

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
  (v) => ({ line: "show V; show 'V'", words: [v, v] }),
  (v) => ({ line: "[ V = 'no way' ] && show no || show V", words: [v] }),
  (v) => ({ line: "true && show V || show no", words: [v] }),
  (v) => ({ line: "show V | cat", words: [v] }),
  (v) => ({ line: "! show V", words: [v] }),
  (v) => ({ line: 'show "$(printf %s. V)"', words: [`${v}.`] }),
  (v) => ({ line: "show \"a$(printf '%s.' \"$(printf %s. 'V')\")\"", words: [`a${v}..`] }),
  (v) => ({ line: 'show "$(cat <<< V; echo .)"', words: [`${v}\n.`] }),
];
/** The last one is bash's own. */
const bashOnly = 1;

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

/** @param each of every place */
function randomCases(each: number, path: string, from: typeof places): Case[] {
  const text = fc.oneof(
    fc.constantFrom(...canaries(path), ...harmless),
    fc.string({ unit: fc.constantFrom(..."'\"`$(){}[]<>;&|*?~#!\\ \n\t=-ab1/%é") }),
    fc.tuple(fc.constantFrom(...canaries(path)), fc.string({ maxLength: 5 })).map((both) => both.join("")),
  );
  const clean = text.filter((one) => !one.includes("\0") && !hasHalf(one));
  return from.flatMap((placeOf, index) =>
    fc.sample(clean, { numRuns: each, seed: 18 + index }).flatMap((v) => {
      const place = placeOf(v);
      const line = place.line.replaceAll("V", value);
      // Where a value would be an option, it is refused; that has its own test.
      return v.startsWith("-") && isOption(line, v) ? [] : [{ ...place, line, value: v }];
    }),
  );
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

function assertExact(shell: string, folder: string, from: typeof places, each: number): void {
  const cases = randomCases(each, join(folder, "canary"), from);
  assert.ok(cases.length > from.length * each * 0.8);
  const printed = runCases(shell, folder, cases);
  assert.equal(printed.length, cases.length);
  for (const [index, { line, words }] of cases.entries())
    assert.equal(printed[index], words.map((word) => `<${word}>`).join(""), line);
  assert.deepEqual(readdirSync(folder), ["cases.sh"]);
}

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

/** "|" parts them, and two in a row are one. */
function splitPieces(text: string): string[] {
  return text.split(/(?<!\|)\|(?!\|(?!\|))|(?<=\|\|)\|/).filter((one) => one !== "");
}

function* endless(): Generator<[string, number]> {
  for (let seed = 180; ; seed += 1) yield* fc.sample(fc.tuple(anyLine, fc.nat()), { numRuns: 1_000, seed });
}

/** @param each of every place for a placeholder; `lines` in which it stands anywhere */
export function testValues({ each, lines }: { each: number; lines: number }): void {
  test("[R18, D54, T10] in bash a program receives exactly the value as one argument, and nothing else runs", (context: TestContext) => {
    assertExact("bash", temporaryFolder(context), places, each);
  });

  test("[R18, T10] in sh a program receives exactly the value too", {
    skip: !existsSync("/bin/dash"),
  }, (context: TestContext) => {
    assertExact("dash", temporaryFolder(context), places.slice(0, -bashOnly), each);
  });

  test("[R18, T10] whatever line is taken, its values do not run", (context: TestContext) => {
    const folder = temporaryFolder(context);
    const [bin, work, canary] = [join(folder, "bin"), join(folder, "work"), join(folder, "canary")];
    mkdirSync(bin);
    mkdirSync(work);
    const bash = spawnSync("bash", ["-c", "command -v bash"]).stdout.toString().trim();
    for (const name of ["bash", "sh"]) symlinkSync(bash, join(bin, name));
    const script: string[] = [];
    const taken: string[] = [];
    for (const [made, choice] of endless()) {
      const template = compileShellTemplate(made.replaceAll("V", value));
      if (!template || Array.isArray(template)) continue;
      const hostile = canaries(`${canary}-${taken.length}`);
      script.push(`export HOOKLINE_VALUE_1=${singleQuoted(hostile[choice % hostile.length] ?? "")}`);
      // What a line leaves in the background holds 9, so the end of the output is the end of everything.
      script.push(`( cd ${taken.length}; eval ${singleQuoted(template.line)} ) 9>&1 </dev/null >/dev/null 2>&1`);
      // A folder of its own: what one line writes to a file, another may run.
      mkdirSync(join(work, String(taken.length)));
      if (taken.push(template.line) === lines) break;
    }
    const file = join(folder, "lines.sh");
    writeFileSync(file, script.join("\n"));
    const ended = spawnSync(bash, [file], { cwd: work, maxBuffer: 1 << 28, env: { PATH: bin } });
    assert.equal(ended.error, undefined);
    const ran = readdirSync(folder).filter((name) => name.startsWith("canary"));
    assert.deepEqual(
      ran.map((name) => taken[Number(name.slice(name.indexOf("-") + 1))]),
      [],
    );
  });
}
