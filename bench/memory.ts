import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { packageForTests } from "../scripts/package-for-tests.ts";
import { type Place, type Running, startDaemon } from "./daemon.ts";
import { ask, connected } from "./http-load.ts";
import { type Benchmark, boundOf, type Findings, inFolder, type Row, rowOf, sized } from "./measure.ts";
import { trustWith } from "./trusted.ts";

export const memory: Benchmark = {
  name: "memory",
  about: "the daemon with 1,000 hooks while it is told of 100,000 events",
  async measure() {
    return inFolder(async (folder) => {
      const project = prepare(folder);
      const daemon = await startDaemon(project);
      try {
        return await measureAt(daemon, project.cwd);
      } finally {
        await daemon.close();
      }
    });
  },
};

const hooks = sized(1_000, 20);
const events = sized(100_000, 1_000);
const parts = 10;
const connections = 10;
const sessions = 2_000;
export const atMostInMegabytes = 120;
/** Of the memory after half of the events. */
const growsAtMost = 1.05;
const restSeconds = sized(10, 0.2);
export const settlesFor: number = sized(25_000, 200);
/** Of one processor. */
const restAtMost = 0.001;

function prepare(folder: string): Place {
  const bin = join(packageForTests("asked"), "bin", "hookline.js");
  const cwd = join(folder, "project");
  mkdirSync(join(cwd, ".hookline"), { recursive: true });
  writeFileSync(join(cwd, ".hookline", "hooks.json"), JSON.stringify({ hooks: { PreToolUse: manyHooks() } }));
  const environment = { HOME: folder, TMPDIR: folder, PATH: process.env.PATH ?? "" };
  trustWith(bin, { cwd, environment });
  return { bin, cwd, environment };
}

async function measureAt({ pid, port, token }: Running, project: string): Promise<Findings> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => connected(port)));
  await tell(sockets, { port, token, project, from: 0, count: connections });
  await wait(settlesFor); // what was compiled and loaded for the start is cleared away
  const before = processorOf(pid);
  await wait(restSeconds * 1000);
  const rest = (processorOf(pid) - before) / restSeconds;
  const readings = [memoryOf(pid)];
  for (let part = 0; part < parts; part++) {
    await tell(sockets, { port, token, project, from: part * (events / parts), count: events / parts });
    readings.push(memoryOf(pid));
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
        const { status, body } = await ask(socket, requestOf(index, known));
        if (status < 200 || status > 299) throw new Error(`the daemon answered ${status} ${body.slice(0, 500)}`);
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
