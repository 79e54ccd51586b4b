/**
 * Generated lines that real bash runs in an empty folder, where a fake program writes down each of its runs: the reading must
 * hold each of them, with its arguments and its folder, or say that it cannot tell; such lines are not run. SHELL_FUZZ_RUNS is
 * the number of lines (10,000 take a minute), SHELL_FUZZ_SEED repeats a run.
 */
import assert from "node:assert/strict";
import { type StdioOptions, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, type TestContext } from "node:test";
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
  '$"canary"',
  "$'\\u0063anary'",
  "can{ary,ary}",
  "{canary,--first}",
  "{canary,-{a,b}}",
  "{../bin/,}canary",
  "../b?n/canary",
  "../bin/can*",
  "$BIN/can[a]ry",
  "${BIN}/canary",
  "~+/../bin/canary",
  "$HOME/bin/canary",
  "/proc/self/cwd/../bin/canary",
  "$(printf canary)",
  "$(printf %s can ary)",
  "$(echo can)ary",
  "$(type -P canary)",
  "$(tr A-Z a-z <<< CANARY)",
  "$(cat <<< canary)",
  "$(basename $BIN/canary)",
  "$(realpath ../bin/canary)",
  "${which:-$(echo canary)}",
  "${which%x}",
  "${which,,}",
  "${which/x/}",
  "${!ref}",
  "${nothing-canary}",
  "${nothing:+x}canary",
  "${BIN+canary}",
  "${which[0]}",
  "$_canary$nothing",
  '"c"a"n"ary',
  "\\c\\a\\n\\a\\r\\y",
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
  " --foo=bar",
  " -{r,f}",
  " {-r,-f} x",
  " -r{f,} --",
  " -{-recursive,f}",
  " $nothing",
  ' "$nothing"',
  " $@",
  ' "$@"',
  " $*",
  " $'a\\tb'",
  " ~",
  " $((1 + 2))",
  " ${#which}",
  " ${nothing:-x y}",
  ' ${nothing:-"a b"}',
  " {a..c}",
  " \\*",
  ' "*"',
  " 'a'\"b\"c",
  " [a]",
  " $(printf '%s ' a b)",
  " >out.txt 2>&1 y",
  " -- -rf",
  " x=1 a=~",
  " {} {x} {,}",
  " a\\ b",
  " 2>&1 | cat",
  " && true",
  " || true",
  " \\\n  --more",
  " <<HERE\nx\nHERE\n",
  " # $(canary no)",
);
const simple = fc.tuple(spelling, operands).map(([program, rest]) => `${program}${rest}`);

const commits = "git -c user.name=a -c user.email=b commit -q --allow-empty -m x";

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
  // Shells, and the ways to give them a text.
  (line) => `bash -s <<-'HERE'\n${line}\nHERE`,
  (line) => `bash <<HERE\n${line.replaceAll(/[\\$`]/g, "\\$&")}\nHERE`,
  (line) => `cat <<'HERE' | sh\n${line}\nHERE`,
  (line) => `bash /dev/stdin <<< ${quote(line)}`,
  (line) => `bash < <(echo ${quote(line)})`,
  (line) => `bash -c "$(cat <<'HERE'\n${line}\nHERE\n)"`,
  (line) => `eval "$(cat <<'HERE'\n${line}\nHERE\n)"`,
  (line) => `. <(echo ${quote(line)})`,
  (line) => `. <(printf '%s\\n' ${quote(line)}) a b`,
  (line) => `exec 3<<< ${quote(line)}; bash <&3`,
  (line) => `bash /dev/fd/3 3<<< ${quote(line)}`,
  (line) => `source /dev/fd/3 3<<< ${quote(line)}`,
  (line) => `exec bash <<< ${quote(line)}`,
  (line) => `exec < <(echo ${quote(line)}); bash`,
  (line) => `{ bash; } <<< ${quote(line)}`,
  (line) => `if true; then sh; fi <<'HERE'\n${line}\nHERE`,
  (line) => `while read -r one; do eval "$one"; done <<< ${quote(line.replaceAll("\n", ";"))}`,
  (line) => `f() { bash; }; f <<< ${quote(line)}`,
  (line) => `f() { cat; }; echo ${quote(line)} | f | bash`,
  (line) => `f() { eval "$1"; }; f ${quote(line)}`,
  (line) => `f() { bash -c "$*"; }; f ${quote(line)}`,
  (line) => `bash -c 'eval "$1"' x ${quote(line)}`,
  (line) => `bash -c '. /dev/stdin' <<< ${quote(line)}`,
  (line) => `sh -c "$0" ${quote(line)}`,
  (line) => `bash -c "$BASH_COMMAND"; ${line}`,
  (line) => `bash -lc ${quote(line)}`,
  (line) => `bash +x -c ${quote(line)}`,
  (line) => `bash --norc --noprofile -c -- ${quote(line)}`,
  (line) => `bash -euo pipefail -c ${quote(line)}`,
  (line) => `dash -c ${quote(line)}`,
  (line) => `"bash" '-c' ${quote(line)}`,
  (line) => `b=bash; $b -c ${quote(line)}`,
  (line) => `$SHELL -c ${quote(line)}; \${SHELL:-bash} -c ${quote(line)}`,
  (line) => `$0 -c ${quote(line)}`,
  (line) => `$BASH -c ${quote(line)}`,
  (line) => `bash -c {${quote(line)},x}`,
  (line) => `bash {-c,${quote(line)}}`,
  (line) => `{bash,-c,${quote(line)}}`,
  (line) => `e""val ${quote(line)}`,
  (line) => `eval -- ${quote(line)}`,
  (line) => `eval eval ${quote(quote(line))}`,
  (line) => `builtin eval ${quote(line)}`,
  (line) => `command -p ${line}`,
  (line) => `command -- ${line}`,
  (line) => `script -qc ${quote(line)} /dev/null`,
  (line) => `flock lock -c ${quote(line)}`,
  (line) => `flock lock ${line}`,
  (line) => `taskset -c 0 ${line}`,
  (line) => `setsid -w bash -c ${quote(line)}`,
  (line) => `exec -a name ${line}`,
  (line) => `(exec ${line}\n)`,
  (line) => `exec > out.txt; ${line}`,
  (line) => `time -p ${line}`,
  (line) => `! ! ${line}`,
  (line) => `! time ${line}`,
  (line) => `coproc NAME { ${line}\n}; wait`,
  (line) => `ls | while read -r one; do ${line}\ndone`,
  (line) => `until ${line}\ndo break; done`,
  (line) => `select which in canary; do ${line}\nbreak; done <<< 1`,
  (line) => `for ((i = 0; i < 1; i++)); do ${line}\ndone`,
  (line) => `case canary in c*) ${line}\n;;& *) true;; esac`,
  (line) => `case $(${line}\n) in *) :;; esac`,
  // Options of the program that is run.
  (line) => `${line} <<< "$(canary from here)"`,
  (line) => `PROMPT_COMMAND=${quote(line)} bash --norc -i < /dev/null`,
  (line) => `PS1='$(canary prompt)' bash --norc -i <<< ${quote(line)}`,
  (line) => `echo ${quote(line)} > rc; ENV=rc sh -i < /dev/null`,
  (line) => `echo ${quote(line)} > rc; ENV=./rc sh -ic true`,
  (line) => `export BASH_ENV=e.sh; echo ${quote(line)} > e.sh; bash -c true`,
  (line) => `BASH_ENV=<(echo ${quote(line)}) bash -c true`,
  (line) => `bash --rcfile <(echo ${quote(line)}) -i -c true`,
  (line) => `bash --init-file <(echo ${quote(line)}) -i < /dev/null`,
  (line) => `echo ${quote(line)} > .bashrc; HOME=. bash -i -c true`,
  (line) => `echo ${quote(line)} > ~/.bashrc; bash -i -c true`,
  (line) => `echo ${quote(line)} > ~/.bash_profile; bash -lc true`,
  (line) => `echo ${quote(line)} > ~/.profile; sh -l -c true`,
  // Functions, aliases, traps.
  (line) => `function f { ${line}\n}; f`,
  (line) => `f() ( ${line}\n); f`,
  (line) => `f() if true; then ${line}\nfi; f`,
  (line) => `f() { g() { ${line}\n}; }; f; g`,
  (line) => `echo() { ${line}\n}; echo x`,
  (line) => `ls() { ${line}\n}; ls | cat`,
  (line) => `f() { ${line}\n}; export -f f; bash -c f`,
  (line) => `f() { ${line}\n}; export -f f; echo a | xargs -n1 bash -c 'f "$@"' x`,
  (line) => `f() { ${line}\n}; x=f; $x`,
  (line) => `f() { ${line}\n}; "f"`,
  (line) => `f() { ${line}\n}; eval f`,
  (line) => `f() { ${line}\n}; trap f EXIT`,
  (line) => `f() { ${line}\n}; for i in f; do $i; done`,
  (line) => `f() { ${line}\n}; ( f )`,
  (line) => `f() { ${line}\n}; echo "$(f)" | cat`,
  (line) => `f() { ${line}\n}; mapfile -C f -c 1 rows <<< x`,
  (line) => `f() { ${line}\n}; compgen -F f x`,
  (line) => `eval ${quote(`f() { ${line}\n}`)}; f`,
  (line) => `eval "$(echo ${quote(`f() { ${line}\n}`)})"; f`,
  (line) => `. <(echo ${quote(`f() { ${line}\n}`)}); f`,
  (line) => `source <(declare -f f); f() { ${line}\n}; f`,
  (line) => `f() { ${line}\n}; eval "$(declare -f f | sed 's/^f/g/')"; g`,
  (line) => `command_not_found_handle() { ${line}\n}; no-such-program x`,
  (line) => `shopt -s expand_aliases\nalias ls=${quote(line)} cat=ls\ncat x`,
  (line) => `shopt -s expand_aliases\nalias e='eval '\ne ${quote(line)}`,
  (line) => `shopt -s expand_aliases\nalias e='env ' c=canary\ne c y; ${line}`,
  (line) => `shopt -s expand_aliases\nalias e='true; canary'\nif true; then e z; fi; ${line}`,
  (line) => `bash -O expand_aliases -c ${quote(`alias x='canary al'\nx more\n${line}`)}`,
  (line) => `trap ${quote(line)} DEBUG; true`,
  (line) => `trap ${quote(line)} ERR; false`,
  (line) => `trap -- ${quote(line)} 0`,
  (line) => `trap ${quote(line)} USR1; kill -USR1 $$`,
  (line) => `f() { :; }; set -T; trap ${quote(line)} RETURN; f`,
  (line) => `(trap ${quote(line)} EXIT); true`,
  // Files that the line makes, and names that it gives to programs.
  (line) => `cp $BIN/canary .; ./canary x; ${line}`,
  (line) => `install -m755 $BIN/canary other; ./other x; ${line}`,
  (line) => `cat $BIN/canary > other; chmod +x other; ./other x; ${line}`,
  (line) => `cat < $BIN/canary > other; chmod +x other; ./other x; ${line}`,
  (line) => `dd if=$BIN/canary of=other 2>/dev/null; chmod +x other; ./other; ${line}`,
  (line) => `tee other < $BIN/canary > /dev/null; chmod +x other; ./other; ${line}`,
  (line) => `ln $BIN/canary other; ./other; ${line}`,
  (line) => `cp $BIN/canary sub/; sub/canary y; ${line}`,
  (line) => `cp -t sub $BIN/canary; sub/canary y; ${line}`,
  (line) => `cp $BIN/canary sub/other; cd sub; ./other y; ${line}`,
  (line) => `cp -r $BIN copied; copied/canary y; ${line}`,
  (line) => `ln -s $BIN linked; linked/canary y; ${line}`,
  (line) => `ln -s $BIN/canary sub/ls; PATH=sub:$PATH ls x; ${line}`,
  (line) => `ln -s $BIN/canary sub/ls; export PATH=$PWD/sub:$PATH; ls x; ${line}`,
  (line) => `ln -s $BIN/canary sub/ls; env PATH=$PWD/sub:$PATH ls x; ${line}`,
  (line) => `ln -s $BIN/canary sub/ls; PATH=$PWD/sub:$PATH bash -c 'ls x'; ${line}`,
  (line) => `ln -s $BIN/canary sub/ls; declare -x PATH=$PWD/sub:$PATH; ls x; ${line}`,
  (line) => `ln -s $BIN/canary sub/ls; read -r PATH <<< "$PWD/sub:$PATH"; ls x; ${line}`,
  (line) => `ln -s $BIN/canary sub/ls; PATH+=:; PATH=sub:$PATH; ls x; ${line}`,
  (line) => `ln -s $BIN/canary sub/ls; printf -v PATH %s "sub:$PATH"; ls x; ${line}`,
  (line) => `ln -s canary $BIN/ls; ls x; ${line}`,
  (line) => `cp $BIN/canary ~/bin/ls; ls x; ${line}`,
  (line) => `echo ${quote(line)} > ~/bin/other; chmod +x ~/bin/other; other x`,
  (line) => `mv $BIN/canary $BIN/other; other x; ${line}`,
  (line) => `ln -s $BIN/canary other; ln -s other third; ./third; ${line}`,
  (line) => `cp $BIN/canary other; mv other third; ./third; ${line}`,
  (line) => `cp $BIN/canary other; for p in ./oth*; do $p w; done; ${line}`,
  (line) => `cp $BIN/canary other; ./o* w; ${line}`,
  (line) => `cp $BIN/canary other; find . -name other -exec {} w \\;; ${line}`,
  (line) => `cp $BIN/canary other; bash other; ${line}`,
  (line) => `cp $BIN/canary other; . ./other; ${line}`,
  (line) => `hash -p $BIN/canary ls; ls w; ${line}`,
  (line) => `BASH_CMDS[ls]=$BIN/canary; ls w; ${line}`,
  (line) => `shopt -s expand_aliases; BASH_ALIASES[ls]=canary\nls w; ${line}`,
  (line) => `echo ${quote(line)} | tee a b > /dev/null; sh b`,
  (line) => `echo ${quote(line)} > made.sh; cat made.sh | bash`,
  (line) => `echo ${quote(line)} > made.sh; bash < made.sh`,
  (line) => `echo ${quote(line)} > made.sh; eval "$(cat made.sh)"`,
  (line) => `echo ${quote(line)} > made.sh; eval "$(< made.sh)"`,
  (line) => `echo ${quote(line)} > made.sh; bash -c "$(cat made.sh)"`,
  (line) => `echo ${quote(line)} > made.sh; f=made.sh; bash $f`,
  (line) => `echo ${quote(line)} > made.sh; for f in *.sh; do bash $f; done`,
  (line) => `echo ${quote(line)} > made.sh; find . -name 'made*' -exec sh {} \\;`,
  (line) => `echo ${quote(line)} > made.sh; ls made.sh | xargs sh`,
  (line) => `echo ${quote(line)} > made.sh; xargs -a made.sh -d '\\n' -n1 bash -c`,
  (line) => `echo ${quote(line)} > made.sh; cd sub; bash ../made.sh`,
  (line) => `(echo ${quote(line)}) > made.sh; bash made.sh`,
  (line) => `{ echo true; echo ${quote(line)}; } > made.sh; bash made.sh`,
  (line) => `f() { echo ${quote(line)}; }; f > made.sh; bash made.sh`,
  (line) => `bash -c 'echo "$1"' x ${quote(line)} > made.sh; bash made.sh`,
  (line) => `echo ${quote(line)} >| made.sh; bash made.sh`,
  (line) => `echo ${quote(line)} &> made.sh; bash made.sh`,
  (line) => `exec 4> made.sh; echo ${quote(line)} >&4; bash made.sh`,
  (line) => `sed 's/x/x/' <<< ${quote(line)} > made.sh; bash made.sh`,
  (line) => `printf 'true\\n' > made.sh; sed -i 's/true/canary sed/' made.sh; bash made.sh; ${line}`,
  (line) => `run-parts . ; echo ${quote(`#!/bin/bash\n${line}`)} > sub/part; chmod +x sub/part; run-parts sub`,
  // Other programs that run programs.
  (line) => `env -S 'canary t' u; ${line}`,
  (line) => `env -vS "bash -c 'canary t'"; ${line}`,
  (line) => `env --split-string='A=1 canary t'; ${line}`,
  (line) => `W=canary env -S '\${W} x'; ${line}`,
  (line) => `env -i $BIN/canary t; ${line}`,
  (line) => `env - PATH=$PATH ${line}`,
  (line) => `env -u X -- ${line}`,
  (line) => `env -i HOME=$HOME PATH=$PATH BIN=$BIN bash -c ${quote(line)}`,
  (line) => `echo canary | xargs -I{} {} x; ${line}`,
  (line) => `echo canary | xargs env; ${line}`,
  (line) => `echo canary x | xargs -L1 env; ${line}`,
  (line) => `printf 'canary\\0a b\\0' | xargs -0 env; ${line}`,
  (line) => `echo '-c canary' | xargs bash; ${line}`,
  (line) => `xargs --replace=% % <<< canary; ${line}`,
  (line) => `xargs -i {} z <<< canary; ${line}`,
  (line) => `echo ${quote(line)} | xargs -I{} bash -c {}`,
  (line) => `echo canary | xargs -I{} bash -c '{} x'; ${line}`,
  (line) => `echo a | xargs -n1 -P2 -t -- ${line}`,
  (line) => `xargs -a sub/file -r canary; xargs -a sub/file ${line}`,
  (line) => `find sub -name file -exec canary {} +; ${line}`,
  (line) => `find . -name file -execdir ${line} {} \\;`,
  (line) => `find $BIN -name canary -exec {} x \\;; ${line}`,
  (line) => `find . -maxdepth 0 -exec true \\; -exec ${line} \\;`,
  (line) => `find . -maxdepth 0 -exec bash -c '"$@"' x ${line} \\;`,
  (line) => `find . -maxdepth 0 -ok ${line} \\; <<< y`,
  (line) => `split --filter=${quote(line)} sub/file; echo x | split --filter=${quote(line)}`,
  (line) => `tar cf /dev/null --checkpoint=1 --checkpoint-action=exec=${quote(line)} sub`,
  (line) => `tar cf made.tar -I ${quote("canary tar")} sub; ${line}`,
  (line) => `echo a | sed -n '1e canary sed'; ${line}`,
  (line) => `echo canary | sed 's/.*/canary code/e'; ${line}`,
  (line) => `awk 'BEGIN { system("canary code") }'; ${line}`,
  (line) => `awk 'BEGIN { "canary code" | getline }'; ${line}`,
  (line) => `awk 'BEGIN { print "x" | "canary code" }'; ${line}`,
  (line) => `awk -v c='canary code' 'BEGIN { system(c) }'; ${line}`,
  (line) => `echo canary code | awk '{ system($0) }'; ${line}`,
  (line) => `echo 'BEGIN { system("canary code") }' > a.awk; awk -f a.awk; ${line}`,
  (line) => `perl -e 'exec "canary", "code"'; ${line}`,
  (line) => `perl -e 'open F, "canary code|"; <F>'; ${line}`,
  (line) => `perl -e '$x = "canary"; system($x, "code")'; ${line}`,
  (line) => `python3 -c 'import subprocess; subprocess.run(["canary", "code"])'; ${line}`,
  (line) => `python3 <<'HERE'\nimport os\nos.system("canary code")\nHERE\n${line}`,
  (line) => `echo 'import os; os.system("canary code")' > a.py; python3 a.py; ${line}`,
  (line) => `python3 -c 'import os, sys; os.execvp(sys.argv[1], sys.argv[1:])' canary code; ${line}`,
  (line) => `printf 'all:\\n\\tcanary code\\n' > Makefile; make; ${line}`,
  (line) => `printf 'all:\\n\\tcanary code\\n' | make -f -; ${line}`,
  (line) => `make --eval='$(shell canary code)'; ${line}`,
  (line) => `git -c alias.x=${quote(`!${line}`)} x`,
  (line) => `git -c alias.x='!canary al' x y; ${line}`,
  (line) => `git -c alias.X='!canary al' x; ${line}`,
  (line) => `git -c alias.x=y -c alias.y='!canary al' x; ${line}`,
  (line) => `git --config-env=alias.x=W x; W='!canary al' git --config-env=alias.x=W x; ${line}`,
  (line) => `GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0='!canary al' git x; ${line}`,
  (line) => `GIT_CONFIG_PARAMETERS="'alias.x=!canary al'" git x; ${line}`,
  (line) => `git init -q .; git config alias.x ${quote(`!${line}`)}; git x`,
  (line) => `printf '[alias]\\nx = "!canary al"\\n' > ~/.gitconfig; git x; ${line}`,
  (line) => `ln -s $BIN/canary git-foo; PATH=.:$PATH git foo; ${line}`,
  (line) => `git --exec-path=$BIN canary; ${line}`,
  (line) => `git init -q .; GIT_EDITOR='canary more' git config -e; ${line}`,
  (line) => `git init -q .; git -c core.editor='canary more' config -e; ${line}`,
  (line) => `git init -q .; git -c core.fsmonitor='canary more' status; ${line}`,
  (line) => `git init -q .; git submodule --quiet foreach ${quote(line)}; ${line}`,
  (line) => `git ls-remote "ext::canary ext"; GIT_ALLOW_PROTOCOL=ext git ls-remote 'ext::canary ext'; ${line}`,
  (line) => `git ls-remote --upload-pack='canary more' .; ${line}`,
  (line) => `GIT_SSH_COMMAND='canary more' git ls-remote ssh://x/y; ${line}`,
  (line) => `GIT_PAGER='canary more' git -p init -q p; ${line}`,
  (line) => `git init -q .; echo ${quote(line)} > .git/hooks/pre-commit; chmod +x .git/hooks/*; ${commits}`,
  (line) => `git init -q .; cp $BIN/canary .git/hooks/pre-commit; ${commits}; ${line}`,
  (line) =>
    `mkdir h; echo ${quote(line)} > h/pre-commit; chmod +x h/*; git init -q .; git -c core.hooksPath=h ${commits.slice(4)}`,
  (line) => `git init -q .; printf '[alias]\nx = "!canary al"\n' >> .git/config; git x y; ${line}`,
  (line) => `git init -q .; git config alias.x '!canary al'; git x y; ${line}`,
  (line) => `git -c alias.x='!f() { canary al "$@"; }; f' x y; ${line}`,
  (line) => `printf 'P = canary\nall:\n\t@$(P) mk $@\n' > Makefile; make; ${line}`,
  (line) => `printf 'all: ; canary mk\n' > makefile; make all; ${line}`,
  (line) => `printf 'X := $(shell canary mk)\nall:\n' > Makefile; make; ${line}`,
  // Texts that the shell evaluates.
  (line) => `compgen -W ${quote(`$( ${line}\n)`)} x`,
  (line) => `compgen -C 'canary c' x; ${line}`,
  (line) => `: $((a[$(canary ar)])); ${line}`,
  (line) => `let 'a[$(canary ar)]'; ${line}`,
  (line) => `(( a[$(canary ar)] )); ${line}`,
  (line) => `x='a[$(canary ar)]'; echo $((x)); ${line}`,
  (line) => `x='a[$(canary ar)]'; echo \${which:x}; ${line}`,
  (line) => `x='a[$(canary ar)]'; echo \${b[x]}; ${line}`,
  (line) => `x='a[$(canary ar)]'; [[ x -eq 1 ]]; ${line}`,
  (line) => `x='a[$(canary ar)]'; echo \${!x}; ${line}`,
  (line) => `x='a[\`canary ar\`]'; b[x]=1; ${line}`,
  (line) => `x='$(canary ar)'; a["$x"]=1; (( a[$x] )); ${line}`,
  (line) => `x=a y='[$(canary ar)]'; echo $((x$y)); ${line}`,
  (line) => `x='$(canary ar)'; echo $((a[$x])); ${line}`,
  (line) => `x=$'a[\\x24(canary ar)]'; echo $((x)); ${line}`,
  (line) => `[[ -v a[$(canary v)] ]]; ${line}`,
  (line) => `[[ -v 'a[$(canary v)]' ]]; ${line}`,
  (line) => `test -v 'a[$(canary v)]'; ${line}`,
  (line) => `[ -v 'a[$(canary v)]' ]; ${line}`,
  (line) => `[[ 'a[$(canary v)]' -gt 0 ]]; ${line}`,
  (line) => `printf -v 'a[$(canary v)]' x; ${line}`,
  (line) => `printf -v'a[$(canary v)]' x; ${line}`,
  (line) => `read -r 'a[$(canary v)]' <<< 1; ${line}`,
  (line) => `unset 'a[$(canary v)]'; ${line}`,
  (line) => `declare -i n='a[$(canary v)]'; ${line}`,
  (line) => `declare -a 'x=($(canary v))'; ${line}`,
  (line) => `declare -A m=(); m['$(canary v)']=1; (( m['$(canary v)'] )); ${line}`,
  (line) => `declare 'x[$(canary v)]=1'; ${line}`,
  (line) => `declare -n r='a[$(canary v)]'; echo $r; ${line}`,
  (line) => `local x; f() { local -n r=which; r=canary; ${line}\n}; f`,
  (line) => `declare -n which=other; other=canary; ${line}`,
  (line) => `declare -a a=([$(canary v)0]=1); ${line}`,
  (line) => `a+=([$(canary v)0]=1); ${line}`,
  (line) => `x='$(canary at)'; echo \${x@P}; ${line}`,
  (line) => `x='$(canary at)'; echo "\${x@P}" > /dev/null; ${line}`,
  (line) => `x='$(canary at)'; a=("$x"); echo "\${a[@]@P}"; ${line}`,
  (line) => `x='$(canary at)'; y=x; echo \${!y@P}; ${line}`,
  (line) => `PS4='$(canary at)'; set -x; true; ${line}`,
  (line) => `PS4='$(canary at)' bash -x <<< ${quote(line)}`,
  (line) => `export PS4='$(canary at)'; bash -xc true; ${line}`,
  (line) => `mapfile -C 'canary map' -c 1 rows <<< x; ${line}`,
  (line) => `mapfile -c1 -C 'canary map' rows < sub/file; mapfile -C'canary map' -c 1 rows <<< x; ${line}`,
  (line) => `readarray -tC 'canary map' -c 1 <<< x; ${line}`,
  (line) => `mapfile -t rows <<< canary; "\${rows[0]}" m; ${line}`,
  (line) => `mapfile -t rows <<< canary; \${rows[@]} m; ${line}`,
  (line) => `read -ra w <<< "canary x"; "\${w[@]}"; ${line}`,
  (line) => `read -r p rest <<< "canary x"; $p $rest; ${line}`,
  (line) => `IFS=, read -r p q <<< canary,x; $p $q; ${line}`,
  (line) => `x=canary,x; IFS=,; $x; ${line}`,
  (line) => `IFS=n; x=$(echo canary); "$x"; ${line}`,
  (line) => `x=(ls canary); "\${x[1]}" i; ${line}`,
  (line) => `x=(ls canary); "\${x[-1]}" i; ${line}`,
  (line) => `x=([5]=canary); \${x[5]} i; ${line}`,
  (line) => `declare -A m=([k]=canary); \${m[k]} i; ${line}`,
  (line) => `declare -A m; m[k]=canary; "\${m[k]}" i; ${line}`,
  (line) => `x=ls; x+=; x=\${x/ls/canary}; $x i; ${line}`,
  (line) => `: \${which:=canary}; ${line}`,
  (line) => `which=; : \${which:=canary}; ${line}`,
  (line) => `x=yranac; $(rev <<< $x) i; ${line}`,
  (line) => `x=$(base64 -d <<< Y2FuYXJ5); $x i; ${line}`,
  (line) => `base64 -d <<< Y2FuYXJ5IGkK | bash; ${line}`,
  (line) => `set -- x canary; shift; "$@" i; ${line}`,
  (line) => `set -- x canary; \${@:2} i; ${line}`,
  (line) => `set -- x canary; \${!#} i; ${line}`,
  (line) => `set -- -c 'canary i'; bash "$@"; ${line}`,
  (line) => `set -- a b; set canary; $1 i; ${line}`,
  (line) => `while getopts 'x:' o -x canary; do $OPTARG i; break; done; ${line}`,
  (line) => `f() { $FUNCNAME2 "$@"; }; FUNCNAME2=canary f i; ${line}`,
  (line) => `unset which; which=canary; unset which; which=canary; ${line}`,
  (line) => `which=ls; (( 1 )) && which=canary; ${line}`,
  (line) => `which=ls; { which=canary; } > /dev/null; ${line}`,
  (line) => `which=ls; eval which=canary; ${line}`,
  (line) => `which=ls; eval "which"=canary; ${line}`,
  (line) => `which=ls; v=which; eval $v=canary; ${line}`,
  (line) => `which=ls; v=which; printf -v $v canary; ${line}`,
  (line) => `which=ls; v=which; declare $v=canary; ${line}`,
  (line) => `which=ls; v=which; read $v <<< canary; ${line}`,
  (line) => `which=ls; command read which <<< canary; ${line}`,
  (line) => `which=ls; builtin declare which=canary; ${line}`,
  (line) => `which=ls; . <(echo which=canary); ${line}`,
  (line) => `which=ls; shopt -s lastpipe; echo canary | read which; ${line}`,
  (line) => `which=ls; for which in canary; do :; done; ${line}`,
  (line) => `which=ls; case x in x) which=canary;; esac; ${line}`,
  (line) => `which=ls; while which=canary; do break; done; ${line}`,
  (line) => `which=ls; f() { which=canary; }; trap f DEBUG; true; ${line}`,
  (line) => `which=ls; ((which++)); which=canary; ${line}`,
  (line) => `which=ls; [[ canary =~ c.* ]] && which=$BASH_REMATCH; ${line}`,
  (line) => `which=ls; [[ canary =~ c.* ]]; \${BASH_REMATCH[0]} r; ${line}`,
  (line) => `true canary; $_ u; ${line}`,
  (line) => `ref=which; which=canary; ${line}`,
  (line) => `set -f; which=canary; ${line}`,
  (line) => `set -k; ${line} A=1`,
  (line) => `shopt -s extglob; ../bin/@(canary) g; ${line}`,
  (line) => `shopt -s nullglob; nothing* canary g; ${line}`,
  (line) => `shopt -s autocd; ${line}`,
  (line) => `(( $(${line}\necho 1) ))`,
  (line) => `a[$(${line}\necho 0)]=1`,
  (line) => `echo \${which:$(${line}\necho 0)}`,
  (line) => `echo \${nothing:-$( ${line}\n)}`,
  (line) => `echo \${which/$( ${line}\n)/}`,
  (line) => `echo "\${nothing:-"$( ${line}\n)"}"`,
  (line) => `cat <<HERE\n\${nothing:-$( ${line}\n)}\nHERE`,
  (line) => `cat <<"HERE" > /dev/null; ${line}\n$(x)\nHERE`,
  (line) => `cat << HERE; cat << THERE\n$( ${line}\n)\nHERE\n\\$( ${line}\n)\nTHERE`,
  (line) => `true > "$( ${line}\necho out.txt)"`,
  (line) => `true 2> >( ${line}\n); wait`,
  (line) => `echo x | tee >( ${line}\n) > /dev/null; sleep 0.05`,
  (line) => `diff <( ${line}\n) <(true)`,
  (line) => `[ "$( ${line}\n)" = x ]`,
  (line) => `test -n "\`${line.replaceAll(/[\\$`]/g, "\\$&")}\`"`,
  (line) => `export x="$( ${line}\n)"`,
  (line) => `local_=$( ${line}\n) true`,
  (line) => `echo {a,$( ${line}\n)}`,
  (line) => `printf '%s' "$( ${line}\n)" | cat`,
  (line) => `return 2>/dev/null; ${line}`,
  (line) => `exit() { :; }; exit; ${line}`,
  (line) => `(exit 3) || ${line}`,
  (line) => `test a = b\\\n || ${line}`,
  (line) => `echo "\`"{true,canary}" y\`"; ${line}`,
  (line) => `echo \${which/$(true a/b; canary y)/}; ${line}`,
  (line) => `echo \${which//\`true a/b; canary y\`/$(${line}\n)}`,
  (line) => `[ -d nowhere ] && cd nowhere; ${line}`,
  (line) => `eval cd nowhere 2>/dev/null || ${line}`,
  (line) => `env HOME=$PWD/sub bash -c 'cd; canary h'; ${line}`,
  (line) => `env HOME=$PWD/sub bash -c 'canary ~/h'; ${line}`,
  (line) => `env -u which bash -c 'canary h'; ${line}`,
  (line) => `shopt -s expand_aliases\nalias x='canary u'\nunalias x; x; ${line}`,
  (line) => `shopt -s expand_aliases\nalias x='canary u'\nalias x=true; x; ${line}`,
  (line) => `n=0; f() { ((n++ > 2)) && return; "$@"; f canary r; }; f true; ${line}`,
  (line) => `n=0; f() { ((n++ > 2)) && return; canary "$@"; f r; }; f q; ${line}`,
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

const givesUp = ({ unknown }: ShellReading): boolean => unknown.some(({ what }) => what === "runs");

function isSeen({ ran, stayed }: Tried, { commands, unknown }: ShellReading): boolean {
  // Code of other languages names a program by literal texts, or it is told that nobody can judge the code.
  const isUnclear = unknown.some(({ what }) => what === "does");
  return ran.every(
    (one) =>
      (isUnclear && one.args[0] === "code") ||
      commands.some(
        (command) =>
          isProgram(command) &&
          (stayed ||
            ((command.cwd === undefined || command.cwd === one.folder) &&
              fits({ ...command, words: ["canary", ...command.words.slice(1)] }, shortened(one)))),
      ),
  );
}

/** What git gives to an editor or to ssh is behind what the line says. */
const shortened = (ran: Ran): Ran => (ran.args[0] === "more" ? { ...ran, args: ["more"] } : ran);

interface Tried {
  ran: Ran[];
  /**
   * A folder that was to be changed to was not there, or bad arithmetic ended the line before: the reading takes it that each change
   * goes well, so folders and $PWD differ.
   */
  stayed: boolean;
}

/**
 * Generated lines call themselves now and then: without a bound some of them fork until the machine stands still. No function is
 * nested deeper, a shell in a shell in a shell ends itself, and the system refuses more processes. As root that needs another user,
 * as the limit does not hold for root; it is one for each line that runs, so that all that the line leaves behind can be ended.
 */
const bounded = { FUNCNEST: "20", BASH_ENV: join(mkdtempSync(join(tmpdir(), "hookline-bound-")), "bound.sh") };
writeFileSync(bounded.BASH_ENV, '[ "${SHLVL:-0}" -gt 12 ] && kill -KILL $$\n:\n');
chmodSync(dirname(bounded.BASH_ENV), 0o755);
after(() => rmSync(dirname(bounded.BASH_ENV), { recursive: true, force: true }));

const isRoot = process.getuid?.() === 0;
const processesOf = (user: number): number[] =>
  readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === user);
const mostProcesses = 200;
/** Of a person, that person's own come on top. */
const processLimit = mostProcesses + (isRoot ? 0 : processesOf(process.getuid?.() ?? 0).length);
const userOf = (lane: number): number => 61_000 + (process.pid % 4000) + lane * 4000;

function endAll(user: number): void {
  for (let left = processesOf(user); left.length > 0; left = processesOf(user)) {
    for (const pid of left)
      try {
        process.kill(pid, "SIGKILL");
      } catch {} // it has ended
    if (left.every((pid) => /^State:\s+[ZX]/m.test(readStatus(pid)))) return; // only to be reaped
  }
}

function readStatus(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return "State: X";
  }
}

/** Some lines wait for ever, and some leave processes behind. */
const longestRun = 3000;

async function runLine(command: string, home: string, lane: number): Promise<Tried> {
  const work = join(home, "work");
  const bin = join(home, "bin");
  for (const folder of [bin, work, join(work, "sub")]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(work, "sub", "file"), "");
  const log = join(home, "log");
  writeFileSync(log, "");
  writeFileSync(join(bin, "canary"), `#!/bin/sh\nprintf '%s\\0' "$(pwd)" "$#" "$@" >> '${log}'\n`, { mode: 0o755 });
  const environment = { PATH: `${bin}:/usr/bin:/bin`, HOME: home, BIN: bin, ...bounded };
  const user = isRoot ? { uid: userOf(lane), gid: userOf(lane) } : {};
  if (isRoot)
    for (const path of [home, bin, work, join(work, "sub"), log, join(bin, "canary"), join(work, "sub", "file")])
      chownSync(path, userOf(lane), userOf(lane));
  const stdio: StdioOptions = ["ignore", "ignore", "pipe"];
  const limited = ["-c", 'ulimit -u "$0" && exec bash -c "$1"', String(processLimit), command];
  const child = spawn("bash", limited, { cwd: work, env: environment, stdio, detached: true, ...user });
  const end = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {} // all of them have ended
    if (isRoot) endAll(userOf(lane));
  };
  const timer = setTimeout(end, longestRun);
  let said = "";
  child.stderr?.on("data", (part) => {
    said += part;
  });
  await new Promise((resolve) => child.on("close", resolve));
  clearTimeout(timer);
  end();
  const ran = ranIn(log);
  rmSync(home, { recursive: true, force: true });
  return { ran, stayed: /(cd|pushd|popd|mkdir|builtin|find): |operand expected/.test(said) };
}

/** Two at a time: bash waits more than it works. */
async function each(commands: readonly string[], run: (command: string, lane: number) => Promise<void>): Promise<void> {
  const waiting = [...commands];
  const work = async (lane: number): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await run(next, lane);
  };
  await Promise.all([work(0), work(1)]);
}

/** @param fixed the seed; each run has one of its own, if it is not given */
export async function noneUnseen(context: TestContext, lines: number, fixed?: number): Promise<void> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "hookline-shell-")));
  chmodSync(root, 0o755);
  const seed = Number(process.env.SHELL_FUZZ_SEED ?? fixed ?? Math.floor(Math.random() * 2 ** 31));
  const count = Number(process.env.SHELL_FUZZ_RUNS ?? lines);
  context.diagnostic(`seed ${seed}: SHELL_FUZZ_SEED=${seed} SHELL_FUZZ_RUNS=${count} repeats it`);
  const escaped: string[] = [];
  let givenUp = 0;
  let seen = 0;
  let next = 0;
  try {
    await each(fc.sample(line, { seed, numRuns: count }), async (command, lane) => {
      const home = join(root, String(next++));
      const reading = readShell(command, { cwd: join(home, "work"), home });
      // Where nobody can tell what runs there is nothing to compare.
      if (givesUp(reading)) {
        givenUp++;
        return;
      }
      const tried = await runLine(command, home, lane);
      if (tried.ran.length === 0) return;
      if (isSeen(tried, reading)) seen++;
      else escaped.push(command);
    });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  context.diagnostic(
    `of ${count} the reading gave ${givenUp} up; bash ran the canary in ${seen + escaped.length} others`,
  );
  assert.equal(escaped.length, 0, `seed ${seed}, ${escaped.length} lines:\n${escaped.slice(0, 60).join("\n---\n")}`);
  assert.ok(seen > count / 5, `only ${seen} of ${count} lines ran the canary and were read rather than given up`);
}
