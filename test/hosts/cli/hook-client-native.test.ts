/** The compiled client where a language without a library can go wrong: lengths, bytes, streams, signals, and answers of every shape. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  answerOf,
  breaksOff,
  call,
  ended,
  here,
  listening,
  node,
  placeFor,
  printsNothing,
  program,
  reachesWhole,
  sameAsShell,
  saying,
  taken,
  takes,
  version,
  withBash,
} from "./native-client-place.ts";

test("a payload of any length reaches the daemon, and Node where there is none", here, (t) =>
  reachesWhole(t, [0, 65_537]),
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

test("[R60] an answer that breaks off is lost once the daemon has taken the event, at whatever byte", here, (t) =>
  breaksOff(t, (length, whole) => Math.min(length < 14 ? 4 : 23, Math.max(1, whole - 1 - length))),
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
    place.becomes("#!/bin/sh\nexit 9\n");
    for (const closed of ["<&-", ">&-", "2>&-", "<&- >&-", "<&- 2>&-", ">&- 2>&-", "<&- >&- 2>&-"]) {
      const command = ["/bin/sh", "-c", `"$@" ${closed}; echo "code $?"`, "sh", ...place.command] as const;
      let said = await ended(place.start({ command }));
      while (said.stdout === "code 9\n") said = await ended(place.start({ command })); // it was not taken in time
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
  const becameNode = 7;
  place.becomes(`#!/bin/sh\nexit ${becameNode}\n`);
  let end: unknown[] = [];
  do {
    const child = place.start();
    child.stdout?.destroy();
    child.stdin?.end("{}");
    end = await once(child, "exit");
  } while (end[0] === becameNode); // on a busy machine it waits no longer for the answer
  assert.deepEqual(end, [2, null]);
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

test("[R60] whatever comes back, the compiled client and the shell's come to the same", withBash, (t) =>
  sameAsShell(t, 3),
);

test("[R60] no bytes make it print what has not the proof, or end in another way than it should", here, (t) =>
  printsNothing(t, 8),
);
