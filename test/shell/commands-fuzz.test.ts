/**
 * Generated lines that real bash runs in an empty folder, where a fake program writes down each of its runs: the reading must
 * hold each of them, with its arguments and its folder, or say that it cannot tell. Each run has a seed of its own.
 */
import assert from "node:assert/strict";
import { type StdioOptions, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import type { ShellReading, SimpleCommand } from "../../src/engine/effects.ts";
import { unknownText } from "../../src/engine/pattern.ts";
import { readShell } from "../../src/shell/read.ts";

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
  "$(which canary)",
  "$(command -v canary)",
  'can""ary',
  "\\canary",
  "ca{n,}ary",
  "{,canary}",
  "$'can\\141ry'",
  "../bin/canary",
  "~/bin/canary",
  "$PWD/../bin/canary",
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
  " ~/x",
  " $PWD",
  " a{b,c}d",
  " sub/*",
  ' "$which" y',
  " $(echo p q)",
  ' "$(pwd)"',
  " -x -- y",
  " {1..3}",
  " *",
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
  (line) => `cd sub && ${line}`,
  (line) => `cd sub; ${line}`,
  (line) => `(cd sub; true); ${line}`,
  (line) => `cd sub || true\n${line}`,
  (line) => `cd nowhere 2>/dev/null || ${line}`,
  (line) => `mkdir -p made && cd made\n${line}`,
  (line) => `pushd sub >/dev/null; ${line}`,
  (line) => `pushd sub >/dev/null; popd >/dev/null; ${line}`,
  (line) => `cd sub; cd - >/dev/null; ${line}`,
  (line) => `cd; ${line}`,
  (line) => `cd "$nothing"sub; ${line}`,
  (line) => `cd sub | true; ${line}`,
  (line) => `if true; then cd sub; fi; ${line}`,
  (line) => `if false; then cd sub; fi; ${line}`,
  (line) => `for d in sub .; do cd $d; ${line}\ndone`,
  (line) => `for d in sub; do (cd $d; ${line}\n); done`,
  (line) => `go() { cd sub; }; go; ${line}`,
  (line) => `env -C sub ${line}`,
  (line) => `HOME=$PWD/sub; cd ~; ${line}`,
  (line) => `alias x=${quote(line)}; x`,
  (line) => `shopt -s expand_aliases\nalias x=${quote(line)}\nx more`,
  (line) => `shopt -s expand_aliases\nalias canary=true\n${line}`,
  (line) => `alias canary=true; ${line}`,
  (line) => `f() { ${line}\n}; g() { f "$@"; }; g a b`,
  (line) => `f() { which=canary; }; which=ls; f; ${line}`,
  (line) => `f() { local which=canary; ${line}\n}; f`,
  (line) => `f() { shift; "$@"; }; f x ${line}`,
  (line) => `f() { "$1" z; }; f canary; ${line}`,
  (line) => `f() { :; }; if true; then f() { ${line}\n}; fi; f`,
  (line) => `canary() { :; }; unset -f canary; ${line}`,
  (line) => `canary() { command canary "$@"; }; ${line}`,
  (line) => `bash -c '"$@"' x ${line}`,
  (line) => `bash -c '$0 "$@"' ${line}`,
  (line) => `bash -s a b <<'HERE'\n${line}\nHERE`,
  (line) => `printf '%s\\n' ${quote(line)} | bash`,
  (line) => `printf '%s\\n' ${quote(line)} > made.sh && bash ./made.sh`,
  (line) => `echo ${quote(line)} > sub/made.sh; cd sub; bash made.sh`,
  (line) => `echo ${quote(line)} > made.sh; mv made.sh b.sh; bash b.sh`,
  (line) => `echo ${quote(line)} > made; chmod +x made; ./made`,
  (line) => `echo ${quote(line)} > made; chmod +x made; PATH=.:$PATH; made`,
  (line) => `echo true > made; echo ${quote(line)} >> made; sh made`,
  (line) => `echo ${quote(line)} | tee made > /dev/null; bash made`,
  (line) => `echo ${quote(line)} > made; bash < made`,
  (line) => `echo ${quote(line)} > made; cp made b; . ./b`,
  (line) => `echo ${quote(line)} > e.sh; BASH_ENV=e.sh bash -c true`,
  (line) => `echo ${quote(line)} > rc; bash --rcfile rc -i -c true`,
  (line) => `cat > made <<'HERE'\n#!/bin/bash\n${line}\nHERE\nbash made`,
  (line) => `cp $(which canary) other; ./other q; ${line}`,
  (line) => `ln -s "$BIN/canary" other; ./other q; ${line}`,
  (line) => `ln -s $BIN/canary true; PATH=.:$PATH; true r; ${line}`,
  (line) => `hash -p $BIN/canary other; other s; ${line}`,
  (line) => `env -S 'canary t'; ${line}`,
  (line) => `env which=canary bash -c ${quote(line)}`,
  (line) => `which=canary bash -c ${quote(line)}`,
  (line) => `x=${quote(line)}; eval "$x"`,
  (line) => `x=${quote(line)}; bash -c "$x"`,
  (line) => `x=${quote(line)}; echo "$x" | bash`,
  (line) => `eval "$(echo ${quote(line)})"`,
  (line) => `x=(${line}); "\${x[0]}" w`,
  (line) => `set -- a; shift; ${line}`,
  (line) => `set -- canary; $1 v; ${line}`,
  (line) => `unset which; \${which:-canary} u; ${line}`,
  (line) => `declare which=canary; ${line}`,
  (line) => `readonly which=canary; ${line}`,
  (line) => `x='a[$(canary k)]'; (( x )); ${line}`,
  (line) => `PS4='$(canary l)' bash -xc true; ${line}`,
  (line) => `compgen -W '$(canary m)'; ${line}`,
  (line) => `trap 'which=canary' EXIT; ${line}`,
  (line) => `true && which=canary; ${line}`,
  (line) => `false && which=canary; ${line}`,
  (line) => `which=ls; [[ a == b ]] || which=canary; ${line}`,
  (line) => `while read -r which; do ${line}\ndone <<< canary`,
  (line) => `read -r which < <(echo canary); ${line}`,
  (line) => `{ ${line}\n} > out.txt`,
  (line) => `( ${line}\n) < /dev/null`,
  (line) => `true > >( ${line}\n); wait`,
  (line) => `command eval ${quote(line)}`,
  (line) => `builtin cd sub; ${line}`,
  (line) => `python3 -c 'import os; os.system("canary n")'; ${line}`,
  (line) => `perl -e 'system("canary", "o")'; ${line}`,
  (line) => `perl -e '\`canary p\`'; ${line}`,
  (line) => `find . -maxdepth 0 -exec sh -c ${quote(line)} \\;`,
  (line) => `echo a | xargs -I{} sh -c ${quote(line)}`,
  (line) => `echo ${quote(line)} | xargs -d '\\n' -n1 bash -c`,
  (line) => `exec 3< <(echo a); ${line}`,
  // These run nothing.
  (line) => `alias x=${quote(line)}`,
  (line) => `set -- ${line}`,
  (line) => `echo ${quote(line)}`,
  (line) => `: # ${line.replaceAll("\n", " ")}`,
  (line) => `cat <<'HERE'\n${line}\nHERE`,
  (line) => `command -v ${line}`,
  (line) => `x=${quote(line)}; echo "$x"`,
];
const line = fc
  .tuple(simple, fc.array(fc.constantFrom(...around), { maxLength: 3 }))
  .map(([start, wraps]) => wraps.reduce((text, wrap) => wrap(text), start));

interface Ran {
  folder: string;
  args: readonly string[];
}

/** What the fake program wrote down: the folder, the number of its arguments, and these. */
function ranIn(log: string): Ran[] {
  const parts = readFileSync(log, "utf8").split("\0");
  const ran: Ran[] = [];
  for (let at = 0; at + 1 < parts.length; ) {
    const count = Number(parts[at + 1]);
    ran.push({ folder: parts[at] ?? "", args: parts.slice(at + 2, at + 2 + count) });
    at += 2 + count;
  }
  return ran;
}

const border = "\u0001";
/** A word that may be several, or none: it needs no border. */
const across = unknownText + unknownText + border;
const escaped = (text: string): string => text.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&");

/** Words with text that only the shell knows, as an expression over words. */
function fits({ words }: SimpleCommand, { args }: Ran): boolean {
  const form = words
    .map((word) => `${escaped(word)}${border}`)
    .join("")
    .split(across)
    .join(unknownText + unknownText)
    .replaceAll("*", "[^]*")
    .replaceAll(unknownText + unknownText, "[^]*")
    .replaceAll(unknownText, `[^${border}]*`);
  return new RegExp(`^${form}$`).test(["canary", ...args].map((word) => `${word}${border}`).join(""));
}

const isProgram = ({ words: [program = ""] }: SimpleCommand): boolean => /(^|\/)canary$/.test(program);

type Verdict = "seen" | "given up" | "escaped";

function judge({ ran, stayed, reading: { commands, unknown } }: Tried): Verdict {
  if (unknown.some(({ what }) => what === "runs")) return "given up";
  const hold = ran.every((one) =>
    commands.some(
      (command) =>
        isProgram(command) &&
        (stayed ||
          ((command.cwd === undefined || command.cwd === one.folder) &&
            fits({ ...command, words: ["canary", ...command.words.slice(1)] }, one))),
    ),
  );
  return hold ? "seen" : "escaped";
}

interface Tried {
  ran: Ran[];
  /** A folder that was to be changed to was not there: the reading takes it that each is, so folders and $PWD differ. */
  stayed: boolean;
  reading: ShellReading;
}

/**
 * Generated lines call themselves now and then: without a bound some of them fork until the machine stands still. No function is
 * nested deeper, and a shell in a shell in a shell ends itself.
 */
const bounded = { FUNCNEST: "20", BASH_ENV: join(mkdtempSync(join(tmpdir(), "hookline-bound-")), "bound.sh") };
writeFileSync(bounded.BASH_ENV, '[ "${SHLVL:-0}" -gt 12 ] && kill -KILL $$\n:\n');
after(() => rmSync(dirname(bounded.BASH_ENV), { recursive: true, force: true }));

async function runLine(command: string, root: string): Promise<Tried> {
  const home = mkdtempSync(join(root, "run-"));
  const work = join(home, "work");
  const bin = join(home, "bin");
  for (const folder of [bin, work, join(work, "sub")]) mkdirSync(folder);
  writeFileSync(join(work, "sub", "file"), "");
  const log = join(home, "log");
  writeFileSync(log, "");
  writeFileSync(join(bin, "canary"), `#!/bin/sh\nprintf '%s\\0' "$(pwd)" "$#" "$@" >> '${log}'\n`, { mode: 0o755 });
  const environment = { PATH: `${bin}:/usr/bin:/bin`, HOME: home, BIN: bin, ...bounded };
  const stdio: StdioOptions = ["ignore", "ignore", "pipe"];
  const child = spawn("bash", ["-c", command], { cwd: work, env: environment, stdio, timeout: 10_000 });
  let said = "";
  child.stderr?.on("data", (part) => {
    said += part;
  });
  await new Promise((resolve) => child.on("close", resolve));
  const ran = ranIn(log);
  rmSync(home, { recursive: true, force: true });
  return { ran, stayed: /(cd|pushd|popd|mkdir): /.test(said), reading: readShell(command, { cwd: work, home }) };
}

/** Two at a time: bash waits more than it works. */
async function each(commands: readonly string[], run: (command: string) => Promise<void>): Promise<void> {
  const waiting = [...commands];
  const work = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await run(next);
  };
  await Promise.all([work(), work()]);
}

test("[R10, T9] no generated line runs the canary under bash unseen", async (context) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "hookline-shell-")));
  const seed = Number(process.env.SHELL_FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
  const count = Number(process.env.SHELL_FUZZ_RUNS ?? 200);
  context.diagnostic(`seed ${seed}: SHELL_FUZZ_SEED=${seed} SHELL_FUZZ_RUNS=${count} repeats it`);
  const found: { [verdict in Verdict]: string[] } = { seen: [], "given up": [], escaped: [] };
  try {
    await each(fc.sample(line, { seed, numRuns: count }), async (command) => {
      const tried = await runLine(command, root);
      if (tried.ran.length > 0) found[judge(tried)].push(command);
    });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  const all = found.seen.length + found["given up"].length + found.escaped.length;
  context.diagnostic(`ran ${all}: seen ${found.seen.length}, given up ${found["given up"].length}`);
  assert.equal(found.escaped.length, 0, `seed ${seed}:\n${found.escaped.slice(0, 30).join("\n---\n")}`);
  assert.ok(all > count / 4, `only ${all} lines ran the canary`);
  assert.ok(found.seen.length > all / 2, `only ${found.seen.length} of ${all} were read rather than given up`);
});
