/** Each client against everything that may stand where a daemon should: what it sends, whom it believes, and when it becomes Node. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { goneFile } from "../../../src/agents/install/own-call.ts";
import { readEntry } from "../../../src/runtime/processes/process-table.ts";
import type { Said } from "./client.ts";
import {
  answering,
  answerOf,
  asked,
  bash,
  heard,
  isLost,
  leavesItToNode,
  lost,
  proof,
  saying,
  taken,
  unasked,
  version,
  withEachClient,
} from "./shell-client-place.ts";

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
    const payload = `{"tool_name":"Bash","text":"ü${"x".repeat(100_000)}"}\n`;
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

  test("[R60] a daemon that does not take the event, refuses it, or cannot show that it is ours leaves it to Node, with the payload", (t) =>
    leavesItToNode(t, placeFor, 4));

  test("[R60] an event whose answer was lost after it was taken is never decided again: Node answers by policy", (t) =>
    isLost(t, placeFor, 3));

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
    assert.equal((await heard(() => place.tell(given))).stdout, "bad", "with an address it is asked");
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
    assert.match((await heard(() => place.tell("{}"))).stdout, lost, "one of our own is asked");
    chownSync(place.state, 65_534, 65_534);
    assert.match((await place.tell("{}")).stdout, unasked, "its folder is another user's");
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
});
