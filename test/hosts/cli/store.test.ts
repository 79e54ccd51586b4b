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
import { bin, codeCache, runCommand } from "../../program.ts";

const letter = "this is a letter, not a database\n";

const environmentIn = (folder: string): Record<string, string> => ({
  NODE_COMPILE_CACHE: codeCache,
  PATH: process.env.PATH ?? "",
  HOME: folder,
  XDG_STATE_HOME: join(folder, "state"),
});

function place(t: TestContext): {
  folder: string;
  hookline(...words: string[]): { status: number | null; said: string };
} {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-store-")));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const env = environmentIn(folder);
  return {
    folder,
    hookline(...words) {
      const { status, stderr } = runCommand(words, { cwd: folder, environment: env });
      return { status, said: stderr };
    },
  };
}

test("a store of another kind is refused, and a password does not come into the file of a service", (t) => {
  const { hookline } = place(t);
  const other = hookline("runs", "--store", "mysql://one@db.example.com/rows");
  assert.equal(other.status, 2);
  assert.match(other.said, /no store can be reached by mysql:\/\/ — --store — name a file, or postgres:/);
  const service = hookline("up", "--service", "systemd", "--store", "postgres://one:secret@db.example.com/rows");
  assert.equal(service.status, 2);
  assert.match(service.said, /put it into ~\/\.pgpass/);
});

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

test("[F12] at the usual path, which holds nothing but the store, other content is a damaged store", (t) => {
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

const nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];

for (const [where, ofUser] of [
  ["on a full disk", []],
  ["in a folder that is read-only", process.getuid?.() === 0 ? nobody : ["env"]],
] as const)
  test(`[F10, F11] ${where} commands that only look show the rows that are there, and say that the store is only read`, (t) => {
    const { folder, hookline } = place(t);
    assert.equal(hookline("emit", "tests.passed").status, 0);
    const own = join(folder, "state", "hookline");
    const limits = ofUser.length > 0 ? ofUser : ["prlimit", "--fsize=0:unlimited"];
    if (spawnSync(limits[0] ?? "", [...limits.slice(1), process.execPath, "-e", "0"]).status !== 0)
      return t.skip("this system has no way to take the right or the room");
    if (ofUser.length > 0) {
      writeFileSync(join(own, "hookline.db-wal"), Buffer.alloc(32)); // a log without its index, as a backup may hold it
      for (const file of readdirSync(own)) chmodSync(join(own, file), file === "code" ? 0o755 : 0o444);
      for (const one of [folder, join(folder, "state"), own]) chmodSync(one, 0o555);
    }
    for (const words of ["runs", "status", "why last", "list"]) {
      const { status, stdout, stderr } = spawnSync(
        limits[0] ?? "",
        [...limits.slice(1), process.execPath, bin, ...words.split(" ")],
        { cwd: folder, env: environmentIn(folder), encoding: "utf8" },
      );
      assert.equal(status, 0, `${words}: ${stderr}`);
      assert.match(stderr, /the store is only read, .*: the store cannot be used: /, words);
      if (words === "why last") assert.match(stdout, /tests\.passed/);
    }
    const written = spawnSync(limits[0] ?? "", [...limits.slice(1), process.execPath, bin, "emit", "tests.passed"], {
      cwd: folder,
      env: environmentIn(folder),
    });
    assert.equal(written.status, 3, "what must be durable is refused");
    chmodSync(own, 0o755);
  });

test("ids continue where the clock was set back between two commands", (t) => {
  const { folder } = place(t);
  const clock = join(folder, "clock.mjs");
  writeFileSync(clock, "const { now } = Date; Date.now = () => now() - 3_600_000;");
  const idOf = (environment: Record<string, string>): string => {
    const env = { ...environmentIn(folder), ...environment };
    const words = [bin, "emit", "tests.passed", "--json"];
    const { stdout } = spawnSync(process.execPath, words, { cwd: folder, env, encoding: "utf8" });
    return JSON.parse(stdout).event.id;
  };
  const ids = [idOf({}), idOf({ NODE_OPTIONS: `--import=${clock}` }), idOf({})];
  assert.deepEqual([...ids].sort(), ids);
});
