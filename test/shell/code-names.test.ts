/** Code of other languages: which of its words are the programs that it starts, whatever the options and the names by which it calls them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readShell } from "../../src/shell/read.ts";

const read = (line: string) => readShell(line, { cwd: "/w", home: "/home/ada" });
const runs = (line: string, command: string): boolean =>
  read(line).commands.some(({ words }) => words.join(" ") === command);

test("every option of an interpreter that gives code has its code read, alone, in a bundle, with a sign and beside others", () => {
  const code = `require("child_process").execSync("rm y")`;
  const options = [
    "-e",
    "-p",
    "-pe",
    "-p -e",
    "--eval",
    "--print",
    "-p --eval",
    "--print --input-type=module -e",
    "-i -e",
  ];
  for (const program of ["node", "nodejs", "tsx", "npx tsx", "ts-node"])
    for (const option of options) assert.ok(runs(`${program} ${option} '${code}'`, "rm y"), `${program} ${option}`);
  for (const option of ["--eval", "--print"]) assert.ok(runs(`node ${option}='${code}'`, "rm y"), option);
  for (const bundle of ["-e", "-ne", "-pe", "-lane", "-we", "-e 1 -e"])
    for (const program of ["perl", "ruby"])
      assert.ok(runs(`${program} ${bundle} 'system "rm y"'`, "rm y"), `${program} ${bundle}`);
  for (const line of ["-c", "-Ic", "-m timeit", "-m timeit -s", "-mtimeit -s", "-m pdb -c", "-m cProfile -m timeit"])
    assert.ok(runs(`python3 ${line} 'import os; os.system("rm y")'`, "rm y"), line);
});

test("a function that starts programs is known by any name that the code gives it", () => {
  const python = [
    'import subprocess as s; s.run(["rm","y"])',
    'import sys, os as o; o.system("rm y")',
    'from os import system as x; x("rm y")',
    'import os; f = os.system; f("rm y")',
    'getattr(__import__("os"), "system")("rm y")',
    'import os; os.execvp("rm", ["rm", "y"])',
    'import os; os.spawnlp(os.P_WAIT, "rm", "rm", "y")',
  ];
  for (const code of python) assert.ok(runs(`python3 -c '${code}'`, "rm y"), code);
  const javascript = [
    'import {execSync as x} from "node:child_process"; x("rm y")',
    'import * as c from "child_process"; c.execSync("rm y")',
    'const {execSync: x} = require("child_process"); x("rm y")',
    'const c = require("child_process"); c["execSync"]("rm y")',
    'const x = require("util").promisify(require("child_process").exec); x("rm y")',
    'import("child_process").then(c => c.execSync("rm y"))',
  ];
  for (const code of javascript) assert.ok(runs(`node -e '${code}'`, "rm y"), code);
});

test("a program's words are known where the code keeps them in a list, a constant or the folder of home", () => {
  assert.ok(runs("ruby -e 'system *%w[rm y]'", "rm y"));
  assert.ok(runs("perl -e 'system qw(rm y)'", "rm y"));
  assert.ok(runs(`python3 -c 'c = "rm y"; import os; os.system(c)'`, "rm y"));
  assert.ok(runs(`python3 -c 'import os; os.system("rm -r " + os.environ["HOME"])'`, "rm -r /home/ada"));
  assert.ok(runs(`ruby -e 'exec "rm", "-r", Dir.home'`, "rm -r /home/ada"));
  assert.ok(runs("node -e 'require(\"child_process\").execSync(`rm -r ${process.env.HOME}`)'", "rm -r /home/ada"));
});

test("code that runs what it is given is told to run nobody knows what", () => {
  const givesUp = (line: string): boolean => read(line).unknown.some(({ what }) => what === "runs");
  for (const line of [
    "perl -ne 'system $_' f",
    "perl -e 'exec @ARGV' rm y",
    "ruby -e 'exec *ARGV' rm y",
    "python3 -c 'import os,sys; os.system(sys.argv[1])' 'rm y'",
  ])
    assert.ok(givesUp(line), line);
  assert.ok(!givesUp("perl -ne 'print $_ if /system/' f"));
  assert.ok(!givesUp("node -e 'console.log(process.argv[1])' x"));
});

test("code given to a script or a program that nobody knows counts for rules that deny or ask alone", () => {
  for (const line of ["python manage.py shell -c 'import os; os.system(\"rm y\")'", "mytool --exec 'rm y'"]) {
    const found = read(line).commands.find(({ words }) => words.join(" ") === "rm y");
    assert.equal(found?.isPerhaps, true, line);
  }
});
