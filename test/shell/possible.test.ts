/** What a variable may be where a line does not tell which: each value that stands in the line counts for rules that deny or ask. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ShellReading } from "../../src/engine/effects.ts";
import { readShell } from "../../src/shell/read.ts";

const read = (line: string): ShellReading => readShell(line, { cwd: "/home/ada/w", home: "/home/ada" });
const texts = (line: string): string[] => read(line).commands.map(({ words }) => words.join(" "));
const givesUp = (line: string): boolean => read(line).unknown.some(({ what }) => what === "runs");

function mayRun(lines: Readonly<Record<string, readonly string[]>>): void {
  for (const [line, expected] of Object.entries(lines))
    for (const text of expected) assert.ok(texts(line).includes(text), `${line}: ${JSON.stringify(texts(line))}`);
}

test("of branches each value counts, and a program with two known values is known", () => {
  mayRun({
    'if x; then D=/srv/a; else D=/srv/b; fi; rm "$D"': ["rm /srv/a", "rm /srv/b"],
    'D=dist; [ -n "$ALL" ] && D=/srv/a; rm "$D"': ["rm dist", "rm /srv/a"],
    'case $1 in a) D=/srv/a;; *) D=/srv/b;; esac; rm "$D"': ["rm /srv/a", "rm /srv/b"],
    'o=; [ -n "$F" ] && o=--force; git push $o origin': ["git push origin", "git push --force origin"],
    'while x; do D=/srv/a; done; rm "$D"': ["rm /srv/a"],
    "PM=npm; [ -f y ] && PM=pnpm; $PM test": ["npm test", "pnpm test"],
  });
  assert.equal(givesUp("PM=npm; [ -f y ] && PM=pnpm; $PM test"), false);
  assert.equal(givesUp("if x; then PM=pnpm; else PM=npm; fi; $PM test"), false);
  assert.equal(givesUp("if x; then PM=pnpm; else PM=$y; fi; $PM test"), true);
});

test("what may be none of the known values is read as unknown as well, and those are marked as what may not run", () => {
  const { commands } = read('if x; then D=/srv/a; else D=$y; fi; rm "$D"');
  const found = commands.map(({ words, isPerhaps }) => [words.join(" "), isPerhaps === true]);
  assert.deepEqual(found.slice(1), [
    ["rm \0", false],
    ["rm /srv/a", true],
  ]);
});

test("the words of a default count where the variable is not known", () =>
  mayRun({
    'cat "${F:-.env}"': ["cat \0", "cat .env"],
    'f=${1:-.env}; cat "$f"': ["cat .env"],
    'rm "${D:-$HOME/x}"': ["rm /home/ada/x"],
    ': "${D:=$HOME/x}"; rm "$D"': ["rm /home/ada/x"],
    "git push ${F:+--force} origin": ["git push --force origin"],
  }));

test("a function's variables have the values that its calls give them", () =>
  mayRun({
    'f() { local d=/srv/a; rm "$d"; }; f': ["rm /srv/a"],
    'f() { local d=$1; rm "$d"; }; f /srv/a': ["rm /srv/a"],
    'f() { for x in "$@"; do rm "$x"; done; }; f /srv/a': ["rm /srv/a"],
    'main() { local t="$HOME/x"; if [ -d "$t" ]; then rm "$t"; fi; }; main "$@"': ["rm /home/ada/x"],
  }));

test("what a program lists is what the variable may be that takes it, and a loop over a pattern is the pattern", () =>
  mayRun({
    'find /srv/a -type f | while read f; do rm "$f"; done': ["rm /srv/a/*"],
    'while read f; do rm "$f"; done < <(find /srv/a)': ["rm /srv/a/*"],
    'for f in $(find /srv/a); do rm "$f"; done': ["rm /srv/a/*"],
    "fs=$(find /srv/a); rm $fs": ["rm /srv/a/*"],
    'mapfile -t fs < <(find /srv/a); rm "${fs[@]}"': ["rm /srv/a/*"],
    'for d in ~/*/; do rm "$d"; done': ["rm /home/ada/*/"],
    'for f in .env*; do cat "$f"; done': ["cat .env*"],
    'for d in ~/x/*/; do rm "${d%/}"; done': ["rm /home/ada/x/*"],
  }));

test("of many values and variables so many are tried that a line is read in its time", () => {
  const branches = Array.from({ length: 40 }, (_, at) => `${at}) A=/a/${at} B=/b/${at} C=/c/${at};;`).join(" ");
  const line = `case $1 in ${branches} esac; ${'x "$A" "$B" "$C"; '.repeat(20)}`;
  assert.ok(read(line).commands.length < 20 * 100);
});
