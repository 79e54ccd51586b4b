import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { advance } from "../../src/engine/events.ts";
import type { Store } from "../../src/engine/record.ts";
import { migrations } from "../../src/storage/sqlite/schema.ts";
import { openSqliteStore } from "../../src/storage/sqlite/sqlite.ts";
import { storeMark } from "../../src/storage/sqlite/store-file.ts";
import { anEvent, aRun, codeOf, noHooks } from "./contract.ts";

const folder = mkdtempSync(join(tmpdir(), "hookline-store-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
let counter = 0;
const newPath = (): string => join(folder, `${++counter}`, "store.db");

/** A store with some pages of content, closed. */
function filled(path: string): void {
  const store = openSqliteStore({ path });
  store.batch?.(() => {
    for (let index = 0; index < 300; index++) {
      store.record(anEvent({ data: { text: "t".repeat(500) } }), noHooks, advance);
      store.saveRun(aRun({ id: `run ${index}` }));
    }
  });
  store.close();
}

function overwrite(path: string, from: number, bytes: Buffer): void {
  const file = openSync(path, "r+");
  writeSync(file, bytes, 0, bytes.length, from);
  closeSync(file);
}
const noise = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, index) => (index * 7919) % 251));
const asideIn = (path: string): string[] => readdirSync(dirname(path)).filter((file) => /\.corrupt-.*Z$/.test(file));

/** Uses all of the store, as a person and as an engine would. */
async function useAll(store: Store): Promise<void> {
  await store.events(1_000);
  await store.runs({});
  await store.record(anEvent(), noHooks, advance);
  await store.saveRun(aRun({ id: "new" }));
}

const damages: Record<string, (path: string) => void> = {
  "noise in all pages after the first": (path) => overwrite(path, 4_096, noise(statSync(path).size - 4_096)),
  "half of its pages cut off": (path) => truncateSync(path, 4_096 * Math.floor(statSync(path).size / 8_192)),
};
const lostHeaders: Record<string, (path: string) => void> = {
  "an overwritten header": (path) => overwrite(path, 0, noise(100)),
  "zeroes instead of its first pages": (path) => overwrite(path, 0, Buffer.alloc(8_192)),
  "other content": (path) => writeFileSync(path, "this is a letter, not a database. ".repeat(500)),
};

/** Opened where it lies, the file at the path is moved aside with one notice, and a new store takes its place. */
async function isMended(path: string, usualPath?: string): Promise<void> {
  const notices: string[] = [];
  const store = openSqliteStore({ path, usualPath, onNotice: (notice) => notices.push(notice) });
  await useAll(store);
  assert.equal((await store.run("new"))?.id, "new");
  store.close();
  const aside = asideIn(path);
  assert.equal(aside.length, 1);
  assert.equal(notices.length, 1);
  assert.ok(notices[0]?.includes(String(aside[0])), notices[0]);
  for (const file of readdirSync(dirname(path)))
    assert.equal(statSync(join(dirname(path), file)).mode & 0o777, 0o600, file);
}

for (const [what, damage] of Object.entries(damages))
  test(`[F12] a store with ${what} is moved aside with a notice, and a new store is made`, async () => {
    const path = newPath();
    filled(path);
    damage(path);
    await isMended(path);
  });

for (const [what, damage] of Object.entries(lostHeaders))
  test(`[F12] in a folder only for stores, a file with ${what} is moved aside with a notice, and a new store is made`, async () => {
    const path = newPath();
    filled(path);
    damage(path);
    await isMended(path, path);
  });

for (const [what, damage] of Object.entries(lostHeaders))
  test(`[F12] in a folder only for stores, a file with ${what} is moved aside together with the log that a killed process has left`, async () => {
    const path = newPath();
    filled(path);
    const [writer, killed] = [openSqliteStore({ path }), newPath()];
    writer.database.run("update meta set value = value + 1"); // a page that is not the first
    mkdirSync(dirname(killed));
    for (const part of ["", "-wal"]) copyFileSync(path + part, killed + part);
    writer.close();
    for (const part of ["", "-wal"]) chmodSync(killed + part, 0o600);
    assert.ok(statSync(`${killed}-wal`).size > 0);
    damage(killed);
    await isMended(killed, killed);
  });

test("[F12] a store is known by its header, however damaged the rest is and though all else of it is in its log", async () => {
  const path = newPath();
  const copied = newPath();
  const store = openSqliteStore({ path });
  await store.saveRun(aRun());
  mkdirSync(dirname(copied));
  copyFileSync(path, copied);
  store.close();
  chmodSync(copied, 0o600);
  overwrite(copied, 100, noise(3_000));
  await isMended(copied);
});

const markOf = (path: string): unknown => {
  const connection = new DatabaseSync(path);
  const mark = connection.prepare("pragma application_id").get()?.application_id;
  connection.close();
  return mark;
};

test("a store from before stores were marked continues and is marked, also where a killed process left all of it in its log", async () => {
  const paths = [newPath(), newPath()];
  for (const path of paths) {
    mkdirSync(dirname(path));
    const older = new DatabaseSync(path);
    older.exec("pragma journal_mode = wal; pragma wal_autocheckpoint = 0");
    for (const migration of migrations.slice(0, 2)) older.exec(migration);
    older.exec("pragma user_version = 2; insert into meta (key, value) values ('of the older', 1)");
    if (path === paths[0]) older.close();
    else moved(path, () => older.close());
  }
  for (const path of paths) {
    const store = openSqliteStore({ path });
    assert.deepEqual(store.database.all("select key from meta where key = 'of the older'").length, 1);
    await useAll(store);
    store.close();
    assert.equal(markOf(path), storeMark);
    assert.deepEqual(asideIn(path), []);
  }
});

/** The files as a process leaves them that is killed while it has them open. */
function moved(path: string, close: () => void): void {
  const parts = ["", "-wal", "-shm"];
  for (const part of parts) copyFileSync(path + part, `${path}-left${part}`);
  close();
  for (const part of parts) renameSync(`${path}-left${part}`, path + part);
}

/** What stands in the folder: of each file its name, mode, time of change and a digest of its bytes. */
const stateOf = (folder: string): unknown[] =>
  readdirSync(folder).map((name) => {
    const { mode, mtimeMs } = statSync(join(folder, name));
    return [
      name,
      mode,
      mtimeMs,
      createHash("sha256")
        .update(readFileSync(join(folder, name)))
        .digest("hex"),
    ];
  });

function database(path: string, sql: string): void {
  const connection = new DatabaseSync(path);
  connection.exec(sql);
  connection.close();
}

const strangers: Record<string, (path: string) => void> = {
  "a letter": (path) => writeFileSync(path, "this is a letter, not a database. ".repeat(500)),
  "one letter of text": (path) => writeFileSync(path, "a"),
  "zeroes alone": (path) => writeFileSync(path, Buffer.alloc(8_192)),
  "a database with other tables": (path) => database(path, "create table moz_places (id integer)"),
  "a database with other tables and a write-ahead log": (path) =>
    database(path, "pragma journal_mode = wal; create table moz_places (id integer)"),
  "a database with other tables and a version of its own": (path) =>
    database(path, `create table moz_places (id integer); pragma user_version = ${migrations.length}`),
  "a database with a table of ours among others": (path) =>
    database(path, "create table meta (key text, value text); create table moz_places (id integer)"),
  "a damaged database with a version that no store has": (path) => {
    database(path, "create table moz_places (id integer); pragma user_version = 75");
    overwrite(path, 100, noise(200));
  },
  "a damaged database with a version that stores have had, too": (path) => {
    database(path, "create table moz_places (id integer); pragma user_version = 1");
    overwrite(path, 100, noise(200));
  },
  "a database with a mark of its own and no table yet": (path) => database(path, "pragma application_id = 7"),
  "a letter beside a log": (path) => {
    writeFileSync(path, "this is a letter, not a database. ".repeat(500));
    writeFileSync(`${path}-wal`, "the log of a walk");
  },
  "a database that a killed program left with its log": (path) => killed(path, "pragma wal_checkpoint"),
  "a database that stands in the log of a killed program alone": (path) => killed(path, ""),
  "a database with the index of a log that is not there": (path) => {
    killed(path, "pragma wal_checkpoint");
    rmSync(`${path}-wal`);
  },
  "the log of a killed program without its index": (path) => {
    killed(path, "");
    rmSync(`${path}-shm`);
  },
};

/** @param between is done before the last entry */
function killed(path: string, between: string): void {
  const program = new DatabaseSync(path);
  program.exec(`pragma journal_mode = wal; create table moz_places (id integer); ${between}`);
  program.exec("insert into moz_places values (1)");
  moved(path, () => program.close());
}

for (const [what, make] of Object.entries(strangers))
  test(`a file that is no store of ours is refused and left as it is, with its mode: ${what}`, () => {
    const path = newPath();
    mkdirSync(dirname(path));
    make(path);
    chmodSync(path, 0o644);
    const before = stateOf(dirname(path));
    for (let times = 0; times < 2; times++)
      assert.throws(
        () => openSqliteStore({ path }),
        (error) => codeOf(error) === "store_unusable" && String(error).includes(path),
      );
    assert.deepEqual(stateOf(dirname(path)), before);
  });

test("a database that another program has open is refused without a trace, and that program continues", () => {
  const path = newPath();
  mkdirSync(dirname(path));
  const program = new DatabaseSync(path);
  program.exec("pragma journal_mode = wal; create table moz_places (id integer); insert into moz_places values (1)");
  const written = (): unknown[] =>
    ["", "-wal"].map((part) => [statSync(path + part).size, statSync(path + part).mtimeMs]);
  const before = written();
  assert.throws(
    () => openSqliteStore({ path }),
    (error) => codeOf(error) === "store_unusable",
  );
  assert.deepEqual(written(), before);
  assert.deepEqual(readdirSync(dirname(path)), ["store.db", "store.db-shm", "store.db-wal"]);
  program.exec("insert into moz_places values (2)");
  assert.equal(program.prepare("select count(*) as count from moz_places").get()?.count, 2);
  program.close();
});

test("an empty file becomes a store, as a database of SQLite does", () => {
  const path = newPath();
  mkdirSync(dirname(path));
  writeFileSync(path, "", { mode: 0o644 });
  openSqliteStore({ path }).close();
  openSqliteStore({ path }).close();
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(asideIn(path), []);
});

test("[F12] after a restart of the machine a file that was left open is checked as a whole, once", () => {
  const path = newPath();
  filled(path);
  const other = new DatabaseSync(path);
  other.exec("update meta set value = 0 where key = 'booted'; delete from run where seq < 200"); // the log stays while this is open
  other.exec("pragma wal_checkpoint");
  const page = Number(other.prepare("select rootpage from sqlite_schema where name = 'run_hook'").get()?.rootpage);
  assert.ok(existsSync(`${path}-wal`));
  overwrite(path, (page - 1) * 4_096, noise(4_096));
  const notices: string[] = [];
  openSqliteStore({ path, onNotice: (notice) => notices.push(notice) }).close();
  assert.equal(asideIn(path).length, 1);
  assert.equal(notices.length, 1);
  openSqliteStore({ path, onNotice: (notice) => notices.push(notice) }).close();
  assert.equal(notices.length, 1);
  other.close();
});

test("[F12] a store that was open while another moved the file aside continues in the new one", async () => {
  const path = newPath();
  filled(path);
  const resident = openSqliteStore({ path });
  overwrite(path, 0, noise(100));
  const other = openSqliteStore({ path, usualPath: path });
  await other.saveRun(aRun({ id: "of the other" }));
  assert.equal(asideIn(path).length, 1);
  await until(() => resident.run("of the other") !== undefined);
  await resident.saveRun(aRun({ id: "of the resident" }));
  assert.ok(await other.run("of the resident"));
  other.close();
  resident.close();
  assert.equal(asideIn(path).length, 1);
});

test("a store whose file was removed continues in a new one", async () => {
  const path = newPath();
  filled(path);
  const resident = openSqliteStore({ path });
  for (const part of ["", "-wal", "-shm"]) rmSync(path + part);
  await until(() => resident.run("run 1") === undefined);
  await resident.saveRun(aRun({ id: "new" }));
  resident.close();
  const next = openSqliteStore({ path });
  assert.ok(await next.run("new"));
  next.close();
});

test("a store whose file was removed is followed although the clock was set back", (context) => {
  const path = newPath();
  filled(path);
  const resident = openSqliteStore({ path });
  context.after(() => resident.close());
  for (const part of ["", "-wal", "-shm"]) rmSync(path + part);
  const { now } = Date;
  const uptime = process.hrtime.bigint();
  context.mock.method(Date, "now", () => now() - 3_600_000);
  context.mock.method(process.hrtime, "bigint", () => uptime + 2_000_000_000n);
  assert.equal(resident.run("run 1"), undefined);
});

async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + 10_000;
  while (!holds()) {
    assert.ok(performance.now() < end, "it never came true");
    await pause(50);
  }
}

const mounted = (context: TestContext, options: string): string | undefined => {
  const place = newPath();
  mkdirSync(place, { recursive: true });
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", place], { stdio: "pipe" });
  } catch {
    context.skip("a file system can be mounted only by root");
    return undefined;
  }
  context.after(() => execFileSync("umount", ["-l", place]));
  return place;
};

test("[F10] on a full disk writing says store_unusable, reading continues, and writing works again when space returns", async (context) => {
  const place = mounted(context, "size=3m");
  if (!place) return;
  const path = join(place, "store.db");
  const store = openSqliteStore({ path });
  await store.saveRun(aRun({ id: "first" }));
  writeFileSync(join(place, "ballast"), Buffer.alloc(2_000_000));
  const fill = async (): Promise<void> => {
    for (let index = 0; ; index++)
      await store.record(anEvent({ data: { index, text: "t".repeat(100_000) } }), noHooks, advance);
  };
  await assert.rejects(
    fill,
    (error) => codeOf(error) === "store_unusable" && /the disk is full.*free some space/.test(String(error)),
  );
  assert.equal((await store.run("first"))?.status, "completed");
  assert.throws(
    () => openSqliteStore({ path: join(place, "other", "store.db") }),
    (error) => codeOf(error) === "store_unusable",
  );
  rmSync(join(place, "ballast"));
  await store.saveRun(aRun({ id: "after" }));
  assert.equal((await store.run("after"))?.status, "completed");
  store.close();
});

test("[F11] on a read-only file system opening says store_unusable and what to do", (context) => {
  const place = mounted(context, "size=3m");
  if (!place) return;
  const path = join(place, "store.db");
  openSqliteStore({ path }).close();
  execFileSync("mount", ["-o", "remount,ro", place]);
  const missing = join(place, "new", "store.db");
  for (const one of [path, missing]) {
    assert.throws(
      () => openSqliteStore({ path: one }).saveRun(aRun()),
      (error) => codeOf(error) === "store_unusable" && String(error).includes(one),
    );
  }
});

test("[F11] a path below a file says store_unusable", () => {
  const path = newPath();
  filled(path);
  assert.throws(
    () => openSqliteStore({ path: join(path, "store.db") }),
    (error) => codeOf(error) === "store_unusable",
  );
});
