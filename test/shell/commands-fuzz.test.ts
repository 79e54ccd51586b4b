/** Generated lines that real bash runs: whenever the canary ran, the reading must have seen it or have given up. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { loadPatterns } from "../../src/conditions/patterns.ts";
import { compileToolPattern } from "../../src/engine/pattern.ts";

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const spelling = fc.constantFrom(
  "canary",
  '"canary"',
  "'canary'",
  "c\\anary",
  "'can'ary",
  'can"a"ry',
  "$'\\x63anary'",
  "can\\\nary",
  "ca${nothing}nary",
  "{canary,}",
  "c{anary,}",
  "ca[n]ary",
  "$(echo canary)",
  "`echo canary`",
  "$which",
  "${which}",
  "${other:-canary}",
  "$BIN/canary",
  '"$BIN"/canary',
);
const operands = fc.constantFrom(
  "",
  " x",
  " --force",
  ' "a b"',
  " $HOME",
  " > /dev/null",
  " 2>&1",
  " < /dev/null",
  " <<< x",
);
const simple = fc.tuple(spelling, operands).map(([program, rest]) => `${program}${rest}`);

type Wrap = (line: string) => string;
const around: readonly Wrap[] = [
  (line) => `cd . && ${line}`,
  (line) => `false || ${line}`,
  (line) => `false && ${line}`,
  (line) => `true; ${line}`,
  (line) => `true\n${line}`,
  (line) => `( ${line}\n)`,
  (line) => `{ ${line}\n}`,
  (line) => `! ${line}`,
  (line) => `time ${line}`,
  (line) => `{ ${line}\n} | cat`,
  (line) => `echo x | { ${line}\n}`,
  (line) => `echo "$( ${line}\n)"`,
  (line) => `echo $( ${line}\n) x`,
  (line) => `x=$( ${line}\n)`,
  (line) => `: \${y:=$( ${line}\n)}`,
  (line) => `cat <( ${line}\n)`,
  (line) => `[[ -n $( ${line}\n) ]]`,
  (line) => `echo $(( $( ${line}\necho 1) ))`,
  (line) => `if true; then\n${line}\nfi`,
  (line) => `if ${line}\nthen :; fi`,
  (line) => `for i in 1 2; do\n${line}\ndone`,
  (line) => `for which in canary; do\n${line}\ndone`,
  (line) => `for which in ls canary; do\n${line}\ndone`,
  (line) => `while true; do\n${line}\nbreak; done`,
  (line) => `case a in a)\n${line}\n;; esac`,
  (line) => `f() {\n${line}\n}; f`,
  (line) => `f() { "$@"; }; f ${line}`,
  (line) => `{ ${line}\n} & wait`,
  (line) => `which=canary; ${line}`,
  (line) => `which=ls; ${line}`,
  (line) => `export which=canary; ${line}`,
  (line) => `which=ls; if true; then which=canary; fi; ${line}`,
  (line) => `which=ls; read which <<< canary; ${line}`,
  (line) => `(which=ls); which=canary; ${line}`,
  (line) => `which=canary ${line}`,
  (line) => `w=can; which=\${w}ary; ${line}`,
  (line) => `which=can; which+=ary; ${line}`,
  (line) => `IFS=:; which=canary:x; ${line}`,
  (line) => `bash -c ${quote(line)}`,
  (line) => `sh -ec ${quote(line)}`,
  (line) => `bash -o pipefail -c ${quote(line)} name`,
  (line) => `eval ${quote(line)}`,
  (line) => `bash <<'HERE'\n${line}\nHERE`,
  (line) => `bash <<< ${quote(line)}`,
  (line) => `echo ${quote(line)} | bash`,
  (line) => `bash <(echo ${quote(line)})`,
  (line) => `echo ${quote(line)} > made.sh; bash made.sh`,
  (line) => `echo ${quote(line)} > made.sh; . ./made.sh`,
  (line) => `source /dev/stdin <<< ${quote(line)}`,
  (line) => `trap ${quote(line)} EXIT`,
  (line) => `env A=1 ${line}`,
  (line) => `command ${line}`,
  (line) => `exec ${line}`,
  (line) => `nohup ${line}`,
  (line) => `timeout -k 1 5 ${line}`,
  (line) => `timeout --signal=KILL 5 ${line}`,
  (line) => `nice -n 5 ${line}`,
  (line) => `nice -5 ${line}`,
  (line) => `stdbuf -oL ${line}`,
  (line) => `setsid -w ${line}`,
  (line) => `echo a | xargs ${line}`,
  (line) => `echo a | xargs -I% ${line}`,
  (line) => `echo canary | xargs -I% % ${line}`,
  (line) => `find . -maxdepth 0 -exec ${line} \\;`,
  (line) => `awk 'BEGIN{system("true")}'; ${line}`,
  (line) => `> out.txt ${line}`,
  (line) => `A=1 B="x y" ${line}`,
  (line) => `cat <<HERE\n$( ${line}\n)\nHERE`,
  (line) => `coproc ${line}; wait`,
  (line) => `set -- ${line}; "$@"`,
  (line) => `a=(${line}); "\${a[@]}"`,
  (line) => `declare -n ref=which; ref=canary; ${line}`,
  (line) => `printf -v which canary; ${line}`,
  // These run nothing.
  (line) => `echo ${quote(line)}`,
  (line) => `: # ${line.replaceAll("\n", " ")}`,
  (line) => `cat <<'HERE'\n${line}\nHERE`,
  (line) => `command -v ${line}`,
  (line) => `x=${quote(line)}; echo "$x"`,
];
const line = fc
  .tuple(simple, fc.array(fc.constantFrom(...around), { maxLength: 3 }))
  .map(([start, wraps]) => wraps.reduce((text, wrap) => wrap(text), start));

function* sample(seed: number, count: number): Generator<string> {
  yield* fc.sample(line, { seed, numRuns: count });
}

test("[R10, T9] no generated line runs the canary under bash unseen", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-shell-"));
  try {
    writeFileSync(join(folder, "canary"), `#!/bin/sh\necho ran >> "$CANARY_LOG"\n`, { mode: 0o755 });
    const forbids = compileToolPattern("Bash(canary:*)", await loadPatterns());
    const environment = { PATH: `${folder}:/usr/bin:/bin`, HOME: folder, BIN: folder, CANARY_LOG: "" };
    let ran = 0;
    let seen = 0;
    const missed: string[] = [];
    const seed = Number(process.env.SHELL_FUZZ_SEED ?? 41);
    for (const [index, command] of [...sample(seed, Number(process.env.SHELL_FUZZ_RUNS ?? 400))].entries()) {
      const log = join(folder, `ran-${index}`);
      spawnSync("bash", ["-c", command], {
        cwd: folder,
        env: { ...environment, CANARY_LOG: log },
        stdio: ["ignore", "ignore", "ignore"],
        timeout: 10_000,
      });
      const hasRun = existsSync(log);
      const answer = forbids({ names: ["Bash"], input: { command }, cwd: folder }, "deny");
      if (hasRun) ran++;
      if (hasRun && answer === true) seen++;
      if (hasRun && answer === false) missed.push(command);
    }
    assert.deepEqual(missed, []);
    assert.ok(ran > 100, `only ${ran} lines ran the canary`);
    assert.ok(seen > ran / 3, `only ${seen} of ${ran} were matched rather than given up`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
