/** The daemon's door: loopback only, and closed without leaving anyone hanging. */
import { createAdaptorServer } from "@hono/node-server";
import { HooklineError, messageOf } from "../core/error.ts";

export interface Server {
  port: number;
  /** Takes no further calls, and gives those that wait for an answer a moment. Safe to call twice. */
  close(): Promise<void>;
}

const address = "127.0.0.1";
const answersWithin = 2_000;

/** @throws HooklineError port_taken */
export async function listen(answer: (request: Request) => Promise<Response>, port: number): Promise<Server> {
  const server = createAdaptorServer({ fetch: answer, overrideGlobalObjects: false });
  await new Promise<void>((resolve, reject) => {
    const failed = (error: unknown): void => reject(notListening(error, port));
    server.once("error", failed);
    server.listen(port, address, () => {
      server.off("error", failed);
      resolve();
    });
  });
  const bound = server.address();
  let closing: Promise<void> | undefined;
  return {
    port: typeof bound === "object" && bound ? bound.port : port,
    close() {
      closing ??= new Promise((resolve) => {
        const end = setTimeout(() => "closeAllConnections" in server && server.closeAllConnections(), answersWithin);
        server.close(() => {
          clearTimeout(end);
          resolve();
        });
        if ("closeIdleConnections" in server) server.closeIdleConnections();
      });
      return closing;
    },
  };
}

function notListening(error: unknown, port: number): HooklineError {
  const isTaken = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
  const reason = isTaken ? "another program listens there" : messageOf(error);
  return new HooklineError("port_taken", { reason, where: `${address}:${port}` }, { cause: error });
}
