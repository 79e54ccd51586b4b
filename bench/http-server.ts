/**
 * One side of bench/http-hook.ts and bench/ingest.ts in a process of its own: prints its port, serves until its standard input
 * ends. Ours answers a line there with its memory in bytes.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createDaemon } from "../src/hosts/daemon/daemon.ts";
import { listenFor } from "../src/hosts/daemon/listeners.ts";
import { openSqliteStore } from "../src/storage/sqlite/sqlite.ts";

const [side = "", folder = "", answer = "", token = ""] = process.argv.slice(2);
if (side === "ours") await serveOurs();
else await serveBare();

async function serveOurs(): Promise<void> {
  const environment = { PATH: process.env.PATH ?? "", HOME: join(folder, "home") };
  const cwd = join(folder, "workspace");
  const store = openSqliteStore({ path: join(folder, "state", "bench.db"), groups: true });
  const daemon = await createDaemon({
    ...{ version: "bench", variables: {} },
    ...{ cwd, home: environment.HOME, environment, store, workspaces: [cwd] },
    observe() {},
    complain: (reason) => console.error(reason),
  });
  const socket = join(folder, "s.sock");
  const server = await listenFor(daemon, { port: 0, socket, token, proof: "proof", version: "bench", root: "." });
  console.log(server.port);
  for await (const _asked of createInterface({ input: process.stdin })) {
    globalThis.gc?.();
    console.log(process.memoryUsage.rss());
  }
  await server.close();
  await daemon.close();
}

/** Reads the body to its end, as every server has to on a connection that is kept, and answers with as many bytes. */
async function serveBare(): Promise<void> {
  const bytes = Buffer.byteLength(answer);
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      response.writeHead(200, { "content-type": "application/json", "content-length": bytes });
      response.end(answer);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const bound = server.address();
  console.log(typeof bound === "object" ? bound?.port : 0);
  process.stdin.resume();
  await once(process.stdin, "end");
  server.closeAllConnections();
  server.close();
}
