/** A folder as install leaves it for each client of the daemon, a program where Node would be, and what may stand where a daemon should. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createSocketServer, type Socket } from "node:net";
import { join } from "node:path";
import { describe, type TestContext } from "node:test";
import {
  findBash,
  findNativeClient,
  writeClient,
  writeNativeClient,
} from "../../../src/agents/install/client-programs.ts";
import { writeLaunchers } from "../../../src/agents/install/launch.ts";
import { goneFile, nativeClientFile, startFile } from "../../../src/agents/install/own-call.ts";
import { commandFor } from "../../../src/agents/install/registration.ts";
import { type Address, writeAddress } from "../../../src/hosts/daemon/state-file.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { type Said, tell } from "./client.ts";

export const bash: string | undefined = findBash(process.env);
/** Another one, such as that of a fresh build or of another processor. */
const otherProgram = process.env.HOOKLINE_TEST_CLIENT;

/** What each client promises. */
export function withEachClient(tests: (placeFor: (t: TestContext) => Place) => void): void {
  const noBash = bash === undefined ? "this machine has no bash that can run the client" : false;
  describe("the shell's client", { skip: noBash }, () => tests(placeOf));
  const none = noBash || (findNativeClient() === undefined && "no client is compiled for this machine");
  describe("the compiled client", { skip: none }, () => tests((t) => compiledIn(placeOf(t))));
}
export const version = "1.2.3+build";
export const proof = "only-ours-knows-this";

export interface Place {
  folder: string;
  state: string;
  environment: Record<string, string>;
  address(more?: Partial<Omit<Address, "started">>): void;
  tell(payload: string, more?: Record<string, string>, how?: How): Promise<Said>;
  /** What is started where Node would be. */
  becomes(script: string): void;
  /** Writes start.sh and gone.sh again. */
  launch(): void;
}
interface How {
  cwd?: string;
  shell?: string;
  /** What the agent's shell runs, around the line that is registered. */
  around?: (line: string) => string;
}

/** Where Node would be started stands a program that says with which words, and how much it was given. */
function placeOf(t: TestContext): Place {
  const folder = temporaryFolder(t);
  const state = join(folder, "state", "hookline");
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const node = join(folder, "no'de");
  const becomes = (script: string): void => {
    writeFileSync(node, script);
    chmodSync(node, 0o700);
  };
  becomes('#!/bin/sh\necho "Node: $*"\nwc -c\nexit 0\n');
  assert.ok(bash);
  writeLaunchers(state, { bash, program: [node, "bin"] });
  rmSync(goneFile(state)); // of it there are other tests
  writeClient(state, { bash, program: [node, "bin"], version });
  const line = commandFor(
    {
      agent: "claude-code",
      tries: [{ read: startFile(state) }],
      by: "user",
      refuse: (reason) => ({ exitCode: 2, stderr: reason }),
    },
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
    becomes,
    launch: () => writeLaunchers(state, { bash: bash ?? "", program: [node, "bin"] }),
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
    tell: (payload, more = {}, { around = (plain: string): string => plain, ...how } = {}) =>
      tell(t, around(line), { cwd: folder, environment: { ...environment, ...more }, payload, ...how }),
  };
}

/** The same place, where start.sh starts the client that is compiled. */
function compiledIn(place: Place): Place {
  const native = writeNativeClient(place.state, version);
  assert.ok(native);
  if (otherProgram) copyFileSync(otherProgram, nativeClientFile(place.state));
  const launch = (): void => writeLaunchers(place.state, { native, program: [join(place.folder, "no'de"), "bin"] });
  launch();
  rmSync(goneFile(place.state));
  return { ...place, launch };
}

export async function answering(
  t: TestContext,
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<number> {
  const server = createServer(async (request, response) => {
    try {
      await answer(request, response);
    } catch {
      response.destroy(); // its client has given up: the test says what came of that
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port; // it listens on a port
}

/** Says these bytes to whoever has sent something, and hangs up. */
export async function saying(t: TestContext, bytes: string, hangsUp = true): Promise<number> {
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

export const answerOf = (body: string, ours: string = proof): string =>
  `HTTP/1.1 200 OK\r\nx-hookline-proof: ${ours}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`;
export const taken = "HTTP/1.1 102 Processing\r\n\r\n";
export const asked: RegExp = /^Node: bin hook claude-code --event PreToolUse --by user --asked\n/;
export const unasked: RegExp = /^Node: bin hook claude-code --event PreToolUse --by user\n/;
/** On a busy machine a client may not reach a daemon in time, or not see that it took the event: then it is told again. */
export async function heard(tell: () => Promise<Said>): Promise<Said> {
  const deadline = Date.now() + 600_000; // only where it never is
  for (;;) {
    const said = await tell();
    if (Date.now() > deadline || !(unasked.test(said.stdout) || asked.test(said.stdout))) return said;
  }
}
export const lost: RegExp = /^Node: bin hook claude-code --event PreToolUse --by user --taken\n/;

/** What stands where a daemon should and does not take the event. Absent: nobody. */
const others: Readonly<Record<string, readonly [bytes: string, hangsUp?: boolean] | undefined>> = {
  "an impostor's answer": [answerOf("0 0 0\n", "another")],
  "a refusal": ["HTTP/1.1 409 Conflict\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"],
  "one who says nothing": ["", false],
  nobody: undefined,
  "an impostor that has taken it": [taken + answerOf("0 0 0\n", "another")],
  "one who hangs up": [""],
  "no HTTP": ["220 mail.example ready\r\n"],
};

/** With the first so many of these. */
export async function leavesItToNode(t: TestContext, placeFor: (t: TestContext) => Place, count = 7): Promise<void> {
  await Promise.all(
    Object.entries(others)
      .slice(0, count)
      .map(async ([name, given]) => {
        const place = placeFor(t);
        place.address({ port: given ? await saying(t, ...given) : 9 });
        const said = await place.tell('{"a":1}');
        assert.match(said.stdout, asked, name);
        assert.match(said.stdout, /\n7\n$/, `${name}: the payload`);
      }),
  );
}

/** What comes of an answer once the event was taken. */
const broken: Readonly<Record<string, string>> = {
  "nothing more": taken,
  "an answer that breaks off": answerOf("0 9 0\nhalf"),
  "no lengths": answerOf("hello\n"),
  "half a head": `${taken}HTTP/1.1 200 OK\r\nx-hook`,
  "half a body": taken + answerOf("0 9 0\nhalf"),
  "a code that we never give": answerOf("1 0 0\n"),
  "a failure": `${taken}HTTP/1.1 500 No\r\nx-hookline-proof: ${proof}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
};

/** With the first so many of these. */
export async function isLost(t: TestContext, placeFor: (t: TestContext) => Place, count = 7): Promise<void> {
  await Promise.all(
    Object.entries(broken)
      .slice(0, count)
      .map(async ([name, bytes]) => {
        const place = placeFor(t);
        place.address({ port: await saying(t, bytes) });
        const said = await heard(() => place.tell('{"a":1}'));
        assert.match(said.stdout, lost, name);
      }),
  );
}
