import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { readAddress } from "../../src/storage/postgres/address.ts";
import { migrate } from "../../src/storage/postgres/migrate.ts";
import { wholeAddress } from "../../src/storage/postgres/password.ts";
import { openPostgresStore } from "../../src/storage/postgres/postgres.ts";
import { migrations, rights } from "../../src/storage/postgres/schema.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { makeAuthority, placeCertificate } from "./certificates.ts";
import { password } from "./cluster.ts";
import { database, owner, type Prepared, reader, startPrepared, writer } from "./prepared.ts";

let cluster: Prepared;
before(async () => {
  cluster = await startPrepared();
});
after(() => cluster.close());

/** What is said of this address. Fails where it is taken. */
async function refusalOf(url: string): Promise<string> {
  try {
    const store = await openPostgresStore({ url, patience: 0, connectTimeout: 2_000 });
    await store.close();
  } catch (error) {
    assert.ok(error instanceof Error);
    assert.doesNotMatch(error.message, new RegExp(password), "no password is said");
    return error.message;
  }
  throw new assert.AssertionError({ message: `it was taken: ${url}` });
}

test("an address that is none, or says too little or too much, is refused with what to write", async () => {
  const refusals: [url: string, said: RegExp][] = [
    ["mysql://a@127.0.0.1/b", /it is no address of a Postgres .* write postgres:\/\/ROLE@HOST\/DATABASE/],
    ["postgres://127.0.0.1/hookline", /names no role, host or database/],
    ["postgres://a@127.0.0.1", /names no role, host or database/],
    [`${cluster.store}?sslmod=verify-full`, /has the setting sslmod .* use sslmode, sslrootcert/],
    [`${cluster.store}?sslmode=require`, /sslmode=require does not say who answers .* use sslmode=verify-full/],
    ["postgres://a:of-the-tests@db.example.com/b?sslmode=disable", /would go over the network in clear/],
    ["postgres://a@db.example.com/b?sslmode=verify-full&sslrootcert=/none", /sslrootcert cannot be read/],
  ];
  for (const [url, said] of refusals) assert.match(await refusalOf(url), said);
});

test("a wrong role, password or database, and nothing that listens, are refused with the reason", async () => {
  assert.match(await refusalOf(cluster.store.replace(password, "wrong")), /the password or the role is wrong/);
  assert.match(await refusalOf(cluster.url("nobody_knows", database)), /the password or the role is wrong/);
  assert.match(await refusalOf(cluster.url(writer, "elsewhere")), /there is no such database/);
  assert.match(await refusalOf(`postgres://a@127.0.0.1:1/b`), /ECONNREFUSED .* check that the server runs/);
  const silent = createServer(() => {}).listen(0, "127.0.0.1");
  await new Promise((resolve) => silent.once("listening", resolve));
  const address = silent.address();
  assert.ok(typeof address === "object" && address);
  assert.match(await refusalOf(`postgres://a@127.0.0.1:${address.port}/b`), /timeout/);
  silent.close();
});

test("[T30] a superuser and the owner of the tables are refused, and the role that writes cannot alter them", async () => {
  assert.match(await refusalOf(cluster.url("postgres", database)), /is a superuser .* a role of its own/);
  assert.match(await refusalOf(cluster.url(owner, database)), /may alter its tables .* --writer ROLE/);
  cluster.sql(`create role without_rights login password '${password}'`);
  assert.match(await refusalOf(cluster.url("without_rights", database)), /no rights to it .* --writer ROLE/);
  const store = await openPostgresStore({ url: cluster.store });
  const attempts = [
    "drop table hookline.run",
    "alter table hookline.run add column more text",
    "create table hookline.more (n integer)",
    "create table public.more (n integer)",
    "update hookline.meta set value = '9'",
    "truncate hookline.event",
    "create or replace function hookline.forget(double precision) returns bigint language sql as 'select 1::bigint'",
  ];
  for (const sql of attempts)
    await assert.rejects(
      store.connection.transaction({ again: false }, (query) => query(sql)),
      /no rights to it|must be owner|permission denied/,
      sql,
    );
  await store.close();
  const onlyReads = await openPostgresStore({ url: cluster.url(reader, database) });
  assert.deepEqual(await onlyReads.runs({}), []);
  await assert.rejects(async () => onlyReads.pause("x", 1), /no rights to it/);
  await onlyReads.close();
});

test("a database without tables, with older and with newer ones is refused, and migrate goes on from what is there", async () => {
  cluster.sql("create database bare");
  assert.match(await refusalOf(cluster.url(writer, "bare")), /no tables of Hookline .* `hookline store migrate`/);
  cluster.sql(`alter database bare owner to ${owner}`);
  const at = { url: cluster.url(owner, "bare"), writer };
  const both = await Promise.all([migrate(at), migrate(at)]);
  assert.deepEqual(
    both.map(({ from }) => from).sort(),
    [0, migrations.length],
    "one makes the tables, the other finds them",
  );
  cluster.sql("update hookline.meta set value = '0' where key = 'version'", "bare");
  assert.match(
    await refusalOf(cluster.url(writer, "bare")),
    /of version 0, and this Hookline needs [1-9]\d* .* `hookline store migrate`/,
  );
  cluster.sql("update hookline.meta set value = '99' where key = 'version'", "bare");
  assert.match(await refusalOf(cluster.url(writer, "bare")), /of version 99, which is newer .* update Hookline/);
  await assert.rejects(migrate(at), /newer than this Hookline/);
});

test("[T30] tables are made by the role that owns the database, not by a superuser, and rights go to roles that are there and have none", async () => {
  cluster.sql(`create database made owner ${owner}; create role member login password '${password}' in role ${owner}`);
  const refusals: [by: string, roles: object, said: RegExp][] = [
    [
      "postgres",
      {},
      /postgres is a superuser, and what it makes would run with all rights .*create role "hookline_owner" login .* alter database "made" owner to/,
    ],
    [writer, {}, /hookline_writer may make no tables in it .* use the role that owns the database/],
    [
      owner,
      { writer: "nosuch" },
      /there is no role nosuch .* make it first.*`create role "nosuch" login password '…'`/,
    ],
    [owner, { reader: "nosuch" }, /there is no role nosuch/],
    [owner, { writer: owner }, /hookline_owner may alter its tables already .* name a role of its own/],
    [owner, { writer: "member" }, /member may alter its tables already/],
    [owner, { writer: "postgres" }, /postgres may alter its tables already/],
  ];
  const refused = async ([by, roles, said]: (typeof refusals)[number]): Promise<void> => {
    await assert.rejects(migrate({ url: cluster.url(by, "made"), ...roles }), said);
  };
  for (const one of refusals) await refused(one);
  assert.equal(cluster.sql("select count(*) from pg_namespace where nspname = 'hookline'", "made"), "0");
  await migrate({ url: cluster.url(owner, "made"), writer });
  await refused(["postgres", {}, /postgres is a superuser/]);
  for (const other of [writer, "member"])
    await refused([other, {}, /its tables belong to the role hookline_owner, not to .* use the role hookline_owner/]);
});

test("roles keep what they may do when the owner brings the tables to a newer version without naming them", async () => {
  cluster.sql(`create database older owner ${owner}`);
  const roles = [
    ...rights.writer.map((statement) => statement.replace("%", writer)),
    ...rights.reader.map((statement) => statement.replace("%", reader)),
  ];
  const version = "insert into hookline.meta values ('version', '1')";
  cluster.sql([`set role ${owner}`, "create schema hookline", migrations[0], version, ...roles].join(";\n"), "older");
  assert.deepEqual(await migrate({ url: cluster.url(owner, "older") }), { from: 1, to: migrations.length });
  for (const role of [writer, reader]) {
    const store = await openPostgresStore({ url: cluster.url(role, "older") });
    assert.deepEqual(await store.connection.read("select run from hookline.work"), []);
    await store.close();
  }
});

test("[T30] DBOS, which connects by itself, is given the TLS that an address means, and its password as it is", () => {
  assert.match(wholeAddress("postgres://a:b@db.example.com/c"), /sslmode=verify-full/);
  assert.equal(wholeAddress("postgres://a:b@127.0.0.1/c"), "postgres://a:b@127.0.0.1/c");
  const odd = "p@ss:/%41 #?";
  const whole = wholeAddress(`postgres://a:${encodeURIComponent(odd)}@db.example.com/c?sslmode=verify-full`);
  assert.equal(readAddress(whole).password, odd);
});

test("[T30] with verify-full the store speaks to the server that its authority names, and to no other", async (context) => {
  const folder = temporaryFolder(context);
  const made = spawnSync("openssl", ["version"]);
  if (made.status !== 0) return context.skip("openssl is not installed");
  for (const authority of ["ours", "another"]) makeAuthority(folder, authority);
  placeCertificate(cluster, folder, { authority: "ours", name: "DNS:localhost" });
  const ours = `?sslmode=verify-full&sslrootcert=${join(folder, "ours.crt")}`;
  assert.match(await refusalOf(cluster.store + ours), /the server speaks no TLS/);
  cluster.sql("alter system set ssl = on");
  cluster.sql("select pg_reload_conf()");
  const named = cluster.store.replace("127.0.0.1", "localhost");
  const another = `?sslmode=verify-full&sslrootcert=${join(folder, "another.crt")}`;
  const store = await openPostgresStore({ url: named + ours });
  const [row] = await store.connection.read<{ ssl: boolean }>(
    "select ssl from pg_stat_ssl where pid = pg_backend_pid()",
  );
  assert.equal(row?.ssl, true);
  await store.close();
  assert.match(await refusalOf(named + another), /its certificate is of an unknown authority/);
  assert.match(await refusalOf(`${named}?sslmode=verify-full`), /its certificate is of an unknown authority/);
  assert.match(await refusalOf(cluster.store + ours), /its certificate is of another server/);
});
