/**
 * The command that agents start for every event: `hookline hook claude-code`, bundled, without a daemon.
 *
 * Ours: the package as users get it (bin, dist, package.json in a folder of its own, so that there is no src), a payload
 * on standard input, its store in a file that exists, compile cache warm. Against: `node -e 0` with the same input, in
 * the same call, run by run in turn. Both are whole processes; what is compared is their processor time. Reply and rows
 * of each case are checked before anything is timed.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageForTests } from "../scripts/package-for-tests.ts";
import {
  type Benchmark,
  type Findings,
  inFolder,
  type Question,
  ratioOf,
  rowsOf,
  sampleTogether,
  sized,
} from "./measure.ts";
import { type Program, timeProgram } from "./process-time.ts";
import { trustWith } from "./trusted.ts";

export const hotPath: Benchmark = {
  name: "hot-path",
  about: "processor time of one hook command, bundled, no daemon, against an empty Node",
  measure: () => inFolder(measureIn),
};

const rounds = 15;
const runsPerReading = sized(3, 1);

interface Case {
  name: string;
  /** What lies in .hookline/hooks.json; absent: no hook file at all. */
  hooks?: readonly object[];
  payload: object;
  /** How many runs each event leaves in the store. */
  leaves: number;
  goal: Pick<Question, "goal" | "atMost">;
}

const bash = { tool_name: "Bash", tool_input: { command: "git status --short", description: "Show what changed" } };
const large = {
  tool_name: "Write",
  tool_input: { file_path: "/project/src/large.ts", content: "const line = 1; // 50 kB\n".repeat(2048) },
};
const command = (words: string): object => ({ type: "command", command: words });
const foreign = Array.from({ length: 20 }, (_, index) => ({
  matcher: index % 2 === 0 ? `Edit|NotebookEdit` : `mcp__server${index}__.*`,
  hooks: [command("exit 2")],
}));

const noMatch = 2;
const cases: readonly Case[] = [
  { name: "no hook file, Bash", payload: bash, leaves: 0, goal: { goal: "no hook file", atMost: noMatch } },
  {
    name: "20 hooks, none matches, Bash",
    hooks: foreign,
    payload: bash,
    leaves: 0,
    goal: { goal: "none of 20 hooks matches", atMost: noMatch },
  },
  {
    name: "20 hooks, none matches, Write of 50 kB",
    hooks: foreign,
    payload: large,
    leaves: 0,
    goal: { goal: "none of 20 hooks matches a Write of 50 kB", atMost: noMatch },
  },
  {
    name: "one sh hook runs",
    hooks: [{ matcher: "Bash", hooks: [{ ...command("cat >/dev/null"), shell: "sh" }] }],
    payload: bash,
    leaves: 1,
    goal: { goal: "one sh hook and its run record" },
  },
];

async function measureIn(folder: string): Promise<Findings> {
  const bin = join(packageForTests("asked"), "bin", "hookline.js");
  const empty = "node -e 0";
  const programs = new Map<string, Program>();
  for (const one of cases) programs.set(one.name, prepare(one, folder, bin));
  const [ours] = programs.values();
  if (!ours) throw new Error("there is no case");
  programs.set(empty, { ...ours, command: [process.execPath, "-e", "0"] });
  programs.set("/bin/true", { ...ours, command: ["/bin/true"] });
  const sides = [empty, ...[...programs.keys()].filter((name) => name !== empty)];
  const { processor, wall } = await sampleTogether(sides, rounds, async (name) => {
    const program = programs.get(name);
    if (!program) throw new Error(`no program is called ${name}`);
    return timeProgram(program, runsPerReading);
  });
  return {
    rows: [...rowsOf("processor time", "ms", processor), ...rowsOf("wall time", "ms", wall)],
    ratios: cases.map(({ name, goal }) => ratioOf(processor, { ...goal, cost: name, by: empty })),
  };
}

function prepare({ name, hooks, payload, leaves }: Case, folder: string, bin: string): Program {
  const own = join(folder, name.replaceAll(/\W+/g, "-"));
  const project = join(own, "project");
  mkdirSync(join(project, hooks ? ".hookline" : "src"), { recursive: true });
  if (hooks) writeFileSync(join(project, ".hookline", "hooks.json"), JSON.stringify({ hooks: { PreToolUse: hooks } }));
  const input = join(own, "payload.json");
  const session = {
    session_id: "4f1c2a9e-0d5b-4c55-8f0e-6d2d8f5b1c77",
    transcript_path: "/project/session.jsonl",
    permission_mode: "default",
  };
  writeFileSync(
    input,
    JSON.stringify({ ...session, cwd: project, hook_event_name: "PreToolUse", ...payload, tool_use_id: "toolu_1" }),
  );
  const environment = { HOME: own, TMPDIR: own, PATH: process.env.PATH ?? "" };
  const program: Program = {
    command: [process.execPath, bin, "hook", "claude-code"],
    input,
    cwd: project,
    environment,
  };
  trustWith(bin, program);
  timeProgram(program, 2); // makes the store and fills the compile cache
  checkRuns(program, bin, leaves * 2);
  return program;
}

/** The event was recorded and answered, and as many hooks ran as should. */
function checkRuns({ cwd, environment }: Program, bin: string, expected: number): void {
  const asked = spawnSync(process.execPath, [bin, "runs", "--json"], {
    cwd,
    env: { ...environment },
    encoding: "utf8",
  });
  const found: unknown = asked.status === 0 ? JSON.parse(asked.stdout) : asked.stderr;
  const completed = Array.isArray(found) ? found.filter((run) => run.status === "completed").length : -1;
  if (completed !== expected) {
    throw new Error(`${expected} runs should be recorded, not ${completed}: ${asked.stdout}${asked.stderr}`);
  }
}
