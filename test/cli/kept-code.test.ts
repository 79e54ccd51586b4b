/** What V8 compiled of the hot command, kept between its starts by bin/hookline.js; here of a small script in the same shape. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";

const bin = join(import.meta.dirname, "..", "..", "bin", "hookline.js");

interface Installed {
  /** Puts another hot command in the package. */
  holds(name: string, says: string): void;
  /** What the command says; that it ends well is checked. */
  runs(environment?: Readonly<Record<string, string>>): string;
  code: string;
  /** Files of kept code. */
  kept(): string[];
}

function installed(t: TestContext): Installed {
  const folder = mkdtempSync(join(tmpdir(), "hookline-kept-code-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const dist = join(folder, "package", "dist");
  mkdirSync(dist, { recursive: true });
  cpSync(bin, join(folder, "package", "bin", "hookline.js"));
  writeFileSync(join(folder, "package", "package.json"), '{"type":"module"}');
  writeFileSync(join(dist, "part.js"), 'export const end = "!";');
  const code = join(folder, "state", "hookline", "code");
  return {
    holds(name, says) {
      const body = `const said = () => ${JSON.stringify(says)};\nconst { end } = await loadPart("./part.js");\n`;
      writeFileSync(
        join(dist, "hook.cjs"),
        `//${name}\n(async (loadPart) => {\n"use strict";\n${body}console.log(said() + end);\nprocess.exit(0);\n})\n`,
      );
    },
    runs(environment = { XDG_STATE_HOME: join(folder, "state") }) {
      const script = join(folder, "package", "bin", "hookline.js");
      const done = spawnSync(process.execPath, [script, "hook"], { env: { ...environment }, encoding: "utf8" });
      assert.equal(done.status, 0, done.stderr);
      assert.equal(done.stderr, "");
      return done.stdout.trim();
    },
    code,
    kept: () => readdirSync(code).filter((name) => name.startsWith("hook-")),
  };
}

test("the first run keeps the code in one file of the user's own, which later runs replace", (t) => {
  const { holds, runs, code, kept } = installed(t);
  holds("one", "hello");
  assert.equal(runs(), "hello!");
  const name = `hook-${process.version}-${process.arch}`;
  assert.deepEqual(kept(), [name]);
  assert.equal(statSync(join(code, name)).mode & 0o777, 0o600);
  assert.equal(runs(), "hello!");
  assert.deepEqual(kept(), [name]);
  assert.match(readFileSync(join(code, name), "latin1"), /one[12]$/);
});

test("what is kept is what runs", (t) => {
  const { holds, runs, code, kept } = installed(t);
  holds("two", "other");
  runs();
  const file = join(code, kept()[0] ?? "");
  writeFileSync(file, Buffer.concat([readFileSync(file).subarray(0, -4), Buffer.from("one9")])); // V8 cannot tell
  holds("one", "hello");
  assert.equal(runs(), "other!");
});

test("code of another text of the same length is not run", (t) => {
  const { holds, runs, code, kept } = installed(t);
  holds("one", "hello");
  assert.equal(runs(), "hello!");
  holds("two", "other");
  assert.equal(runs(), "other!");
  const [name = ""] = kept();
  assert.match(readFileSync(join(code, name), "latin1"), /two1$/);
});

test("code that was cut short, or that others may write, is not run and is kept anew", (t) => {
  const { holds, runs, code, kept } = installed(t);
  holds("one", "hello");
  runs();
  const file = join(code, kept()[0] ?? "");
  const whole = readFileSync(file);
  for (const spoil of [
    () => writeFileSync(file, Buffer.concat([whole.subarray(0, 200), Buffer.from("one9")])),
    () => writeFileSync(file, ""),
    () => chmodSync(file, 0o666),
  ]) {
    spoil();
    assert.equal(runs(), "hello!");
    assert.match(readFileSync(file, "latin1"), /one1$/);
    assert.equal(statSync(file).mode & 0o777, 0o600);
  }
});

test("where nothing can be kept the command runs all the same", (t) => {
  const { holds, runs } = installed(t);
  holds("one", "hello");
  assert.equal(runs({}), "hello!");
  assert.equal(runs({ XDG_STATE_HOME: "/dev/null" }), "hello!");
});
