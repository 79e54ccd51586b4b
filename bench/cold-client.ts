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
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageForTests } from "../scripts/package-for-tests.ts";
import { type Place, startDaemon, stateOf } from "./daemon.ts";
import { type Benchmark, type Findings, inFolder, ratioOf, rowsOf, sampleTogether, sized } from "./measure.ts";
import { type Program, timeProgram } from "./process-time.ts";
import { trustWith } from "./trusted.ts";

export const coldClient: Benchmark = {
  name: "cold-client",
  about: "one event told by the client to a daemon that is up, against /bin/true and the bundled Node command",
  async measure() {
    return inFolder(async (folder) => {
      const place = prepare(folder);
      const daemon = await startDaemon(place);
      try {
        return await measureIn(place);
      } finally {
        await daemon.close();
      }
    });
  },
};

const rounds = 15;
/** Runs of one reading, of what is quick and of Node. */
const [few, fewer] = [sized(20, 2), sized(3, 1)];
/** Of the events: on a busy machine a few are too late for the daemon. */
const toldAtLeast = sized(0.98, 0.1);
const client = "the client";
const throughShell = "the client, through sh -c";
const shellAlone = "sh -c true";
const inBash = "shell's client";
const alone = "Node, in process";
const asking = "Node, asking the daemon";
const nothing = "/bin/true";

interface Client extends Place {
  input: string;
  /** As it is registered. */
  line: string;
  /** The client's program and the words before those of the event, as start.sh has them. */
  client: readonly [string, ...string[]];
}

function prepare(folder: string): Client {
  const bin = join(packageForTests("asked"), "bin", "hookline.js");
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
  const start = join(stateOf(environment), "start.sh");
  const [, words = ""] = /^\[ -e .* && exec (.*) "\$@"$/m.exec(readFileSync(start, "utf8")) ?? [];
  const [file, ...more] = words.split(" ").map((word) => word.slice(1, -1)); // no path of this folder holds a space or a quote
  if (!file) throw new Error(`no compiled client was installed: ${installed.stdout}`);
  return { bin, cwd: project, input, environment, line, client: [file, ...more] };
}

/** How many tellings the daemon has judged so far. */
function judged({ bin, cwd, environment }: Place): number {
  const asked = spawnSync(process.execPath, [bin, "status", "--json"], {
    cwd,
    env: environment,
    encoding: "utf8",
  });
  return JSON.parse(asked.stdout).daemon.activity.events;
}

async function measureIn(place: Client): Promise<Findings> {
  const { bin, cwd, input, environment, line } = place;
  const told = ["hook", "claude-code", "--event", "PreToolUse", "--by", "user"];
  const file = join(stateOf(environment), "client.sh");
  const node = [process.execPath, bin, ...told] as const;
  const sides: Record<string, { command: Program["command"]; runs: number; off?: true; asks?: true }> = {
    [client]: { command: [...place.client, ...told], runs: few, asks: true },
    [nothing]: { command: ["/bin/true"], runs: few },
    [alone]: { command: node, runs: fewer, off: true },
    [throughShell]: { command: ["/bin/sh", "-c", line], runs: few, asks: true },
    [shellAlone]: { command: ["/bin/sh", "-c", "true"], runs: few },
    [inBash]: { command: ["/bin/bash", "-p", file, ...told], runs: few, asks: true },
    [asking]: { command: node, runs: fewer, asks: true },
  };
  let expected = judged(place);
  const { wall, processor } = await sampleTogether(Object.keys(sides), rounds, async (name) => {
    const side = sides[name];
    if (!side) throw new Error(`no side is called ${name}`);
    const { command, runs, off, asks } = side;
    if (asks) expected += runs;
    const own = { ...environment, ...(off && { HOOKLINE_DAEMON: "off" }) };
    return timeProgram({ command, input, cwd, environment: own }, runs);
  });
  const found = judged(place);
  if (found > expected || found < expected * toldAtLeast)
    throw new Error(`the daemon should have judged ${expected} events, not ${found}`);
  return {
    rows: [...rowsOf("wall time", "ms", wall), ...rowsOf("processor time of the client", "ms", processor)],
    ratios: [
      ratioOf(processor, { goal: "processor time of the client", cost: client, by: nothing, atMost: 1.5 }),
      ratioOf(wall, { goal: "an event told to the daemon", cost: client, by: nothing, atMost: 2 }),
      ratioOf(wall, { goal: "faster than the command in Node", cost: alone, by: client, atLeast: 10 }),
      ratioOf(wall, { goal: "the same, as an agent starts it", cost: throughShell, by: nothing }),
      ratioOf(processor, { goal: "its processor time, as an agent starts it", cost: throughShell, by: nothing }),
      ratioOf(wall, { goal: "the shell's client", cost: inBash, by: nothing }),
    ],
  };
}
