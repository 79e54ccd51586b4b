/** The daemon's doors, loopback and a unix socket: what asks for a verdict goes straight to its door, all else to the routes, which are loaded when they are first asked. */
import { createServer, type IncomingMessage, type Server as NodeServer, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { HooklineError, messageOf } from "../core/error.ts";
import type { Door } from "./call.ts";
import { callOf } from "./call-http.ts";
import { createPlainLane, type PlainLane } from "./plain-lane.ts";

export interface ListenOptions {
  port: number;
  /** The path of the unix socket; its place is free. Absent: there is none. */
  socket?: string;
  /** Asked in this order. */
  doors: readonly Door[];
  /** Everything else. */
  routes(): Promise<(request: Request) => Promise<Response>>;
  /** Whoever speaks no HTTP on the unix socket; absent: is sent away. */
  lines?(socket: Socket): void;
}

export interface Server {
  port: number;
  /**
   * Takes no further calls, and gives those that wait for an answer a moment. Safe to call twice.
   *
   * @param busy longer, until this has settled
   */
  close(busy?: Promise<void>): Promise<void>;
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

const address = "127.0.0.1";
const answersWithin = 2_000;
/** More wait outside, or do without us. */
const connectionsAtMost = 2_000;
/** Of a client that hangs: its head, its whole request, and between two requests. An agent that was told so long comes back. */
const limits = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 300_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16_384,
};

/** @throws HooklineError port_taken */
export async function listen({ port, socket, doors, routes, lines = sendAway }: ListenOptions): Promise<Server> {
  const others = lazily(routes);
  const loopback = createEntrance({ doors, others, isPrivate: false });
  await opened(loopback.http, () => loopback.http.listen(port, address), `${address}:${port}`);
  const entrances = [loopback];
  if (socket !== undefined) {
    const local = createEntrance({ doors, others, isPrivate: true, toOthers: lines });
    entrances.push(local);
    try {
      await opened(local.http, () => listenPrivately(local.http, socket), socket);
    } catch (error) {
      loopback.http.close();
      throw error;
    }
  }
  const bound = loopback.http.address();
  let closing: Promise<void> | undefined;
  return {
    port: typeof bound === "object" && bound ? bound.port : port,
    close(busy) {
      closing ??= closeAll(entrances, busy);
      return closing;
    },
  };
}

interface Entrance {
  /** Listens, and serves what is not for the lane. */
  http: NodeServer;
  lane: PlainLane;
}

function createEntrance({
  others,
  ...given
}: Pick<Parameters<typeof createPlainLane>[0], "doors" | "isPrivate" | "toOthers"> & { others: Listener }): Entrance {
  const http = createServer(limits, (request, response) => {
    response.sendDate = false;
    const call = callOf(request, response, given.isPrivate);
    for (const door of given.doors) if (door(call)) return;
    others(request, response);
  });
  http.maxConnections = connectionsAtMost;
  const byNode = http.listeners("connection");
  http.removeAllListeners("connection");
  const lane = createPlainLane({
    ...{ ...given, limits },
    toNode(socket) {
      for (const serve of byNode) serve.call(http, socket);
    },
  });
  http.on("connection", lane.serve);
  return { http, lane };
}

const sendAway = (socket: Socket): void => void socket.destroy();

/** Nobody else may so much as connect, from its first moment on. */
function listenPrivately(server: NodeServer, path: string): void {
  const before = process.umask(0o177);
  try {
    server.listen(path);
  } finally {
    process.umask(before);
  }
}

/** Loaded with the first request that is for them. */
function lazily(routes: ListenOptions["routes"]): Listener {
  let listener: Promise<Listener> | undefined;
  const load = async (): Promise<Listener> => {
    const [{ getRequestListener }, answer] = await Promise.all([import("@hono/node-server"), routes()]);
    return getRequestListener(answer, { overrideGlobalObjects: false });
  };
  return (request, response) => {
    listener ??= load();
    listener.then(
      (take) => take(request, response),
      () => response.writeHead(500).end(),
    );
  };
}

function opened(server: NodeServer, begin: () => unknown, where: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: unknown): void => reject(notListening(error, where));
    server.once("error", failed);
    server.once("listening", () => {
      server.off("error", failed);
      resolve();
    });
    begin();
  });
}

async function closeAll(entrances: readonly Entrance[], busy: Promise<void> = Promise.resolve()): Promise<void> {
  const closed = Promise.all(entrances.map(({ http }) => new Promise<void>((resolve) => http.close(() => resolve()))));
  for (const { http, lane } of entrances) {
    lane.close();
    http.closeIdleConnections();
  }
  let end: ReturnType<typeof setTimeout> | undefined;
  const moment = new Promise<void>((resolve) => {
    end = setTimeout(resolve, answersWithin);
  });
  await Promise.race([closed, Promise.all([moment, busy])]);
  clearTimeout(end);
  for (const { http, lane } of entrances) {
    lane.destroy();
    http.closeAllConnections();
  }
  await closed;
}

function notListening(error: unknown, where: string): HooklineError {
  const isTaken = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
  const reason = isTaken ? "another program listens there" : messageOf(error);
  return new HooklineError("port_taken", { reason, where }, { cause: error });
}
