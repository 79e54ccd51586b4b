/** What V8 compiled of the hot command, kept between its starts by bin/hookline.js; here of a small script in the same shape. */
import assert from "node:assert/strict";
import {
  chmodSync,
  chownSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { installed } from "./kept-code.ts";

test("the first run keeps the code in one file of the user's own, which later runs replace", (t) => {
  const { holds, runs, code, kept } = installed(t);
  holds("one", "hello");
  assert.equal(runs(), "hello!");
  const [name = "", ...others] = kept();
  assert.ok(name.startsWith(`hook-${process.version}-${process.arch}-one-`), name);
  assert.deepEqual(others, []);
  assert.equal(statSync(join(code, name)).mode & 0o777, 0o600);
  assert.equal(statSync(code).mode & 0o777, 0o700);
  assert.equal(runs(), "hello!");
  assert.deepEqual(kept(), [name]);
  assert.match(readFileSync(join(code, name), "latin1"), /[12]$/);
});

test("what is kept is what runs", (t) => {
  const { holds, runs, code, kept } = installed(t);
  holds("two", "other");
  runs();
  const file = join(code, kept()[0] ?? "");
  holds("one", "hello");
  renameSync(file, file.replace("-two-", "-one-")); // V8 cannot tell
  assert.equal(runs(), "other!");
});

test("code that was cut short or damaged is not run, and is kept anew", (t) => {
  const { holds, runs, code, kept } = installed(t);
  holds("one", "hello");
  runs();
  const file = join(code, kept()[0] ?? "");
  const whole = readFileSync(file);
  for (const bytes of [whole.subarray(0, 200), Buffer.from(whole).fill(0, 32, Math.floor(whole.length / 2))]) {
    writeFileSync(file, bytes);
    assert.equal(runs(), "hello!");
    assert.ok(readFileSync(file).length > 200 && !readFileSync(file).equals(bytes));
  }
});

test("in a folder of another's, or that others may write to, nothing is read or kept", (t) => {
  const { holds, runs, code, kept } = installed(t);
  holds("two", "other");
  runs();
  const file = join(code, kept()[0] ?? "");
  holds("one", "hello");
  renameSync(file, file.replace("-two-", "-one-"));
  const before = readdirSync(code);
  chmodSync(code, 0o777);
  assert.equal(runs(), "hello!");
  if (process.getuid?.() === 0) {
    chmodSync(code, 0o700);
    chownSync(code, 65534, 65534);
    assert.equal(runs(), "hello!");
  }
  assert.deepEqual(readdirSync(code), before);
});

test("a process that keeps code removes what a killed writer left a minute ago, and all but the latest eight", (t) => {
  const { holds, runs, code, kept } = installed(t);
  holds("one", "hello");
  runs();
  const [name = ""] = kept();
  const ago = (seconds: number, left: string) => {
    writeFileSync(join(code, left), "");
    utimesSync(join(code, left), Date.now() / 1000 - seconds, Date.now() / 1000 - seconds);
  };
  ago(70, `${name}.4000001`);
  ago(5, `${name}.4000002`);
  for (let day = 1; day <= 9; day++) ago(day * 86_400, `hook-of-day-${day}`);
  rmSync(join(code, name));
  runs();
  const days = [1, 2, 3, 4, 5, 6, 7].map((day) => `hook-of-day-${day}`);
  assert.deepEqual(kept().sort(), [...days, name, `${name}.4000002`].sort());
});

test("where nothing can be kept the command runs all the same", (t) => {
  const { holds, runs } = installed(t);
  holds("one", "hello");
  assert.equal(runs({}), "hello!");
  assert.equal(runs({ XDG_STATE_HOME: "/dev/null" }), "hello!");
});
