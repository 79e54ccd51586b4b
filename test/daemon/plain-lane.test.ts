/** The plain lane understands a request as node:http does, or leaves it to that. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { plainHeadIn } from "../../src/daemon/plain-request.ts";
import { answersIn, exchange, nodeEntrance, ownEntrance, saidTo } from "./echo-doors.ts";

const lettersOf = (letters: string, most: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...letters), maxLength: most });
const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join("");
const name = fc
  .string({ unit: fc.constantFrom(..."abcXYZ019-_!#$%&'*+.^`|~"), minLength: 1, maxLength: 12 })
  .map((end) => `x-${end}`);
const space = fc.constantFrom("", " ", "\t", "  ", " \t ");
const named = fc.uniqueArray(fc.tuple(name, space, lettersOf(`${printable}\t`, 30), space), {
  maxLength: 8,
  selector: ([first]) => first.toLowerCase(),
});
const request = fc
  .record({
    url: lettersOf("abcXYZ0189-._~!$&'()*+,;=:@%/?", 40),
    headers: named,
    host: fc.constantFrom("host: 127.0.0.1", "Host:localhost:1", "HOST: x "),
    connection: fc.constantFrom("", "connection: keep-alive\r\n", "Connection:Keep-Alive\r\n"),
    body: fc.uint8Array({ maxLength: 300 }),
  })
  .map(({ url, headers, host, connection, body }) => {
    const lines = headers.map(([header, before, value, behind]) => `${header}:${before}${value}${behind}\r\n`);
    const head = `POST /echo${url} HTTP/1.1\r\n${host}\r\n${lines.join("")}${connection}Content-Length: ${body.length}\r\n\r\n`;
    return Buffer.concat([Buffer.from(head, "latin1"), body]);
  });

test("of any plain request the lane sees what node:http sees, and answers with the same", async (t) => {
  const [own, node] = [await ownEntrance(t), await nodeEntrance(t)];
  let asked = 0;
  await fc.assert(
    fc.asyncProperty(request, async (bytes) => {
      asked += 1;
      const [one, other] = [own.connect(), node.connect()];
      assert.deepEqual(await exchange(one, [bytes], 1), await exchange(other, [bytes], 1));
      assert.equal(own.plain(), asked, "the lane has taken it");
      for (const socket of [one, other]) socket.destroy();
    }),
    { numRuns: 150 },
  );
});

test("however requests are cut or joined, each has its answer, and in their order", async (t) => {
  const [own, node] = [await ownEntrance(t), await nodeEntrance(t)];
  const many = fc.tuple(fc.array(request, { minLength: 1, maxLength: 4 }), fc.array(fc.nat(2_000), { maxLength: 5 }));
  await fc.assert(
    fc.asyncProperty(many, async ([requests, cuts]) => {
      const whole = Buffer.concat(requests);
      const at = [0, ...cuts.map((cut) => cut % whole.length).sort((a, b) => a - b), whole.length];
      const pieces = at.slice(1).map((end, index) => whole.subarray(at[index], end));
      const sockets = [own.connect(), own.local(), node.connect()] as const;
      const [tcp, local, expected] = await Promise.all(
        sockets.map((socket) => exchange(socket, pieces, requests.length)),
      );
      assert.equal(expected?.length, requests.length);
      assert.deepEqual([tcp, local], [expected, expected]);
      for (const socket of sockets) socket.destroy();
    }),
    { numRuns: 100 },
  );
});

const plain = "POST /echo HTTP/1.1\r\nhost: x\r\n";
/** None of them is the plain form, whatever the library makes of it. */
const hostile: Readonly<Record<string, string | Buffer>> = {
  "a length and a transfer coding": `${plain}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
  "a transfer coding in other letters": `${plain}content-length: 5\r\nTransfer-encoding : chunked\r\n\r\n0\r\n\r\n`,
  chunks: `${plain}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  "two lengths": `${plain}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`,
  "one length twice": `${plain}content-length: 2\r\nContent-Length: 2\r\n\r\n{}`,
  "a list of lengths": `${plain}content-length: 2, 2\r\n\r\n{}`,
  "a length with a sign": `${plain}content-length: +2\r\n\r\n{}`,
  "a length in other digits": `${plain}content-length: 0x2\r\n\r\n{}`,
  "a length with a space in it": `${plain}content-length: 0 2\r\n\r\n{}`,
  "a length with a nought before it": `${plain}content-length: 02\r\n\r\n{}`,
  "an empty length": `${plain}content-length:\r\n\r\n`,
  "no length": `${plain}\r\n`,
  "a space before the colon": `${plain}content-length : 2\r\n\r\n{}`,
  "a folded header": `${plain}x-a: b\r\n c\r\ncontent-length: 2\r\n\r\n{}`,
  "a header without a name": `${plain}: b\r\ncontent-length: 2\r\n\r\n{}`,
  "a header without a colon": `${plain}nothing\r\ncontent-length: 2\r\n\r\n{}`,
  "bare line feeds": `${plain}content-length: 2\n\n{}`,
  "a bare carriage return": `${plain}x-a: b\rcontent-length: 9\r\ncontent-length: 2\r\n\r\n{}`,
  "a zero byte in a value": `${plain}x-a: b\0c\r\ncontent-length: 2\r\n\r\n{}`,
  "a value beyond ASCII": Buffer.from(`${plain}x-a: \xe9\r\ncontent-length: 2\r\n\r\n{}`, "latin1"),
  "an absolute target": "POST http://x/echo HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}",
  "a target with a fragment": "POST /echo#a HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}",
  "a target with a space": "POST /echo a HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}",
  "a method in small letters": "post /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}",
  "another method": "GET /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}",
  "an older version": "POST /echo HTTP/1.0\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}",
  "no version": "POST /echo\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}",
  "an empty line before it": `\r\n${plain}content-length: 2\r\n\r\n{}`,
  "no host": "POST /echo HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}",
  "two hosts": `${plain}Host: y\r\ncontent-length: 2\r\n\r\n{}`,
  "an expectation": `${plain}expect: 100-continue\r\ncontent-length: 2\r\n\r\n{}`,
  "an upgrade": `${plain}connection: upgrade\r\nupgrade: websocket\r\ncontent-length: 2\r\n\r\n{}`,
  "a connection of many words": `${plain}connection: keep-alive, close\r\ncontent-length: 2\r\n\r\n{}`,
  "a proxy's connection": `${plain}proxy-connection: close\r\ncontent-length: 2\r\n\r\n{}`,
  "a name that objects have": `${plain}__proto__: a\r\ncontent-length: 2\r\n\r\n{}`,
  "a huge head": `${plain}x-a: ${"b".repeat(20_000)}\r\ncontent-length: 2\r\n\r\n{}`,
  "very many headers": `${plain}${Array.from({ length: 100 }, (_, at) => `x-${at}: a\r\n`).join("")}content-length: 2\r\n\r\n{}`,
  "less than it says": `${plain}content-length: 20\r\n\r\n{}`,
  "more than it says": `${plain}content-length: 1\r\n\r\n{}`,
  "half a head": plain,
  "no HTTP at all": "{}\n",
};

for (const [what, bytes] of Object.entries(hostile))
  test(`not the lane but node:http judges a request with ${what}`, async (t) => {
    const [own, node] = [await ownEntrance(t), await nodeEntrance(t)];
    const sent = Buffer.from(bytes);
    assert.equal(await saidTo(own.connect(), sent), await saidTo(node.connect(), sent));
    assert.equal(own.plain(), 0);
    const good = Buffer.from(`${plain}content-length: 2\r\n\r\n{}`); // a lane that has just read one is no more lenient
    const kept = own.connect();
    assert.equal((await exchange(kept, [good], 1)).length, 1);
    assert.equal(await saidTo(kept, sent), await saidTo(node.connect(), sent));
    assert.equal(own.plain(), 1);
  });

test("a head takes time in proportion to its length, whatever stands in it", () => {
  for (const part of ["x", " ", "\t", ":", "x:", "x: \r\n", "\r\n", "\r", "/", "%"]) {
    const text = `${plain}x-a:${part.repeat(8_000 / part.length)}`;
    for (const end of ["", "\n\r\n", "\r\n\r\n", "\0\r\n\r\n"]) plainHeadIn(`${text}${end}`);
  }
  assert.ok(plainHeadIn(`${plain}x-a:${" ".repeat(8_000)}\r\ncontent-length: 0\r\n\r\n`));
});

test("answers of the lane are as long as they say, in letters of any size", async (t) => {
  for (const body of ["", "plain", "né", "€😀", Buffer.from([0, 255, 10])]) {
    const own = await ownEntrance(t, (call) => {
      call.reply({ status: 418, headers: { "x-a": "b" }, body });
      return true;
    });
    const asked = Buffer.from(`${plain}connection: close\r\ncontent-length: 0\r\n\r\n`);
    const text = await saidTo(own.connect(), asked);
    const [heard] = answersIn(text);
    assert.equal(own.plain(), 1);
    assert.equal(heard?.body, Buffer.from(body).toString("latin1"));
    assert.ok(text.endsWith(`\r\n\r\n${heard?.body}`));
    assert.match(text, /^HTTP\/1\.1 418 I'm a Teapot\r\nx-a: b\r\n/);
  }
});
