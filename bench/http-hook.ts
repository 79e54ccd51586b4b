/**
 * What an agent's HTTP hook costs on the daemon: a whole decision, against an empty node:http server.
 *
 * Both sides: a process of their own, the same request of an agent's tool call over kept connections, read to its end, and an
 * answer of the same bytes. Only ours: the token and the sender are looked at, the payload is parsed, 100 hooks are loaded of
 * which one matches (a rule whose gate refuses, in process), the event, the run and the outcome are written to SQLite
 * (WAL, NORMAL) and committed before the answer. The runs are counted afterwards. The burst is 10,000 requests on 200
 * connections: how late the last verdict is, against the least time that an agent gives a hook.
 *
 * Back to back, everything that a request needs lies in the processor's caches. An agent asks now and then: paced is one request
 * every 50 ms on one connection, both sides at the same pace, and half of the answers are there within the figure.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
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
  ratioOf,
  rowOf,
  rowsOf,
  sampleReadings,
  sized,
} from "./measure.ts";

const ours = "hookline up, POST /hook";
const bare = "an empty node:http server";
const token = "token-of-the-benchmark";
const reason = "No force pushes.";
const burst = sized(10_000, 400);
/** What a request costs node:http itself is in both sides; the rest is the decision and its record. */
const goals = [
  { connections: 1, atMost: 3.5 },
  { connections: 10, atMost: 5 },
];
/** Milliseconds. */
const pace = 50;
const pacedCalls = sized(8, 2);
/** So many, until the engine has compiled what both servers do: both stay for days. */
const warmUp = sized(15_000, 100);
/** Of UserPromptSubmit, in seconds: the least that an agent gives an event which can be refused. */
const leastBudget = 30;

export const httpHook: Benchmark = {
  name: "http-hook",
  about: "a whole decision over HTTP, 100 hooks loaded, one matches, recorded, against an empty server",
  async measure() {
    const folder = mkdtempSync(join(tmpdir(), "hookline-bench-http-"));
    const running: ChildProcess[] = [];
    try {
      writeRules(folder, reason);
      const own = await serve(running, "ours", folder);
      const counted = { requests: 1 };
      const empty = await serve(running, "bare", folder, await firstAnswer(own, folder));
      const ports = new Map([
        [bare, empty],
        [ours, own],
      ]);
      const parts: Findings[] = [];
      for (const [side, port] of ports) await warm(side, port, folder, counted);
      for (const goal of goals) parts.push(await compare(goal, ports, folder, counted));
      parts.push(await comparePaced(ports, folder, counted));
      parts.push(await takeBurst(ports.get(ours) ?? 0, folder, counted));
      for (const child of running) await end(child);
      assert.equal(rowsIn(folder, "run where status = 'completed'"), counted.requests, "every decision has its run");
      return joined(parts);
    } finally {
      for (const child of running) child.kill();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** What the peer answers, too. */
async function firstAnswer(port: number, folder: string): Promise<string> {
  const socket = await connected(port);
  const { status, body } = await ask(socket, requestIn(folder)(port));
  socket.destroy();
  assert.equal(status, 200, body);
  const { permissionDecision, permissionDecisionReason } = JSON.parse(body).hookSpecificOutput;
  assert.equal(permissionDecision, "deny");
  assert.ok(permissionDecisionReason.startsWith(reason), permissionDecisionReason); // ours says how to complain, too
  return body;
}

async function warm(side: string, port: number, folder: string, counted: { requests: number }): Promise<void> {
  const load = await openLoad(port, requestIn(folder), 10);
  if (side === ours) counted.requests += warmUp;
  await load.run(warmUp, reason);
  load.close();
}

async function compare(
  { connections, atMost }: { connections: number; atMost: number },
  ports: ReadonlyMap<string, number>,
  folder: string,
  counted: { requests: number },
): Promise<Findings> {
  const loads = new Map<string, Load>();
  for (const [side, port] of ports) loads.set(side, await openLoad(port, requestIn(folder), connections));
  const each = connections === 1 ? sized(1_000, 20) : sized(3_000, 60);
  const read = async (side: string): Promise<number> => {
    if (side === ours) counted.requests += each;
    const taken = await loads.get(side)?.run(each, reason);
    return ((taken ?? Number.NaN) * 1e6) / each;
  };
  for (const side of loads.keys()) await read(side);
  const samples = await sampleReadings([bare, ours], 15, read);
  for (const load of loads.values()) load.close();
  const named = connections === 1 ? "1 connection" : `${connections} connections`;
  return {
    rows: rowsOf(`one request, ${named}`, "ns", samples),
    ratios: [ratioOf(samples, { goal: `HTTP hook, ${named}`, cost: ours, by: bare, atMost })],
  };
}

async function comparePaced(
  ports: ReadonlyMap<string, number>,
  folder: string,
  counted: { requests: number },
): Promise<Findings> {
  const loads = new Map<string, Load>();
  for (const [side, port] of ports) loads.set(side, await openLoad(port, requestIn(folder), 1));
  const samples = await sampleReadings([bare, ours], 9, async (side) => {
    const took: number[] = [];
    for (let count = 0; count < pacedCalls; count++) {
      await wait(pace);
      const taken = await loads.get(side)?.run(1, reason);
      took.push((taken ?? Number.NaN) * 1e6);
    }
    if (side === ours) counted.requests += pacedCalls;
    return quantile(took, 0.5);
  });
  for (const load of loads.values()) load.close();
  return {
    rows: rowsOf(`one request every ${pace} ms, p50`, "ns", samples),
    ratios: [ratioOf(samples, { goal: `HTTP hook, one call every ${pace} ms`, cost: ours, by: bare, atMost: 3.2 })],
  };
}

async function takeBurst(port: number, folder: string, counted: { requests: number }): Promise<Findings> {
  const load = await openLoad(port, requestIn(folder), 200);
  counted.requests += burst;
  const last = await load.run(burst, reason);
  load.close();
  const seconds = last / 1_000;
  const against = `an agent's least budget, ${leastBudget} s`;
  return {
    rows: [rowOf("10,000 requests at once", ours, "ns", last * 1e6)],
    ratios: [boundOf("burst of 10,000: the last verdict", seconds, leastBudget, { unit: "s", against })],
  };
}

function requestIn(folder: string): RequestTo {
  const payload = JSON.stringify({
    session_id: "5f0c1f2e-3b52-4f5e-9d6e-0d9d5f3c2b11",
    transcript_path: join(folder, "home", "transcript.jsonl"),
    cwd: join(folder, "workspace"),
    permission_mode: "default",
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: "git push --force origin main", description: "Push" },
    tool_use_id: "toolu_01A09q90qw90lq917835lq9",
  });
  const head = [
    "POST /hook/claude-code?event=PreToolUse HTTP/1.1",
    `authorization: Bearer ${token}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(payload)}`,
  ];
  return (port) => Buffer.from(`${head.join("\r\n")}\r\nhost: 127.0.0.1:${port}\r\n\r\n${payload}`);
}

/** Gives the port. */
async function serve(running: ChildProcess[], side: "bare" | "ours", folder: string, answer = ""): Promise<number> {
  const flags = side === "ours" ? smallHeap : []; // as `hookline up` starts itself
  const words = [...flags, join(import.meta.dirname, "http-server.ts"), side, folder, answer, token];
  const child = spawn(process.execPath, words, { stdio: ["pipe", "pipe", "inherit"] });
  running.push(child);
  assert.ok(child.stdout);
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  return Number(line);
}
