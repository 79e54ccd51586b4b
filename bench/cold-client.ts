/**
 * What an agent starts for every event while a daemon is up: the client that install has chosen, the compiled one where it runs.
 *
 * Ours: the client with its words, a payload on standard input and a daemon of the same build that judges and records the
 * event (20 hooks, of which none matches), to the end of the client. Against /bin/true, which does nothing, and against the bundled
 * command in Node, which does the same work in its own process without a daemon. In wall time the daemon's part is counted too; the
 * processor time is that of the client's own process. The same is taken through `sh -c` with the line as it is registered, and of the
 * shell's client, which stands behind the compiled one. That the daemon was told is counted: on a busy machine a few may be
 * too late for it, and become Node.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { unpack } from "./hot-path.ts";
import { type Benchmark, type Findings, ratioOf, rowsOf, sampleReadings } from "./measure.ts";
import { type Program, timeProgram } from "./process-time.ts";
import { trustWith } from "./trusted.ts";

export const coldClient: Benchmark = {
  name: "cold-client",
  about: "one event told by the client to a daemon that is up, against /bin/true and the bundled Node command",
  async measure() {
    const folder = mkdtempSync(join(tmpdir(), "hookline-bench-"));
    let daemon: ChildProcess | undefined;
    try {
      const place = prepare(folder);
      daemon = await up(place);
      return await measureIn(place);
    } finally {
      if (daemon?.exitCode === null) {
        daemon.kill("SIGKILL");
        await once(daemon, "exit");
      }
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

const rounds = 15;
const client = "the client";
const throughShell = "the client, through sh -c";
const shellAlone = "sh -c true";
const inBash = "shell's client";
const alone = "Node, in process";
const asking = "Node, asking the daemon";
const nothing = "/bin/true";

interface Place {
  bin: string;
  project: string;
  input: string;
  environment: Record<string, string>;
  /** As it is registered. */
  line: string;
  /** The client's program and the words before those of the event, as start.sh has them. */
  client: readonly [string, ...string[]];
}

function prepare(folder: string): Place {
  const bin = unpack(folder);
  const project = join(folder, "project");
  mkdirSync(join(project, ".hookline"), { recursive: true });
  const hooks = Array.from({ length: 20 }, (_, index) => ({
    matcher: index % 2 === 0 ? "Edit|NotebookEdit" : `mcp__server${index}__.*`,
    hooks: [{ type: "command", command: "exit 2" }],
  }));
  writeFileSync(join(project, ".hookline", "hooks.json"), JSON.stringify({ hooks: { PreToolUse: hooks } }));
  const input = join(folder, "payload.json");
  const payload = {
    session_id: "4f1c2a9e-0d5b-4c55-8f0e-6d2d8f5b1c77",
    cwd: project,
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: "git status --short", description: "Show what changed" },
  };
  writeFileSync(input, JSON.stringify(payload));
  const environment = {
    HOME: folder,
    TMPDIR: folder,
    PATH: process.env.PATH ?? "",
    LANG: process.env.LANG ?? "C.UTF-8",
  };
  trustWith(bin, { cwd: project, environment });
  const installed = spawnSync(process.execPath, [bin, "install", "claude-code"], {
    cwd: project,
    env: environment,
    encoding: "utf8",
  });
  const settings = JSON.parse(readFileSync(join(folder, ".claude", "settings.json"), "utf8"));
  const line = settings.hooks.PreToolUse[0].hooks[0].command;
  const start = join(folder, ".local", "state", "hookline", "start.sh");
  const [, words = ""] = /^\[ -e .* && exec (.*) "\$@"$/m.exec(readFileSync(start, "utf8")) ?? [];
  const [file, ...more] = words.split(" ").map((word) => word.slice(1, -1)); // no path of this folder holds a space or a quote
  if (!file) throw new Error(`no compiled client was installed: ${installed.stdout}`);
  return { bin, project, input, environment, line, client: [file, ...more] };
}

async function up({ bin, project, environment }: Place): Promise<ChildProcess> {
  const daemon = spawn(process.execPath, [bin, "up", "--port", "0", "--json"], {
    cwd: project,
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (daemon.stdout) await once(createInterface({ input: daemon.stdout }), "line");
  return daemon;
}

/** How many tellings the daemon has judged so far. */
function judged({ bin, project, environment }: Place): number {
  const asked = spawnSync(process.execPath, [bin, "status", "--json"], {
    cwd: project,
    env: environment,
    encoding: "utf8",
  });
  return JSON.parse(asked.stdout).daemon.activity.events;
}

async function measureIn(place: Place): Promise<Findings> {
  const { bin, project, input, environment, line } = place;
  const told = ["hook", "claude-code", "--event", "PreToolUse", "--by", "user"];
  const file = join(environment.HOME ?? "", ".local", "state", "hookline", "client.sh");
  const node = [process.execPath, bin, ...told] as const;
  const sides: Record<string, { command: Program["command"]; runs: number; off?: true; asks?: true }> = {
    [client]: { command: [...place.client, ...told], runs: 20, asks: true },
    [nothing]: { command: ["/bin/true"], runs: 20 },
    [alone]: { command: node, runs: 3, off: true },
    [throughShell]: { command: ["/bin/sh", "-c", line], runs: 20, asks: true },
    [shellAlone]: { command: ["/bin/sh", "-c", "true"], runs: 20 },
    [inBash]: { command: ["/bin/bash", "-p", file, ...told], runs: 20, asks: true },
    [asking]: { command: node, runs: 3, asks: true },
  };
  const processor = new Map<string, number[]>();
  let expected = judged(place);
  const samples = await sampleReadings(Object.keys(sides), rounds, (name) => {
    const side = sides[name];
    if (!side) throw new Error(`no side is called ${name}`);
    const { command, runs, off, asks } = side;
    const time = timeProgram(
      { command, input, cwd: project, environment: { ...environment, ...(off && { HOOKLINE_DAEMON: "off" }) } },
      runs,
    );
    if (asks) expected += runs;
    processor.set(name, [...(processor.get(name) ?? []), time.processor]);
    return time.wall;
  });
  const found = judged(place);
  if (found > expected || found < expected * 0.98)
    throw new Error(`the daemon should have judged ${expected} events, not ${found}`);
  // The first round was the warm-up. In each round the first side was taken twice.
  const taken = (name: string, each: number, at = 0): number[] =>
    (processor.get(name) ?? []).filter((_, index) => index >= each && index % each === at);
  const own = {
    ...samples,
    of: (name: string) => taken(name, name === client ? 2 : 1),
    again: taken(client, 2, 1),
  };
  return {
    rows: [...rowsOf("wall time", "ms", samples), ...rowsOf("processor time of the client", "ms", own)],
    ratios: [
      ratioOf(own, { goal: "processor time of the client", cost: client, by: nothing, atMost: 1.5 }),
      ratioOf(samples, { goal: "an event told to the daemon", cost: client, by: nothing, atMost: 2 }),
      ratioOf(samples, { goal: "faster than the command in Node", cost: alone, by: client, atLeast: 10 }),
      ratioOf(samples, { goal: "the same, as an agent starts it", cost: throughShell, by: nothing }),
      ratioOf(own, { goal: "its processor time, as an agent starts it", cost: throughShell, by: nothing }),
      ratioOf(samples, { goal: "the shell's client", cost: inBash, by: nothing }),
    ],
  };
}
