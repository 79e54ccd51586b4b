/** A server on loopback that speaks as Discord, as Slack and as any other receiver do: it keeps what it was sent, and limits as told. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { TestContext } from "node:test";

export interface Received {
  method: string;
  path: string;
  headers: { [name: string]: string | string[] | undefined };
  body: { [field: string]: unknown };
  text: string;
}
interface Answer {
  status: number;
  body?: unknown;
  headers?: { [name: string]: string };
}
export interface Receiver {
  url: string;
  /** All that arrived, in order, also what was not taken. */
  received: Received[];
  /** How the next requests are answered, in place of taking them; undefined: it is taken. */
  answers: (Answer | "hang" | "cut" | undefined)[];
  /** Resolves once so many requests have arrived. */
  arrived(count: number): Promise<Received[]>;
}

export async function startReceiver(context: TestContext): Promise<Receiver> {
  const received: Received[] = [];
  const answers: Receiver["answers"] = [];
  const waiting: { count: number; resolve(all: Received[]): void }[] = [];
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const text = Buffer.concat(pieces).toString("utf8");
    received.push({
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      body: JSON.parse(text),
      text,
    });
    const answer = answers.shift();
    if (answer === "cut") request.socket.destroy();
    else if (answer !== "hang") {
      const taken = request.url?.startsWith("/slack") ? "ok" : { id: `message-${received.length}` };
      const { status, body, headers } = answer ?? { status: 200, body: taken, headers: {} };
      response.writeHead(status, headers);
      response.end(typeof body === "string" ? body : JSON.stringify(body ?? {}));
    }
    for (const one of waiting.filter(({ count }) => received.length >= count)) one.resolve([...received]);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(typeof address === "object" && address);
  return {
    url: `http://127.0.0.1:${address.port}`,
    received,
    answers,
    arrived: (count) =>
      new Promise((resolve) => {
        if (received.length >= count) resolve([...received]);
        else waiting.push({ count, resolve });
      }),
  };
}

/** What a message says. */
export const said = ({ body }: Received): string => String(body.content ?? body.text);

/** An address where nobody listens any more. */
export async function closedAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  assert.ok(typeof address === "object" && address);
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${address.port}`;
}
