/** What programs send, one by one, many at once and line by line: each is answered for itself, in its order, when it is on disk. */
import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { setTimeout as moment } from "node:timers/promises";
import type { Engine } from "../../../src/engine/engine.ts";
import type { HookEvent } from "../../../src/engine/event.ts";
import { refuse } from "../../../src/hosts/daemon/call.ts";
import { createIngest } from "../../../src/hosts/daemon/ingest.ts";
import { createIntake, type Intake, usualBounds } from "../../../src/hosts/daemon/intake.ts";
import { refused } from "../../../src/hosts/daemon/refusals.ts";
import { listen } from "../../../src/hosts/daemon/server.ts";
import { createIds } from "../../../src/runtime/system.ts";
import { openSqliteStore, type SqliteStore } from "../../../src/storage/sqlite/sqlite.ts";

interface Answered {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: what was answered is looked at by the test
  body: any;
}
interface World {
  store: SqliteStore;
  port: number;
  path: string;
  held: Intake["held"];
  post(body: string | Uint8Array<ArrayBuffer>, headers?: Record<string, string>): Promise<Answered>;
  connect(): Promise<Socket>;
  events(): number;
}
const token = "a-token-of-this-test";

/** Real doors, a real store, and a line that does what the test says. */
async function world(
  t: TestContext,
  {
    emit,
    committed,
    bounds = {},
    ...limits
  }: Partial<Engine> & { bounds?: Partial<typeof usualBounds>; stalledAtMost?: number } = {},
): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), "hookline-ingest-"));
  const store = openSqliteStore({ path: join(folder, "store.db"), groups: true });
  const engine: Pick<Engine, "emit" | "committed"> = {
    emit(event, caller) {
      store.record(event, { id: "set", hooks: [] }, (_event, before) => before);
      return emit ? emit(event, caller) : {};
    },
    committed: committed ?? (() => store.committed()),
  };
  const ingest = createIngest({ engine, caller: {}, store, cwd: folder, now: Date.now, id: createIds(Date.now) });
  const intake = createIntake({
    ...{ ingest, token, ...limits },
    isClosing: () => false,
    bounds: { ...usualBounds, ...bounds },
  });
  const path = join(folder, "s.sock");
  const server = await listen({
    port: 0,
    socket: path,
    listeners: [intake.listener],
    lines: intake.lines,
    routes: async () => (call) => refuse(call, refused("not_found")),
  });
  const sockets: Socket[] = [];
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    intake.close();
    await server.close();
    store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    ...{ store, held: intake.held, path, port: server.port },
    async post(body, headers = {}) {
      const usual = { authorization: `Bearer ${token}`, "content-type": "application/json", connection: "close" };
      const request = { method: "POST", headers: { ...usual, ...headers }, body };
      const response = await fetch(`http://127.0.0.1:${server.port}/events`, request);
      const text = await response.text();
      const isLines = response.headers.get("content-type") === "application/x-ndjson";
      const read = isLines
        ? text
            .trimEnd()
            .split("\n")
            .map((line) => JSON.parse(line))
        : JSON.parse(text);
      return { status: response.status, headers: response.headers, body: read };
    },
    async connect() {
      const socket = connect(path);
      sockets.push(socket);
      await once(socket, "connect");
      return socket;
    },
    events: () => store.database.get<{ count: number }>("select count(*) as count from event")?.count ?? -1,
  };
}
const ndjson = { "content-type": "application/x-ndjson; charset=utf-8" };
const brief = (answer: { ok: boolean; error?: { code: string } }): string =>
  answer.ok ? "ok" : (answer.error?.code ?? "?");

test("one event is answered with its id, what came of it and the runs that it set off", async (t) => {
  const { post, store } = await world(t);
  const { status, body } = await post('{"event":"a.b","data":{"n":1},"cwd":"/x","session":"s1"}');
  assert.equal(status, 200);
  assert.deepEqual({ ...body, event: "" }, { event: "", outcome: {}, runs: [] });
  const event = (await store.event(body.event))?.event;
  assert.deepEqual([event?.name, event?.cwd, event?.session, event?.data], ["a.b", "/x", "s1", { n: 1 }]);
});

test("of many lines at once the good ones are taken, and each bad one has its own answer", async (t) => {
  const { post, events } = await world(t);
  const lines = ['{"event":"a.b"}', "{", '{"event":"Stop"}', "", '{"event":"a.b","data":[]}', '{"event":"c.d"}'];
  const { status, body } = await post(lines.join("\n"), ndjson);
  assert.equal(status, 200);
  assert.deepEqual(body.map(brief), ["ok", "input_invalid", "event_unknown", "parameters_invalid", "ok"]);
  assert.equal(events(), 2);
});

test("a list is the same as lines", async (t) => {
  const { post, events } = await world(t);
  const { status, body } = await post('[{"event":"a.b"}, 3, {"event":"Stop"}, {"event":"c.d"}]');
  assert.equal(status, 200);
  assert.deepEqual(body.map(brief), ["ok", "parameters_invalid", "event_unknown", "ok"]);
  assert.equal(events(), 2);
});

test("what is sent wrongly is refused as a whole", async (t) => {
  const { post, events } = await world(t);
  const code = async (...sent: Parameters<World["post"]>): Promise<string> => {
    const { status, body } = await post(...sent);
    return `${status} ${body.error.code}`;
  };
  const deep = `{"event":"a.b","data":{"a":${"[".repeat(200_000)}${"]".repeat(200_000)}}}`;
  assert.equal(await code('{"event":"a.b"}', { authorization: "Bearer x" }), "401 unauthorized");
  assert.equal(await code('{"event":"a.b"}', { origin: "http://a.example" }), "403 forbidden_origin");
  assert.equal(await code('{"event":"a.b"}', { "content-type": "text/plain" }), "415 unsupported_type");
  assert.equal(await code("[]"), "400 input_invalid");
  assert.equal(await code(deep), "400 input_invalid");
  assert.equal(await code(Uint8Array.from([0x22, 0xff, 0x22])), "400 input_invalid");
  assert.equal(await code(`{"event":"${"a".repeat(1_100_000)}"}`), "413 body_too_large");
  assert.equal(events(), 0);
});

test("lines over the socket are answered by lines in their order, also where an earlier one waits for its hooks", async (t) => {
  const { connect, events } = await world(t, {
    emit: ({ name }: HookEvent) => (name === "slow.one" ? new Promise((resolve) => setImmediate(resolve, {})) : {}),
  });
  const socket = await connect();
  const answers = createInterface({ input: socket });
  const read: string[] = [];
  answers.on("line", (line) => read.push(line));
  socket.end('{"event":"slow.one"}\n{"event":"a.b"}\nnonsense\n{"event":"slow.one"}\n{"event":"c.d"}'); // no line break at its end
  await once(answers, "close");
  const parsed = read.map((line) => JSON.parse(line));
  assert.deepEqual(parsed.map(brief), ["ok", "ok", "input_invalid", "ok", "ok"]);
  const ids = parsed.flatMap(({ event }) => event ?? []);
  assert.deepEqual(ids, [...ids].sort()); // ids rise in the order in which events are taken
  assert.equal(events(), 4);
});

test("HTTP over the same socket needs no token", async (t) => {
  const socket = await (await world(t)).connect();
  const body = '{"event":"a.b"}';
  const head = ["POST /events HTTP/1.1", "host: x", "content-type: application/json", `content-length: ${body.length}`];
  socket.write(`${head.join("\r\n")}\r\nconnection: close\r\n\r\n${body}`);
  let text = "";
  for await (const chunk of socket) text += chunk;
  assert.match(text, /^HTTP\/1\.1 200 /);
});

test("no event is answered before all that it has written is on disk, and none is if that fails", async (t) => {
  const asked: { resolve(): void; reject(because: unknown): void }[] = [];
  const { post } = await world(t, {
    committed: () => new Promise<void>((resolve, reject) => asked.push({ resolve, reject })),
  });
  let answered = 0;
  const send = async (): Promise<Answered> => {
    const answer = await post('{"event":"a.b"}');
    answered += 1;
    return answer;
  };
  const first = send();
  while (asked.length < 1) await new Promise(setImmediate);
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  assert.equal(answered, 0);
  asked[0]?.resolve();
  assert.equal((await first).status, 200);
  const second = send();
  while (asked.length < 2) await new Promise(setImmediate);
  asked[1]?.reject(new Error("no space is left"));
  const { status, body } = await second;
  assert.deepEqual([status, body.error.message], [500, "no space is left"]);
});

test("all that one turn of the event loop takes is committed together", async (t) => {
  const commits = new Set<Promise<void>>();
  const opened = await world(t, {
    committed() {
      const committed = opened.store.committed();
      commits.add(committed);
      return committed;
    },
    bounds: { slice: 10_000 },
  });
  const { body } = await opened.post('{"event":"a.b"}\n'.repeat(500), ndjson);
  assert.equal(body.length, 500);
  assert.ok(commits.size <= 2, `${commits.size} transactions`);
});

test("of many events, each turn of the event loop takes one slice of one sender, and all else goes on between them", async (t) => {
  let now = 0; // taken in this turn
  const turns: number[] = [];
  const names: string[] = [];
  const { post } = await world(t, {
    emit({ name }) {
      now += 1;
      names.push(name);
      return {};
    },
    bounds: { slice: 0 },
  });
  let isOver = false;
  const watched = (async () => {
    for (; !isOver; now = 0) {
      await new Promise(setImmediate);
      turns.push(now);
    }
  })();
  const much = post('{"event":"of.much"}\n'.repeat(2_000), ndjson);
  while (names.length < 10) await new Promise(setImmediate);
  const little = await post('{"event":"of.little"}\n'.repeat(10), ndjson);
  const before = names.length;
  await much;
  isOver = true;
  await watched;
  assert.equal(little.body.length, 10);
  assert.equal(names.length, 2_010);
  assert.ok(Math.max(...turns) <= 2, `${Math.max(...turns)} events in a turn`);
  assert.ok(before < 2_010, "a sender of little does not wait for a sender of much");
});

test("while as many events wait for their hooks as may, no other is begun, whoever sends it", async (t) => {
  const ends: (() => void)[] = [];
  const { post, held } = await world(t, {
    emit: () => new Promise((resolve) => ends.push(() => resolve({}))),
    bounds: { undecided: 2 },
  });
  const sent = [post('{"event":"a.b"}\n'.repeat(3), ndjson), post('{"event":"a.b"}'), post('[{"event":"a.b"}]')];
  for (let ended = 0; ended < 5; ended++) {
    const most = Math.min(ended + 2, 5);
    while (ends.length < most) await new Promise(setImmediate);
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    assert.deepEqual([ends.length, held().undecided], [most, most - ended]);
    ends[ended]?.();
  }
  for (const { status } of await Promise.all(sent)) assert.equal(status, 200);
});

test("beyond its bounds HTTP is answered 429 with a time, and what was taken before is not lost", async (t) => {
  const ends: (() => void)[] = [];
  const { post, events, held } = await world(t, {
    emit: () => new Promise((resolve) => ends.push(() => resolve({}))),
    bounds: { events: 2, undecided: 2 },
  });
  const waiting = [post('{"event":"a.b"}'), post('{"event":"a.b"}')];
  while (ends.length < 2) await new Promise(setImmediate);
  const refused = await post('{"event":"a.b"}');
  assert.deepEqual([refused.status, refused.body.error.code], [429, "intake_full"]);
  assert.equal(refused.headers.get("retry-after"), "1");
  for (const end of ends) end();
  for (const { status } of await Promise.all(waiting)) assert.equal(status, 200);
  while (held().events > 0) await new Promise(setImmediate);
  assert.equal(events(), 2);
});

test("a socket whose sender sends more than can be taken is not read on, and in the end all of it is answered", async (t) => {
  const ends: (() => void)[] = [];
  let isOpen = false;
  const { connect, held, events } = await world(t, {
    emit: () => (isOpen ? {} : new Promise((resolve) => ends.push(() => resolve({})))),
    bounds: { events: 50, bytes: 200_000, undecided: 4 },
  });
  const socket = await connect();
  const count = 3_000;
  const line = `{"event":"a.b","data":{"text":"${"x".repeat(800)}"}}\n`;
  const isTaken = socket.write(line.repeat(count));
  assert.equal(isTaken, false);
  while (ends.length < 4) await new Promise(setImmediate);
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
  const { bytes } = held();
  assert.ok(bytes < 400_000, `${bytes} bytes were read of ${line.length * count}`);
  assert.ok(socket.writableLength > line.length * count - 2_000_000, "the rest waits with its sender");
  isOpen = true;
  for (const end of ends) end();
  let answers = 0;
  socket.on("data", (chunk: Buffer) => {
    for (const byte of chunk) if (byte === 10) answers += 1;
  });
  socket.end();
  await once(socket, "end");
  assert.equal(answers, count);
  assert.equal(events(), count);
  assert.deepEqual(held(), { events: 0, bytes: 0, undecided: 0 });
});

/** It writes as much as it can, and reads nothing. */
async function stuckSender({ connect }: World): Promise<Socket> {
  const socket = await connect();
  socket.on("error", () => {}); // it is ended
  socket.write(`{"event":"a.b","data":{"text":"${"x".repeat(300)}"}}\n`.repeat(20_000));
  return socket;
}

/** Once nothing more is taken of anybody. */
async function steady({ events, held }: World): Promise<void> {
  for (let before = -1, same = 0; same < 10; await moment(20)) {
    const now = events();
    same = now > 0 && now === before && held().events === 0 ? same + 1 : 0;
    before = now;
  }
}

test("senders that do not read their answers close the intake for no other sender", async (t) => {
  const opened = await world(t, { bounds: { bytes: 100_000 } });
  const senders = [];
  for (let count = 0; count < 2; count++) senders.push(await stuckSender(opened));
  await steady(opened);
  assert.ok(senders.every(({ writableLength, destroyed }) => writableLength > 0 && !destroyed));
  assert.equal((await opened.post('{"event":"a.b"}')).status, 200);
  assert.deepEqual(opened.held(), { events: 0, bytes: 0, undecided: 0 });
});

test("a sender that has not read for a while is ended, with a line that says so after its answers", async (t) => {
  const opened = await world(t, { stalledAtMost: 3_000 });
  let before = 0;
  const taken = new Map<number | undefined, Socket>(); // other servers of this process take some too
  const take = (message: unknown): void => {
    const { socket } = message as { socket: Socket }; // as Node documents it
    taken.set(socket.remotePort, socket);
  };
  subscribe("net.server.socket", take);
  t.after(() => unsubscribe("net.server.socket", take));
  const socket = await givenUp();
  const closed = new Promise((resolve) => socket.once("close", resolve)); // not without an error, as it could not write all
  let answers = "";
  socket.on("data", (chunk: Buffer) => {
    answers += chunk.toString();
  });
  await closed;
  const lines = answers.trimEnd().split("\n");
  assert.equal(JSON.parse(lines.at(-1) ?? "").error.code, "answers_unread");
  assert.equal(lines.length - 1, opened.events() - before, "each event that was taken has its answer");
  assert.deepEqual(opened.held(), { events: 0, bytes: 0, undecided: 0 });

  /**
   * Who reads before it is given up is not ended. On a machine that stood still a sender is cut off in the middle of a line, or is gone
   * before it is looked at: then another comes.
   */
  async function givenUp(): Promise<Socket> {
    for (;;) {
      before = opened.events();
      const sender = await stuckSender(opened);
      const { localPort } = sender; // it forgets it when it is closed
      const own = (): Socket | undefined => taken.get(localPort);
      while (!sender.destroyed && !own()?.writableEnded && !own()?.destroyed) await moment(20);
      if (own()?.writableEnded && !sender.destroyed) return sender;
    }
  }
});

test("of bodies that are still on their way only so much is held together, and a sender of more gets 429", async (t) => {
  const { post, held, port } = await world(t);
  const codes: string[] = [];
  const head = `POST /events HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\ncontent-type: application/x-ndjson\r\n`;
  const senders = Array.from({ length: 8 }, () => {
    const socket = connectTo(port);
    t.after(() => socket.destroy());
    socket.on("error", () => {}); // it may be sent away
    socket.on("data", (chunk: Buffer) => codes.push(chunk.toString().slice(9, 12)));
    socket.write(`${head}content-length: ${8 * 1024 * 1024}\r\n\r\n`);
    return socket;
  });
  const part = Buffer.alloc(8 * 1024 * 1024 - 10, 32);
  for (const socket of senders) socket.write(part);
  while (codes.length < 4) await new Promise(setImmediate);
  assert.deepEqual(codes, ["429", "429", "429", "429"]);
  for (const socket of senders) socket.destroy();
  while (held().events > 0) await new Promise(setImmediate);
  const whole = '{"event":"a.b"}\n'.repeat(10_000);
  assert.equal((await post(whole, ndjson)).status, 200, "what had gone is not counted any more");
});

test("each way says its own limit", async (t) => {
  const { post } = await world(t);
  const messageOf = async (size: number, headers = {}): Promise<string> =>
    (await post(" ".repeat(size), headers)).body.error.message;
  assert.equal(await messageOf(1024 ** 2 + 1), "the body is larger than 1 MB");
  const { port } = await world(t);
  const socket = connectTo(port);
  t.after(() => socket.destroy());
  socket.write(
    `POST /events HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\ncontent-type: application/x-ndjson\r\ncontent-length: ${8 * 1024 ** 2 + 1}\r\n\r\n`,
  );
  assert.match(String((await once(socket, "data"))[0]), /the body is larger than 8 MB/);
});

test("a sender that goes away in the middle leaves nothing held", async (t) => {
  const { connect, held, port } = await world(t);
  const socket = await connect();
  socket.write('{"event":"a.b"}\n{"eve');
  await once(socket, "data");
  socket.destroy();
  const half = connectTo(port);
  half.write(
    `POST /events HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n`,
  );
  half.write('content-length: 1000\r\n\r\n{"event"');
  while (held().events === 0) await new Promise(setImmediate);
  half.destroy();
  while (held().events > 0) await new Promise(setImmediate);
  assert.deepEqual(held(), { events: 0, bytes: 0, undecided: 0 });
});

const connectTo = (port: number): Socket => connect(port, "127.0.0.1");

test("an event that sets nothing off because too much waits is refused with 429, and can be sent again later", async (t) => {
  const reasons = ["queue full: 1000 wait", "cooldown"];
  const opened = await world(t, {
    emit({ id }: HookEvent) {
      const reason = reasons.shift() ?? "";
      const run = { id: reason, hook: "h", hookName: "h", eventId: id, eventName: "a.b", cause: "event:a.b" };
      opened.store.saveRun({ ...run, status: "skipped", reason, startedAt: 1, steps: [], notes: [], asked: 0 });
      return {};
    },
  });
  const refused = await opened.post('{"event":"a.b"}');
  assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "5"]);
  assert.equal(refused.body.error.message, "queue full: 1000 wait");
  assert.equal((await opened.post('{"event":"a.b"}')).status, 200); // one of its hooks was refused for itself
});
