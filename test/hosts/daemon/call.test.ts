/** What the daemon's listeners may rely on, over loopback and over the unix socket. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { type Call, createBodyReader, type Listener, reply, whenGone } from "../../../src/hosts/daemon/call.ts";
import { answersIn, entrance, hearing } from "./entrance.ts";

const answer = (body: string, headers = {}) => ({ status: 200, headers, body });
const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
};

/** A listener that takes all, and hands its calls out. */
function calls(): { listener: Listener; next(): Promise<Call>; count(): number } {
  const taken: Call[] = [];
  let handed = 0;
  return {
    listener: (call) => taken.push(call) > 0,
    async next() {
      while (taken.length <= handed) await new Promise(setImmediate);
      handed += 1;
      return taken[handed - 1] ?? assert.fail();
    },
    count: () => taken.length,
  };
}

const readBody = createBodyReader(1_000_000);
const received = (call: Call): Promise<string> =>
  new Promise((resolve) => readBody(call, 100_000, (body) => resolve(String(body))));

for (const way of ["loopback", "unix socket"] as const) {
  test(`${way}: a call is received and answered once, and its connection serves the next`, async (t) => {
    const { listener, next } = calls();
    const { ways, asked } = await entrance(t, listener);
    const socket = ways[way]();
    const heard = hearing(socket);
    let count = 0;
    for (const body of ["first", "", "third"]) {
      socket.write(asked(body));
      const call = await next();
      assert.equal(call.isPrivate, way === "unix socket");
      assert.equal(await received(call), body);
      reply(call, answer(`to ${body}`));
      reply(call, answer("again"));
      count += 1;
      const text = await heard.until((said) => answersIn(said).length >= count);
      const last = answersIn(text).at(-1);
      assert.deepEqual(
        [last?.body, last?.headers.connection, last?.headers["keep-alive"]],
        [`to ${body}`, "keep-alive", "timeout=300"],
      );
    }
  });

  test(`${way}: however a request is cut, it is one call`, async (t) => {
    const { listener, next } = calls();
    const { ways, asked } = await entrance(t, listener);
    const bytes = asked("the body", "x-a: b\r\n");
    for (const cut of [1, 4, 20, bytes.length - 10, bytes.length - 1]) {
      const socket = ways[way]();
      const heard = hearing(socket);
      socket.write(bytes.subarray(0, cut));
      await turns(20);
      socket.write(bytes.subarray(cut));
      const call = await next();
      assert.equal(await received(call), "the body");
      reply(call, answer("y"));
      await heard.until((text) => answersIn(text).length === 1);
    }
  });

  test(`${way}: the daemon says at once, before the answer, that it has taken the event`, async (t) => {
    const { listener, next } = calls();
    const { ways, asked } = await entrance(t, listener);
    const socket = ways[way]();
    const heard = hearing(socket);
    socket.write(asked());
    const call = await next();
    await received(call);
    call.response.writeProcessing();
    assert.equal(await heard.until((text) => text.endsWith("\r\n\r\n")), "HTTP/1.1 102 Processing\r\n\r\n");
    reply(call, answer("y"));
    const text = await heard.until((said) => said.endsWith("y"));
    assert.deepEqual(
      answersIn(text).map(({ status }) => status),
      [102, 200],
    );
  });

  for (const [who, headers, more] of [
    ["its sender", {}, "connection: close\r\n"],
    ["the listener", { connection: "close" }, ""],
  ] as const)
    test(`${way}: the connection ends with the answer where ${who} says so`, async (t) => {
      const { listener, next } = calls();
      const { ways, asked } = await entrance(t, listener);
      const socket = ways[way]();
      const heard = hearing(socket);
      socket.write(asked("{}", more));
      const call = await next();
      await received(call);
      reply(call, answer("y", headers));
      const [one] = answersIn(await heard.until(() => false));
      assert.deepEqual([one?.body, one?.headers.connection], ["y", "close"]);
      assert.ok(socket.readableEnded);
    });

  for (const leave of ["destroy", "end", "resetAndDestroy"] as const)
    test(`${way}: a sender that goes away before its answer is noticed, and one that has it is not (${leave})`, async (t) => {
      const { listener, next } = calls();
      const { ways, asked } = await entrance(t, listener);
      const noticed: string[] = [];
      const answered = ways[way]();
      const heard = hearing(answered);
      answered.write(asked());
      const first = await next();
      await received(first);
      whenGone(first, () => noticed.push("answered"));
      reply(first, answer("y"));
      await heard.until((text) => answersIn(text).length === 1);
      answered.destroy();
      const leaving = ways[way]();
      leaving.write(asked());
      const second = await next();
      await received(second);
      whenGone(second, () => noticed.push("gone"));
      leaving[leave === "resetAndDestroy" && way === "unix socket" ? "destroy" : leave]();
      while (noticed.length === 0) await turns(1);
      second.response.writeProcessing();
      reply(second, answer("to nobody"));
      await turns(20);
      assert.deepEqual(noticed, ["gone"]);
    });

  test(`${way}: a sender that goes away in the middle of its body is noticed by who reads it`, async (t) => {
    const { listener, next } = calls();
    const { ways, asked } = await entrance(t, listener);
    const socket = ways[way]();
    socket.write(asked("a body").subarray(0, -2));
    const call = await next();
    const reading = received(call);
    await turns(20);
    socket.destroy();
    assert.equal(await reading, "gone");
  });

  test(`${way}: a stop ends connections at rest at once, answers what is worked on, and takes nothing more`, async (t) => {
    const { listener, next, count } = calls();
    const { server, ways, asked } = await entrance(t, listener);
    const [resting, silent, working] = [ways[way](), ways["unix socket"](), ways[way]()];
    const served = hearing(resting);
    resting.write(asked());
    reply(await next(), answer("y"));
    await served.until((text) => answersIn(text).length === 1);
    while (silent.connecting) await turns(1);
    await turns(20);
    const heard = hearing(working);
    working.write(asked());
    const call = await next();
    const ends = [resting, silent].map((socket) => once(socket.resume(), "close"));
    const closed = server.close();
    await Promise.all(ends);
    await turns(20);
    reply(call, answer("y"));
    const [one] = answersIn(await heard.until(() => false));
    assert.deepEqual([one?.body, one?.headers.connection], ["y", "close"]);
    await closed;
    assert.equal(count(), 2);
  });
}

test("[R73] over loopback the Host header is the daemon's own address and port, whatever is asked", async (t) => {
  const { listener, next } = calls();
  const { server, ways } = await entrance(t, listener);
  const { port } = server;
  const statusFor = async (host: string): Promise<number | undefined> => {
    const socket = ways.loopback();
    const heard = hearing(socket);
    socket.write(`POST /x HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
    return answersIn(await heard.until(() => false))[0]?.status;
  };
  for (const own of [`127.0.0.1:${port}`, `localhost:${port}`, `LocalHost:${port}`]) {
    const asking = statusFor(own);
    reply(await next(), answer("y"));
    assert.equal(await asking, 200, own);
  }
  for (const foreign of [
    `127.0.0.1:${port === 4665 ? 4666 : 4665}`,
    "localhost",
    "127.0.0.1",
    `evil.example:${port}`,
    `127.0.0.1:${port}0`,
  ])
    assert.equal(await statusFor(foreign), 403, foreign);
});

test("a stop waits no longer than a moment for what is never answered", async (t) => {
  const { listener, next } = calls();
  const { server, ways, asked } = await entrance(t, listener);
  ways.loopback().write(asked());
  let isGone = false;
  const call = await next();
  whenGone(call, () => {
    isGone = true;
  });
  await server.close();
  await turns(2);
  assert.ok(isGone);
  reply(call, answer("too late"));
});
