/**
 * A real Postgres of the tests: its own data folder, port and sockets, on loopback, as a user without rights. A process beside it
 * ends it and removes its folder when the tests' process ends, however that happens.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { askOnce } from "./statement.ts";

/** The versions that are supported. */
const versions = { oldest: 14, newest: 18 } as const;
const needed = ["initdb", "postgres", "psql", "pg_basebackup", "pg_dump", "pg_restore"];
/** Of every role that tests make. */
export const password = "of-the-tests";

export interface Cluster {
  readonly bin: string;
  readonly folder: string;
  readonly port: number;
  /** The process id of the server. */
  pid(): number;
  /** @param role default: the superuser, "postgres". @param database default: "postgres" */
  url(role?: string, database?: string): string;
  /** What psql prints of these statements. Throws with what it says where they fail. */
  sql(statements: string, database?: string): string;
  /** Resolves once it takes connections. */
  start(): Promise<void>;
  /** Immediate: as if it had crashed. */
  stop(how?: { immediate?: boolean }): Promise<void>;
  restart(how?: { immediate?: boolean }): Promise<void>;
  /** A program of Postgres, as the user of the server. Gives its output; throws with what it says where it fails. */
  program(name: string, words: readonly string[], input?: string): string;
  /** Ends it and removes its folder. Safe to call twice. */
  close(): Promise<void>;
}

export interface ClusterOptions {
  /** Lines of postgresql.conf, such as `max_connections = 10`. */
  settings?: readonly string[];
  /** Default: one that is free. */
  port?: number;
  /** A standby of this cluster instead of a new one. */
  standbyOf?: Cluster;
  /** The data of a server that has ended, of which this one gets a copy; default: what initdb makes. */
  data?: string;
}

/** Where the programs of a server are; `missing`: why no test of Postgres can run. */
export function findPostgres(): { bin: string } | { missing: string } {
  const { oldest, newest } = versions;
  const packaged = Array.from(
    { length: newest - oldest + 1 },
    (_, index) => `/usr/lib/postgresql/${newest - index}/bin`,
  );
  const folders = [...(process.env.PATH ?? "").split(delimiter), ...packaged];
  const bin = folders.find((folder) => needed.every((name) => existsSync(join(folder, name))) && isSupported(folder));
  if (!bin)
    return { missing: `no PostgreSQL ${oldest} to ${newest} is installed (initdb on PATH or in /usr/lib/postgresql)` };
  if (process.getuid?.() === 0 && !userWithoutRights())
    return { missing: "Postgres does not run as root, and there is neither a user postgres nor nobody" };
  return { bin };
}

export function missingPostgres(): string | undefined {
  const found = findPostgres();
  return "missing" in found ? found.missing : undefined;
}

function isSupported(bin: string): boolean {
  const said = spawnSync(join(bin, "postgres"), ["--version"], { encoding: "utf8" }).stdout ?? "";
  const version = Number(/\b(\d+)/.exec(said)?.[1]);
  return version >= versions.oldest && version <= versions.newest;
}

interface User {
  uid: number;
  gid: number;
}

/** Where we are root. */
function userWithoutRights(): User | undefined {
  const lines = readFileSync("/etc/passwd", "utf8").split("\n");
  for (const name of ["postgres", "nobody"]) {
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(":") ?? [];
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) };
  }
  return undefined;
}

/** @throws Error where Postgres is missing or does not start */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const found = findPostgres();
  if ("missing" in found) throw new Error(found.missing);
  const { bin } = found;
  const user = process.getuid?.() === 0 ? userWithoutRights() : undefined;
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-postgres-")));
  if (user) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const port = options.port ?? (await freePort());
  const environment = { ...process.env, PGPASSWORD: password, LC_ALL: "C" };

  function program(name: string, words: readonly string[], input = ""): string {
    const own = join(bin, name);
    const ran = spawnSync(existsSync(own) ? own : name, words, {
      ...user,
      input,
      cwd: folder,
      env: environment,
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    });
    if (ran.status !== 0) throw new Error(`${name} failed: ${ran.stderr || ran.error?.message}`);
    return ran.stdout;
  }

  if (options.standbyOf) {
    const { port: primary } = options.standbyOf;
    const from = ["--host", "127.0.0.1", "--port", String(primary), "--username", "postgres"];
    program("pg_basebackup", [...from, "--pgdata", data, "--write-recovery-conf", "--checkpoint=fast", "--no-sync"]);
  } else if (options.data !== undefined) program("cp", ["-Rp", options.data, data]);
  else {
    writeFileSync(join(folder, "password"), password, { mode: 0o644 });
    const access = ["--auth-local=trust", "--auth-host=scram-sha-256", `--pwfile=${join(folder, "password")}`];
    program("initdb", [
      "--pgdata",
      data,
      "--username=postgres",
      "--encoding=UTF8",
      "--locale=C",
      "--no-sync",
      ...access,
    ]);
  }
  const settings = [
    "listen_addresses = '127.0.0.1'",
    `port = ${port}`,
    `unix_socket_directories = '${folder}'`,
    "log_destination = 'stderr'",
    "shared_buffers = '32MB'",
    "max_wal_size = '256MB'",
    ...(options.settings ?? []),
  ];
  writeFileSync(join(data, "postgresql.auto.conf"), `${settings.join("\n")}\n`, { flag: "a" });

  let keeper: ChildProcess | undefined;

  function pid(): number {
    const text = readFileSync(join(data, "postmaster.pid"), "utf8");
    return Number(text.split("\n")[0]);
  }

  async function start(): Promise<void> {
    if (keeper) throw new Error("the cluster runs already");
    rmSync(join(data, "postmaster.pid"), { force: true }); // a crash leaves it, and it would say that this one is ready
    const started = spawn("/bin/sh", ["-c", keep, "sh", join(bin, "postgres"), data, folder], {
      ...user,
      cwd: folder,
      env: environment,
      detached: true, // Ctrl-C is for the tests
      stdio: ["pipe", "ignore", "ignore"],
    });
    keeper = started;
    started.stdin.on("error", () => {}); // it has ended already
    let isOver = false;
    started.once("exit", () => {
      isOver = true;
      if (keeper === started) keeper = undefined;
    });
    while (!isOver) {
      if (isReady(data)) return;
      await pause(20);
    }
    throw new Error(`Postgres did not start:\n${readFileSync(join(folder, "log"), "utf8").slice(-2_000)}`);
  }

  async function stop(how: { immediate?: boolean } = {}): Promise<void> {
    const ending = keeper;
    if (!ending) return;
    const ended = new Promise((resolve) => ending.once("exit", resolve));
    const server = pid();
    for (const signal of [how.immediate ? "SIGQUIT" : "SIGINT", "SIGCONT"] as const) // a test may have halted it
      try {
        process.kill(server, signal);
      } catch {
        // it has ended by the first one
      }
    await ended;
  }

  await start();
  const cluster: Cluster = {
    ...{ bin, folder, port, pid, start, stop, program },
    url: (role = "postgres", database = "postgres") => `postgresql://${role}:${password}@127.0.0.1:${port}/${database}`,
    sql: (statements, database = "postgres") =>
      isOne(statements)
        ? askOnce({ host: folder, port, database }, statements)
        : program(
            "psql",
            [
              "--host",
              folder,
              "--port",
              String(port),
              "--username=postgres",
              "-XqAt",
              "-v",
              "ON_ERROR_STOP=1",
              database,
            ],
            statements,
          ).trim(),
    async restart(how) {
      await stop(how);
      await start();
    },
    async close() {
      await stop({ immediate: true });
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  return cluster;
}

/** More of them are no one transaction, as they were in one message. */
const isOne = (statements: string): boolean => !statements.trim().slice(0, -1).includes(";");

/** Its standard input ends with the tests' process. */
const keep = `
  exec 3<&0
  "$1" -D "$2" >>"$3/log" 2>&1 3<&- & server=$!
  (
    cat <&3 >/dev/null & input=$!
    trap "kill $input; exit" TERM
    wait $input
    : >"$3/over"
    kill -QUIT $server
    kill -CONT $server
  ) & watch=$!
  wait $server
  kill $watch 2>/dev/null
  if [ -e "$3/over" ]; then rm -rf "$3"; fi`;

/** A standby that may be asked is ready too. */
const isReady = (data: string): boolean => {
  try {
    return /^(ready|standby)\s*$/m.test(readFileSync(join(data, "postmaster.pid"), "utf8"));
  } catch {
    return false; // it is not written yet
  }
};

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() =>
        typeof address === "object" && address ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });
}
