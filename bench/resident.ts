/**
 * What one event costs that a persistent program judges, against child_process.spawn of `true`, and against a bare line of
 * JSON to the same program and back.
 *
 * All sides wait for the whole answer before they go on. Spawn: starts `true` with three pipes and waits for its end; it
 * reads and answers nothing. Bare: JSON.stringify, one write, one read, JSON.parse, to its own process of the program, in a
 * session of its own, as ours is.
 * Ours: handler and engine, with a store that keeps nothing; find, condition, the event in its program's words, queue,
 * time limit, id, answer read into an outcome. The program is the same for both: 10 lines of Python.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHandlers } from "../src/actions/index.ts";
import { createEngine } from "../src/engine/engine.ts";
import type { HookEvent } from "../src/engine/event.ts";
import type { HookSet } from "../src/engine/hook.ts";
import type { Outcome } from "../src/engine/outcome.ts";
import type { PersistentPrograms } from "../src/engine/persistent-program.ts";
import type { Patterns, Ports } from "../src/engine/ports.ts";
import { createPersistentPrograms } from "../src/runtime/processes/persistent-programs.ts";
import { startPipedProcess } from "../src/runtime/processes/piped-process.ts";
import { createInlineQueue } from "../src/runtime/queues/inline.ts";
import { systemPorts } from "../src/runtime/system.ts";
import { aHook } from "../test/engine/a-hook.ts";
import { type Benchmark, ratioOf, rowsOf, sampleWork, sized, type Work } from "./measure.ts";
import { createNullStore } from "./null-store.ts";

const folder = tmpdir();
const program = join(import.meta.dirname, "..", "examples", "resident", "guard.py");

export const resident: Benchmark = {
  name: "resident",
  about: "one event to a persistent program and back, the program in Python",
  missing: () => (spawnSync("python3", ["--version"]).status === 0 ? undefined : "there is no python3"),
  async measure() {
    const residents = createPersistentPrograms({ start: startPipedProcess, stay: true });
    const bare = openBare();
    try {
      const emit = emitter(residents);
      assert.equal((await emit("git push")).verdict?.reason, "a person pushes");
      assert.equal((await emit("ls")).verdict, undefined);
      assert.deepEqual(await bare.ask(eventOf("git push")), { id: "1", exit: 2, stderr: "a person pushes" });
      const sides: readonly Work[] = [
        { name: ours, run: times(() => emit("ls")) },
        { name: line, run: times(() => bare.ask(eventOf("ls"))) },
        { name: spawned, run: times(spawnTrue) },
      ];
      for (const { name, run } of sides) if (name !== spawned) await run(callsBefore);
      const samples = await sampleWork(sides, { rounds: 25, milliseconds: 100 });
      return {
        rows: rowsOf("one event judged", "ns", samples),
        ratios: [
          ratioOf(samples, { goal: "resident handler: cheaper than a spawn", cost: spawned, by: ours, atLeast: 50 }),
          ratioOf(samples, {
            goal: "persistent program against a bare line of JSON",
            cost: ours,
            by: line,
            atMost: 1.6,
          }),
        ],
      };
    } finally {
      await residents.close();
      bare.close();
    }
  },
};

const ours = "resident command hook";
const line = "a bare line of JSON";
const spawned = "child_process.spawn of true";
/** Who asks so often has compiled what it does; a process that stays has soon asked more. */
const callsBefore = sized(15_000, 50);

const times = (one: () => unknown) => async (count: number) => {
  for (let done = 0; done < count; done++) await one();
};

const eventOf = (command: string): object => ({
  session_id: "session-1",
  cwd: folder,
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command },
});

interface Bare {
  ask(event: object): Promise<unknown>;
  close(): void;
}

function openBare(): Bare {
  const child = spawn(program, [], { stdio: ["pipe", "pipe", "inherit"], detached: true }); // a scheduler treats sessions apart
  let said = "";
  let asked = 0;
  let answered: (answer: unknown) => void = () => {};
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    said += chunk;
    const end = said.indexOf("\n");
    if (end < 0) return;
    const answer = said.slice(0, end);
    said = said.slice(end + 1);
    answered(JSON.parse(answer));
  });
  return {
    ask(event) {
      asked += 1;
      return new Promise((resolve) => {
        answered = resolve;
        child.stdin.write(`${JSON.stringify({ id: String(asked), event })}\n`);
      });
    },
    close: () => void child.kill(),
  };
}

async function spawnTrue(): Promise<void> {
  const child = spawn("true", { stdio: "pipe" });
  child.stdin.end();
  await once(child, "close");
}

function emitter(residents: PersistentPrograms): (command: string) => Promise<Outcome> {
  const hook = aHook("guard", "command", {
    steps: [{ uses: "command", with: { command: program, args: [], resident: true }, timeout: 600, onError: "stop" }],
    role: "guard",
    onFailure: "block",
    origin: { dialect: "settings", layer: "project", root: folder },
  });
  const set: HookSet = { id: "resident", hooks: [hook] };
  const ports: Ports = {
    ...systemPorts(),
    store: createNullStore(),
    queue: createInlineQueue(),
    hooks: () => set,
    registry: { handlers: createHandlers(new Map()), conditions: new Map() },
    patterns,
    residents,
  };
  const engine = createEngine(ports);
  const environment = Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  let events = 0;
  return async (command) => {
    const event: HookEvent = {
      id: `event-${events++}`,
      name: "PreToolUse",
      at: 0,
      cwd: folder,
      session: "session-1",
      sender: "claude-code",
      data: { tool_name: "Bash", tool_input: { command } },
    };
    return engine.emit(event, { environment });
  };
}

/** The hook has no condition. */
const patterns: Patterns = {
  regex: () => () => false,
  glob: () => () => false,
  commands: () => ({ commands: [], unknown: [] }),
  expression: () => null,
};
