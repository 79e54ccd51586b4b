/** Sends one request over and over on kept connections, as fast as the answers come: no client library, so that the servers are measured. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface Load {
  /** Sends so many requests, each connection its next one when it has its answer. Every answer has status 200 and this body. */
  run(requests: number, body: string): Promise<Taken>;
  close(): void;
}
export interface Taken {
  milliseconds: number;
  /** The slowest answer, counted from the load's begin: all were wanted then. */
  last: number;
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
          const milliseconds = performance.now() - begun;
          for (const one of sockets) one.removeAllListeners("data");
          resolve({ milliseconds, last: milliseconds });
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
