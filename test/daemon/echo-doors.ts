/** The daemon's entrance and a bare node:http server, with one door that answers with what it was given; and senders of raw bytes. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Call, Door } from "../../src/daemon/call.ts";
import { callOf } from "../../src/daemon/call-http.ts";
import { listen, type Server } from "../../src/daemon/server.ts";

export interface Entrance {
  connect(): Socket;
  /** How many calls came by the plain lane. */
  plain(): number;
}
export interface OwnEntrance extends Entrance {
  server: Server;
  local(): Socket;
}

const isPlain = ({ body }: Call): boolean => body !== undefined;

/** With what it was given, in the order of the headers' names. */
export const echo: Door = (call) => {
  if (!call.url.startsWith("/echo")) return false;
  const pieces: Buffer[] = [];
  call.receive(
    (piece) => pieces.push(piece),
    () => {
      const { method, url, headers } = call;
      const body = Buffer.concat(pieces).toString("base64");
      const said = { method, url, headers: Object.entries(headers).sort(), body };
      call.reply({ status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(said) });
    },
  );
  return true;
};

export async function ownEntrance(t: TestContext, door: Door = echo): Promise<OwnEntrance> {
  const folder = mkdtempSync(join(tmpdir(), "hookline-entrance-"));
  const socket = join(folder, "s.sock");
  let count = 0;
  const counting: Door = (call) => {
    if (isPlain(call)) count += 1;
    return door(call);
  };
  const routes = async () => async () => new Response("nothing", { status: 404 });
  const server = await listen({ port: 0, socket, doors: [counting], routes });
  t.after(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const to = ended(t);
  return {
    server,
    connect: () => to(connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true })),
    local: () => to(connect({ path: socket, allowHalfOpen: true })),
    plain: () => count,
  };
}

/** What the plain lane is compared with. */
export async function nodeEntrance(t: TestContext, door: Door = echo): Promise<Entrance> {
  const server = createServer({ maxHeaderSize: 16_384, keepAliveTimeout: 300_000 }, (request, response) => {
    response.sendDate = false;
    if (door(callOf(request, response, false))) return;
    response.writeHead(404, { "content-type": "text/plain;charset=UTF-8", "content-length": 7 }).end("nothing");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // it listens to a port
  const to = ended(t);
  return {
    connect: () => to(connect({ port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true })),
    plain: () => 0,
  };
}

const ended =
  (t: TestContext) =>
  (socket: Socket): Socket => {
    socket.on("error", () => {}); // it may be sent away
    t.after(() => socket.destroy());
    return socket;
  };

export interface Heard {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** Whole answers in these bytes, in their order. */
export function answersIn(bytes: string): Heard[] {
  const found: Heard[] = [];
  for (let rest = bytes; ; ) {
    const end = rest.indexOf("\r\n\r\n");
    const [, status = "", lines = ""] = /^HTTP\/1\.1 (\d{3}) [^\r]*((?:\r\n[^\r]+)*)\r\n\r\n/.exec(rest) ?? [];
    const headers = Object.fromEntries(
      lines.split("\r\n").flatMap((line) => {
        const [, name = "", value = ""] = /^([^:]+): (.*)$/.exec(line) ?? [];
        return name === "" ? [] : [[name.toLowerCase(), value]];
      }),
    );
    const size = end + 4 + Number(headers["content-length"] ?? 0);
    if (status === "" || rest.length < size) return found;
    found.push({ status: Number(status), headers, body: rest.slice(end + 4, size) });
    rest = rest.slice(size);
  }
}

/** All that is heard, as text with a letter for each byte. */
export function hearing(socket: Socket): { text(): string; until(enough: (text: string) => boolean): Promise<string> } {
  let text = "";
  let told = (): void => {};
  for (const event of ["data", "end", "close"])
    socket.on(event, (bytes?: Buffer | boolean) => {
      if (Buffer.isBuffer(bytes)) text += bytes.toString("latin1");
      told();
    });
  return {
    text: () => text,
    async until(enough) {
      while (!enough(text) && !socket.readableEnded && !socket.destroyed)
        await new Promise<void>((resolve) => {
          told = resolve;
        });
      return text;
    },
  };
}

/** Sends these pieces, each by itself, and hears so many answers. */
export async function exchange(socket: Socket, pieces: readonly Buffer[], answers: number): Promise<Heard[]> {
  const heard = hearing(socket);
  for (const piece of pieces) {
    socket.write(piece);
    await new Promise(setImmediate);
  }
  return answersIn(await heard.until((text) => answersIn(text).length >= answers));
}

/** What comes back for these bytes, until the other side ends. */
export async function saidTo(socket: Socket, bytes: Buffer): Promise<string> {
  const heard = hearing(socket);
  socket.end(bytes);
  const text = await heard.until(() => false);
  socket.destroy();
  return text;
}
