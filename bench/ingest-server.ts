/** The daemon's side of bench/ingest.ts in a process of its own: prints its port, answers a line on its standard input with its memory in bytes, serves until that ends. */
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createDaemon } from "../src/hosts/daemon/daemon.ts";
import { listenFor } from "../src/hosts/daemon/listeners.ts";
import { openSqliteStore } from "../src/storage/sqlite/sqlite.ts";

const [folder = "", token = ""] = process.argv.slice(2);
const environment = { PATH: process.env.PATH ?? "", HOME: join(folder, "home") };
const cwd = join(folder, "workspace");
const store = openSqliteStore({ path: join(folder, "state", "bench.db"), groups: true });
const daemon = await createDaemon({
  ...{ cwd, home: environment.HOME, environment, store, workspaces: [cwd] },
  observe() {},
  complain: (reason) => console.error(reason),
});
const socket = join(folder, "s.sock");
const server = await listenFor(daemon, { port: 0, socket, token, proof: "proof", version: "bench" });
console.log(server.port);
for await (const _asked of createInterface({ input: process.stdin })) {
  globalThis.gc?.();
  console.log(process.memoryUsage.rss());
}
await server.close();
await daemon.close();
