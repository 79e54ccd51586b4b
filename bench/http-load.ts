/**
 * What the benchmarks of HTTP share: the hooks of their daemon, the rows that it wrote, and a load, one request sent over and
 * over on kept connections, as fast as the answers come: no client library, so that the servers are measured.
 */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** A workspace, and 100 rules of the user's; the one on Bash refuses, for this reason. */
export function writeRules(folder: string, reason: string): void {
  const rule = (id: string, name: string): string =>
    `  - { id: ${id}, on: tool_start, condition: { type: tool_name, match: ${name} }, action: { type: gate, reason: "${reason}" } }\n`;
  const rules = Array.from({ length: 99 }, (_, index) => rule(`r${index}`, `Foreign${index}`));
  const own = join(folder, "home", ".config", "hookline", "rules");
  for (const one of [own, join(folder, "workspace")]) mkdirSync(one, { recursive: true });
  const text = `hooks:\n${[...rules, rule("push", "Bash")].join("")}`;
  writeFileSync(join(own, "all.yaml"), text);
}

/** @param of a table, and which of its rows */
export function rowsIn(folder: string, of: string): number {
  const database = new DatabaseSync(join(folder, "state", "bench.db"), { readOnly: true });
  const { count } = database.prepare(`select count(*) as count from ${of}`).get() ?? {};
  database.close();
  return Number(count);
}

/** Lets a server of http-server.ts end. */
export async function end(child: ChildProcess): Promise<void> {
  child.stdin?.end();
  if (child.exitCode === null) await once(child, "exit");
}

export interface Load {
  /**
   * Sends so many requests, each connection its next one when it has its answer. Every answer has status 200 and this body.
   *
   * @returns milliseconds until the last answer: all were wanted at the begin
   */
  run(requests: number, body: string): Promise<number>;
  close(): void;
}

/** A request to whoever listens at the port. */
export type RequestTo = (port: number) => Buffer;

export async function openLoad(port: number, requestTo: RequestTo, connections: number): Promise<Load> {
  const request = requestTo(port);
  const sockets = await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect({ port, host: "127.0.0.1", noDelay: true });
      await once(socket, "connect");
      return socket;
    }),
  );
  return {
    run: (requests, body) =>
      new Promise((resolve, reject) => {
        let [sent, answered] = [0, 0];
        const begun = performance.now();
        const next = (socket: Socket): void => {
          if (sent >= requests) return;
          sent += 1;
          socket.write(request);
        };
        const take = (socket: Socket, answer: string): void => {
          if (!answer.startsWith("HTTP/1.1 200") || !answer.endsWith(body)) reject(new Error(answer));
          answered += 1;
          if (answered < requests) {
            next(socket);
            return;
          }
          const took = performance.now() - begun;
          for (const one of sockets) one.removeAllListeners("data");
          resolve(took);
        };
        for (const socket of sockets) {
          listen(socket, (answer) => take(socket, answer));
          next(socket);
        }
      }),
    close() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Calls back with each whole answer. */
function listen(socket: Socket, take: (answer: string) => void): void {
  let begun = "";
  socket.on("data", (bytes: Buffer) => {
    begun += bytes.toString("latin1");
    const head = begun.indexOf("\r\n\r\n");
    if (head < 0) return;
    const [, length = "0"] = /content-length: (\d+)/i.exec(begun) ?? [];
    if (begun.length < head + 4 + Number(length)) return;
    const answer = begun;
    begun = "";
    take(answer);
  });
}
