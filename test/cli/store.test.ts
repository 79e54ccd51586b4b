/** Where the commands keep their records: what lies at the path that they are given, and at the usual one. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
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
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { bin, codeCache } from "../program.ts";

const letter = "this is a letter, not a database\n";

function place(t: TestContext): {
  folder: string;
  hookline(...words: string[]): { status: number | null; said: string };
} {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-store-")));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const env = {
    NODE_COMPILE_CACHE: codeCache,
    PATH: process.env.PATH ?? "",
    HOME: folder,
    XDG_STATE_HOME: join(folder, "state"),
  };
  return {
    folder,
    hookline(...words) {
      const { status, stderr } = spawnSync(process.execPath, [bin, ...words], { cwd: folder, env, encoding: "utf8" });
      return { status, said: stderr };
    },
  };
}

test("a file that is given as the store and is none keeps its bytes and its mode, whatever the command", (t) => {
  const { folder, hookline } = place(t);
  const notes = join(folder, "notes.txt");
  writeFileSync(notes, letter);
  chmodSync(notes, 0o644);
  for (const words of ["automation list", "status", "emit tests.passed", "purge --before 2020-01-01", "up"]) {
    const { status, said } = hookline(...words.split(" "), "--store", "notes.txt");
    assert.equal(status, 3, `${words}: ${said}`);
    assert.match(said, /it is no store of Hookline — .*notes\.txt — choose another file/);
    assert.equal(readFileSync(notes, "utf8"), letter);
    assert.equal(statSync(notes).mode & 0o777, 0o644);
    const others = /^state$|-daemon\.lock$/; // a daemon takes its lock before it opens its store
    assert.deepEqual(
      readdirSync(folder).filter((name) => !others.test(name)),
      ["notes.txt"],
    );
  }
});

test("[F12] at the usual path, where nothing but the store lies, other content is a damaged store", (t) => {
  const { folder, hookline } = place(t);
  const own = join(folder, "state", "hookline");
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, "hookline.db"), letter);
  const { status, said } = hookline("automation", "list");
  assert.equal(status, 0, said);
  assert.match(said, /the store was damaged and a new one was made/);
  const aside = readdirSync(own).find((name) => name.includes(".corrupt-"));
  assert.equal(readFileSync(join(own, aside ?? ""), "utf8"), letter);
});
