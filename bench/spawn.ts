/**
 * One command hook whose program is `sh -c true`: a payload on stdin, stdout and stderr captured, one at a time and 100
 * at once, from a small process and from one whose heap has 500 MB.
 *
 * Ours: the whole Spawn port as the daemon has it (cookie, own session, limits, caps, ending of what is left), by the
 * helper process. Against: child_process.spawn with pipes, reading both to their end, and nothing else. The limit: the same in C
 * by posix_spawn, where a compiler is here. What each answers is checked before anything is timed. Processor time is that
 * of the process that asks, all its threads, without the helper and the programs.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSpawner } from "../src/runtime/processes/spawner.ts";
import {
  type Benchmark,
  type Findings,
  type Ratio,
  type Row,
  ratioOf,
  rowsOf,
  type Samples,
  sampleTogether,
  sized,
} from "./measure.ts";

export const spawnPort: Benchmark = {
  name: "spawn",
  about: "one command hook, sh -c true, through the whole Spawn port, against child_process.spawn",
  leftOut: () => (hasCompiler() ? [] : [`${limit}: there is no gcc`]),
  async measure() {
    const folder = mkdtempSync(join(tmpdir(), "hookline-bench-"));
    const spawner = createSpawner({
      complain(message) {
        throw new Error(message);
      },
    });
    try {
      return await measureWith(portOf(spawner.spawn), buildLimit(folder));
    } finally {
      await spawner.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

const rounds = 15;
const oneByOne = sized(25, 2);
const together = sized(100, 10);
/** Megabytes of the large heap. */
const large = sized(500, 20);

const ours = "Spawn port";
const theirs = "child_process.spawn";
const limit = "C, posix_spawn";

const payload = JSON.stringify({
  session_id: "bench",
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "git status --short", description: "Show what changed" },
});
const line: [string, string[]] = ["sh", ["-c", "true"]];
const environment: Record<string, string> = { PATH: process.env.PATH ?? "", HOME: tmpdir(), LANG: "C" };

type Once = () => Promise<void>;

function portOf(port: ReturnType<typeof createSpawner>["spawn"]): Once {
  const { signal } = new AbortController();
  const [program, args] = line;
  return async () => {
    const ended = await port({ program, args, cwd: tmpdir(), environment, input: payload }, { signal });
    if (ended.how !== "exit" || ended.code !== 0) throw new Error(JSON.stringify(ended));
  };
}

const child: Once = () =>
  new Promise((resolve, reject) => {
    const [program, args] = line;
    const one = spawn(program, args, { cwd: tmpdir(), env: environment, stdio: "pipe", detached: true });
    const said: Buffer[] = [];
    one.stdout.on("data", (chunk) => said.push(chunk));
    one.stderr.on("data", (chunk) => said.push(chunk));
    one.stdin.on("error", () => {}); // it may end before it is written to
    one.stdin.end(payload);
    one.on("error", reject);
    one.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`exit code ${code}`))));
  });

type Limit = (count: number, atOnce: number) => number;

const hasCompiler = (): boolean => spawnSync("gcc", ["--version"]).status === 0;

function buildLimit(folder: string): Limit | undefined {
  if (!hasCompiler()) return undefined;
  const file = join(folder, "limit");
  const source = join(import.meta.dirname, "spawn-limit.c");
  const built = spawnSync("gcc", ["-O2", source, "-o", file], { encoding: "utf8" });
  if (built.status !== 0) throw new Error(`the limit in C was not built: ${built.stderr}`);
  return (count, atOnce) => {
    const words = [String(Math.ceil(count / atOnce)), String(atOnce), payload];
    const done = spawnSync(file, words, { env: environment, encoding: "utf8" });
    if (done.status !== 0) throw new Error(`the limit in C ended with ${done.status}`);
    return Number(done.stdout) / 1e6;
  };
}

async function measureWith(port: Once, inC: Limit | undefined): Promise<Findings> {
  const small = await compare(port, inC, 1);
  const crowd = await compare(port, inC, together);
  const heap = fill(large);
  const crowded = await compare(port, inC, 1);
  if (heap.length === 0) throw new Error("the heap was not kept");
  return {
    rows: [
      ...rowsNamed("one at a time, small heap", small),
      ...rowsNamed("one at a time, 500 MB heap", crowded),
      ...rowsNamed(`${together} at once, for each`, crowd),
    ],
    ratios: [
      ratioOf(small.wall, { goal: "small heap, against child_process.spawn", cost: ours, by: theirs, atMost: 0.5 }),
      ratioOf(crowded.wall, { goal: "500 MB heap, against child_process.spawn", cost: ours, by: theirs, atMost: 0.25 }),
      ratioOf(crowd.wall, { goal: `${together} at once: more in a second`, cost: theirs, by: ours, atLeast: 3 }),
      ratioOf(small.processor, { goal: "processor time, small heap", cost: ours, by: theirs }),
      ratioOf(crowded.processor, { goal: "processor time, 500 MB heap", cost: ours, by: theirs }),
      ...limitRatios(inC, small, crowd),
    ],
  };
}

function limitRatios(inC: Limit | undefined, small: Compared, crowd: Compared): Ratio[] {
  if (!inC) return [];
  return [
    ratioOf(small.wall, { goal: "small heap, against the limit", cost: ours, by: limit }),
    ratioOf(crowd.wall, { goal: `${together} at once, against the limit`, cost: ours, by: limit }),
  ];
}

interface Compared {
  wall: Samples;
  processor: Samples;
}

/** Milliseconds for one program. */
function compare(port: Once, inC: Limit | undefined, atOnce: number): Promise<Compared> {
  const count = Math.max(oneByOne, atOnce);
  const sides: Record<string, () => Promise<{ wall: number; processor: number }>> = {
    [ours]: () => timed(port),
    [theirs]: () => timed(child),
    ...(inC && { [limit]: async () => ({ wall: inC(count, atOnce), processor: Number.NaN }) }), // it works in a process of its own
  };

  async function timed(once: Once): Promise<{ wall: number; processor: number }> {
    const used = process.cpuUsage();
    const started = performance.now();
    for (let done = 0; done < count; done += atOnce) await Promise.all(Array.from({ length: atOnce }, once));
    const took = performance.now() - started;
    const { user, system } = process.cpuUsage(used);
    return { wall: took / count, processor: (user + system) / 1000 / count };
  }

  return sampleTogether(Object.keys(sides), rounds, async (name) => {
    const side = sides[name];
    if (!side) throw new Error(`no side is called ${name}`);
    return side();
  });
}

const rowsNamed = (called: string, { wall, processor }: Compared): Row[] => [
  ...rowsOf(called, "ms", wall),
  ...rowsOf(`${called}: processor time`, "ms", { ...processor, names: [ours, theirs] }),
];

/** So many MB of small objects, as what a program remembers is made of. */
function fill(megabytes: number): { at: number; next: object }[] {
  const kept: { at: number; next: object }[] = [];
  const enough = process.memoryUsage().heapUsed + megabytes * 2 ** 20;
  while (process.memoryUsage().heapUsed < enough)
    for (let at = 0; at < 100_000; at++) kept.push({ at: kept.length, next: [at, kept.length] });
  return kept;
}
