/**
 * Generated spellings of the options of rm, as bash gives them to a fake rm that only writes its arguments down: a pattern that
 * asks for the options has to match where they are given. SHELL_FUZZ_RUNS is the number of
 * spellings, SHELL_FUZZ_SEED repeats one.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import fc from "fast-check";
import { compileCommandPattern } from "../../src/engine/command-pattern.ts";
import { readShell } from "../../src/shell/read.ts";
import { createSpell } from "../../src/shell/spelling.ts";

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const option = fc.constantFrom(
  ..."-r -f -R -rf -fr -Rf -vrf -rvf -iv -d -v --recursive --force --rec --forc --r --f --verbose --verb --one-file-system".split(
    " ",
  ),
  ..."--interactive=never --interactive --preserve-root=all --no-preserve-root -rfv -I -- - x dir/y -x".split(" "),
  ..."r{f,} -{r,f} {-r,-f} {-rf,x} -r{f,v} --{recursive,force} --{rec,f}orce -{,r}f -{r,}f".split(" "),
  ...`"-r" '-f' -"r"f -'rf' \\-rf -\\r -r\\f $'-\\x72f' $'-r'f --"force" --rec''ursive`.split(" "),
  ...'$R $F ${R}f -${r}f ${R:--v} `echo -f` "$R" "$both" $both $nothing'.split(/ (?![-]f`)/),
  "$(echo -r)",
  "$(echo -r -f)",
  "$(printf %s -rf)",
  "\\\n",
  "> /dev/null",
  "2>&1",
  "'-r -f'",
  "*",
  "~/x",
);
const before = fc.constantFrom(
  "",
  "R=-r F=-f r=r both='-r -f'; ",
  "set -- -r -f; ",
  "R=-v F=-v r=v both=x; ",
  "a=(-r -f); ",
  "IFS=:; both=-r:-f; ",
);
const program = fc.constantFrom(
  "rm",
  "'rm'",
  "r\\m",
  "env rm",
  "command rm",
  "timeout 5 rm",
  "nice rm",
  "xargs rm <<< x",
  "bash -c 'rm \"$@\"' x",
  'sh -c "rm $*" x',
  "time rm",
);
const extra = fc.constantFrom("", ' "$@"', " $1", ' "${a[@]}"', " ${a[0]} ${a[1]}", " $*", ' "$*"');
const line = fc
  .tuple(before, program, fc.array(option, { minLength: 1, maxLength: 4 }), extra)
  .map(([start, name, words, rest]) => `${start}${name} ${words.join(" ")}${rest}`);

const long = [
  "--recursive",
  "--force",
  "--verbose",
  "--one-file-system",
  "--interactive",
  "--preserve-root",
  "--no-preserve-root",
  "--dir",
  "--help",
  "--version",
];

/** As getopt_long reads them; undefined: rm refuses them and removes nothing. */
function given(args: readonly string[]): Set<string> | undefined {
  const letters = new Set<string>();
  for (const arg of args) {
    if (arg === "--") break;
    if (arg.startsWith("--")) {
      const [name = "", value] = arg.split("=");
      const fits = long.filter((one) => one.startsWith(name));
      const [only] = long.includes(name) ? [name] : fits.length === 1 ? fits : [];
      if (only === undefined || (value !== undefined && /recursive|force|verbose/.test(only))) return undefined;
      if (/recursive|force/.test(only)) letters.add(only.charAt(2));
    } else if (arg.length > 1 && arg.startsWith("-"))
      for (const letter of arg.slice(1)) {
        if (!"rRfiIvd".includes(letter)) return undefined;
        letters.add(letter.toLowerCase());
      }
  }
  return letters;
}

/** @param fixed the seed; each run has one of its own, if it is not given */
export function noSpellingPasses(context: TestContext, spellings: number, fixed?: number): void {
  const seed = Number(process.env.SHELL_FUZZ_SEED ?? fixed ?? Math.floor(Math.random() * 2 ** 31));
  const count = Number(process.env.SHELL_FUZZ_RUNS ?? spellings);
  context.diagnostic(`seed ${seed}: SHELL_FUZZ_SEED=${seed} SHELL_FUZZ_RUNS=${count} repeats it`);
  const root = mkdtempSync(join(tmpdir(), "hookline-options-"));
  const bin = join(root, "bin");
  const lines = fc.sample(line, { seed, numRuns: count });
  mkdirSync(bin);
  writeFileSync(join(bin, "rm"), '#!/bin/sh\nprintf "%s\\0" "$#" "$@" >> "$LOG"\n');
  chmodSync(join(bin, "rm"), 0o755);
  const all = lines.map(
    (one, at) => `LOG=${root}/${at} ; export LOG; : > "$LOG"\n( eval ${quote(one)} ) < /dev/null > /dev/null 2>&1\n`,
  );
  writeFileSync(join(root, "all.sh"), `cd ${root}/bin\n${all.join("")}`);
  const found = { missed: [] as string[], invented: [] as string[], matched: 0, open: 0 };
  try {
    execFileSync("bash", [join(root, "all.sh")], { env: { PATH: `${bin}:/usr/bin:/bin`, HOME: root } });
    const spell = createSpell();
    const pattern = compileCommandPattern("rm -rf *", spell);
    for (const [at, one] of lines.entries()) judge(one, readFileSync(join(root, String(at)), "utf8"));
    function judge(one: string, log: string): void {
      const { commands, unknown } = readShell(one, { cwd: bin, home: root });
      const answers = commands.map(({ words }) => pattern.byMeaning(words));
      const answer = answers.includes(true) || (answers.includes("unknown") || unknown.length > 0 ? "unknown" : false);
      const parts = log.split("\0");
      const options = given(parts.slice(1, 1 + Number(parts[0])));
      const isBoth = options?.has("r") === true && options.has("f");
      if (isBoth && answer === false) found.missed.push(one);
      else if (isBoth && answer === true) found.matched++;
      else if (answer === "unknown") found.open++;
      else if (!isBoth && options !== undefined && log !== "" && answer === true) found.invented.push(one);
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  context.diagnostic(`matched ${found.matched}, not known ${found.open}`);
  assert.deepEqual(found.missed.slice(0, 20), [], `seed ${seed}: missed ${found.missed.length}`);
  assert.deepEqual(found.invented.slice(0, 20), [], `seed ${seed}: invented ${found.invented.length}`);
  assert.ok(found.matched > count / 20, `only ${found.matched} matched`);
}
