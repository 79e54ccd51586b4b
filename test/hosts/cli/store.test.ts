/** Where the commands keep their records: what lies at the path that they are given, and at the usual one. */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runCommand } from "../../program.ts";
import { onlyLooks, place, places } from "./read-only-store.ts";

const letter = "this is a letter, not a database\n";

test("a store of another kind is refused, and a password does not come into the file of a service", (t) => {
  const { hookline } = place(t);
  const other = hookline("runs", "--store", "mysql://one@db.example.com/rows");
  assert.equal(other.status, 2);
  assert.match(other.stderr, /no store can be reached by mysql:\/\/ — --store — name a file, or postgres:/);
  const service = hookline("up", "--service", "systemd", "--store", "postgres://one:secret@db.example.com/rows");
  assert.equal(service.status, 2);
  assert.match(service.stderr, /put it into ~\/\.pgpass/);
});

test("a file that is given as the store and is none keeps its bytes and its mode, whatever the command", (t) => {
  const { workspace: folder, hookline } = place(t);
  const notes = join(folder, "notes.txt");
  writeFileSync(notes, letter);
  chmodSync(notes, 0o644);
  for (const words of ["automation list", "status", "emit tests.passed", "purge --before 2020-01-01", "up"]) {
    const { status, stderr } = hookline(...words.split(" "), "--store", "notes.txt");
    assert.equal(status, 3, `${words}: ${stderr}`);
    assert.match(stderr, /it is no store of Hookline — .*notes\.txt — choose another file/);
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
  const { state: own, hookline } = place(t);
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, "hookline.db"), letter);
  const { status, stderr } = hookline("automation", "list");
  assert.equal(status, 0, stderr);
  assert.match(stderr, /the store was damaged and a new one was made/);
  const aside = readdirSync(own).find((name) => name.includes(".corrupt-"));
  assert.equal(readFileSync(join(own, aside ?? ""), "utf8"), letter);
});

for (const [where, ofUser] of places.slice(1))
  test(`[F10, F11] ${where} commands that only look show the rows that are there, and say that the store is only read`, (t) =>
    onlyLooks(t, ofUser, ["why last"]));

test("ids continue where the clock was set back between two commands", (t) => {
  const { folder, workspace: cwd, environment } = place(t);
  const clock = join(folder, "clock.mjs");
  writeFileSync(clock, "const { now } = Date; Date.now = () => now() - 3_600_000;");
  const idOf = (more: Record<string, string> = {}): string => {
    const { stdout } = runCommand(["emit", "tests.passed", "--json"], {
      ...{ cwd, environment: { ...environment, ...more } },
      alone: Object.keys(more).length > 0,
    });
    return JSON.parse(stdout).event.id;
  };
  const ids = [idOf(), idOf({ NODE_OPTIONS: `--import=${clock}` }), idOf()];
  assert.deepEqual([...ids].sort(), ids);
});
