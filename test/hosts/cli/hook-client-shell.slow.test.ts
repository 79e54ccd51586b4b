/** Each client where its shell, its streams or its environment are unusual; hook-client-shell.test.ts has what it usually meets. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer as createSocketServer } from "node:net";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { clientFile } from "../../../src/agents/install/own-call.ts";
import {
  answering,
  answerOf,
  asked,
  isLost,
  leavesItToNode,
  proof,
  saying,
  taken,
  unasked,
  withEachClient,
} from "./shell-client-place.ts";

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
  test("[R60] whatever else stands where a daemon should does not take the event and leaves it to Node, with the payload", (t) =>
    leavesItToNode(t, placeFor));

  test("[R60] an event whose answer was lost after it was taken, wherever that broke off, is never decided again", (t) =>
    isLost(t, placeFor));

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
