/** Each client against everything that may stand where a daemon should: what it sends, whom it believes, and when it becomes Node. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createSocketServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { describe, type TestContext, test } from "node:test";
import { writeLaunchers } from "../../../src/agents/install/launch.ts";
import { findNativeClient, writeNativeClient } from "../../../src/agents/install/native-client.ts";
import { clientFile, goneFile, nativeClientFile, startFile } from "../../../src/agents/install/own-call.ts";
import { commandFor } from "../../../src/agents/install/registration.ts";
import { findBash, writeClient } from "../../../src/agents/install/shell-client.ts";
import { type Address, writeAddress } from "../../../src/hosts/daemon/state-file.ts";
import { readEntry } from "../../../src/runtime/processes/process-table.ts";
import { type Said, tell } from "./client.ts";

const bash = findBash(process.env);
/** Another one, such as that of a fresh build or of another processor. */
const otherProgram = process.env.HOOKLINE_TEST_CLIENT;

/** What each client promises. */
function withEachClient(tests: (placeFor: (t: TestContext) => Place) => void): void {
  const noBash = bash === undefined ? "this machine has no bash that can run the client" : false;
  describe("the shell's client", { skip: noBash }, () => tests(placeOf));
  const none = noBash || (findNativeClient() === undefined && "no client is compiled for this machine");
  describe("the compiled client", { skip: none }, () => tests((t) => compiledIn(placeOf(t))));
}
const version = "1.2.3+build";
const proof = "only-ours-knows-this";

interface Place {
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
  const folder = mkdtempSync(join(tmpdir(), "hookline client's "));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
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

async function answering(
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

/** The number of a process that has ended, and whose parent never asks. */
async function unreaped(t: TestContext): Promise<number> {
  const parent = spawn("/bin/sh", ["-c", "sleep 1 & echo $!; exec sleep 3600"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  t.after(() => parent.kill("SIGKILL"));
  const [line] = await once(parent.stdout, "data");
  const pid = Number(line);
  while (readEntry(pid)?.isZombie !== true) await new Promise(setImmediate);
  return pid;
}

/** Whatever the client's text assigns, reads or declares. */
function namesIn(script: string): string[] {
  const assigned = [...script.matchAll(/(?<![\w$-])([A-Za-z_]\w*)(?:\+?=|\+\+)/g)].map(([, name = ""]) => name);
  const listed = [...script.matchAll(/\b(?:read|mapfile|local \+x|printf -v) ([^<;|&\n]*)/g)].flatMap(
    ([, words = ""]) => words.split(/[\s=]+/),
  );
  const names = [...assigned, ...listed].filter((name) => /^[A-Za-z]\w*$/.test(name));
  return [...new Set(names)].filter((name) => name !== "IFS"); // shells set their own
}

withEachClient((placeFor) => {
  test("the client starts no program, sends payload, environment, folder, version and token, and prints the answer byte by byte", async (t) => {
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
    const begun = Date.now();
    let said: Said;
    do
      said = await place.tell(
        payload,
        { ...environment, "BASH_FUNC_f%%": "() { echo no;\n}" },
        { cwd, ...(bash && { shell: bash }) },
      );
    while (asked.test(said.stdout)); // on a busy machine it waits no longer for the answer
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
    assert.equal(Number.parseInt(String(seen.head["x-hookline-umask"]), 8), process.umask());
    assert.equal(seen.head["x-hookline-version"], version);
    assert.equal(seen.head.authorization, "Bearer open");
    const sentAt = Number(seen.head["x-hookline-sent"]);
    assert.ok(begun <= sentAt && sentAt <= Date.now(), `${begun} ${sentAt}`);
  });

  test("[R60] a daemon that does not take the event, refuses it, or cannot show that it is ours leaves it to Node, with the payload", async (t) => {
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
        assert.match(said.stdout, /\n7\n$/, `${name}: the payload`);
      }),
    );
  });

  test("[R60] an event whose answer was lost after it was taken is never decided again: Node answers by policy", async (t) => {
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
        // On a busy machine a client may not see in time that the event was taken: the claim begins with what it has seen.
        let said = (await place.tell('{"a":1}')).stdout;
        for (let tries = 1; tries < 100 && asked.test(said); tries++) said = (await place.tell('{"a":1}')).stdout;
        assert.match(said, lost, name);
      }),
    );
  });

  test("no daemon is asked if there is none, if it is not wanted, or if others could have written its address", async (t) => {
    const port = await saying(t, answerOf("0 3 0\nbad"));
    const place = placeFor(t);
    const given = '{"a":1}';
    assert.match((await place.tell(given)).stdout, unasked, "no address");
    place.address({ port, pid: 2 ** 22 + 1 });
    assert.match((await place.tell(given)).stdout, unasked, "its process is gone");
    place.address({ port });
    const written = readFileSync(join(place.state, "daemon.address"), "utf8");
    const reused = written.replace(/^(\S+ \S+ \S+ \d+) \d+/, "$1 7");
    writeFileSync(join(place.state, "daemon.address"), reused);
    assert.match((await place.tell(given)).stdout, unasked, "a later process has its number");
    place.address({ port, pid: await unreaped(t) });
    assert.match((await place.tell(given)).stdout, unasked, "its process has ended and waits for its parent");
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
  });

  test("[T32] nothing is sent to another user's process, which has the number and the port of a daemon that is dead", {
    skip: process.getuid?.() !== 0 && "only root can start one",
  }, async (t) => {
    const port = await saying(t, taken);
    const place = placeFor(t);
    const other = spawn("/bin/sleep", ["3600"], { stdio: "ignore", uid: 65_534 });
    t.after(() => other.kill("SIGKILL"));
    assert.ok(other.pid);
    place.address({ port, pid: other.pid });
    assert.match((await place.tell("{}")).stdout, unasked);
    place.address({ port });
    assert.match((await place.tell("{}")).stdout, lost, "one of our own is asked");
    chownSync(place.state, 65_534, 65_534);
    assert.match((await place.tell("{}")).stdout, unasked, "its folder is another user's");
  });

  test("what the caller exports reaches hooks as it came, whatever the client calls its own variables, and nothing of its own does", async (t) => {
    const place = placeFor(t);
    const names = namesIn(readFileSync(clientFile(place.state), "utf8"));
    for (const one of [
      "payload",
      "token",
      "proof",
      "command",
      "words",
      "state",
      "version",
      "LC_ALL",
      "variables",
      "index",
    ])
      assert.ok(names.includes(one), one);
    const theirs: Record<string, string> = {
      ...Object.fromEntries(names.map((name) => [name, `their ${name}`])),
      LC_ALL: "C.UTF-8",
      POSIXLY_CORRECT: "",
      SHELLOPTS: "braceexpand",
    };
    const ofShell = /^(PWD|OLDPWD|SHLVL|_|SHELLOPTS)=/;
    const seenOf = (text: string): string[] =>
      text
        .split("\0")
        .filter((entry) => entry !== "" && !ofShell.test(entry))
        .sort();
    const given = seenOf(
      Object.entries({ ...place.environment, ...theirs })
        .map(([name, value]) => `${name}=${value}`)
        .join("\0"),
    );
    const payload = `{"a":"${"x".repeat(200_000)}"}`; // more than one entry of an environment may hold
    let sent = "";
    const asking = await answering(t, async (request, response) => {
      sent = (await buffer(request)).toString("utf8").slice(payload.length);
      response.writeHead(200, { "x-hookline-proof": proof, "content-length": 6, connection: "close" }).end("0 0 0\n");
    });
    place.becomes("#!/bin/sh\ncat /proc/self/environ\n");
    const ways: Record<string, number | undefined> = {
      "no address": undefined,
      nobody: 9,
      "a daemon": asking,
      "a daemon that dies": await saying(t, `HTTP/1.1 100 Continue\r\n\r\n${taken}`),
    };
    for (const [way, port] of Object.entries(ways)) {
      if (port !== undefined) place.address({ port });
      const said = await place.tell(payload, theirs);
      assert.deepEqual({ ...said, stdout: "" }, { code: 0, stdout: "", stderr: "" }, way);
      assert.deepEqual(seenOf(port === asking ? sent : said.stdout), given, way);
      assert.doesNotMatch(said.stdout, /privileged/, "shells of hooks would do as ours");
    }
  });

  test("a shell that may call no function from a function becomes Node all the same", async (t) => {
    const place = placeFor(t);
    const { code, stdout, stderr } = await place.tell("{}", { FUNCNEST: "1" });
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, unasked);
  });

  test("a payload needs no room on a disk on its way to Node", async (t) => {
    const place = placeFor(t);
    place.address();
    const said = await place.tell("x".repeat(1_000_000), {}, { around: (line) => `ulimit -f 0; ${line}` });
    assert.match(said.stdout, asked);
    assert.match(said.stdout, /\n1000000\n$/);
  });

  test("an event that cannot be handed to Node is blocked and says why; where Node was taken away and no guard was active it passes", async (t) => {
    const place = placeFor(t);
    for (const readsPayload of [false, true]) {
      if (readsPayload) place.address();
      place.becomes("#!/nowhere/at/all\n");
      const blocked = await place.tell("{}", { POSIXLY_CORRECT: "yes" });
      assert.equal(blocked.code, 2, blocked.stderr);
      assert.match(blocked.stderr, /hookline: \S.*no'de cannot be started, so nothing was judged: blocked\n$/);
      place.becomes("");
      rmSync(join(place.folder, "no'de"));
      place.launch();
      const passed = await place.tell("{}", { PATH: "/usr/bin:/bin" });
      assert.equal(passed.code, 0);
      assert.match(passed.stderr, /^hookline: Hookline cannot be started, so its hooks do not run/);
      rmSync(goneFile(place.state));
    }
  });

  test("if standard input or output is closed, or not read, nothing comes before the reason on standard error", async (t) => {
    const place = placeFor(t);
    place.address({ port: await saying(t, answerOf("2 3 4\nyeswhy\n")) });
    for (const around of [
      (line: string) => `${line} <&-`,
      (line: string) => `${line} >&-`,
      (line: string) => `{ (${line}); echo $? >&2; } | true`,
    ]) {
      const said = await place.tell("{}", {}, { around });
      assert.match(said.stderr, /^why\n(2\n)?$/);
    }
  });

  test("[R60] a payload that fills the socket of a stopped daemon does not hold the agent up", async (t) => {
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
    assert.match(said.stdout, /\n8000008\n$/);
  });
});
