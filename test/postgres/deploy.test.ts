import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { everyCommand } from "../../src/hosts/cli/find.ts";
import { bin } from "../program.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { password, startCluster } from "./cluster.ts";
import { makeMachine } from "./machine.ts";
import { database, writer } from "./prepared.ts";

const commands = await everyCommand();
const folder = join(import.meta.dirname, "..", "..", "deploy");
const read = (name: string): string => readFileSync(join(folder, name), "utf8");

/** Words behind `hookline`: a command of the table with flags that it takes. `worker` has a file of its own. */
function insistOnCommand(words: readonly string[]): void {
  const [name = "", ...rest] = words;
  const command = commands.get(name);
  assert.ok(command || name === "worker", `no command is called ${name}`);
  for (const flag of rest.filter((word) => word.startsWith("--")).map((word) => word.slice(2)))
    assert.ok(flag === "store" || (command && Object.hasOwn(command.flags, flag)), `${name} takes no --${flag}`);
}

interface Service {
  image: string;
  command: string[];
  depends_on?: Record<string, unknown>;
  volumes?: string[];
}

test("the compose file is YAML, its services and files exist, and its commands are Hookline's", () => {
  const { services, volumes } = parse(read("compose.yaml")) as { services: Record<string, Service>; volumes: object }; // asserted below
  for (const [name, service] of Object.entries(services)) {
    if (service.image === "hookline") insistOnCommand(service.command);
    for (const other of Object.keys(service.depends_on ?? {}))
      assert.ok(Object.hasOwn(services, other), `${name} waits for ${other}`);
    for (const [from = ""] of (service.volumes ?? []).map((volume) => volume.split(":")))
      assert.ok(
        from.startsWith("./") ? existsSync(join(folder, from)) : Object.hasOwn(volumes, from),
        `${name} mounts ${from}`,
      );
  }
  assert.deepEqual(Object.keys(services), ["postgres", "migrate", "up", "worker"]);
});

test("the container file copies and runs what is there, and starts a command of Hookline", () => {
  const text = read("Containerfile");
  const { name, version, scripts } = JSON.parse(readFileSync(join(folder, "..", "package.json"), "utf8"));
  assert.ok(text.includes(`/tmp/${name}-${version}.tgz`), "the package has the name that npm gives it");
  for (const [, script = ""] of text.matchAll(/^RUN npm run (\S+)/gm)) assert.ok(Object.hasOwn(scripts, script));
  insistOnCommand(JSON.parse(/^CMD (.*)$/m.exec(text)?.[1] ?? "[]"));
  const check = JSON.parse(/^ +CMD (.*)$/m.exec(text)?.[1] ?? "[]");
  assert.equal(spawnSync(process.execPath, ["--check", "-"], { input: check[2] }).status, 0);
});

test("the systemd units are units, and their commands are Hookline's", (context) => {
  const units = readdirSync(folder).filter((name) => name.endsWith(".service"));
  assert.deepEqual(units, ["hookline-up.service", "hookline-worker@.service"]);
  for (const unit of units) {
    const command = /^ExecStart=\/usr\/local\/bin\/hookline (.*)$/m.exec(read(unit))?.[1] ?? "";
    insistOnCommand(command.split(" "));
  }
  if (spawnSync("systemd-analyze", ["--version"]).status !== 0)
    return context.diagnostic("systemd-analyze is not installed");
  const copies = temporaryFolder(context);
  const paths = units.map((unit) => join(copies, unit.replace("@.", "@1.")));
  for (const [index, path] of paths.entries())
    writeFileSync(path, read(units[index] ?? "").replace("/usr/local/bin/hookline", bin));
  const { status, stdout, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", ...paths], {
    encoding: "utf8",
  });
  const said = `${stdout}${stderr}`.split("\n").filter((line) => line.includes(copies));
  assert.deepEqual([status, said], [0, []], stderr);
});

test("roles that the script makes, a backup and what is restored from it serve a machine as before", async (context) => {
  const cluster = await startCluster();
  context.after(() => cluster.close());
  const machine = makeMachine(context);
  const connected = ["--host", cluster.folder, "--port", String(cluster.port), "--username", "postgres"];
  cluster.program("env", [
    `POSTGRES_PASSWORD=${password}`,
    `WRITER_PASSWORD=${password}`,
    "sh",
    join(folder, "roles.sh"),
    ...connected,
  ]);
  const migrated = machine.run(
    "store",
    "migrate",
    "--store",
    cluster.url("hookline_owner", database),
    "--writer",
    writer,
    "--reader",
    "hookline_reader",
  );
  assert.match(migrated.stdout, /the tables went from version 0 to \d/);
  for (const command of ["ls", "rm x"]) machine.hook(command);
  const store = cluster.url(writer, database);
  const listed = (url: string): string => machine.run("runs", "--all", "--json", "--store", url).stdout;
  const before = listed(store);
  assert.match(before, /no_rm/);

  const today = new Date().toISOString().slice(0, 10);
  const page = readFileSync(join(folder, "..", "docs", "operations.md"), "utf8");
  const section = page.slice(page.indexOf("## Backup and restore"), page.indexOf("## Failover"));
  const [backup = "", archive = "", reading = ""] = Array.from(
    section.matchAll(/```sh\n([\s\S]*?)```/g),
    ([, lines = ""]) => lines.replaceAll("2026-04-01", today).replaceAll("20260401", today.replaceAll("-", "")),
  );
  /** As the page says it, with psql's own variables for where the server is. */
  const follow = (lines: string): string =>
    cluster.program("env", ["PGHOST=127.0.0.1", `PGPORT=${cluster.port}`, "PGUSER=postgres", "sh", "-ec", lines]);

  follow(backup);
  const restored = cluster.url(writer, "restored");
  assert.equal(listed(restored), before);
  machine.hook("rm y");
  assert.equal(JSON.parse(listed(restored)).length, JSON.parse(before).length + 1, "it goes on from there");

  cluster.sql(`alter role hookline_reader login password '${password}'`);
  follow(archive);
  cluster.sql("truncate hookline.event, hookline.run", "restored");
  for (const table of ["event", "run"])
    cluster.sql(`drop table hookline.${table}_${today.replaceAll("-", "")}`, "restored");
  follow(reading);
  const kept = cluster.sql("select id from hookline.run order by id", "restored");
  assert.equal(kept, cluster.sql("select id from hookline.run order by id", database));
  for (const role of [writer, "hookline_reader"])
    assert.throws(() => follow(backup.replace("hookline_owner", role)), /permission denied/);
});
