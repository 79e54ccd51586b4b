/** What the guard does to real connections: the servers are real, on loopback, and only the resolver is made up. */
import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createPlainServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { createFetch } from "../../../src/actions/http/fetch.ts";
import type { Resolve } from "../../../src/actions/http/send.ts";
import { createSend } from "../../../src/actions/http/send.ts";
import { webFetch } from "../../../src/actions/http/web-fetch.ts";
import type { Reach } from "../../../src/engine/reach.ts";

interface Served {
  port: number;
  origin: string;
  asked: string[];
}

async function serve(context: TestContext, answer: RequestListener): Promise<Served> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} http://${request.headers.host}${request.url}`);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // it listens on a port
  return { port, origin: `http://127.0.0.1:${port}`, asked };
}

/** A server that speaks no HTTP of its own accord. */
async function serveBytes(context: TestContext, answer: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createPlainServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {}); // the client has gone
    answer(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`; // the same
}

const resolver =
  (names: { readonly [name: string]: readonly string[] }, asked: string[] = []): Resolve =>
  (host, _options, callback) => {
    asked.push(host);
    const addresses = names[host] ?? [];
    callback(addresses.length > 0 ? null : new Error(`no such name: ${host}`), addresses.map(toAnswer));
  };
const toAnswer = (address: string) => ({ address, family: address.includes(":") ? 6 : 4 });

const never = new AbortController().signal;
const get = (url: string, reach: Reach) => ({
  ...{ url, reach, method: "GET", headers: {}, body: "" },
  limitInBytes: 1 << 20,
});

test("[SD9] the connection goes to the address that was checked, once looked up, with the name as its Host", async (context) => {
  const { port, asked } = await serve(context, (_request, response) => response.end("here"));
  const looked: string[] = [];
  const fetch = createFetch(createSend({ resolve: resolver({ "board.example": ["127.0.0.1"] }, looked) }));
  const reply = await fetch(get(`http://board.example:${port}/x`, "internal"), never);
  assert.equal(reply.body, "here");
  assert.deepEqual(asked, [`GET http://board.example:${port}/x`]);
  assert.deepEqual(looked, ["board.example"]);
});

test("[SD9, T21] a project's name that leads to this machine is refused, and so is each of several addresses", async (context) => {
  const { port, asked } = await serve(context, (_request, response) => response.end("here"));
  const names = { "a.example": ["127.0.0.1"], "b.example": ["93.184.216.34", "127.0.0.1"], localhost: ["10.0.0.1"] };
  const fetch = createFetch(createSend({ resolve: resolver(names) }));
  for (const name of ["a.example", "b.example"])
    await assert.rejects(fetch(get(`http://${name}:${port}/`, "public"), never), /leads to 127\.0\.0\.1, which is/);
  for (const reach of ["public", "loopback"] as const)
    await assert.rejects(fetch(get(`http://localhost:${port}/`, reach), never), /localhost (is a name|leads to 10)/);
  assert.deepEqual(asked, []);
});

test("[SD9, T21] a redirect leads a project's request to no other port or name of this machine", async (context) => {
  const inner = await serve(context, (_request, response) => response.end("secret"));
  for (const host of ["127.0.0.1", "2130706433", "localhost", "[::ffff:127.0.0.1]", "0", "127.1"]) {
    const outer = await serve(context, (_request, response) =>
      response.writeHead(302, { location: `http://${host}:${inner.port}/` }).end(),
    );
    await assert.rejects(createFetch()(get(outer.origin, "loopback"), never), /only a hook or a setting of your own/);
  }
  assert.deepEqual(inner.asked, []);
});

test("[SD9] redirects of a person's own server stay possible, and its reply says where it came from", async (context) => {
  const inner = await serve(context, (_request, response) => response.end("moved"));
  const outer = await serve(context, (_request, response) =>
    response.writeHead(302, { location: `${inner.origin}/new` }).end(),
  );
  const reply = await createFetch()(get(outer.origin, "internal"), never);
  assert.deepEqual([reply.body, reply.movedTo], ["moved", inner.origin]);
});

test("[SD9] a redirect that never ends, or leads to no http address, is an error", async (context) => {
  const { origin, asked } = await serve(context, ({ url = "" }, response) => {
    response
      .writeHead(302, { location: url === "/file" ? "file:///etc/passwd" : url === "/odd" ? "http://" : "/again" })
      .end();
  });
  await assert.rejects(createFetch()(get(`${origin}/`, "internal"), never), /more than 3 redirects/);
  assert.equal(asked.length, 4);
  await assert.rejects(createFetch()(get(`${origin}/file`, "internal"), never), /redirected to file:/);
  await assert.rejects(createFetch()(get(`${origin}/odd`, "internal"), never), /is not an address/);
});

test("[SD9] no redirect carries a user name and password", async (context) => {
  const { origin, port } = await serve(context, ({ url }, response) => {
    if (url === "/") response.writeHead(302, { location: `http://me:secret@127.0.0.1:${port}/end` }).end();
    else response.end();
  });
  await assert.rejects(createFetch()(get(origin, "internal"), never), /holds a user name or password/);
});

test("[T23] a compressed reply is decoded, and one that would fill the memory is cut at the limit", async (context) => {
  const makers = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };
  const bomb = Buffer.alloc(8 << 20);
  const { origin } = await serve(context, ({ url = "" }, response) => {
    const [, coding = "", what] = url.split("/");
    const make = Object.hasOwn(makers, coding) ? makers[coding as keyof typeof makers] : undefined;
    const body = what === "bomb" ? bomb : Buffer.from("héllo");
    response.writeHead(200, { "content-encoding": coding }).end(make ? make(body) : body);
  });
  for (const coding of Object.keys(makers)) {
    assert.equal((await createFetch()(get(`${origin}/${coding}`, "internal"), never)).body, "héllo");
    const { body, cut } = await createFetch()(get(`${origin}/${coding}/bomb`, "internal"), never);
    assert.deepEqual([body.length, cut], [1 << 20, true]);
  }
  await assert.rejects(createFetch()(get(`${origin}/zstd`, "internal"), never), /encoded as "zstd"/);
});

test("[T23] what is compressed wrongly, and a header of a megabyte, are errors", async (context) => {
  const { origin } = await serve(context, ({ url }, response) => {
    if (url === "/header") response.setHeader("x-long", "x".repeat(1 << 20));
    else response.setHeader("content-encoding", "gzip");
    response.end("not gzip");
  });
  await assert.rejects(createFetch()(get(origin, "internal"), never), /incorrect header/);
  await assert.rejects(createFetch()(get(`${origin}/header`, "internal"), never), /Header overflow/i);
});

test("[T23] a server that sends interim replies without end is given up with the step", async (context) => {
  const hint = "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n".repeat(100);
  const place = await serveBytes(context, (socket) => {
    const more = (): void => {
      while (!socket.destroyed && socket.write(hint));
    };
    socket.on("drain", more);
    more();
  });
  const limit = AbortSignal.timeout(100);
  await assert.rejects(createFetch()(get(`http://${place}/`, "internal"), limit), { name: "AbortError" });
});

test("[SD9] a connection that is not there in time is given up, also where only TLS does not begin", async (context) => {
  const silent = await serveBytes(context, () => {});
  const fetch = createFetch(createSend({ connectWithinInMs: 50 }));
  await assert.rejects(fetch(get(`https://${silent}/`, "internal"), never), /no connection to 127.* within 0\.05 s/);
  const unanswered: Resolve = () => {};
  const waiting = createFetch(createSend({ connectWithinInMs: 50, resolve: unanswered }));
  await assert.rejects(waiting(get("http://name.example/", "public"), never), /no connection to name\.example within/);
});

test("[SD9] for libraries a refusal and a lost connection are what fetch makes of them, and redirects are not followed", async (context) => {
  const { origin, asked } = await serve(context, (_request, response) =>
    response.writeHead(302, { location: "/next", "set-cookie": ["a=1", "b=2"] }).end(),
  );
  const cause = (text: RegExp) => (error: Error) => error instanceof TypeError && text.test(String(error.cause));
  await assert.rejects(webFetch("public")(origin), cause(/127\.0\.0\.1 is of this machine/));
  await assert.rejects(webFetch("internal")("http://127.0.0.1:1/"), cause(/ECONNREFUSED/));
  await assert.rejects(webFetch("internal")(origin, { redirect: "error" }), cause(/unexpected redirect/));
  const reply = await webFetch("internal")(origin, { redirect: "manual" });
  assert.deepEqual([reply.status, reply.headers.get("location")], [302, "/next"]);
  assert.deepEqual(reply.headers.getSetCookie(), ["a=1", "b=2"]);
  assert.equal(asked.length, 2);
  const stopped = AbortSignal.abort(new Error("enough"));
  await assert.rejects(webFetch("internal")(origin, { signal: stopped }), /enough/);
});

test("[T23] for libraries a status that is none is an error, and the connection is closed", async (context) => {
  let closed = (): void => {};
  const isClosed = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const place = await serveBytes(context, (socket) => {
    socket.on("close", closed).resume();
    socket.write("HTTP/1.1 799 Odd\r\n\r\nmore to come");
  });
  const isOdd = ({ cause }: Error) => /the server answered 799/.test(String(cause));
  await assert.rejects(webFetch("internal")(`http://${place}/`), isOdd);
  await isClosed;
});

test("[SD9] for libraries a body comes as it is sent, and its end is not awaited", async (context) => {
  const { origin } = await serve(context, (_request, response) => response.write("first"));
  const { body } = await webFetch("internal")(origin);
  const reader = (body ?? assert.fail("no body")).getReader();
  assert.equal(Buffer.from((await reader.read()).value ?? []).toString(), "first");
  await reader.cancel();
});
