/** The shell's client against everything that may stand where a daemon should: what it sends, whom it believes, and when it becomes Node. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createSocketServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { clientFile } from "../../src/agents/client-files.ts";
import { findBash, writeClient } from "../../src/agents/client-shell.ts";
import { commandFor } from "../../src/agents/registration.ts";
import { type Address, writeAddress } from "../../src/daemon/address.ts";
import { type Said, tell } from "./client.ts";

const bash = findBash(process.env);
const options = {
  skip: bash === undefined ? "this machine has no bash that can run the client" : false,
  timeout: 60_000,
};
const version = "1.2.3+build";
const proof = "only-ours-knows-this";

interface Place {
  folder: string;
  state: string;
  environment: Record<string, string>;
  address(more?: Partial<Address>): void;
  tell(payload: string, more?: Record<string, string>, cwd?: string, shell?: string): Promise<Said>;
}

/** Where Node would be started stands a program that says with which words, and how much it was given. */
function placeFor(t: TestContext): Place {
  const folder = mkdtempSync(join(tmpdir(), "hookline client's "));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const state = join(folder, "state", "hookline");
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const node = join(folder, "no'de");
  writeFileSync(node, '#!/bin/sh\necho "Node: $*"\nwc -c\nexit 0\n');
  chmodSync(node, 0o700);
  assert.ok(bash);
  writeClient(state, { bash, program: [node, "bin"], version });
  const line = commandFor(
    { agent: "claude-code", program: [bash, "-p", clientFile(state)], by: "user", timeout: 660 },
    "PreToolUse",
  );
  const environment = {
    HOME: folder,
    XDG_STATE_HOME: join(folder, "state"),
    PATH: process.env.PATH ?? "",
    LANG: "C.UTF-8",
  };
  return {
    folder,
    state,
    environment,
    address: (more = {}) =>
      writeAddress(join(state, "daemon.address"), {
        port: 9,
        token: "open",
        proof,
        pid: process.pid,
        version,
        socket: "",
        ...more,
      }),
    tell: (payload, more = {}, cwd = folder, shell = undefined) =>
      tell(t, line, { cwd, environment: { ...environment, ...more }, payload, ...(shell ? { shell } : {}) }),
  };
}

async function answering(
  t: TestContext,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<number> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port; // it listens on a port
}

/** Says these bytes to whoever has sent something, and hangs up. */
async function saying(t: TestContext, bytes: string, hangsUp = true): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createSocketServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    socket.once("data", () => (hangsUp ? socket.end(bytes) : socket.write(bytes)));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port; // as above
}

const answerOf = (body: string, ours = proof): string =>
  `HTTP/1.1 200 OK\r\nx-hookline-proof: ${ours}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`;
const taken = "HTTP/1.1 102 Processing\r\n\r\n";
const asked = /^Node: bin hook claude-code --event PreToolUse --by user --asked\n/;
const unasked = /^Node: bin hook claude-code --event PreToolUse --by user\n/;
const lost = /^Node: bin hook claude-code --event PreToolUse --by user --taken\n/;

test(
  "the shell's client starts no program, sends payload, environment, folder, version and token, and prints the answer byte by byte",
  options,
  async (t) => {
    const place = placeFor(t);
    const cwd = join(place.folder, "ä b%");
    mkdirSync(cwd);
    let seen: { head: IncomingMessage["headers"]; url: string | undefined; body: Buffer } | undefined;
    const port = await answering(t, async (request, response) => {
      const body = await buffer(request);
      seen = { head: request.headers, url: request.url, body };
      response.writeProcessing();
      const answer = Buffer.from("2 7 8\nnö\n\n w wärum\n");
      response
        .writeHead(200, { "x-hookline-proof": proof, "content-length": answer.length, connection: "close" })
        .end(answer);
    });
    place.address({ port });
    const payload = `{"tool_name":"Bash","text":"ü${"x".repeat(1_000_000)}"}\n`;
    const environment = {
      MINE: "1\n2=ö",
      EMPTY: "",
      LC_ALL: "C",
      BASH_ENV: "/nowhere",
      PATH: "/nowhere", // nothing but builtins
    };
    const said = await place.tell(payload, { ...environment, "BASH_FUNC_f%%": "() { echo no;\n}" }, cwd, bash);
    assert.deepEqual(said, { code: 2, stdout: "nö\n\n w", stderr: " wärum\n" });
    assert.ok(seen);
    const [sent, ...variables] = seen.body.toString("utf8").split("\0");
    assert.equal(sent, payload);
    assert.equal(variables.pop(), "", "each entry ends with NUL");
    for (const [name, value] of Object.entries({ ...place.environment, ...environment }))
      assert.ok(variables.includes(`${name}=${value}`), name);
    assert.ok(
      variables.some((entry) => entry.startsWith("BASH_FUNC_f%%=() {")),
      "an exported function",
    );
    assert.equal(seen.url, "/hook/claude-code?event=PreToolUse&by=user");
    assert.equal(decodeURIComponent(String(seen.head["x-hookline-cwd"])), cwd);
    assert.equal(seen.head["x-hookline-version"], version);
    assert.equal(seen.head.authorization, "Bearer open");
    assert.ok(Math.abs(Date.now() - Number(seen.head["x-hookline-sent"])) < 60_000);
  },
);

test(
  "[R60] whoever does not take the event, refuses it, or cannot show that it is our daemon leaves it to Node, with the payload",
  options,
  async (t) => {
    const others: Record<string, Promise<number>> = {
      "an impostor's answer": saying(t, answerOf("0 0 0\n", "another")),
      "an impostor that has taken it": saying(t, taken + answerOf("0 0 0\n", "another")),
      "a refusal": saying(t, "HTTP/1.1 409 Conflict\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"),
      "one who says nothing": saying(t, "", false),
      "one who hangs up": saying(t, ""),
      "no HTTP": saying(t, "220 mail.example ready\r\n"),
      nobody: Promise.resolve(9),
    };
    await Promise.all(
      Object.entries(others).map(async ([name, port]) => {
        const place = placeFor(t);
        place.address({ port: await port });
        const said = await place.tell('{"a":1}');
        assert.match(said.stdout, asked, name);
        assert.match(said.stdout, /\n8\n$/, `${name}: the payload and the end of its line`);
      }),
    );
  },
);

test(
  "[R60] an answer that was lost after the event was taken is never judged again: Node answers by policy",
  options,
  async (t) => {
    const broken: Record<string, string> = {
      "nothing more": taken,
      "half a head": `${taken}HTTP/1.1 200 OK\r\nx-hook`,
      "half a body": taken + answerOf("0 9 0\nhalf"),
      "an answer that breaks off": answerOf("0 9 0\nhalf"),
      "a code that we never give": answerOf("1 0 0\n"),
      "no lengths": answerOf("hello\n"),
      "a failure": `${taken}HTTP/1.1 500 No\r\nx-hookline-proof: ${proof}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
    };
    await Promise.all(
      Object.entries(broken).map(async ([name, bytes]) => {
        const place = placeFor(t);
        place.address({ port: await saying(t, bytes) });
        assert.match((await place.tell('{"a":1}')).stdout, lost, name);
      }),
    );
  },
);

test(
  "nobody is asked where there is no daemon, where it is not wanted, or where others could have written its address",
  options,
  async (t) => {
    const port = await saying(t, answerOf("0 3 0\nbad"));
    const place = placeFor(t);
    const given = '{"a":1}';
    assert.match((await place.tell(given)).stdout, unasked, "no address");
    place.address({ port, pid: 2 ** 22 + 1 });
    assert.match((await place.tell(given)).stdout, unasked, "its process is gone");
    place.address({ port });
    assert.equal((await place.tell(given)).stdout, "bad", "with an address it is asked");
    for (const variables of [
      { HOOKLINE_DAEMON: "off" },
      { HOOKLINE_STORE: "other.db" },
      { XDG_STATE_HOME: join(place.folder, "x") },
    ])
      assert.match((await place.tell(given, variables)).stdout, unasked, JSON.stringify(variables));
    const address = join(place.state, "daemon.address");
    renameSync(address, `${address}.real`);
    symlinkSync(`${address}.real`, address);
    assert.match((await place.tell(given)).stdout, unasked, "a link");
  },
);

test("[R60] a payload that fills the socket of a stopped daemon does not hold the agent up", options, async (t) => {
  const place = placeFor(t);
  const server = createSocketServer({ pauseOnConnect: true }, (socket) => t.after(() => socket.destroy())).listen(
    0,
    "127.0.0.1",
  );
  await once(server, "listening");
  t.after(() => server.close());
  place.address({ port: (server.address() as AddressInfo).port }); // as above
  const said = await place.tell(`{"a":"${"x".repeat(8_000_000)}"}`);
  assert.match(said.stdout, asked);
  assert.match(said.stdout, /\n8000009\n$/);
});
