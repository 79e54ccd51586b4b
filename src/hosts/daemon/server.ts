/** The daemon's listeners, loopback and a unix socket: requests for a verdict and events are answered before the routes, which are loaded when they are first asked. */
import { createServer, type Server as HttpServer, STATUS_CODES } from "node:http";
import { createServer as createSocketServer, type Socket, type Server as SocketServer } from "node:net";
import type { Duplex } from "node:stream";
import { HooklineError, messageOf } from "../../engine/error.ts";
import { type Call, createAdmission, type Listener, refuse } from "./call.ts";
import { refused, refusedBy } from "./refusals.ts";

interface ListenOptions {
  port: number;
  /** The path of the unix socket; its place is free. Absent: there is none. */
  socket?: string;
  /** Asked in this order. */
  listeners: readonly Listener[];
  /** Whether the sender of a request holds a token: connections of all others have a limit of their own. Absent: none does. */
  holdsToken?(authorization: unknown): boolean;
  /** Everything else: loaded with the first call that is for it. */
  routes(): Promise<(call: Call) => void>;
  /** Gets each connection to the unix socket that does not speak HTTP; absent: it is closed. */
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

const address = "127.0.0.1";
const answersWithin = 2_000;
/** More wait outside, or do without us. */
const connectionsAtMost = 2_000;
/** Of those that have shown no token, while they ask nothing: without a limit they would take the descriptors of all others. */
const strangersAtMost = 200;
/** So long may more be there: those who send at once have shown their token by then. */
const strangersFor = 1_000;
/** Of a client that hangs: its head, its whole request, and between two requests. An agent reports again after so long a pause. */
const limits = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 300_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16_384,
};

/** @throws HooklineError port_taken */
export async function listen({ port, socket, listeners, holdsToken, routes, lines }: ListenOptions): Promise<Server> {
  let others: ReturnType<typeof routes> | undefined;
  const local = new WeakSet<Socket>(); // came over the unix socket
  const strangers = createStrangers();
  /** The newest request of each connection whose answer is not yet sent. */
  const asking = new WeakMap<Duplex, Pick<Call, "request" | "response">>();
  let closing: Promise<void> | undefined;
  const isLast = (): boolean => closing !== undefined;
  const admit = createAdmission(() => portOf(http) ?? port);
  const http = createServer(limits, (request, response) => {
    response.sendDate = false;
    const { socket: from } = request;
    asking.set(from, { request, response });
    response.once("close", () => asking.get(from)?.response === response && asking.delete(from));
    const call: Call = { request, response, isPrivate: local.has(request.socket), isLast };
    strangers.asks(call, holdsToken?.(request.headers.authorization) === true);
    const refusal = admit(call);
    if (refusal) return refuse(call, refused(refusal));
    for (const listener of listeners) if (listener(call)) return;
    others ??= routes();
    others.then(
      (serve) => serve(call),
      (error: unknown) => refuse(call, refusedBy(error)),
    );
  });
  const answered = new WeakSet<Duplex>();
  http.on("clientError", (error, connected) => {
    const { request, response } = asking.get(connected) ?? {};
    // What came behind a request, or behind its refusal: a second answer would be taken for a part of the first.
    if (response?.headersSent || request?.complete) return;
    answerUnread(error, connected, answered);
  });
  http.on("connection", (connected: Socket) => {
    if (!local.has(connected)) strangers.came(connected);
  });
  http.maxConnections = connectionsAtMost;
  await opened(http, () => http.listen(port, address), `${address}:${port}`);
  const sorting = createSorting({
    lines: lines ?? ((stranger) => void stranger.destroy()),
    http(connected) {
      local.add(connected);
      http.emit("connection", connected);
    },
  });
  const servers: (HttpServer | SocketServer)[] = [http];
  if (socket !== undefined) {
    const server = createSocketServer({ allowHalfOpen: true }, sorting.sort);
    server.maxConnections = connectionsAtMost;
    servers.push(server);
    try {
      await opened(server, () => listenPrivately(server, socket), socket);
    } catch (error) {
      http.close();
      throw error;
    }
  }

  async function closeAll(busy: Promise<void> = Promise.resolve()): Promise<void> {
    const closed = Promise.all(servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))));
    sorting.close();
    http.closeIdleConnections();
    let end: ReturnType<typeof setTimeout> | undefined;
    const moment = new Promise<void>((resolve) => {
      end = setTimeout(resolve, answersWithin);
    });
    await Promise.race([closed, Promise.all([moment, busy])]);
    clearTimeout(end);
    http.closeAllConnections();
    await closed;
  }

  return {
    port: portOf(http) ?? port,
    close(busy) {
      closing ??= closeAll(busy);
      return closing;
    },
  };
}

/** A request that node:http could not read. Its sender is answered before it has sent all, so the rest is thrown away for a while. */
function answerUnread(error: Error, socket: Duplex, answered: WeakSet<Duplex>): void {
  if (answered.has(socket)) return; // of what it still sends, each piece is an error again
  answered.add(socket);
  if (!socket.writable || ("code" in error && error.code === "ECONNRESET")) return void socket.destroy();
  if ("code" in error && error.code === "ERR_HTTP_REQUEST_TIMEOUT")
    return void socket.end("HTTP/1.1 408 Request Timeout\r\nconnection: close\r\n\r\n");
  const { status, ...refusal } = refused(
    "code" in error && error.code === "HPE_HEADER_OVERFLOW" ? "head_too_large" : "not_http",
  );
  const body = JSON.stringify({ error: refusal.error });
  socket.write(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  const end = setTimeout(() => socket.destroy(), strangersFor);
  socket.once("close", () => clearTimeout(end));
  socket.on("error", () => {}); // its sender is gone
  socket.resume();
  socket.end();
}

interface Strangers {
  came(socket: Socket): void;
  /** It sends a request: while that is answered it is none; and no more at all, where it has shown a token. */
  asks(call: Call, isKnown: boolean): void;
}

/** Connections that have shown no token: of too many the oldest end. */
function createStrangers(): Strangers {
  const idle = new Set<Socket>();
  let isWaiting = false;

  function endOldest(): void {
    isWaiting = false;
    for (const socket of idle) {
      if (idle.size <= strangersAtMost) return;
      idle.delete(socket);
      socket.destroy();
    }
  }

  function add(socket: Socket): void {
    idle.add(socket);
    if (idle.size <= strangersAtMost || isWaiting) return;
    isWaiting = true;
    setTimeout(endOldest, strangersFor).unref();
  }

  return {
    came(socket) {
      add(socket);
      socket.once("close", () => idle.delete(socket));
    },
    asks({ request: { socket }, response }, isKnown) {
      if (!idle.delete(socket) || isKnown) return;
      response.once("close", () => {
        if (!socket.destroyed) add(socket);
      });
    },
  };
}

interface Sorting {
  /** Finds out by its first byte what a connection speaks. */
  sort(socket: Socket): void;
  /** Ends those that have not said anything. */
  close(): void;
}

function createSorting(to: { http(socket: Socket): void; lines(socket: Socket): void }): Sorting {
  const silent = new Set<Socket>();

  function sort(socket: Socket): void {
    const forget = (): void => {
      silent.delete(socket);
      socket.setTimeout(0);
      for (const event of ["end", "timeout", "error"]) socket.off(event, leave);
      socket.off("close", forget);
    };
    const leave = (): void => void socket.destroy();
    for (const event of ["end", "timeout", "error"]) socket.on(event, leave);
    socket.on("close", forget);
    socket.setTimeout(limits.headersTimeout);
    silent.add(socket);
    socket.once("data", (bytes: Buffer) => {
      socket.pause();
      forget();
      if (beginsRequest(bytes)) to.http(socket);
      else to.lines(socket);
      socket.unshift(bytes);
      socket.resume();
    });
  }

  return {
    sort,
    close() {
      for (const socket of silent) socket.destroy();
    },
  };
}

/** HTTP begins with the name of a method. */
function beginsRequest(bytes: Buffer): boolean {
  const first = bytes[0] ?? 0;
  return first >= 0x41 && first <= 0x5a;
}

function portOf(server: HttpServer): number | undefined {
  const bound = server.address();
  return typeof bound === "object" && bound ? bound.port : undefined;
}

/** Other users cannot connect, from its first moment on. */
function listenPrivately(server: SocketServer, path: string): void {
  const before = process.umask(0o177);
  try {
    server.listen(path);
  } finally {
    process.umask(before);
  }
}

function opened(server: HttpServer | SocketServer, begin: () => unknown, where: string): Promise<void> {
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

function notListening(error: unknown, where: string): HooklineError {
  const isTaken = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
  const reason = isTaken ? "another program listens there" : messageOf(error);
  return new HooklineError("port_taken", { reason, where }, { cause: error });
}
