/** The daemon's listeners with one answer that the test gives, and senders of raw bytes. */
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type Call, type Listener, refuse } from "../../../src/hosts/daemon/call.ts";
import { refused } from "../../../src/hosts/daemon/refusals.ts";
import { listen, type Server } from "../../../src/hosts/daemon/server.ts";

export interface Entrance {
  server: Server;
  /** Over loopback, and over the unix socket. */
  ways: Readonly<Record<"loopback" | "unix socket", () => Socket>>;
  /** A request as its bytes. */
  asked(body?: string, more?: string): Buffer;
}

export async function entrance(t: TestContext, listener: Listener): Promise<Entrance> {
  const folder = mkdtempSync(join(tmpdir(), "hookline-entrance-"));
  const socket = join(folder, "s.sock");
  const routes = async () => (call: Call) => refuse(call, refused("not_found"));
  const server = await listen({ port: 0, socket, listeners: [listener], routes });
  t.after(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const to = (opened: Socket): Socket => {
    opened.on("error", () => {}); // the other side may close it
    t.after(() => opened.destroy());
    return opened;
  };
  return {
    server,
    ways: {
      loopback: () => to(connect({ port: server.port, host: "127.0.0.1", noDelay: true })),
      "unix socket": () => to(connect({ path: socket })),
    },
    asked: (body = "{}", more = "") =>
      Buffer.from(
        `POST /x HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\n${more}content-length: ${body.length}\r\n\r\n${body}`,
      ),
  };
}

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
export function hearing(socket: Socket): { until(enough: (text: string) => boolean): Promise<string> } {
  let text = "";
  let wake = (): void => {};
  for (const event of ["data", "end", "close"])
    socket.on(event, (bytes?: Buffer | boolean) => {
      if (Buffer.isBuffer(bytes)) text += bytes.toString("latin1");
      wake();
    });
  return {
    async until(enough) {
      while (!enough(text) && !socket.readableEnded && !socket.destroyed)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      return text;
    },
  };
}
