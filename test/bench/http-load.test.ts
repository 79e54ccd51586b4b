/** The load of the HTTP benchmarks before real servers: it takes what they answer, and says what was wrong in one line. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type TestContext, test } from "node:test";
import { ask, connected, openLoad } from "../../bench/http-load.ts";

async function serving(context: TestContext, answer: RequestListener): Promise<number> {
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => answer(request, response));
  });
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}
const requestTo = (port: number): Buffer =>
  Buffer.from(`POST / HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-length: 2\r\n\r\n{}`);

test("each answer may be another one, as long as it holds what is asked for", async (context) => {
  let answers = 0;
  const port = await serving(context, (_request, response) => {
    answers += 1;
    response.end(JSON.stringify({ code: "ä".repeat(answers), verdict: "deny", reason: "No." }));
  });
  const load = await openLoad(port, requestTo, 3);
  assert.ok((await load.run(20, '"verdict":"deny"')) > 0);
  assert.ok((await load.run(5, '"verdict":"deny"')) > 0);
  load.close();
  assert.equal(answers, 25);
});

test("an answer in chunks is read to its end", async (context) => {
  const port = await serving(context, (_request, response) => {
    for (let line = 0; line < 500; line++) response.write(`{"event":"${line}"}\n`);
    response.end();
  });
  const socket = await connected(port);
  for (const _time of [1, 2]) {
    const { status, body } = await ask(socket, requestTo(port));
    assert.deepEqual([status, body.split("\n").length, body.slice(-16)], [200, 501, '{"event":"499"}\n']);
  }
  socket.destroy();
});

test("an answer without a body is whole", async (context) => {
  const port = await serving(context, (_request, response) => response.writeHead(204).end());
  const socket = await connected(port);
  assert.deepEqual(await ask(socket, requestTo(port)), { status: 204, body: "" });
  socket.destroy();
});

test("a wrong answer is told with its status and its words in one line", async (context) => {
  const port = await serving(context, (_request, response) => response.writeHead(429).end('{"error":"intake_full"}'));
  const load = await openLoad(port, requestTo, 2);
  await assert.rejects(
    load.run(10, '"deny"'),
    /^Error: the server answered 429 {"error":"intake_full"} — it should be 200 with "deny"$/,
  );
  load.close();
});

test("a server that goes away is told, and nobody waits for it", async (context) => {
  const port = await serving(context, (request) => void request.socket.destroy());
  const load = await openLoad(port, requestTo, 1);
  await assert.rejects(load.run(1, ""), /the server has closed the connection|ECONNRESET/);
  load.close();
});
