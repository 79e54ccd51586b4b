/** A real PgBouncer of the tests before a Postgres of theirs: on loopback, as the same user without rights; it ends with the tests' process. */
import { spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Cluster, freePort, password } from "./cluster.ts";
import { database, owner, writer } from "./prepared.ts";

export interface Pooler {
  /** Of a role, through it. */
  url(role?: string): string;
  close(): Promise<void>;
}

/** `missing`: why no test with one can run. @param keepsStatements it can be told to keep prepared statements, as it can since 1.21 */
export function findPooler(): { program: string; keepsStatements: boolean } | { missing: string } {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin"];
  const program = folders.map((folder) => join(folder, "pgbouncer")).find((file) => existsSync(file));
  if (program === undefined) return { missing: "PgBouncer is not installed" };
  const said = spawnSync(program, ["--version"], { encoding: "utf8" }).stdout ?? "";
  const [, major, minor] = /(\d+)\.(\d+)/.exec(said) ?? [];
  return { program, keepsStatements: Number(major) > 1 || Number(minor) >= 21 };
}

/** In transaction mode. @param settings lines of pgbouncer.ini, besides the usual ones of a test */
export async function startPooler(program: string, cluster: Cluster, settings: readonly string[]): Promise<Pooler> {
  const folder = mkdtempSync(join(cluster.folder, "pooler-"));
  const { uid, gid } = statSync(cluster.folder);
  const port = await freePort();
  const write = (name: string, lines: readonly string[]): string => {
    const file = join(folder, name);
    writeFileSync(file, `${lines.join("\n")}\n`);
    return file;
  };
  const users = write(
    "users.txt",
    [writer, owner].map((role) => `"${role}" "${password}"`),
  );
  const file = write("pgbouncer.ini", [
    "[databases]",
    `${database} = host=127.0.0.1 port=${cluster.port} dbname=${database}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = scram-sha-256",
    `auth_file = ${users}`,
    "pool_mode = transaction",
    `logfile = ${join(folder, "log")}`,
    ...settings,
  ]);
  chownSync(folder, uid, gid);
  const child = spawn("/bin/sh", ["-c", keep, "sh", program, file], {
    ...(process.getuid?.() === 0 ? { uid, gid } : {}),
    stdio: ["pipe", "ignore", "ignore"],
  });
  let isOver = false;
  const ended = new Promise<void>((resolve) =>
    child.once("exit", () => {
      isOver = true;
      resolve();
    }),
  );
  while (!isOver && !(await answers(port))) await pause(50);
  if (isOver) throw new Error(`PgBouncer did not start:\n${readFileSync(join(folder, "log"), "utf8")}`);
  return {
    url: (role = writer) => `postgresql://${role}:${password}@127.0.0.1:${port}/${database}`,
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}

/** Its standard input ends with the tests' process. */
const keep = `
  exec 3<&0
  "$1" -q "$2" 3<&- & pooler=$!
  ( cat <&3 >/dev/null; kill -INT $pooler ) & watch=$!
  wait $pooler
  kill $watch 2>/dev/null`;

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
