/**
 * What the daemon holds in memory and does at rest: the bundled one in a process of its own, with 1,000 hooks loaded, of which
 * none matches, before, while and after it is told of 100,000 events on ten kept connections: two thirds are tool calls of
 * 2,000 sessions, as an agent's own HTTP hooks tell them, one third are events of programs. It is the kernel's figure of the
 * whole process (RSS). Before that it is left alone for a while: what its processor did then is its work at rest.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { unpack } from "./hot-path.ts";
import { type Benchmark, boundOf, type Findings, type Row, rowOf } from "./measure.ts";
import { trustWith } from "./trusted.ts";

export const memory: Benchmark = {
  name: "memory",
  about: "the daemon with 1,000 hooks while it is told of 100,000 events",
  async measure() {
    const folder = mkdtempSync(join(tmpdir(), "hookline-bench-"));
    const started: ChildProcess[] = [];
    try {
      return await measureIn(folder, started);
    } finally {
      for (const child of started)
        if (child.exitCode === null) {
          child.kill("SIGKILL");
          await once(child, "exit");
        }
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

const hooks = 1_000;
const events = 100_000;
const parts = 10;
const connections = 10;
const sessions = 2_000;
export const atMostInMegabytes = 120;
/** Of the memory after half of the events. */
const growsAtMost = 1.05;
const restSeconds = Number(process.env.HOOKLINE_BENCH_REST ?? 10);
export const settlesFor = 25_000;
/** Of one processor. */
const restAtMost = 0.001;

async function measureIn(folder: string, started: ChildProcess[]): Promise<Findings> {
  const bin = unpack(folder);
  const project = join(folder, "project");
  mkdirSync(join(project, ".hookline"), { recursive: true });
  writeFileSync(join(project, ".hookline", "hooks.json"), JSON.stringify({ hooks: { PreToolUse: manyHooks() } }));
  const environment = { HOME: folder, TMPDIR: folder, PATH: process.env.PATH ?? "" };
  trustWith(bin, { cwd: project, environment });
  const child = spawn(process.execPath, [bin, "up", "--port", "0", "--json"], {
    cwd: project,
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  started.push(child);
  if (!child.stdout || child.pid === undefined) throw new Error("the daemon did not start");
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const { port } = JSON.parse(line);
  const { token } = JSON.parse(readFileSync(join(folder, ".local", "state", "hookline", "daemon.json"), "utf8"));
  const sockets = await Promise.all(Array.from({ length: connections }, () => connected(port)));
  await tell(sockets, { port, token, project, from: 0, count: connections });
  await wait(settlesFor); // what was compiled and loaded for the start is cleared away
  const before = processorOf(child.pid);
  await wait(restSeconds * 1000);
  const rest = (processorOf(child.pid) - before) / restSeconds;
  const readings = [memoryOf(child.pid)];
  for (let part = 0; part < parts; part++) {
    await tell(sockets, { port, token, project, from: part * (events / parts), count: events / parts });
    readings.push(memoryOf(child.pid));
  }
  for (const socket of sockets) socket.destroy();
  return findings(readings, rest);
}

function findings(readings: readonly number[], rest: number): Findings {
  const at = (part: number): number => readings[part] ?? Number.NaN;
  const [most, half, end] = [Math.max(...readings), at(parts / 2), at(parts)];
  const row = (variant: string, unit: string, value: number): Row => rowOf("daemon", variant, unit, value);
  return {
    rows: [
      row("at the start", "MB", at(0)),
      row(`after ${events / 2} events`, "MB", half),
      row(`after ${events} events`, "MB", end),
      row("at rest", "% of one processor", rest * 100),
    ],
    ratios: [
      boundOf("memory", most, atMostInMegabytes, { unit: "MB" }),
      boundOf("growth", end / half, growsAtMost, { against: `after ${events / 2} events` }),
      boundOf("at rest", rest * 100, restAtMost * 100, { unit: "%", against: "one processor" }),
    ],
  };
}

export const manyHooks = (): object[] =>
  Array.from({ length: hooks }, (_, index) => ({
    matcher: index % 2 === 0 ? `Tool${index}|Other${index}` : `mcp__server${index}__.*`,
    hooks: [{ type: "command", command: `./check-${index}.sh --strict`, timeout: 30 }],
  }));

interface Telling {
  port: number;
  token: string;
  project: string;
  from: number;
  count: number;
}

/** Each connection sends its next one when it has its answer. */
async function tell(sockets: readonly Socket[], { from, count, ...known }: Telling): Promise<void> {
  let next = from;
  await Promise.all(
    sockets.map(async (socket) => {
      while (next < from + count) {
        const index = next++;
        const answer = await ask(socket, requestOf(index, known));
        if (!/^HTTP\/1\.1 20\d/.test(answer)) throw new Error(answer.slice(0, 500));
      }
    }),
  );
}

export function requestOf(
  index: number,
  { port, token, project }: Pick<Telling, "port" | "token" | "project">,
): string {
  const isTool = index % 3 !== 0;
  const path = isTool ? "/hook/claude-code?event=PreToolUse&by=local" : "/events";
  const body = JSON.stringify(
    isTool ? toolCall(index, project) : { event: "build.finished", data: { index, ok: true } },
  );
  const head = [`host: 127.0.0.1:${port}`, `authorization: Bearer ${token}`, "content-type: application/json"];
  return `POST ${path} HTTP/1.1\r\n${head.join("\r\n")}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

const toolCall = (index: number, project: string): object => ({
  session_id: `4f1c2a9e-0d5b-4c55-8f0e-${String(index % sessions).padStart(12, "0")}`,
  cwd: project,
  hook_event_name: "PreToolUse",
  tool_name: ["Bash", "Edit", "Read", `mcp__tools__call${index % 500}`][index % 4],
  tool_input: { command: `git status --short ${index}`, description: "Show what changed ".repeat(10) },
  tool_use_id: `toolu_${index}`,
});

/** The whole answer, by the length that its head says. */
export function ask(socket: Socket, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const end = (error?: Error): void => {
      socket.removeAllListeners("data").removeAllListeners("close");
      if (error) reject(error);
      else resolve(answer);
    };
    socket.on("close", () => end(new Error("the daemon has closed the connection")));
    socket.on("data", (bytes: Buffer) => {
      answer += bytes.toString("latin1");
      const body = answer.indexOf("\r\n\r\n");
      const length = Number(/\r\ncontent-length: *(\d+)/i.exec(answer)?.[1] ?? 0);
      if (body >= 0 && answer.length >= body + 4 + length) end();
    });
    socket.write(request);
  });
}

export async function connected(port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  await once(socket, "connect");
  return socket;
}

/** Megabytes, as the kernel counts them. */
export function memoryOf(pid: number): number {
  const [, kilobytes = "0"] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}

/** Seconds that all its threads have worked. */
function processorOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ", 1)[0]),
  );
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e9;
}
