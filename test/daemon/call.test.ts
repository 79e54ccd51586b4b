/** What a door may rely on, by whichever way a call comes; and what only the plain lane does. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import type { Call, Door } from "../../src/daemon/call.ts";
import { answersIn, exchange, hearing, nodeEntrance, ownEntrance } from "./echo-doors.ts";

const asked = (body = "{}", more = ""): Buffer =>
  Buffer.from(`POST /x HTTP/1.1\r\nhost: x\r\n${more}content-length: ${body.length}\r\n\r\n${body}`);
const answer = (body: string, headers = {}) => ({ status: 200, headers, body });
const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
};

/** A door that takes all, and hands its calls out. */
function calls(): { door: Door; next(): Promise<Call>; count(): number } {
  const taken: Call[] = [];
  let handed = 0;
  return {
    door: (call) => taken.push(call) > 0,
    async next() {
      while (taken.length <= handed) await new Promise(setImmediate);
      handed += 1;
      return taken[handed - 1] ?? assert.fail();
    },
    count: () => taken.length,
  };
}

const received = (call: Call): Promise<string> =>
  new Promise((resolve) => {
    let text = "";
    call.receive(
      (piece) => {
        text += piece;
      },
      () => resolve(text),
    );
  });

for (const [way, entrance] of Object.entries({ "the plain lane": ownEntrance, "node:http": nodeEntrance })) {
  test(`${way}: a call is received and answered once, and its connection serves the next`, async (t) => {
    const { door, next } = calls();
    const opened = await entrance(t, door);
    const socket = opened.connect();
    for (const body of ["first", "", "third"]) {
      const heard = exchange(socket, [asked(body)], 1);
      const call = await next();
      assert.equal(await received(call), body);
      assert.ok(call.isWhole());
      call.reply(answer(`to ${body}`));
      call.reply(answer("again"));
      assert.deepEqual(
        (await heard).map((one) => [one.body, one.headers.connection, one.headers["keep-alive"]]),
        [[`to ${body}`, "keep-alive", "timeout=300"]],
      );
    }
    assert.equal(opened.plain(), way === "the plain lane" ? 3 : 0);
  });

  test(`${way}: that it is taken is said at once, before the answer`, async (t) => {
    const { door, next } = calls();
    const socket = (await entrance(t, door)).connect();
    const heard = hearing(socket);
    socket.write(asked());
    const call = await next();
    await received(call);
    call.processing();
    assert.equal(await heard.until((text) => text.endsWith("\r\n\r\n")), "HTTP/1.1 102 Processing\r\n\r\n");
    call.reply(answer("y"));
    const text = await heard.until((said) => said.endsWith("y"));
    assert.deepEqual(
      answersIn(text).map(({ status }) => status),
      [102, 200],
    );
  });

  for (const [who, headers, more] of [
    ["its sender", {}, "connection: close\r\n"],
    ["the door", { connection: "close" }, ""],
  ] as const)
    test(`${way}: the connection ends with the answer where ${who} says so`, async (t) => {
      const { door, next } = calls();
      const socket = (await entrance(t, door)).connect();
      const heard = hearing(socket);
      socket.write(asked("{}", more));
      const call = await next();
      await received(call);
      call.reply(answer("y", headers));
      const [one] = answersIn(await heard.until(() => false));
      assert.deepEqual([one?.body, one?.headers.connection], ["y", "close"]);
      assert.ok(socket.readableEnded);
    });

  test(`${way}: a sender that goes away before its answer is noticed, and one that has it is not`, async (t) => {
    const { door, next } = calls();
    const opened = await entrance(t, door);
    const told: string[] = [];
    const answered = opened.connect();
    const heard = exchange(answered, [asked()], 1);
    const first = await next();
    await received(first);
    first.whenGone(() => told.push("answered"));
    first.reply(answer("y"));
    await heard;
    answered.destroy();
    const leaving = opened.connect();
    leaving.write(asked());
    const second = await next();
    await received(second);
    second.whenGone(() => told.push("replaced"));
    second.whenGone(() => told.push("gone"));
    leaving.destroy();
    while (told.length === 0) await new Promise(setImmediate);
    second.processing();
    second.reply(answer("to nobody"));
    await turns(20);
    assert.deepEqual(told, ["gone"]);
  });

  for (const leave of ["destroy", "end", "resetAndDestroy"] as const)
    test(`${way}: a sender that has asked for more meanwhile is noticed when it goes away (${leave})`, async (t) => {
      const { door, next, count } = calls();
      const opened = await entrance(t, door);
      const told: string[] = [];
      for (const more of [[asked("{}")], [asked("one"), asked("two")], [Buffer.concat([asked(), asked()])]]) {
        const socket = opened.connect();
        socket.write(asked());
        const call = await next();
        await received(call);
        call.whenGone(() => told.push("gone"));
        const before = count();
        for (const bytes of more) {
          socket.write(bytes);
          await turns(20);
        }
        const [taken, already] = [count() - before, told.length];
        socket[leave]();
        while (told.length === already) await turns(1);
        call.reply(answer("to nobody"));
        await turns(20);
        assert.equal(told.length, already + 1);
        assert.equal(count() - before, taken, "nothing more is done for it");
        for (let left = taken; left > 0; left--) await next();
      }
    });

  test(`${way}: a sender that resets its connection harms nobody`, async (t) => {
    const { door, next } = calls();
    const opened = await entrance(t, door);
    const socket = opened.connect();
    socket.write(asked());
    const call = await next();
    socket.resetAndDestroy();
    await turns(20);
    call.processing();
    call.reply(answer("x".repeat(1_000_000)));
    const other = exchange(opened.connect(), [asked()], 1);
    (await next()).reply(answer("y"));
    assert.equal((await other).length, 1);
  });
}

test("who has half closed its connection has its answer, if nothing is done for it alone", async (t) => {
  const { door, next } = calls();
  const opened = await ownEntrance(t, door);
  for (const connect of [opened.connect, opened.local]) {
    const socket = connect();
    const heard = hearing(socket);
    socket.end(asked());
    const call = await next();
    await turns(20);
    call.reply(answer("y"));
    const [one] = answersIn(await heard.until(() => false));
    assert.deepEqual([one?.body, one?.headers.connection], ["y", "close"]);
  }
});

test("who has asked for more and half closed its connection then has all its answers, and in their order", async (t) => {
  const { door, next } = calls();
  const opened = await ownEntrance(t, door);
  for (const connect of [opened.connect, opened.local]) {
    const socket = connect();
    const heard = hearing(socket);
    for (const body of ["first", "second", "third"]) {
      socket.write(asked(body));
      await turns(20);
    }
    socket.end();
    await turns(20);
    for (let number = 0; number < 3; number++) {
      const call = await next();
      await turns(5);
      call.reply(answer(`to ${await received(call)}`));
    }
    assert.deepEqual(
      answersIn(await heard.until(() => false)).map(({ body, headers }) => [body, headers.connection]),
      [
        ["to first", "keep-alive"],
        ["to second", "keep-alive"],
        ["to third", "close"],
      ],
    );
  }
});

test("what is not plain of such a sender has the answers that node:http gives it", async (t) => {
  const more = [
    [Buffer.concat([asked("a"), asked("b")]), asked("c")],
    [asked("a"), asked("b", "te: x\r\n").subarray(0, -5), asked("b", "te: x\r\n").subarray(-5), asked("c")],
    [Buffer.from("nothing\r\n\r\n"), asked("c")],
  ];
  for (const pieces of more) {
    const said: string[] = [];
    for (const entrance of [ownEntrance, nodeEntrance]) {
      let first: Call | undefined;
      const opened = await entrance(t, (call) => {
        if (first) received(call).then((body) => call.reply(answer(`to ${body}`)));
        else first = call;
        return true;
      });
      const socket = opened.connect();
      const heard = hearing(socket);
      socket.write(asked("first"));
      while (!first) await turns(1);
      const call: Call = first;
      const text = await received(call);
      const answerFirst = (): void => call.reply(answer(`to ${text}`));
      if (entrance === nodeEntrance) answerFirst(); // of one that has half closed it answers no more
      for (const piece of pieces) {
        socket.write(piece);
        await turns(20);
      }
      socket.end();
      await turns(20);
      answerFirst();
      const answers = answersIn(await heard.until(() => false));
      said.push(answers.map(({ status, body }) => `${status} ${body}`).join("\n"));
    }
    assert.equal(said[0], said[1]);
    assert.match(said[0] ?? "", /^200 to first\n[24]/);
  }
});

test("who has gone before it was the turn of what it asked gets nothing done", async (t) => {
  const { door, next, count } = calls();
  const opened = await ownEntrance(t, door);
  const socket = opened.connect();
  socket.write(asked());
  const first = await next();
  socket.write(asked());
  await turns(20);
  socket.resetAndDestroy();
  await turns(20);
  first.reply(answer("to nobody"));
  await turns(20);
  assert.equal(count(), 1);
});

test("who works for a half closed sender alone is told, also where that came before its turn", async (t) => {
  const { door, next, count } = calls();
  const opened = await ownEntrance(t, door);
  const socket = opened.connect();
  const heard = hearing(socket);
  for (const body of ["first", "second", "third"]) {
    socket.write(asked(body));
    await turns(20);
  }
  socket.end();
  await turns(20);
  (await next()).reply(answer("y"));
  const second = await next();
  const told: string[] = [];
  second.whenGone(() => told.push("gone"));
  assert.equal(answersIn(await heard.until(() => false)).length, 1);
  second.reply(answer("to nobody"));
  await turns(20);
  assert.deepEqual([told, count()], [["gone"], 2]);
});

test("requests that come while one is worked on wait, and of them no more is read than can be held", async (t) => {
  const { door, next, count } = calls();
  const opened = await ownEntrance(t, door);
  const socket = opened.connect();
  const heard = hearing(socket);
  const bytes = asked("x".repeat(1_000));
  socket.write(bytes);
  const first = await next();
  for (let sent = 1; sent < 20_000; sent++) socket.write(bytes);
  await turns(100);
  assert.equal(count(), 1);
  assert.ok(socket.writableLength > 5_000_000, `${socket.writableLength} of 20 MB wait with their sender`);
  first.reply(answer("0"));
  for (let number = 1; number < 100; number++) (await next()).reply(answer(String(number)));
  const text = await heard.until((said) => answersIn(said).length >= 100);
  assert.deepEqual(
    answersIn(text).map(({ body }) => body),
    Array.from({ length: 100 }, (_, number) => String(number)),
  );
});

test("of a sender that reads no answers no more is taken than its answers have room for", async (t) => {
  let count = 0;
  const body = "x".repeat(100_000);
  const opened = await ownEntrance(t, (call) => {
    count += 1;
    call.reply(answer(body));
    return true;
  });
  const socket = opened.connect();
  socket.pause();
  for (let sent = 0; sent < 2_000; sent++) {
    socket.write(asked());
    await turns(2);
  }
  await turns(100);
  assert.ok(count < 1_000, `${count} of 2,000 were taken`);
  let bytes = 0;
  socket.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
  });
  socket.resume();
  while (bytes < 2_000 * body.length) await new Promise(setImmediate);
  assert.equal(count, 2_000);
});

test("a stop ends connections at rest at once, answers what is worked on, and takes nothing more", async (t) => {
  const { door, next, count } = calls();
  const opened = await ownEntrance(t, door);
  const [resting, silent, working] = [opened.connect(), opened.local(), opened.connect()];
  const served = exchange(resting, [asked()], 1);
  (await next()).reply(answer("y"));
  await served;
  while (silent.connecting) await turns(1);
  const heard = hearing(working);
  working.write(asked());
  const call = await next();
  const ends = [resting, silent].map((socket) => once(socket.resume(), "end"));
  const closed = opened.server.close();
  await Promise.all(ends);
  working.write(asked());
  await turns(20);
  call.reply(answer("y"));
  const [one] = answersIn(await heard.until(() => false));
  assert.deepEqual([one?.body, one?.headers.connection], ["y", "close"]);
  await closed;
  assert.equal(count(), 2);
});

test("a stop waits no longer than a moment for what is never answered", async (t) => {
  const { door, next } = calls();
  const opened = await ownEntrance(t, door);
  const socket = opened.connect();
  socket.write(asked());
  let isGone = false;
  const call = await next();
  call.whenGone(() => {
    isGone = true;
  });
  await opened.server.close();
  await turns(2);
  assert.ok(isGone);
  call.reply(answer("too late"));
});
