import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { advance } from "../../src/engine/events.ts";
import type { Outcome } from "../../src/engine/outcome.ts";
import { type Following, type Heard, silentFor } from "../../src/engine/receipt.ts";
import type { Store } from "../../src/engine/record.ts";
import { createRedaction } from "../../src/storage/redaction/redaction.ts";
import type { Database } from "../../src/storage/sqlite/database.ts";
import { concernsAny } from "../../src/storage/sqlite/receipts.ts";
import { migrations } from "../../src/storage/sqlite/schema.ts";
import { openSqliteStore } from "../../src/storage/sqlite/sqlite.ts";
import { checkVersion } from "../../src/storage/sqlite/store-file.ts";
import { anEvent, aRun, codeOf, noHooks, testStore } from "./contract.ts";

const folder = mkdtempSync(join(tmpdir(), "hookline-store-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
let counter = 0;
const deny: Outcome = { verdict: { is: "deny", reason: "no", by: "guard" } };
const aDenial: Following = {
  ...{ session: "s", hears: () => [] },
  receipt: { is: "open", to: "deny", key: "call c1", tool: "Bash" },
};
const newPath = (): string => join(folder, `${++counter}`, "store.db");

testStore("sqlite", (given) => openSqliteStore({ path: newPath(), ...given }));

function opened(context: TestContext, path: string, given: Partial<Parameters<typeof openSqliteStore>[0]> = {}): Store {
  const store = openSqliteStore({ path, ...given });
  context.after(() => store.close());
  return store;
}

test("[T18] the folder that is made is 0700 and every file of the store 0600, also one that was wider", (context) => {
  const path = newPath();
  opened(context, path).close();
  chmodSync(path, 0o644);
  const store = opened(context, path);
  store.saveRun(aRun());
  const modes = readdirSync(dirname(path)).map((file) => statSync(join(dirname(path), file)).mode & 0o777);
  assert.deepEqual(modes, [0o600, 0o600, 0o600]);
  assert.equal(statSync(dirname(path)).mode & 0o777, 0o700);
});

test("[SD11, T19] a symbolic link or a folder in the store's place is refused, and nothing is written through it", (context) => {
  const target = newPath();
  opened(context, target).close();
  const link = join(dirname(target), "link.db");
  symlinkSync(target, link);
  for (const path of [link, dirname(target)]) {
    assert.throws(
      () => openSqliteStore({ path }),
      (error) => codeOf(error) === "store_unusable",
    );
  }
});

test("[X8] what one process wrote, the next one reads: events, runs, claims, pending checks, turns and the inbox", async (context) => {
  const path = newPath();
  const first = opened(context, path);
  const event = anEvent({ session: "s" });
  await first.record(event, noHooks, advance);
  await first.saveRun(aRun({ id: "r", eventId: event.id }));
  await first.claim([{ key: "k", max: 1, refusal: "used" }], 0);
  await first.pendingChecks("s", new Map([["h", { files: ["a"] }]]));
  await first.post("s", { context: ["later"] });
  first.close();
  const second = opened(context, path);
  assert.equal((await second.event(event.id))?.set, "none");
  assert.equal((await second.run("r"))?.eventId, event.id);
  assert.equal((await second.claim([{ key: "k", max: 1, refusal: "used" }], 0))?.refusal, "used");
  assert.deepEqual((await second.pendingChecks("s")).get("h"), { files: ["a"] });
  assert.deepEqual(await second.collect("s"), [{ outcome: { context: ["later"] } }]);
  assert.equal((await second.record(anEvent({ session: "s" }), noHooks, advance)).turn.toolCalls, 2);
});

test("[T25, SD12] secrets in any place and encoding are in no file of the store", async (context) => {
  const path = newPath();
  const secret = `${randomBytes(9).toString("base64")}"\\ü`;
  const token = `ghp_${randomBytes(18).toString("hex")}`;
  const store = opened(context, path, { redact: createRedaction({ environment: { API_TOKEN: secret } }) });
  const encodings = [
    secret,
    JSON.stringify({ secret }),
    encodeURIComponent(secret),
    Buffer.from(`user:${secret}`).toString("base64"),
  ];
  for (const text of [...encodings, `line\n${token}`]) {
    const event = anEvent({
      session: "s",
      name: "UserPromptSubmit",
      data: { prompt: text, deep: { [text]: [text, `x${text}x`] } },
    });
    await store.record(
      event,
      { id: `set ${encodings.indexOf(text)}`, hooks: [JSON.parse(JSON.stringify({ id: "h", name: text }))] },
      advance,
    );
    await store.answered(event.id, { context: [text] });
    const steps = [
      {
        uses: "command",
        ok: false,
        output: { stdout: text },
        ms: 1,
        reason: text,
        evidence: { stderr: text.repeat(99) },
      },
    ];
    await store.saveRun(aRun({ reason: text, notes: [text], outcome: { messages: [{ to: "person", text }] }, steps }));
    await store.pendingChecks("s", new Map([["h", { file: text }]]));
    await store.post("s", { context: [text] });
  }
  const bytes = (): Buffer =>
    Buffer.concat(readdirSync(dirname(path)).map((file) => readFileSync(join(dirname(path), file))));
  const found = (): string[] =>
    [...encodings, JSON.stringify(secret).slice(1, -1), token].filter((text) => bytes().includes(text));
  assert.ok(bytes().includes("[redacted]"));
  assert.deepEqual(found(), [], "with the log");
  store.close();
  assert.deepEqual(found(), [], "after the log went into the file");
});

test("[T25] a hook's name that holds a secret, as a command line may, is redacted in its runs' rows", async (context) => {
  const path = newPath();
  const token = `ghp_${randomBytes(18).toString("hex")}`;
  const store = opened(context, path, { redact: createRedaction({ environment: {} }) });
  await store.saveRun(aRun({ id: "named", hookName: `curl -H "Authorization: ${token}"` }));
  assert.match(String((await store.run("named"))?.hookName), /^curl -H .*\[redacted\]/);
  const files = readdirSync(dirname(path)).map((file) => readFileSync(join(dirname(path), file)));
  assert.equal(Buffer.concat(files).includes(token), false);
});

test("importing the store does not load SQLite: only opening one does", () => {
  const module = new URL("../../src/storage/sqlite/sqlite.ts", import.meta.url).href;
  const script = `await import(${JSON.stringify(module)}); process.stdout.write(String(process.moduleLoadList.some((one) => /sqlite/i.test(one))))`;
  const answer = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  assert.equal(answer, "false");
});

test("a batch is one transaction: all of it is written, or nothing", async (context) => {
  const path = newPath();
  const [store, other] = [opened(context, path), opened(context, path)];
  store.batch?.(() => {
    store.saveRun(aRun({ id: "a" }));
    store.claim([{ key: "k", max: 1, refusal: "used" }], 0);
    assert.equal(other.run("a"), undefined);
  });
  assert.ok(await other.run("a"));
  const failure = new Error("the caller's own");
  assert.throws(
    () =>
      store.batch?.(() => {
        store.saveRun(aRun({ id: "b" }));
        throw failure;
      }),
    failure,
  );
  assert.equal(await store.run("b"), undefined);
});

test("the store is opened in WAL mode, and every table is STRICT", (context) => {
  const path = newPath();
  opened(context, path);
  const database = new DatabaseSync(path);
  assert.equal(database.prepare("pragma journal_mode").get()?.journal_mode, "wal");
  const loose = database
    .prepare(
      "select name from pragma_table_list where schema = 'main' and strict = 0 and name not like 'sqlite_%' and name not like 'memory_text%'",
    )
    .all();
  assert.deepEqual(loose, []);
  assert.equal(
    database
      .prepare("select count(*) as n from sqlite_schema where type = 'index' and tbl_name = 'run' and sql is not null")
      .get()?.n,
    4, // two of all runs, and two of few
  );
  database.close();
});

test("the questions of the store walk an index or stop at their limit; none sorts", (context) => {
  const path = newPath();
  opened(context, path);
  const database = new DatabaseSync(path);
  const plan = (sql: string): string =>
    database
      .prepare(`explain query plan ${sql}`)
      .all()
      .map((row) => String(row.detail))
      .join("; ");
  assert.match(
    plan("select * from run where hook = 'h' order by seq desc limit 10"),
    /^SEARCH run USING INDEX run_hook[^;]*$/,
  );
  assert.match(
    plan("select * from run where event = 'e' order by seq desc limit -1"),
    /^SEARCH run USING INDEX run_event[^;]*$/,
  );
  assert.match(plan("select * from run order by seq desc limit 10"), /^SCAN run$/);
  assert.match(
    plan("select seq from run where status = 'failed' and status not in ('completed', 'skipped') order by seq desc"),
    /^SEARCH run USING (COVERING )?INDEX run_notable[^;]*$/,
  );
  assert.match(
    plan("select seq from run where event_name = 'e' and event_name not in ('PreToolUse', 'PostToolUse')"),
    /^SEARCH run USING (COVERING )?INDEX run_rare/,
  );
  assert.match(plan("select seq from run where session = 's'"), /^SCAN run USING COVERING INDEX run_event$/);
  database.close();
});

test("a store from before receipts opens with its events and runs, and follows calls from then on", async (context) => {
  const [newer, path] = [newPath(), newPath()];
  const event = anEvent({ session: "s" });
  const first = opened(context, newer);
  await first.record(event, noHooks, advance);
  await first.answered(event.id, deny, 1);
  await first.saveRun(aRun({ id: "r", eventId: event.id, session: "s", outcome: deny }));
  first.close();
  mkdirSync(dirname(path));
  const older = new DatabaseSync(path);
  const before = migrations.slice(
    0,
    migrations.findIndex((one) => one.includes("event_receipt")),
  );
  for (const migration of before) older.exec(migration);
  older.exec(`pragma user_version = ${before.length}; attach '${newer}' as newer`);
  for (const table of ["hook_set", "event", "run", "session"]) {
    const columns = older.prepare(`select name from pragma_table_info('${table}', 'main')`).all();
    const names = columns.map(({ name }) => name).join();
    older.exec(`insert into main.${table} (${names}) select ${names} from newer.${table}`);
  }
  older.close();

  const store = opened(context, path);
  const stored = await store.event(event.id);
  assert.deepEqual([stored?.event.data, stored?.outcome, stored?.receipt], [event.data, deny, undefined]);
  assert.deepEqual(
    (await store.runs({})).map(({ id, receipt }) => [id, receipt]),
    [["r", undefined]],
  );
  assert.deepEqual(await store.receipts({ since: 0 }), []);
  const next = anEvent({ session: "s" });
  await store.record(next, noHooks, advance);
  await store.answered(next.id, deny, 1, aDenial);
  assert.equal((await store.event(next.id))?.receipt?.is, "open");
});

test("[X11] to read runs or to count receipts closes those of a session that has fallen silent", async (context) => {
  for (const read of [(store: Store) => store.runs({}), (store: Store) => store.receipts({ since: 0 })]) {
    let clock = 1_000_000;
    const store = opened(context, newPath(), { now: () => clock });
    const event = anEvent({ session: "s", at: clock });
    await store.record(event, noHooks, advance);
    await store.answered(event.id, deny, 1, aDenial);
    await read(store);
    assert.equal((await store.event(event.id))?.receipt?.is, "open");
    clock += 2 * silentFor;
    await read(store);
    assert.equal((await store.event(event.id))?.receipt?.is, "unknown");
  }
});

test("[X11] a question about receipts finds its few rows by the index, however many the store has", (context) => {
  const store = openSqliteStore({ path: newPath() });
  context.after(() => store.close());
  const asked: string[] = [];
  const heard: Heard = { is: "passed", key: "input k" };
  const spied: Database = {
    ...store.database,
    get(sql, ...values) {
      asked.push(
        ...store.database.all<{ detail: string }>(`explain query plan ${sql}`, ...values).map((row) => row.detail),
      );
      return store.database.get(sql, ...values);
    },
  };
  concernsAny(spied, "s", heard);
  const places = asked.filter((line) => line.includes("event"));
  assert.equal(places.length, 2, asked.join("; "));
  for (const line of places) assert.match(line, /event_receipt \(receipt=\? AND session=\? AND receipt_key/);
});

test("a file that a newer Hookline wrote is refused with a clear sentence and left as it was", (context) => {
  const path = newPath();
  opened(context, path).close();
  const database = new DatabaseSync(path);
  database.exec("pragma user_version = 99");
  database.close();
  assert.throws(
    () => openSqliteStore({ path }),
    /a newer Hookline wrote it \(version 99, this one knows \d+\).*update Hookline/,
  );
  assert.deepEqual(readdirSync(dirname(path)), ["store.db"]);
});

test("an SQLite below the floor is refused with a sentence", () => {
  for (const version of ["3.51.2", "3.7.0", "3.9.9"])
    assert.throws(() => checkVersion(version, "here"), /SQLite is 3\..*3\.51\.3/);
  for (const version of ["3.51.3", "3.53.0", "4.0.0"]) assert.doesNotThrow(() => checkVersion(version, "here"));
});

test("runs older than the retention go, at most once a day, when a store is closed", async (context) => {
  const path = newPath();
  const day = 86_400_000;
  let today = 1_750_000_000_000;
  const visit = async (work: (store: Store) => void): Promise<string[]> => {
    const store = opened(context, path, { now: () => today, retentionDays: 30 });
    work(store);
    const ids = (await store.runs({})).map(({ id }) => id);
    store.close();
    return ids;
  };
  await visit((store) => store.saveRun(aRun({ id: "old", startedAt: today - 29.5 * day })));
  today += day / 2;
  assert.deepEqual(await visit(() => {}), ["old"]);
  assert.deepEqual(await visit(() => {}), ["old"], "30 days are over, but it was looked at today");
  today += day / 2 + 1;
  await visit((store) => store.saveRun(aRun({ id: "new", startedAt: today })));
  assert.deepEqual(await visit(() => {}), ["new"]);
});

test("after a long rest a process that closes its store forgets a part, and the next ones go on", async (context) => {
  const path = newPath();
  const today = 1_750_000_000_000;
  const first = opened(context, path, { now: () => today - 365 * 86_400_000 });
  first.batch?.(() => {
    for (let number = 0; number < 6_001; number++) void first.saveRun(aRun({ startedAt: number }));
  });
  first.close();
  const left: number[] = [];
  for (let visit = 0; visit < 3; visit++) {
    const store = opened(context, path, { now: () => today });
    left.push((await store.runs({})).length);
    store.close();
  }
  assert.deepEqual(left, [6_001, 2_001, 0]);
});

test("a store that stays open for days forgets what is old, too", async (context) => {
  const day = 86_400_000;
  let today = 1_750_000_000_000;
  const store = opened(context, newPath(), { now: () => today, retentionDays: 1 });
  const first = anEvent({ at: today });
  await store.record(first, noHooks, advance);
  for (let passed = 0; passed < 4; passed++) {
    today += day + 1;
    await store.record(anEvent({ at: today }), noHooks, advance);
  }
  assert.equal(await store.event(first.id), undefined);
});
