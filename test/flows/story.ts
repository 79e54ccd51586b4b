/** Tells the stories of this folder, each a folder: files and events in; replies, exit codes, files and runs out. Real processes, nothing faked. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { codeCache, runCommand, bin as testPackage } from "../program.ts";
import { temporaryFolder } from "../temporary-folder.ts";

interface Step {
  /** Words after `hookline`. {printed.0.id} is a field of what the step before printed as JSON. */
  command?: string[];
  /** Instead: a line for sh, such as what a person does with git. */
  shell?: string;
  /** Standard input: text as it is, anything else as JSON. */
  input?: unknown;
  exit: number;
  /** Standard output as JSON holds at least this; "" means that nothing was printed. */
  output?: unknown;
  /** Standard output and standard error as text, by regular expression. */
  text?: string;
  stderr?: string;
  environment?: Record<string, string>;
  /** A folder of the workspace that stands first on the PATH: stand-ins for programs that are not here. */
  programs?: string;
  cwd?: string;
  /** In a process of its own: a module of the project does something to the process. */
  alone?: boolean;
  /** Files of the workspace to write before it. */
  write?: Record<string, string>;
}
interface Flow {
  /** The checklist's claims that the story proves. */
  proves: string;
  story: string;
  /** For npm run test:slow: another test shows the claims with a stand-in. */
  slow?: true;
  steps: Step[];
  /** All runs of the store in order of their start; texts are regular expressions. */
  runs?: { hook: string; status: string; reason?: string; event?: string }[];
  /** Files of the workspace afterwards, by regular expression; null: it is not there. */
  files?: Record<string, string | null>;
}

const flows = import.meta.dirname;

/** How busy the machine is, is no part of a story. */
const slowness = /,?"it took \d+ ms, and its budget is \d+ ms"/g;

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Their names, by whether they are for npm run test:slow. */
export const stories = (suite: "quick" | "slow" | "both"): string[] =>
  readdirSync(flows, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .filter((name) => suite === "both" || (flowOf(name).slow === true) === (suite === "slow"));

const flowOf = (name: string): Flow => JSON.parse(readFileSync(join(flows, name, "flow.json"), "utf8")) as Flow; // written by hand for this runner

/** @param own another build than that of the tests */
export function tell(name: string, own?: string): void {
  const bin = own ?? testPackage;
  const folder = join(flows, name);
  const flow = flowOf(name);
  test(`[${flow.proves}] ${flow.story}`, async (t) => {
    const scratch = temporaryFolder(t);
    const places = { workspace: join(scratch, "workspace"), home: join(scratch, "home") };
    for (const [name, place] of Object.entries(places)) {
      mkdirSync(place);
      if (existsSync(join(folder, name))) cpSync(join(folder, name), place, { recursive: true });
    }
    let printed = "";
    const fill = (text: string): string =>
      text
        .replaceAll(/\{printed((?:\.\w+)+)\}/g, (_all, path: string) => fieldOf(JSON.parse(printed), path))
        .replaceAll(/\{x\*(\d+)\}/g, (_all, count: string) => "x".repeat(Number(count)))
        .replaceAll("{workspace}", places.workspace)
        .replaceAll("{home}", places.home);
    const run = (step: Step): Ended | Promise<Ended> => {
      const input = fill(typeof step.input === "string" ? step.input : JSON.stringify(step.input ?? {}));
      const path = [...(step.programs ? [join(places.workspace, step.programs)] : []), process.env.PATH ?? ""];
      const cwd = join(places.workspace, step.cwd ?? "");
      const environment = {
        NODE_COMPILE_CACHE: codeCache, // else every flow compiles the sources anew
        PATH: path.join(delimiter),
        HOME: places.home,
        GIT_CONFIG_GLOBAL: "/dev/null",
        GIT_AUTHOR_NAME: "Ada",
        GIT_AUTHOR_EMAIL: "ada@example.org",
        GIT_COMMITTER_NAME: "Ada",
        GIT_COMMITTER_EMAIL: "ada@example.org",
        HOOKLINE: `${process.execPath} ${bin}`,
        XDG_STATE_HOME: join(scratch, "state"),
        LANG: "C.UTF-8",
        ...Object.fromEntries(Object.entries(step.environment ?? {}).map(([name, value]) => [name, fill(value)])),
      };
      const words = (step.command ?? []).map(fill);
      if (step.shell) return end("/bin/sh", ["-c", fill(step.shell)], { cwd, input, env: environment });
      const { status, stdout, stderr } = runCommand(words, {
        ...{ cwd, environment, bin, alone: step.alone ?? false },
        ...(step.input !== undefined && { input }),
      });
      return { code: status, stdout: stdout.replaceAll(slowness, ""), stderr };
    };
    for (const [index, step] of flow.steps.entries()) {
      for (const [path, text] of Object.entries(step.write ?? {})) writeFileSync(join(places.workspace, path), text);
      const { code, stdout, stderr } = await run(step);
      const told = `step ${index + 1}: ${step.shell ?? step.command?.join(" ")}\nstdout: ${stdout}\nstderr: ${stderr}`;
      assert.equal(code, step.exit, told);
      printed = stdout;
      if (step.output === "") assert.equal(stdout, "", told);
      else if (step.output !== undefined)
        assertHolds(JSON.parse(stdout), JSON.parse(fill(JSON.stringify(step.output))), told);
      if (step.text !== undefined) assert.match(stdout, new RegExp(fill(step.text)), told);
      if (step.stderr !== undefined) assert.match(stderr, new RegExp(fill(step.stderr)), told);
    }
    if (flow.runs)
      await assertRuns(flow.runs, async () =>
        JSON.parse((await run({ command: ["runs", "--json", "--limit", "1000"], exit: 0 })).stdout),
      );
    for (const [path, expected] of Object.entries(flow.files ?? {})) {
      const file = join(places.workspace, path);
      if (expected === null) assert.ok(!existsSync(file), `${path} is there`);
      else assert.match(readFileSync(file, "utf8"), new RegExp(expected));
    }
  });
}

/** @param path as .0.id */
const fieldOf = (value: unknown, path: string): string =>
  String(
    path
      .slice(1)
      .split(".")
      .reduce((part, key) => (typeof part === "object" && part !== null ? Reflect.get(part, key) : undefined), value),
  );

/** Apart from this process, so that flows wait beside each other. */
function end(
  program: string,
  words: readonly string[],
  { input, ...options }: { input: string; cwd: string; env: Record<string, string> },
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, options);
    const said = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      child[name].setEncoding("utf8").on("data", (chunk: string) => {
        said[name] += chunk;
      });
    child.on("error", reject).on("close", (code) => resolve({ code, ...said }));
    child.stdin.on("error", () => {}); // who does not read its input has ended before it
    child.stdin.end(input);
  });
}

/** Every key that is expected is there and equal; lists have the same length; a text of the form /…/ is a regular expression. */
function assertHolds(found: unknown, expected: unknown, told: string, path = "output"): void {
  if (typeof expected === "string" && /^\/.*\/$/s.test(expected))
    assert.match(String(found), new RegExp(expected.slice(1, -1)), `${path}\n${told}`);
  else if (Array.isArray(expected)) {
    assert.ok(Array.isArray(found), `${path} is no list\n${told}`);
    assert.equal(found.length, expected.length, `${path}.length\n${told}`);
    for (const [index, one] of expected.entries()) assertHolds(found[index], one, told, `${path}.${index}`);
  } else if (typeof expected === "object" && expected !== null) {
    assert.ok(typeof found === "object" && found !== null, `${path} is no object\n${told}`);
    for (const [key, one] of Object.entries(expected))
      assertHolds((found as Record<string, unknown>)[key], one, told, `${path}.${key}`); // an object: checked above
  } else assert.deepEqual(found, expected, `${path}\n${told}`);
}

interface ListedRun {
  hook: string;
  status: string;
  reason: string | null;
  event: string;
  id: string;
}

/** Background runs end after the command that began them, so the runner looks again until they have. */
async function assertRuns(expected: NonNullable<Flow["runs"]>, list: () => Promise<ListedRun[]>): Promise<void> {
  let found = await list();
  while (found.some(({ status }) => status === "queued" || status === "running")) {
    await pause(100);
    found = await list();
  }
  const told = JSON.stringify(found, null, 2);
  const ordered = [...found].sort((left, right) => (left.id < right.id ? -1 : 1));
  assert.equal(ordered.length, expected.length, told);
  for (const [index, { hook, status, reason, event }] of expected.entries()) {
    const run = ordered[index];
    assert.match(run?.hook ?? "", new RegExp(hook), told);
    assert.equal(run?.status, status, told);
    if (reason !== undefined) assert.match(run?.reason ?? "", new RegExp(reason), told);
    if (event !== undefined) assert.equal(run?.event, event, told);
  }
}
