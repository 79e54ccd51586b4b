/**
 * What programs' events cost on the daemon, each on disk before it is answered.
 *
 * One event per request, over 10 and over 100 kept connections. The peer is a bare node:http server that reads each request to its end
 * and answers as many bytes, and keeps nothing. Each server is a process of its own, the load comes
 * from this one. 100 hooks are loaded, none of which hears these events; all events are counted in the store afterwards.
 *
 * Then an agent's tool calls are judged while 10,000 events arrive in each second as lines over the unix socket, and memory is read,
 * garbage collected, after one half of a flood and after the other.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { smallHeap } from "../src/hosts/cli/daemon/options.ts";
import { ask, connected, end, type Load, openLoad, type RequestTo, rowsIn, writeRules } from "./http-load.ts";
import {
  type Benchmark,
  boundOf,
  type Findings,
  joined,
  quantile,
  type Row,
  ratioOf,
  rowOf,
  rowsOf,
  sampleReadings,
  sized,
} from "./measure.ts";

const token = "token-of-the-benchmark";
const event = JSON.stringify({
  event: "build.finished",
  data: { ok: true, number: 4711, branch: "main", commit: "0123456789abcdef0123456789abcdef01234567" },
});
const bare = "a bare node:http server";
const single = "one event per request";
/** What each answer says: the id of an event, and the verdict about a tool call. */
const [taken, refused] = ['"event":"', '"permissionDecision":"deny"'];

export const ingest: Benchmark = {
  name: "ingest",
  about: "events of programs, each on disk before it is answered, 100 hooks loaded",
  async measure() {
    const folder = mkdtempSync(join(tmpdir(), "hookline-bench-ingest-"));
    const running: ChildProcess[] = [];
    try {
      writeRules(folder, "no");
      const daemon = await start(running, "ours", folder, "");
      const server = await start(running, "bare", folder, await firstAnswer(daemon.port));
      const world: World = { folder, daemon: daemon.port, bare: server.port, sent: 1, memory: daemon.memory };
      const parts: Findings[] = [];
      for (const connections of [100, 10]) parts.push(await compareSingles(world, connections));
      parts.push(await judgeMeanwhile(world), await flood(world));
      for (const child of running) await end(child);
      assert.equal(rowsIn(folder, "event"), world.sent, "every event is in the store");
      return joined(parts);
    } finally {
      for (const child of running) child.kill();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

interface World {
  folder: string;
  daemon: number;
  bare: number;
  /** Events, so far. */
  sent: number;
  /** Of the daemon, in MB. */
  memory(): Promise<number>;
}

/** What the peer answers, too. */
async function firstAnswer(port: number): Promise<string> {
  const socket = await connected(port);
  const { status, body } = await ask(socket, requestOf(event)(port));
  socket.destroy();
  assert.equal(status, 200, body);
  assert.ok(body.includes(taken), body);
  return body;
}

const singles = sized(3_000, 200);
/** So many, until the engine has compiled what both servers do. */
const warmUp = sized(15_000, 200);

async function compareSingles(world: World, connections: number): Promise<Findings> {
  const loads: Readonly<Record<string, Load>> = {
    [bare]: await openLoad(world.bare, requestOf(event), connections),
    [single]: await openLoad(world.daemon, requestOf(event), connections),
  };
  for (const side of [bare, single]) await loads[side]?.run(warmUp, taken);
  world.sent += warmUp;
  const samples = await sampleReadings([bare, single], 11, async (side) => {
    if (side === single) world.sent += singles;
    const took = await loads[side]?.run(singles, taken);
    return ((took ?? Number.NaN) * 1e6) / singles;
  });
  for (const load of Object.values(loads)) load.close();
  const named = `${connections} connections`;
  return {
    rows: rowsOf(`one event, ${named}`, "ns", samples),
    ratios: [ratioOf(samples, { goal: `single, ${named}: its rate`, cost: bare, by: single, atLeast: 0.55 })],
  };
}

const judgements = sized(1_500, 20);

/** How long a tool call waits for its verdict, alone and beside 10,000 events a second. */
async function judgeMeanwhile(world: World): Promise<Findings> {
  const judged = await openLoad(world.daemon, requestForVerdict(world.folder), 1);
  const socket = openLines(join(world.folder, "s.sock"));
  const judge = async (times: number): Promise<number[]> => {
    const took: number[] = [];
    for (let count = 0; count < times; count++) took.push((await judged.run(1, refused)) * 1e6);
    world.sent += times;
    return took;
  };
  await judge(sized(500, 10));
  const alone = await judge(judgements);
  const stopping = new AbortController();
  const began = performance.now();
  let told = 0;
  const telling = (async () => {
    while (!stopping.signal.aborted) {
      const due = Math.floor((performance.now() - began) * 10) - told;
      told += due;
      if (due > 0) await socket.run(due);
      await wait(2);
    }
  })();
  const beside = await judge(judgements);
  const rate = (told / (performance.now() - began)) * 1_000;
  stopping.abort();
  await telling;
  world.sent += told;
  judged.close();
  socket.close();
  const called = "the verdict about a tool call, recorded";
  return {
    rows: [
      quantileOf(called, "alone, p50", alone, 0.5),
      quantileOf(called, "alone, p99", alone, 0.99),
      quantileOf(called, "beside the events, p50", beside, 0.5),
      quantileOf(called, "beside the events, p99", beside, 0.99),
      rowOf("events taken beside it", "in a second", "", rate),
    ],
    ratios: [],
  };
}

const quantileOf = (called: string, variant: string, readings: readonly number[], part: number): Row => ({
  ...{ case: called, variant, unit: "ns", p50: quantile(readings, part), min: quantile(readings, 0) },
  ...{ p25: quantile(readings, 0.25), p75: quantile(readings, 0.75), n: readings.length },
});

const flooded = sized(60_000, 2_000);
const megabytesAtMost = 20;

async function flood(world: World): Promise<Findings> {
  const socket = openLines(join(world.folder, "s.sock"));
  const after: number[] = [];
  for (let half = 0; half < 2; half++) {
    await socket.run(flooded / 2);
    world.sent += flooded / 2;
    after.push(await world.memory());
  }
  socket.close();
  const [first = Number.NaN, second = Number.NaN] = after;
  const grown = second - first;
  const goal = `memory grown by the second half of ${flooded} events`;
  const against = `${megabytesAtMost} MB`;
  return {
    rows: [rowOf("memory of the daemon", "after a flood", "MB", second)],
    ratios: [boundOf(goal, grown, megabytesAtMost, { unit: "MB", against })],
  };
}

interface Pipelined {
  /** Milliseconds until so many have their answers. */
  run(count: number): Promise<number>;
  close(): void;
}
const onTheirWay = 1_000;

function openLines(path: string): Pipelined {
  const socket = connect(path);
  const line = `${event}\n`;
  return {
    run: (count) =>
      new Promise((resolve) => {
        const began = performance.now();
        let [sent, answered] = [0, 0];
        const send = (some: number): void => {
          const now = Math.min(some, count - sent);
          sent += now;
          if (now > 0) socket.write(line.repeat(now));
        };
        const take = (chunk: Buffer): void => {
          let answers = 0;
          for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) answers += 1;
          answered += answers;
          send(answers);
          if (answered < count) return;
          socket.off("data", take);
          resolve(performance.now() - began);
        };
        socket.on("data", take);
        send(onTheirWay);
      }),
    close: () => void socket.destroy(),
  };
}

const requestOf =
  (body: string, type = "application/json", path = "/events"): RequestTo =>
  (port) =>
    Buffer.from(
      [
        `POST ${path} HTTP/1.1`,
        `host: 127.0.0.1:${port}`,
        `authorization: Bearer ${token}`,
        `content-type: ${type}`,
        `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      ].join("\r\n"),
    );

const requestForVerdict = (folder: string): RequestTo =>
  requestOf(
    JSON.stringify({
      ...{ hook_event_name: "PreToolUse", session_id: "s1", cwd: join(folder, "workspace"), tool_name: "Bash" },
      ...{ tool_input: { command: "git push --force" }, tool_use_id: "toolu_1", transcript_path: "" },
    }),
    "application/json",
    "/hook/claude-code?event=PreToolUse",
  );

async function start(
  running: ChildProcess[],
  side: "ours" | "bare",
  folder: string,
  answer: string,
): Promise<{ port: number; memory(): Promise<number> }> {
  const flags = side === "ours" ? smallHeap : []; // as `hookline up` starts itself
  const words = ["--expose-gc", ...flags, join(import.meta.dirname, "http-server.ts"), side, folder, answer, token];
  const child = spawn(process.execPath, words, { stdio: ["pipe", "pipe", "inherit"] });
  running.push(child);
  assert.ok(child.stdout);
  const said = createInterface({ input: child.stdout });
  const next = async (): Promise<number> => Number((await once(said, "line"))[0]);
  return {
    port: await next(),
    memory() {
      child.stdin?.write("\n");
      return next().then((bytes) => bytes / 1024 ** 2);
    },
  };
}
