/** The command's own way of asking a daemon: over its unix socket, and what each answer, whole or broken, is taken for. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { createServer as createSocketServer } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { askDaemon, type Question, readAnswer } from "../../../src/hosts/cli/daemon-client.ts";
import type { Address } from "../../../src/hosts/daemon/state-file.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const question: Question = {
  agent: "claude-code",
  event: "Stop",
  by: "user",
  cwd: "/a folder/ä",
  payload: Buffer.from('{"text":"ü"}'),
  environment: { ONE: "1\n", TWO: "ö=2" },
  version: "1.2.3+build",
};
const proof = "ours";
const head = `HTTP/1.1 200 OK\r\nx-hookline-proof: ${proof}\r\ncontent-length: 9\r\nconnection: close\r\n\r\n`;
const taken = "HTTP/1.1 102 Processing\r\n\r\n";

function placeFor(t: TestContext): Address {
  const folder = temporaryFolder(t);
  const socket = join(folder, "d.sock");
  return { port: 9, token: "open", proof, pid: process.pid, started: 0, version: "1.2.3+build", socket };
}

test("[R60] every beginning of an answer means that the event was not taken, that it is lost, or, when it is whole, the answer", () => {
  const answer = `${head}2 2 3\nhiwhy`;
  const whole = { is: "answered", exitCode: 2, out: Buffer.from("hi"), error: Buffer.from("why") };
  const meansOf = (text: string): unknown => readAnswer(Buffer.from(text), proof);
  assert.deepEqual(meansOf(answer), whole);
  assert.deepEqual(meansOf(taken + answer), whole);
  for (let end = 0; end < answer.length; end++) {
    const begun = end < "HTTP/1.1 200".length ? undefined : { is: "lost" };
    assert.deepEqual(meansOf(answer.slice(0, end)), begun, `after ${end} bytes`);
    assert.deepEqual(meansOf(taken + answer.slice(0, end)), { is: "lost" }, `taken, after ${end} bytes more`);
  }
});

test("[T32] an answer without our proof, a refusal and bytes of another protocol are ignored", () => {
  const others = [
    "HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n0 0 0\n",
    `${taken}HTTP/1.1 200 OK\r\nx-hookline-proof: another\r\n\r\n0 0 0\n`,
    `HTTP/1.1 409 Conflict\r\nx-hookline-proof: ${proof}\r\n\r\n`,
    "HTTP/1.1 503 Busy\r\n\r\n",
  ];
  for (const text of others) assert.deepEqual(readAnswer(Buffer.from(text), proof), { is: "untaken" }, text);
  assert.equal(readAnswer(Buffer.from("220 mail.example ready\r\n"), proof), undefined);
  for (const body of ["1 0 0\n", "0 x 0\n", "hello\n", "0 1\n"])
    assert.deepEqual(readAnswer(Buffer.from(head + body), proof), { is: "lost" }, body);
});

test("the daemon is sent payload, environment, folder, version and token over its socket, and its answer comes back byte by byte", async (t) => {
  const address = placeFor(t);
  const out = Buffer.from(`${"ä".repeat(300_000)}\n`);
  const seen: { url?: string | undefined; folder?: unknown; token?: unknown; version?: unknown; body?: string } = {};
  const server = createServer(async (request, response) => {
    const { headers, url } = request;
    seen.url = url;
    seen.folder = headers["x-hookline-cwd"];
    assert.equal(Number.parseInt(String(headers["x-hookline-umask"]), 8), process.umask());
    seen.token = headers.authorization;
    seen.version = headers["x-hookline-version"];
    seen.body = (await buffer(request)).toString("utf8");
    response.writeProcessing();
    const bytes = Buffer.concat([Buffer.from(`2 ${out.length} 4\n`), out, Buffer.from("why\n")]);
    response.writeHead(200, { "x-hookline-proof": proof, "content-length": bytes.length, connection: "close" });
    response.end(bytes);
  }).listen(address.socket);
  await once(server, "listening");
  t.after(() => server.close());
  let asked = await askDaemon(address, question);
  while (asked.is === "untaken") asked = await askDaemon(address, question); // on a busy machine it waits no longer
  assert.ok(asked.is === "answered");
  assert.deepEqual([asked.exitCode, asked.error], [2, Buffer.from("why\n")]);
  assert.ok(out.equals(asked.out)); // what they differ in would fill the memory
  assert.deepEqual(seen, {
    url: "/hook/claude-code?event=Stop&by=user",
    folder: "/a%20folder/%C3%A4",
    token: "Bearer open",
    version: "1.2.3+build",
    body: '{"text":"ü"}\0ONE=1\n\0TWO=ö=2\0',
  });
});

test("[R60] a daemon that does not take the event, or ends after it has, keeps no client waiting", async (t) => {
  const gone = placeFor(t);
  assert.deepEqual(await askDaemon(gone, question), { is: "untaken" }, "no socket");
  const silent = placeFor(t);
  const still = createSocketServer({ pauseOnConnect: true }, (socket) => t.after(() => socket.destroy())).listen(
    silent.socket,
  );
  const dying = placeFor(t);
  const dies = createSocketServer((socket) =>
    socket.once("data", () => socket.end(taken)).on("error", () => {}),
  ).listen(dying.socket);
  await Promise.all([once(still, "listening"), once(dies, "listening")]);
  t.after(() => still.close());
  t.after(() => dies.close());
  assert.deepEqual(await askDaemon(silent, question), { is: "untaken" }, "it is stopped");
  assert.deepEqual(await askDaemon(silent, { ...question, payload: Buffer.alloc(8_000_000, 32) }), { is: "untaken" });
  assert.deepEqual(await askDaemon(dying, question), { is: "lost" }, "it ended");
});
