/** The compiled client in every size and with many answers; hook-client-native.test.ts has a few of each. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { nativeProgram } from "../../../src/files/own-files.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import {
  answerOf,
  breaksOff,
  ended,
  here,
  listening,
  most,
  node,
  placeFor,
  printsNothing,
  program,
  reachesWhole,
  sameAsShell,
  saying,
  takes,
  withBash,
} from "./native-client-place.ts";

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
  "a payload of any length reaches the daemon, and Node where there is none, up to one byte more than is allowed, at every limit of what is read at once",
  here,
  (t) => reachesWhole(t, [0, 1, 4095, 48 * 1024, 65_535, 65_536, 65_537, 1_000_000, most, most + 1, most + 100_000]),
);

test(
  "[R60] an answer that breaks off is lost once the daemon has taken the event, at whatever byte, one by one",
  here,
  (t) => breaksOff(t, (length, whole) => (length < 45 || length > whole - 9 ? 1 : 9)),
);

test("[R60] whatever comes back, the compiled client and the shell's come to the same, in many rounds", withBash, (t) =>
  sameAsShell(t, Number(process.env.RUNS ?? 20)),
);

test(
  "[R60] no bytes make it print what has not the proof, or end in another way than it should, in many rounds",
  here,
  (t) => printsNothing(t, Number(process.env.RUNS ?? 20)),
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
  assert.deepEqual(await ended(place.start(), "x".repeat(12_000_000)), node("--asked", 12_000_000));
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
