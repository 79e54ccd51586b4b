/** What goes wrong around a daemon: clients that hang, floods, a full disk, a daemon that dies. Guards answer all the same, and nothing is lost that was acknowledged. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { bin } from "../../program.ts";
import { isOf } from "../../runtime/processes/gone.ts";
import type { CommandAnswer as Said } from "../../standing-command.ts";
import { locked } from "../../storage/lock.ts";
import { hosted } from "./hosted.ts";
import { telling, tellOverSocket } from "./over-socket.ts";
import { type Place, placeFor, type Started, until } from "./started.ts";

const guarded = (command: string): Record<string, string> => ({
  "home/.config/hookline/hooks.json": JSON.stringify({
    hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command, role: "guard", timeout: 60 }] }] },
  }),
});
const denies = "echo no such thing >&2; exit 2";

const words = ["hook", "claude-code", "--event", "PreToolUse", "--by", "user"];
const tell = (place: Place): Said => place.hooklineWith(telling(place), ...words);

/** Whether the agent goes on: it does not on exit code 2, nor where it reads a denial. */
const denied = ({ status, stdout }: Said): boolean =>
  status === 2 || JSON.parse(stdout || "{}").hookSpecificOutput?.permissionDecision === "deny";

/** The same, without waiting for it. */
function tellMeanwhile(t: TestContext, place: Place): { said: Promise<Said>; pid: number | undefined } {
  const child = spawn(process.execPath, [bin, ...words], { cwd: place.workspace, env: place.environment });
  t.after(() => void child.kill("SIGKILL"));
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  child.stdin.end(telling(place));
  return { pid: child.pid, said: once(child, "close").then(([status]) => ({ status, stdout, stderr })) };
}

/** One who connects and says so much, and nothing more. */
async function hanging(t: TestContext, { port }: Pick<Started, "port">, said: string): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  t.after(() => socket.destroy());
  socket.on("error", () => {}); // it may be sent away
  await once(socket, "connect");
  if (said !== "") socket.write(said);
  return socket;
}
const headOf = ({ port, token }: Pick<Started, "port" | "token">, path: string, ...more: string[]): string =>
  [
    `POST ${path} HTTP/1.1`,
    `host: 127.0.0.1:${port}`,
    `authorization: Bearer ${token}`,
    "content-type: application/json",
    ...more,
  ].join("\r\n");

const storeOf = ({ store }: Place): string => store;
const stored = (place: Place, sql: string): Record<string, unknown>[] => {
  const database = new DatabaseSync(storeOf(place));
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
};
const idsIn = (place: Place): Set<unknown> => new Set(stored(place, "select id from event").map(({ id }) => id));

test("clients that hang, half requests and slow bodies delay no other client: guards deny and events are taken", async (t) => {
  const place = placeFor(t, guarded(denies));
  const daemon = await place.up();
  const half = [
    "",
    "PO",
    headOf(daemon, "/events"),
    `${headOf(daemon, "/events", "content-length: 1000")}\r\n\r\n{"event"`,
    `${headOf(daemon, "/hook/claude-code?event=PreToolUse&by=user", "content-length: 1000")}\r\n\r\n{`,
  ];
  const senders = await Promise.all([...half, ...half, ...half].map((said) => hanging(t, daemon, said)));
  const dripping = setInterval(() => senders[3]?.write(" "), 100);
  t.after(() => clearInterval(dripping));
  assert.equal((await daemon.emit("a.b")).status, 200);
  const answer = await tellOverSocket(place, "toolu_1", ""); // a client on a busy machine judges by itself
  assert.match(answer, /"permissionDecision":"deny".*no such thing/);
  assert.equal(stored(place, "select 1 from event where name = 'PreToolUse'").length, 1);
  assert.equal(await daemon.stop(), 0);
});

test("a body of 100 MB is refused before it is sent, with or without its length", async (t) => {
  const daemon = await hosted(placeFor(t));
  for (const path of ["/events", "/hook/claude-code?event=PreToolUse&by=user"]) {
    const socket = await hanging(t, daemon, `${headOf(daemon, path, `content-length: ${100 * 1024 ** 2}`)}\r\n\r\n{`);
    const [answer] = await once(socket, "data");
    assert.match(String(answer), /^HTTP\/1\.1 413 /, path);
    socket.destroy();
  }
  const unsaid = await hanging(t, daemon, `${headOf(daemon, "/events", "transfer-encoding: chunked")}\r\n\r\n`);
  const answered = once(unsaid, "data");
  const chunk = `10000\r\n${" ".repeat(0x1_0000)}\r\n`;
  for (let sent = 0; sent < 20; sent++) unsaid.write(chunk);
  assert.match(String((await answered)[0]), /^HTTP\/1\.1 413 /);
  assert.equal((await daemon.emit("a.b")).status, 200);
});

test("a daemon killed while a guard is asked: its client blocks with the reason, and the run says that it was interrupted", async (t) => {
  const place = placeFor(t, guarded("echo $$ > began; sleep 30"));
  const daemon = await place.up();
  const began = join(place.workspace, "began");
  let told = tellMeanwhile(t, place);
  let byItself = 0;
  for (;;) {
    const guard = await until(
      () => (existsSync(began) && Number(readFileSync(began, "utf8"))) || undefined,
      "the guard is asked",
    );
    if (isOf(daemon.child.pid, guard)) break;
    process.kill(guard, "SIGKILL"); // on a busy machine a client that no daemon answers in time judges by itself
    await told.said;
    rmSync(began);
    byItself += 1;
    told = tellMeanwhile(t, place);
  }
  await until(() => place.runs().some((one) => one.status === "running"), "the store has the run");
  daemon.child.kill("SIGKILL");
  const { status, stderr } = await told.said;
  assert.equal(status, 2);
  assert.notEqual(stderr.trim(), "");
  const next = await place.up();
  const run = place.runs().find((one) => one.status === "interrupted");
  assert.match(run?.reason ?? "", /process/);
  assert.equal(place.runs().length, byItself + 1, "the guard was not asked a second time");
  assert.match(place.hookline("why", run?.id ?? "").stdout, /interrupted/);
  assert.equal(await next.stop(), 0);
});

test("a daemon killed under load has lost nothing that it acknowledged, one by one, in bulk and as lines", async (t) => {
  const place = placeFor(t);
  const daemon = await place.up();
  const ledger: string[] = [];
  let isDead = false;
  const send = async (headers: Record<string, string>, body: string): Promise<void> => {
    try {
      await sendOn(headers, body);
    } catch (error) {
      if (!isDead) throw error;
    }
  };
  const sendOn = async (headers: Record<string, string>, body: string): Promise<void> => {
    while (!isDead) {
      const request = { method: "POST", headers: { authorization: `Bearer ${daemon.token}`, ...headers }, body };
      const response = await fetch(`http://127.0.0.1:${daemon.port}/events`, request);
      const text = await response.text();
      for (const line of text.trimEnd().split("\n")) ledger.push(JSON.parse(line).event);
    }
  };
  const json = { "content-type": "application/json" };
  const many = { "content-type": "application/x-ndjson" };
  const senders = [1, 2, 3].map(() => send(json, '{"event":"a.b"}'));
  senders.push(send(many, '{"event":"a.b"}\n'.repeat(50)));
  const socket = connect(join(place.state, "daemon.sock"));
  socket.on("error", () => {}); // it dies
  let rest = "";
  socket.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) ledger.push(JSON.parse(line).event);
    if (socket.writable) socket.write('{"event":"a.b"}\n'.repeat(lines.length));
  });
  socket.write('{"event":"a.b"}\n'.repeat(100));
  await until(() => ledger.length > 1_000, "1,000 acknowledged events");
  isDead = true;
  daemon.child.kill("SIGKILL");
  await once(daemon.child, "exit");
  await Promise.all(senders);
  socket.destroy();
  assert.equal(place.hookline("runs").status, 0);
  const kept = idsIn(place);
  assert.deepEqual(
    ledger.filter((id) => !kept.has(id)),
    [],
  );
});

test("on a full disk nothing is acknowledged that is not kept, guards deny, and what is sent again is taken once there is room", async (t) => {
  const place = placeFor(t, guarded(denies));
  const daemon = await place.up();
  const limit = limiterOf(daemon);
  if (!limit) return t.skip("the size of a running process's files cannot be limited here");
  const ledger: string[] = [];
  const event = { event: "a.b", data: { text: "x".repeat(200_000) } };
  await until(async () => {
    const answer = await daemon.call("/events", { body: event });
    if (answer.status === 200) ledger.push(answer.body.event);
    return answer.status !== 200;
  }, "an event is refused");
  const { status, body } = await daemon.call("/events", { body: event });
  assert.deepEqual([status, body.error.code], [507, "store_unusable"]);
  const bulk = await daemon.call("/events", { body: [event, event] });
  assert.deepEqual(
    bulk.body.map(({ error }: { error?: { code: string } }) => error?.code),
    ["store_unusable", "store_unusable"],
  );
  assert.equal(denied(tell(place)), true);
  await until(async () => {
    await daemon.call("/events", { body: event }); // what is small may have had room in between
    const waiting = await daemon.call("/ready");
    if (waiting.status === 200) return false;
    assert.deepEqual([waiting.status, waiting.body], [503, { ok: false, missing: ["store"] }]);
    return true;
  }, "it is not ready");
  limit("unlimited");
  await until(async () => (await daemon.call("/events", { body: event })).status === 200, "an event is taken again");
  assert.equal((await daemon.call("/ready")).status, 200);
  const kept = idsIn(place);
  assert.deepEqual(
    ledger.filter((id) => !kept.has(id)),
    [],
  );
  assert.equal(await daemon.stop(), 0);
});

/** No guard: where it cannot be asked, its policy lets pass. */
const plain = (command: string): Record<string, string> => ({
  "home/.config/hookline/hooks.json": JSON.stringify({
    hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command, timeout: 60 }] }] },
  }),
});

test("on a full disk every hook that is no guard is evaluated too, also if a group is lost in the middle of a turn, and the sender is informed", async (t) => {
  const place = placeFor(t, plain(`${denies.replace("no such thing", "not here")}`));
  const daemon = await place.up();
  const limit = limiterOf(daemon);
  if (!limit) return t.skip("the size of a running process's files cannot be limited here");
  const large = "x".repeat(200_000);
  for (let round = 0; round < 3; round++) {
    const ids = Array.from({ length: 12 }, (_, index) => `toolu_${round}_${index}`);
    const answers = await Promise.all(ids.map((id) => tellOverSocket(place, id, large)));
    for (const answer of answers) assert.match(answer, /not here/);
  }
  const { body } = await daemon.call("/status");
  assert.match(body.store.reason, /the disk is full|disk gave an error/);
  assert.match(place.hookline("status").stdout, /store +no writes since .*: the store cannot be used/);
  limit("unlimited");
  await until(async () => (await daemon.call("/status")).body.store.reason === null, "the store is written again");
  assert.equal(await daemon.stop(), 0);
});

test("while another process holds the store its hooks are evaluated, the sender is informed, and the rows are written afterwards", async (t) => {
  const answer = JSON.stringify({ systemMessage: "asked" });
  const place = placeFor(t, plain(`echo x >> asked; echo '${answer}'`));
  const daemon = await place.up();
  const release = locked(t, storeOf(place));
  for (const id of ["toolu_1", "toolu_2"]) {
    const said = await tellOverSocket(place, id, "");
    assert.match(said, /asked/);
    assert.match(said, /hookline: the store stayed locked — .*hookline\.db — stop the other writer/);
  }
  const refused = await daemon.emit("a.b");
  assert.deepEqual([refused.status, refused.body.error.code], [507, "store_locked"]);
  assert.equal((await daemon.call("/status")).body.store.reason.includes("stayed locked"), true);
  release();
  assert.equal((await daemon.emit("a.b")).status, 200);
  assert.equal(place.read("workspace/asked"), "x\nx\n");
  const kept = stored(place, "select outcome is not null as done from event where name = 'PreToolUse'");
  assert.deepEqual(
    kept.map(({ done }) => done),
    [1, 1],
  );
  assert.equal(stored(place, "select 1 from run where status = 'completed'").length, 2);
  assert.equal(await daemon.stop(), 0);
});

/** Files of the daemon grow no more than a little beyond what they are: as the system says it of a full disk. */
function limiterOf({ child }: Started): ((size: string) => void) | undefined {
  const change = (size: string): boolean =>
    spawnSync("prlimit", ["--pid", String(child.pid), `--fsize=${size}:unlimited`]).status === 0;
  return change("1500000") ? change : undefined;
}

test("idle connections without a token take no descriptors from others: the daemon lives, and answers who holds one", async (t) => {
  const place = placeFor(t);
  const daemon = await place.up();
  const limited = spawnSync("prlimit", ["--nofile=320:320", "--pid", String(daemon.child.pid)]);
  if (limited.error) return t.skip("there is no prlimit here");
  const sockets = Array.from({ length: 600 }, () => connect(daemon.port, "127.0.0.1"));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  let ended = 0;
  await new Promise<void>((resolve) => {
    for (const socket of sockets) {
      socket.on("error", () => {});
      socket.on("close", () => {
        ended += 1;
        if (ended === 400) resolve(); // what is beyond the limit of those without a token
      });
      socket.resume();
    }
  });
  assert.equal((await daemon.emit("a.b")).status, 200);
  assert.equal(await daemon.stop(), 0);
});
