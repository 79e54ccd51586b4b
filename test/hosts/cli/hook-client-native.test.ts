/** The compiled client where a language without a library can go wrong: lengths, bytes, streams, signals, and answers of every shape. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { findNativeClient } from "../../../src/agents/install/native-client.ts";
import { clientFile } from "../../../src/agents/install/own-call.ts";
import { findBash, writeClient } from "../../../src/agents/install/shell-client.ts";
import { nativeProgram } from "../../../src/files/native.ts";
import { writeAddress } from "../../../src/hosts/daemon/state-file.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

/** HOOKLINE_TEST_CLIENT: another one, such as that of a fresh build or of another processor. */
const program = process.env.HOOKLINE_TEST_CLIENT ?? nativeProgram("hookline-client") ?? "";
const here = {
  skip: findNativeClient() === undefined && "no client is compiled for this machine",
  timeout: 120_000,
};
const bash = findBash(process.env);
const version = "1.2.3+build";
const proof = "only-ours-knows-this";
const call = ["hook", "claude-code", "--event", "PreToolUse", "--by", "user"];

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
function placeFor(t: TestContext): Place {
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
async function ended(child: ChildProcess, payload: string | Uint8Array = "{}"): Promise<Ended> {
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
async function taken(tell: () => Promise<Ended>): Promise<Ended> {
  for (let left = 5; ; left--) {
    const said = await tell();
    if (left === 0 || !said.stdout.startsWith("Node: --asked")) return said;
  }
}

/** Its port, while the test lasts. */
async function listening(t: TestContext, serve: (socket: Socket) => void): Promise<number> {
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
const saying =
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

const takes = "HTTP/1.1 102 Processing\r\n\r\n";
const answerOf = (body: string): string =>
  `HTTP/1.1 200 OK\r\nx-hookline-proof: ${proof}\r\nconnection: close\r\n\r\n${body}`;
const node = (more: string, count: number): Ended => ({ code: 0, stdout: `Node: ${more}\n${count}\n`, stderr: "" });

test("the client that is here is what its source makes, or does the same", {
  ...here,
  skip: spawnSync("gcc", ["--version"]).status === 0 ? here.skip : "no compiler is here",
}, async (t) => {
  const folder = temporaryFolder(t);
  const script = new URL("../../../scripts/build-native.ts", import.meta.url).pathname;
  const built = spawnSync(process.execPath, ["--no-warnings", script, folder], { encoding: "utf8" });
  assert.equal(built.status, 0, built.stdout);
  const file = join(folder, `${process.platform}-${process.arch}`, "hookline-client");
  assert.ok(existsSync(file), built.stdout);
  if (readFileSync(file).equals(readFileSync(nativeProgram("hookline-client") ?? ""))) return;
  const place = placeFor(t); // another compiler's: held to the same promise
  const [, ...words] = place.command;
  place.reaches(
    await listening(
      t,
      saying(() => `${takes}${answerOf("2 3 4\nyeswhy\n")}`),
    ),
  );
  const started = place.start({ command: [file, ...words] });
  assert.deepEqual(await ended(started, "x".repeat(1 << 20)), { code: 2, stdout: "yes", stderr: "why\n" });
});

test(
  "a payload of any length reaches the daemon, and Node where there is none, up to one byte more than is allowed",
  here,
  async (t) => {
    const most = 64 * 1024 * 1024;
    const lengths = [0, 1, 4095, 48 * 1024, 65_535, 65_536, 65_537, 5_000_000, most, most + 1, most + 100_000];
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
  },
);

test(
  "a payload with a NUL byte, behind which the daemon would read variables, is Node's to refuse",
  here,
  async (t) => {
    const place = placeFor(t);
    let calls = 0;
    place.reaches(
      await listening(t, (socket) => {
        calls++;
        saying(() => answerOf("0 0 0\n"))(socket);
      }),
    );
    for (const payload of ["\0", '{"a":1}\0HOME=/other\0', `${"x".repeat(100_000)}\0`])
      assert.deepEqual(await ended(place.start(), payload), node("", payload.length));
    assert.equal(calls, 0);
  },
);

test(
  "an environment as large as the system allows arrives whole, and stands behind the payload as it was given",
  here,
  async (t) => {
    const place = placeFor(t);
    let request: Buffer = Buffer.alloc(0);
    place.reaches(
      await listening(
        t,
        saying(
          () => answerOf("0 0 0\n"),
          (all) => {
            request = all;
          },
        ),
      ),
    );
    const few = { EMPTY: "", "A B": "\n=\t\x01", "BASH_FUNC_f%%": "() {\n}", UMLAUT: "ä\u{1f512}" };
    const many = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`BIG_${index}`, "y".repeat(120_000)]));
    const small = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`N_${index}`, `${index}`]));
    for (const more of [few, many, small]) {
      const said = await taken(() => ended(place.start({ environment: more }), "{}"));
      assert.deepEqual(said, { code: 0, stdout: "", stderr: "" });
      const body = request.subarray(request.indexOf("\r\n\r\n") + 4).toString("utf8");
      const given = Object.entries({ ...place.environment, ...more }).map(([name, value]) => `${name}=${value}\0`);
      assert.equal(body, `{}\0${given.join("")}`);
    }
  },
);

test(
  "[R60] an answer that breaks off is lost once the daemon has taken the event, at whatever byte",
  here,
  async (t) => {
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
      for (let length = 0; length <= answer.length; length += length < 45 || length > answer.length - 9 ? 1 : 9) {
        bytes = answer.slice(0, length);
        const meant = length === answer.length ? whole : node(length < first ? "--asked" : "--taken", 2);
        const tell = (): Promise<Ended> => ended(place.start());
        assert.deepEqual(await (length < first ? tell() : taken(tell)), meant, JSON.stringify(bytes));
      }
  },
);

test(
  "an answer that comes byte by byte, with bytes of every kind, or is very large, is printed as it was sent",
  here,
  async (t) => {
    const place = placeFor(t);
    const every = Buffer.from(Array.from({ length: 256 }, (_, index) => index)).toString("latin1");
    const answer = `${takes}${answerOf(`0 256 256\n${every}${every}`)}`;
    place.reaches(
      await listening(t, (socket) => {
        socket.setNoDelay(true).once("data", async () => {
          socket.write(answer.slice(0, 27), "latin1");
          for (const letter of answer.slice(27)) {
            socket.write(letter, "latin1");
            await new Promise(setImmediate);
          }
        });
      }),
    );
    assert.deepEqual(await taken(() => ended(place.start())), { code: 0, stdout: every, stderr: every });
    const large = "z".repeat(8_000_000);
    const whole = Buffer.from(`${takes}${answerOf(`0 ${large.length} 0\n${large}`)}`);
    place.reaches(
      await listening(
        t,
        saying(() => whole),
      ),
    );
    const said = await taken(() => ended(place.start()));
    assert.ok(said.stdout === large);
    assert.equal(said.code, 0);
  },
);

test("[R60] a daemon that stops while it reads a large payload does not hold the agent up", here, async (t) => {
  const place = placeFor(t);
  place.reaches(
    await listening(t, (socket) => {
      socket.once("data", () => {
        socket.pause();
        socket.write("HTTP/1.1 100 Continue\r\n\r\n");
      });
    }),
  );
  assert.deepEqual(await ended(place.start(), "x".repeat(30_000_000)), node("--asked", 30_000_000));
});

test("a client that is stopped and continued while it waits prints the answer all the same", here, async (t) => {
  const place = placeFor(t);
  const asked = Promise.withResolvers<Socket>();
  place.reaches(
    await listening(t, (socket) => {
      socket.once("data", () => {
        socket.write(takes, () => asked.resolve(socket));
      });
    }),
  );
  const child = place.start();
  const said = ended(child);
  const socket = await asked.promise;
  for (let times = 0; times < 20; times++) {
    child.kill("SIGSTOP");
    await new Promise(setImmediate);
    child.kill("SIGCONT");
    await new Promise(setImmediate);
  }
  socket.end(answerOf("2 3 4\nyeswhy\n"));
  assert.deepEqual(await said, { code: 2, stdout: "yes", stderr: "why\n" });
});

test(
  "whichever of its streams are closed, what it opens takes the place of none, and the exit code is that of the answer",
  here,
  async (t) => {
    const place = placeFor(t);
    const requests: string[] = [];
    const heard = (request: Buffer): void =>
      void requests.push(request.toString("latin1").replace(/sent: \d+/, "sent"));
    place.reaches(
      await listening(
        t,
        saying(() => `${takes}${answerOf("2 3 4\nyeswhy\n")}`, heard),
      ),
    );
    for (const closed of ["<&-", ">&-", "2>&-", "<&- >&-", "<&- 2>&-", ">&- 2>&-", "<&- >&- 2>&-"]) {
      const command = ["/bin/sh", "-c", `"$@" ${closed}; echo "code $?"`, "sh", ...place.command] as const;
      const said = await taken(() => ended(place.start({ command })));
      assert.ok(said.stdout.endsWith("code 2\n"), closed);
      assert.equal(said.stdout.startsWith("yes"), !/ ?>&-/.test(closed.replace("2>&-", "")), closed);
      assert.equal(said.stderr, closed.includes("2>&-") ? "" : "why\n", closed);
      assert.match(requests.at(-1) ?? "", closed.includes("<&-") ? /\r\n\r\n\0/ : /\r\n\r\n\{\}\0/, closed);
    }
    place.reaches(9);
    for (const closed of ["<&-", ">&-", "<&- >&- 2>&-"]) {
      place.becomes(`#!/bin/sh\nwc -c >'${join(place.folder, "count")}'\nexit 2\n`);
      const command = ["/bin/sh", "-c", `"$@" ${closed}; echo "code $?"`, "sh", ...place.command] as const;
      assert.equal((await ended(place.start({ command }))).stdout, "code 2\n", closed);
      const count = readFileSync(join(place.folder, "count"), "utf8").trim();
      assert.equal(count, closed.includes("<&-") ? "0" : "2", closed);
    }
  },
);

test(
  "Node begins with the signals and the streams that the agent has set, and nothing of the client's",
  here,
  async (t) => {
    const place = placeFor(t);
    const script = "#!/bin/sh\ngrep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status\nls /proc/self/fd\n";
    place.becomes(script);
    const [, , file = ""] = place.command;
    const plain = await ended(place.start({ command: [file, "x"] }));
    for (const port of [
      9,
      await listening(
        t,
        saying(() => takes),
      ),
    ]) {
      place.reaches(port);
      for (const length of [2, 2_000_000])
        assert.deepEqual(await ended(place.start(), "x".repeat(length)), plain, `${port} ${length}`);
    }
  },
);

test("an agent that reads no answer gets the exit code, and no program ends by a signal", here, async (t) => {
  const place = placeFor(t);
  place.reaches(
    await listening(
      t,
      saying(() => `${takes}${answerOf(`2 1000000 0\n${"x".repeat(1_000_000)}`)}`),
    ),
  );
  const child = place.start();
  child.stdout?.destroy();
  child.stdin?.end("{}");
  assert.deepEqual(await once(child, "exit"), [2, null]);
});

test("where a process sees no /proc no daemon is asked", {
  ...here,
  skip:
    here.skip ||
    (spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/proc"]).status !== 0 && "it cannot be hidden here"),
}, async (t) => {
  const place = placeFor(t);
  place.reaches(
    await listening(
      t,
      saying(() => answerOf("0 3 0\nbad")),
    ),
  );
  const hides = 'mount -t tmpfs none /proc && exec "$@"';
  const command = ["unshare", "-m", "sh", "-c", hides, "sh", ...place.command] as const;
  assert.deepEqual(await ended(place.start({ command })), node("", 2));
  const tried = spawnSync("unshare", ["-m", "sh", "-c", hides, "sh", program, "--can-run"]);
  assert.equal(tried.status, 1, "and install chooses another client");
});

test("a client that is started without its words blocks", here, async (t) => {
  const place = placeFor(t);
  for (const words of [[], ["--can-run", "hook"], [version, "/node", "/bin"]]) {
    const { code, stderr } = await ended(place.start({ command: [program, ...words] }));
    assert.equal(code, 2);
    assert.match(stderr, /^hookline: \S+ cannot be started, so nothing was judged: blocked\n$/);
  }
});

test("no word of an event, and no path in start.sh, is read as another one", here, async (t) => {
  const place = placeFor(t);
  place.reaches(
    await listening(
      t,
      saying(() => answerOf("0 0 0\n")),
    ),
  );
  const [file, ...before] = place.command.slice(0, 5);
  place.becomes('#!/bin/sh\nshift\nprintf "<%s>" "$@"\n');
  for (const words of [
    ["hook"],
    ["--can-run"],
    [...call, "--guarded", "more"],
    ["hook", "a b", ...call.slice(2)],
    ["", ""],
  ]) {
    const said = await ended(place.start({ command: [file ?? "", ...before, ...words] }));
    assert.deepEqual(said, { code: 0, stdout: words.map((word) => `<${word}>`).join(""), stderr: "" });
  }
});

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

test("[R60] whatever comes back, the compiled client and the shell's come to the same", {
  ...here,
  skip: here.skip || (bash === undefined && "this machine has no bash that can run the client"),
}, async (t) => {
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
    { numRuns: Number(process.env.RUNS ?? 40), interruptAfterTimeLimit: 60_000 },
  );
});

test("[R60] no bytes make it print what has not the proof, or end in another way than it should", here, async (t) => {
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
    { numRuns: Number(process.env.RUNS ?? 40), interruptAfterTimeLimit: 60_000 },
  );
});
