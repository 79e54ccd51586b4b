/** Kept code that is damaged in every way, and that several Nodes keep; kept-code.test.ts has the usual ways. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { chmodSync, lstatSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { installed } from "./kept-code.ts";

test("code of another text of the same length is not run, and stays for the text that it is of", (t) => {
  const { holds, runs, kept } = installed(t);
  for (const [name, says] of [
    ["one", "hello"],
    ["two", "other"],
    ["one", "hello"],
  ] as const) {
    holds(name, says);
    assert.equal(runs(), `${says}!`);
  }
  assert.equal(kept().length, 2);
});

test("code that was cut short, or that others may write, is not run and is kept anew", (t) => {
  const { holds, runs, code, kept } = installed(t);
  holds("one", "hello");
  runs();
  const file = join(code, kept()[0] ?? "");
  const whole = readFileSync(file);
  for (const spoil of [
    () => writeFileSync(file, Buffer.concat([whole.subarray(0, 200), Buffer.from("9")])),
    () => writeFileSync(file, ""),
    () => chmodSync(file, 0o666),
    () => {
      rmSync(file);
      const elsewhere = join(code, "elsewhere");
      writeFileSync(elsewhere, Buffer.concat([whole.subarray(0, -1), Buffer.from("9")]), { mode: 0o600 });
      symlinkSync(elsewhere, file);
    },
    () => {
      rmSync(file);
      assert.equal(spawnSync("mkfifo", ["-m", "600", file]).status, 0);
    },
  ]) {
    spoil();
    assert.equal(runs(), "hello!");
    assert.match(readFileSync(file, "latin1"), /1$/);
    assert.equal(lstatSync(file).mode & 0o177777, 0o100600);
  }
});

test("damaged code never reaches V8, which would die of it: the command does its work and the file is whole again", (t) => {
  const { holds, runs, code, kept } = installed(t);
  holds("one", "hello");
  runs();
  const file = join(code, kept()[0] ?? "");
  const whole = readFileSync(file);
  const half = Math.floor(whole.length / 2);
  const head = 32; // behind what V8 looks at itself
  const somewhere = () => randomInt(head, half);
  const damages: ((bytes: Buffer) => void)[] = [
    (bytes) => bytes.fill(0),
    (bytes) => bytes.fill(0, head, half),
    (bytes) => bytes.fill(0, head, bytes.length - 1),
    (bytes) => bytes.fill(0, somewhere(), half),
    (bytes) => bytes.fill(0xff, somewhere(), half),
    (bytes) => bytes.fill(0xff, half, bytes.length - 1),
    (bytes) => bytes.write("~", bytes.length - 1),
    ...Array.from({ length: 4 }, () => (bytes: Buffer) => {
      const at = somewhere();
      bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << randomInt(8)), at);
    }),
    ...Array.from({ length: 4 }, () => (bytes: Buffer) => {
      for (let place = 0; place < 20; place++) bytes.writeUInt8(randomInt(256), somewhere());
      bytes.writeUInt8(bytes.readUInt8(head) ^ 1, head); // else all may be as it was
    }),
  ];
  for (const damage of damages) {
    const bytes = Buffer.from(whole);
    damage(bytes);
    writeFileSync(file, bytes);
    assert.equal(runs(), "hello!");
    const again = readFileSync(file);
    assert.ok(!again.equals(bytes));
    assert.ok(again.subarray(0, half).equals(again.subarray(half, -1)));
  }
});

test("a Node with other flags keeps its own code, and neither replaces the other's at each start", (t) => {
  const { holds, runs, code, kept } = installed(t);
  const state = { XDG_STATE_HOME: join(code, "..", "..") };
  holds("one", "hello");
  for (const NODE_OPTIONS of ["", "--max-old-space-size=300", "--max-old-space-size=200"])
    runs({ ...state, NODE_OPTIONS });
  assert.equal(kept().length, 3);
  for (const name of kept()) {
    const bytes = readFileSync(join(code, name));
    bytes.write("9", bytes.length - 1); // it is replaced once in 512 starts
    writeFileSync(join(code, name), bytes);
  }
  const numbers = () => kept().map((name) => statSync(join(code, name)).ino);
  const before = numbers();
  for (const NODE_OPTIONS of ["--max-old-space-size=300", "", "--max-old-space-size=200"])
    runs({ ...state, NODE_OPTIONS });
  const replaced = numbers().filter((number, at) => number !== before[at]);
  assert.ok(replaced.length < 2, "two of three by chance: once in 87000 runs");
});
