/** The daemon's doors, loopback and a unix socket: what asks for a verdict goes straight to its door, all else to the routes, which are loaded when they are first asked. */
import { createServer, type IncomingMessage, type Server as NodeServer, type ServerResponse } from "node:http";
import { createServer as createSocketServer, type Socket, type Server as SocketServer } from "node:net";
import { HooklineError, messageOf } from "../core/error.ts";

/** Takes a request that is its own, and answers true. On the socket of a private folder whoever asks is the user. */
export type Door = (request: IncomingMessage, response: ServerResponse, isPrivate: boolean) => boolean;

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
export async function listen({ port, socket, doors, routes, lines }: ListenOptions): Promise<Server> {
  const others = lazily(routes);
  const take =
    (isPrivate: boolean): Listener =>
    (request, response) => {
      response.sendDate = false;
      for (const door of doors) if (door(request, response, isPrivate)) return;
      others(request, response);
    };
  const loopback = createServer(limits, take(false));
  loopback.maxConnections = connectionsAtMost;
  await opened(loopback, () => loopback.listen(port, address), `${address}:${port}`);
  const local = socket === undefined ? undefined : createServer(limits, take(true));
  const sockets = local && createSocketServer({ allowHalfOpen: true }, (one) => sortOut(one, local, lines));
  if (sockets && socket !== undefined) {
    sockets.maxConnections = connectionsAtMost;
    try {
      await opened(sockets, () => listenPrivately(sockets, socket), socket);
    } catch (error) {
      loopback.close();
      throw error;
    }
  }
  const bound = loopback.address();
  const http = local ? [loopback, local] : [loopback];
  let closing: Promise<void> | undefined;
  return {
    port: typeof bound === "object" && bound ? bound.port : port,
    close(busy) {
      closing ??= closeAll(sockets ? [loopback, sockets] : [loopback], http, busy);
      return closing;
    },
  };
}

/** Whoever speaks HTTP begins with the name of a method. */
function sortOut(socket: Socket, http: NodeServer, lines: ListenOptions["lines"]): void {
  const gone = (): void => void socket.destroy();
  socket.on("error", gone);
  socket.setTimeout(limits.headersTimeout, gone);
  socket.once("data", (first) => {
    socket.pause();
    socket.setTimeout(0);
    socket.off("error", gone);
    socket.off("timeout", gone);
    const isHttp = /^[A-Z]/.test(String.fromCharCode(Buffer.from(first)[0] ?? 0));
    if (isHttp) http.emit("connection", socket);
    else if (lines) lines(socket);
    else return gone();
    socket.unshift(first);
    socket.resume();
  });
}

/** Nobody else may so much as connect, from its first moment on. */
function listenPrivately(server: SocketServer, path: string): void {
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

function opened(server: NodeServer | SocketServer, begin: () => unknown, where: string): Promise<void> {
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

async function closeAll(
  doors: readonly (NodeServer | SocketServer)[],
  http: readonly NodeServer[],
  busy: Promise<void> = Promise.resolve(),
): Promise<void> {
  const closed = Promise.all(doors.map((door) => new Promise<void>((resolve) => door.close(() => resolve()))));
  for (const server of http) server.closeIdleConnections();
  let end: ReturnType<typeof setTimeout> | undefined;
  const moment = new Promise<void>((resolve) => {
    end = setTimeout(resolve, answersWithin);
  });
  await Promise.race([closed, Promise.all([moment, busy])]);
  clearTimeout(end);
  for (const server of http) server.closeAllConnections();
  await closed;
}

function notListening(error: unknown, where: string): HooklineError {
  const isTaken = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
  const reason = isTaken ? "another program listens there" : messageOf(error);
  return new HooklineError("port_taken", { reason, where }, { cause: error });
}
