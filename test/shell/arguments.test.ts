/** What a line keeps in its arguments, in lists and in elements of them is known where it uses them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readShell } from "../../src/shell/read.ts";

const runs = (line: string, command: string): boolean =>
  readShell(line, { cwd: "/w", home: "/home/ada" }).commands.some(({ words }) => words.join(" ") === command);

test("arguments are known in a loop without a list, cut into parts and counted from the end", () => {
  for (const line of [
    `bash -c 'for a; do rm "$a"; done' _ y`,
    `bash -c 'rm "\${@:1}"' _ y`,
    `bash -c 'rm "\${@:2:1}"' _ x y z`,
    `bash -c 'rm "\${@: -1}"' _ x y`,
    `bash -c 'rm "\${!#}"' _ x y`,
  ])
    assert.ok(runs(line, "rm y"), line);
});

test("elements of a list are known by number and by name, and no longer once the list is another", () => {
  for (const line of [
    "declare -A m=([k]=y); rm ${m[k]}",
    "declare -A m; m[k]=y; rm ${m[k]}",
    'a[3]=y; rm "${a[3]}"',
    'a=(x y); rm "${a[-1]}"',
    'a=(x y); rm "${a[@]:1}"',
    'a=(); a+=(y); rm "${a[@]}"',
  ])
    assert.ok(runs(line, "rm y"), line);
  assert.ok(!runs("m[k]=y; m=([k]=z); rm ${m[k]}", "rm y"));
  assert.ok(!runs("m[k]=y; unset m; rm ${m[k]}", "rm y"));
});

test("hooks of a template and a folder that is only called so are nobody knows what", () => {
  const givesUp = (line: string): boolean =>
    readShell(line, { cwd: "/w", home: "/home/ada" }).unknown.some(({ what }) => what === "runs");
  for (const line of [
    "git init --template=/tmp/x",
    "git clone --template /tmp/x y",
    "GIT_TEMPLATE_DIR=/tmp/x git init",
    "git -c init.templateDir=/tmp/x init",
    "PWD=/; rm $PWD",
  ])
    assert.ok(givesUp(line), line);
  assert.ok(!givesUp("git init"));
  assert.ok(!givesUp("PWD=$(pwd) docker compose up"));
});
