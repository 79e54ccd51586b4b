/**
 * What the benchmarks of HTTP share: the hooks of their daemon, the rows that it wrote, and a load, one request sent over and
 * over on kept connections, as fast as the answers come: no client library, so that the servers are measured. What an answer says
 * is the server's own affair: a benchmark asks it once, and gives its peer the same bytes.
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

export interface Answer {
  status: number;
  /** A letter for each byte (latin1). */
  body: string;
}

export interface Load {
  /**
   * Sends so many requests, each connection its next one when it has its answer. Every answer has status 200 and holds this text.
   *
   * @returns milliseconds until the last answer: all were wanted at the begin
   */
  run(requests: number, holds: string): Promise<number>;
  close(): void;
}

/** A request to whoever listens at the port. */
export type RequestTo = (port: number) => Buffer;

export async function connected(port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  await once(socket, "connect");
  return socket;
}

/** One request on a kept connection, and its answer. */
export function ask(socket: Socket, request: string | Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stop = listen(socket, {
      answered(answer) {
        stop();
        resolve(answer);
      },
      failed: reject,
    });
    socket.write(request);
  });
}

export async function openLoad(port: number, requestTo: RequestTo, connections: number): Promise<Load> {
  const request = requestTo(port);
  const sockets = await Promise.all(Array.from({ length: connections }, () => connected(port)));
  return {
    run: (requests, holds) =>
      new Promise((resolve, reject) => {
        let [sent, received] = [0, 0];
        const begun = performance.now();
        const next = (socket: Socket): void => {
          if (sent >= requests) return;
          sent += 1;
          socket.write(request);
        };
        const stops = sockets.map((socket) =>
          listen(socket, {
            answered({ status, body }) {
              if (status !== 200 || !body.includes(holds)) {
                reject(new Error(`the server answered ${status} ${body} — it should be 200 with ${holds}`));
                return;
              }
              received += 1;
              if (received < requests) {
                next(socket);
                return;
              }
              const took = performance.now() - begun;
              for (const stop of stops) stop();
              resolve(took);
            },
            failed: reject,
          }),
        );
        for (const socket of sockets) next(socket);
      }),
    close() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

interface Listener {
  answered(answer: Answer): void;
  failed(error: Error): void;
}

/** Calls back with each whole answer: one request is under way at a time. Returns the undo. */
function listen(socket: Socket, { answered, failed }: Listener): () => void {
  let begun = "";
  const take = (bytes: Buffer): void => {
    begun += bytes.toString("latin1");
    const answer = wholeAnswer(begun);
    if (!answer) return;
    begun = "";
    answered(answer);
  };
  const closed = (): void => failed(new Error("the server has closed the connection"));
  socket.on("data", take).on("error", failed).on("close", closed);
  return () => void socket.off("data", take).off("error", failed).off("close", closed);
}

/**
 * The answer that the text is, by the length that its head says or by its chunks. Undefined while its end is not there.
 *
 * @param text a letter for each byte
 */
export function wholeAnswer(text: string): Answer | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = text.slice(0, end);
  const rest = text.slice(end + 4);
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  const body = /\r\ntransfer-encoding: *chunked/i.test(head)
    ? withoutChunks(rest)
    : rest.length < length
      ? undefined
      : rest.slice(0, length);
  return body === undefined ? undefined : { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), body };
}

function withoutChunks(text: string): string | undefined {
  let body = "";
  for (let at = 0; ; ) {
    const line = text.indexOf("\r\n", at);
    const size = Number.parseInt(text.slice(at, line), 16);
    const next = line + 2 + size + 2;
    if (line < 0 || next > text.length) return undefined;
    if (size === 0) return body;
    body += text.slice(line + 2, line + 2 + size);
    at = next;
  }
}
