/**
 * What trust adds to an event: the same events in the same workspace, asked of the package that people install and of a build in
 * which trust answers yes to everything. The workspace has twenty hooks, each with a script of its own whose bytes are bound;
 * one matches the event, a rule that refuses in process, so that no program's start hides the difference.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { packageForTests } from "../scripts/package-for-tests.ts";
import { startDaemon } from "./daemon.ts";
import {
  type Benchmark,
  boundOf,
  type Findings,
  inFolder,
  quantile,
  rowsOf,
  sampleReadings,
  sized,
} from "./measure.ts";
import { type Program, timeProgram } from "./process-time.ts";
import { trustWith } from "./trusted.ts";

export const trustCost: Benchmark = {
  name: "trust-cost",
  about: "one event with twenty hooks of a trusted workspace, against a build in which trust answers yes",
  measure: () => inFolder(measureIn),
};

const [asking, given] = ["trust is asked", "trust answers yes"];
/** Milliseconds. */
const goals = { command: 3, daemon: 1 };
const requestsOfReading = sized(40, 2);
/** Hook files that have just been written are compiled for each event. */
const settling = sized(2_500, 0);
const runsOfReading = sized(3, 1);
const warmUp = sized(25, 1);

const payload = (cwd: string): string =>
  JSON.stringify({
    session_id: "4f1c2a9e-0d5b-4c55-8f0e-6d2d8f5b1c77",
    transcript_path: "/project/session.jsonl",
    permission_mode: "default",
    cwd,
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: "git push" },
  });

async function measureIn(folder: string): Promise<Findings> {
  const sides = new Map([
    [asking, prepare(join(folder, "asked"), packageForTests("asked"))],
    [given, prepare(join(folder, "given"), packageForTests("given"))],
  ]);
  const program = (side: string): Program => {
    const found = sides.get(side);
    if (!found) throw new Error(`there is no side ${side}`);
    return found;
  };
  await wait(settling);
  for (const side of sides.keys()) timeProgram(program(side), 2); // makes the store and fills both caches
  const commands = await sampleReadings([given, asking], 21, (side) => timeProgram(program(side), runsOfReading).wall);
  const daemons = new Map<string, Daemon>();
  try {
    for (const [side, one] of sides) daemons.set(side, await start(one));
    const ask = async (side: string): Promise<number> => (await daemons.get(side)?.ask()) ?? Number.NaN;
    for (let round = 0; round < warmUp; round++) for (const side of sides.keys()) await ask(side);
    const requests = await sampleReadings([given, asking], 21, ask);
    const more = ({ of }: typeof commands): number => quantile(of(asking), 0.5) - quantile(of(given), 0.5);
    return {
      rows: [...rowsOf("one command", "ms", commands), ...rowsOf("one request to the daemon", "ms", requests)],
      ratios: [
        boundOf("what trust adds to a command", more(commands), goals.command, { unit: "ms", against: given }),
        boundOf("what trust adds in the daemon", more(requests), goals.daemon, { unit: "ms", against: given }),
      ],
    };
  } finally {
    for (const { close } of daemons.values()) await close();
  }
}

function prepare(own: string, place: string): Program {
  const project = join(own, "project");
  const rules = join(project, ".hookline", "rules");
  mkdirSync(rules, { recursive: true });
  const entries = Array.from({ length: 20 }, (_, index) => {
    writeFileSync(join(project, `check-${index}.sh`), `echo ${index}\n`);
    return { matcher: `Foreign${index}`, hooks: [{ type: "command", command: `sh check-${index}.sh` }] };
  });
  writeFileSync(join(project, ".hookline", "hooks.json"), JSON.stringify({ hooks: { PreToolUse: entries } }));
  const rule =
    "{ id: push, on: tool_start, condition: { type: tool_name, match: Bash }, action: { type: gate, reason: No. } }";
  writeFileSync(join(rules, "push.yaml"), `hooks:\n  - ${rule}\n`);
  const input = join(own, "payload.json");
  writeFileSync(input, payload(project));
  const bin = join(place, "bin", "hookline.js");
  const program: Program = {
    command: [process.execPath, bin, "hook", "claude-code"],
    input,
    cwd: project,
    environment: { HOME: own, TMPDIR: own, PATH: process.env.PATH ?? "" },
  };
  trustWith(bin, program);
  return program;
}

interface Daemon {
  /** The median of some requests, milliseconds. */
  ask(): Promise<number>;
  close(): Promise<void>;
}

async function start({ command, cwd, environment, input }: Program): Promise<Daemon> {
  const [, bin = ""] = command;
  const { port, token, close } = await startDaemon({ bin, cwd, environment });
  const body = readFileSync(input);
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const once = async (): Promise<number> => {
    const begun = performance.now();
    const reply = await fetch(`http://127.0.0.1:${port}/hook/claude-code?event=PreToolUse`, {
      method: "POST",
      headers,
      body,
    });
    const text = await reply.text();
    if (!text.includes('"deny"')) throw new Error(`the rule did not refuse: ${reply.status} ${text}`);
    return performance.now() - begun;
  };
  return {
    async ask() {
      const took: number[] = [];
      for (let count = 0; count < requestsOfReading; count++) took.push(await once());
      return quantile(took, 0.5);
    },
    close,
  };
}
