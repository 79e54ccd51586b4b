/** The compiled client beside a server that answers what a test says, and a program where Node would be. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { findBash, findNativeClient, writeClient } from "../../../src/agents/install/client-programs.ts";
import { clientFile } from "../../../src/agents/install/own-call.ts";
import { nativeProgram } from "../../../src/files/own-files.ts";
import { writeAddress } from "../../../src/hosts/daemon/state-file.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

/** HOOKLINE_TEST_CLIENT: another one, such as that of a fresh build or of another processor. */
export const program: string = process.env.HOOKLINE_TEST_CLIENT ?? nativeProgram("hookline-client") ?? "";

export const here: { skip: string | false } = {
  skip: findNativeClient() === undefined && "no client is compiled for this machine",
};

const bash = findBash(process.env);

export const version = "1.2.3+build";

const proof = "only-ours-knows-this";

export const call: readonly string[] = ["hook", "claude-code", "--event", "PreToolUse", "--by", "user"];

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

interface Place {
  folder: string;
  environment: Record<string, string>;
  /** Words of the client: who starts it gives these. */
  command: readonly [string, ...string[]];
  reaches(port: number): void;
  /** What is started where Node would be. */
  becomes(script: string): void;
  start(more?: { environment?: Record<string, string>; command?: readonly [string, ...string[]] }): ChildProcess;
}

/** Where Node would be started stands a program that says with which words, and how much it was given. */
export function placeFor(t: TestContext): Place {
  const folder = temporaryFolder(t);
  const state = join(folder, "hookline");
  mkdirSync(state, { mode: 0o700 });
  const node = join(folder, "node");
  const bin = join(folder, "bin");
  writeFileSync(bin, "");
  const becomes = (script: string): void => {
    writeFileSync(node, script);
    chmodSync(node, 0o700);
  };
  becomes('#!/bin/sh\nshift 7\necho "Node: $*"\nwc -c\n');
  if (bash) writeClient(state, { bash, program: [node, bin], version });
  const environment = { HOME: folder, XDG_STATE_HOME: folder, PATH: process.env.PATH ?? "" };
  const command = [program, version, node, bin, join(state, "gone.sh"), ...call] as const;
  return {
    ...{ folder, environment, command, becomes },
    reaches: (port) =>
      writeAddress(join(state, "daemon.address"), {
        port,
        token: "open",
        proof,
        pid: process.pid,
        version,
        socket: "",
      }),
    start: ({ environment: more = {}, command: [file, ...words] = command } = {}) => {
      const child = spawn(file, words, { cwd: folder, env: { ...environment, ...more }, stdio: "pipe" });
      t.after(() => child.kill("SIGKILL"));
      child.stdin.on("error", () => {}); // it may have ended before it had read all
      return child;
    },
  };
}

const shellCommand = ({ folder }: Place): readonly [string, ...string[]] => [
  bash ?? "",
  "-p",
  clientFile(join(folder, "hookline")),
  ...call,
];

/** What becomes of it with this payload. */
export async function ended(child: ChildProcess, payload: string | Uint8Array = "{}"): Promise<Ended> {
  assert.ok(child.stdin && child.stdout && child.stderr);
  child.stdin.end(payload);
  const [[code], stdout, stderr] = await Promise.all([
    once(child, "close"),
    buffer(child.stdout),
    buffer(child.stderr),
  ]);
  return { code, stdout: stdout.toString("latin1"), stderr: stderr.toString("latin1") }; // a letter for each byte
}

/** On a busy machine an event may not be taken in time: then it is sent again. */
export async function taken(tell: () => Promise<Ended>): Promise<Ended> {
  const deadline = Date.now() + 600_000; // only where it never is
  for (;;) {
    const said = await tell();
    if (Date.now() > deadline || !said.stdout.startsWith("Node: --asked")) return said;
  }
}

/** Its port, while the test lasts. */
export async function listening(t: TestContext, serve: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    serve(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port; // it listens on a port
}

/** Says these bytes to whoever has sent all that was promised. */
export const saying =
  (bytes: () => string | Uint8Array, heard: (request: Buffer) => void = () => {}) =>
  (socket: Socket): void => {
    const parts: Buffer[] = [];
    let missing: number | undefined;
    socket.on("data", (part: Buffer) => {
      parts.push(part);
      if (missing === undefined) {
        const begun = Buffer.concat(parts);
        const head = begun.indexOf("\r\n\r\n");
        if (head < 0) return;
        const text = begun.subarray(0, head).toString("latin1");
        if (text.includes("\r\nexpect: 100-continue")) socket.write("HTTP/1.1 100 Continue\r\n\r\n");
        missing = head + 4 + Number(/content-length: (\d+)/.exec(text)?.[1]) - begun.length;
      } else missing -= part.length;
      if (missing > 0) return;
      heard(Buffer.concat(parts));
      socket.end(bytes());
    });
  };

export const takes = "HTTP/1.1 102 Processing\r\n\r\n";

export const answerOf = (body: string): string =>
  `HTTP/1.1 200 OK\r\nx-hookline-proof: ${proof}\r\nconnection: close\r\n\r\n${body}`;

export const node = (more: string, count: number): Ended => ({
  code: 0,
  stdout: `Node: ${more}\n${count}\n`,
  stderr: "",
});

export const most: number = 64 * 1024 * 1024;

export async function reachesWhole(t: TestContext, lengths: readonly number[]): Promise<void> {
  const place = placeFor(t);
  let heard = 0;
  const port = await listening(
    t,
    saying(
      () => answerOf("0 2 0\nok"),
      (request) => {
        heard = request.indexOf("\0") - request.indexOf("\r\n\r\n") - 4;
      },
    ),
  );
  for (const length of lengths) {
    const payload = Buffer.alloc(length, "x");
    place.reaches(9);
    assert.deepEqual(
      await ended(place.start(), payload),
      node(length > most ? "" : "--asked", Math.min(length, most + 1)),
      `${length} to Node`,
    );
    if (length === most) continue; // the server here is slower than the client waits
    place.reaches(port);
    const said = await taken(() => ended(place.start(), payload));
    if (length > most) assert.deepEqual(said, node("", most + 1));
    else assert.deepEqual([said.stdout, heard], ["ok", length]);
  }
}

/** @param stepAt how many bytes more the next answer has than one of this length */
export async function breaksOff(t: TestContext, stepAt: (length: number, whole: number) => number): Promise<void> {
  const place = placeFor(t);
  let bytes = "";
  place.reaches(
    await listening(
      t,
      saying(() => bytes),
    ),
  );
  const whole = { code: 2, stdout: "yes", stderr: "why\n" };
  for (const [answer, first] of [
    [takes + answerOf("2 3 4\nyeswhy\n"), "HTTP/1.1 102".length],
    [answerOf("2 3 4\nyeswhy\n"), "HTTP/1.1 200".length],
  ] as const)
    for (let length = 0; length <= answer.length; length += stepAt(length, answer.length)) {
      bytes = answer.slice(0, length);
      const meant = length === answer.length ? whole : node(length < first ? "--asked" : "--taken", 2);
      const tell = (): Promise<Ended> => ended(place.start());
      assert.deepEqual(await (length < first ? tell() : taken(tell)), meant, JSON.stringify(bytes));
    }
}

/** Answers as a daemon gives them, and with parts missing, doubled or changed. */
const lines = fc.constantFrom(
  `x-hookline-proof: ${proof}`,
  `x-hookline-proof: ${proof} `,
  "x-hookline-proof: another",
  `X-Hookline-Proof: ${proof}`,
  "content-length: 7",
  "",
);

const numbers = fc.constantFrom(
  "0",
  "1",
  "3",
  "03",
  "7",
  "-1",
  "+3",
  "",
  "99999999999999999999",
  "67108865",
  "18446744073709551619",
);

const bodies = fc
  .tuple(
    fc.constantFrom("0", "2", "1", "00", "", " 2"),
    numbers,
    numbers,
    fc.constantFrom(" ", "  ", "\t"),
    fc.constantFrom("", "yes", "yeswhy\n", "y"),
  )
  .map(([code, out, error, space, rest]) => `${code} ${out}${space}${error}\n${rest}`);

const answers = fc
  .tuple(
    fc.constantFrom("", takes, "HTTP/1.1 102 Other\r\n\r\n", `${takes}${takes}`),
    fc.constantFrom("HTTP/1.1 200 OK", "HTTP/1.1 409 Conflict", "HTTP/1.0 200 OK", "HTTP/1.1 20", "220 ready"),
    fc.array(lines, { maxLength: 3 }),
    bodies,
    fc.option(fc.nat(200), { nil: undefined, freq: 3 }),
  )
  .map(([before, status, head, body, cut]) =>
    `${before}${[status, ...head, "", ""].join("\r\n")}${body}`.slice(0, cut === undefined ? undefined : cut),
  );

export const withBash: { skip: string | false } = {
  ...here,
  skip: here.skip || (bash === undefined && "this machine has no bash that can run the client"),
};

export async function sameAsShell(t: TestContext, rounds: number): Promise<void> {
  const place = placeFor(t);
  let bytes = "";
  place.reaches(
    await listening(
      t,
      saying(() => bytes),
    ),
  );
  await fc.assert(
    fc.asyncProperty(answers, async (answer) => {
      bytes = answer;
      const both = (): Promise<Ended[]> =>
        Promise.all([ended(place.start()), ended(place.start({ command: shellCommand(place) }))]);
      let [compiled, shell] = await both();
      for (let left = 3; left > 0 && !isDeepStrictEqual(compiled, shell); left--) [compiled, shell] = await both(); // one may have been late
      assert.deepEqual(compiled, shell);
    }),
    { numRuns: rounds },
  );
}

export async function printsNothing(t: TestContext, rounds: number): Promise<void> {
  const place = placeFor(t);
  let bytes: Uint8Array = Buffer.alloc(0);
  place.reaches(
    await listening(
      t,
      saying(() => bytes),
    ),
  );
  const pieces = fc.oneof(
    fc
      .constantFrom(
        "HTTP/1.1 200",
        "HTTP/1.1 102",
        " Processing",
        "\r\n",
        "\r\n\r\n",
        "x-hookline-proof: ",
        "0 0 0\n",
        "2 1 1\n",
      )
      .map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 40 }),
    fc.nat(200_000).map((length) => Buffer.alloc(length, "a\r\n")),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(pieces, { maxLength: 12 }), async (parts) => {
      bytes = Buffer.concat(parts);
      const said = await ended(place.start());
      const isTaken = ["HTTP/1.1 102", "HTTP/1.1 200"].includes(Buffer.from(bytes.subarray(0, 12)).toString("latin1"));
      assert.ok(
        ["--asked", ...(isTaken ? ["--taken"] : [])].some((more) => said.stdout === `Node: ${more}\n2\n`),
        said.stdout,
      );
      assert.deepEqual([said.code, said.stderr], [0, ""]);
    }),
    { numRuns: rounds },
  );
}
