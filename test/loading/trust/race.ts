/**
 * A trusted script that is exchanged about when it is started, again and again: before, while and after it runs. Each time it is
 * exchanged once and stays so until the run has been looked at: a change and a change back within one run is not noticed (R93).
 */
import { spawnSync, spawn as start } from "node:child_process";
import { closeSync, mkdirSync, openSync, readSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Hook } from "../../../src/engine/hook.ts";
import type { Ports } from "../../../src/engine/ports.ts";
import { type Ended, notStarted } from "../../../src/engine/program.ts";
import { verifying } from "../../../src/engine/verified.ts";
import { changedOf, stateOfFile } from "../../../src/loading/trust/item.ts";

const good = "#!/bin/sh\necho good $0\n";
const evil = "#!/bin/sh\necho evil $0\n";

/** Waits for a number, then so many microseconds, puts the other script in place and says so. */
const exchange = `
const { workerData: { shared, script } } = require("node:worker_threads");
const { renameSync, writeFileSync } = require("node:fs");
const turn = new Int32Array(shared);
for (let round = 1; ; round++) {
  while (Atomics.load(turn, 0) < round) Atomics.wait(turn, 0, round - 1);
  const end = performance.now() + turn[2] / 1000;
  writeFileSync(script + ".evil", ${JSON.stringify(evil)}, { mode: 0o755 });
  Atomics.wait(turn, 3, 0, Math.max(0, end - performance.now() - 0.5)); // the last moment is waited for exactly
  while (performance.now() < end);
  renameSync(script + ".evil", script);
  Atomics.store(turn, 1, round);
  Atomics.notify(turn, 1);
}`;

export interface Raced {
  /** The trusted bytes ran in place, and what they said counts. */
  good: number;
  /** It was not started. */
  refused: number;
  /** It ran, and its answer does not count: the file was another one afterwards. */
  failed: number;
  /** What else was accepted. */
  evil: string[];
}

/** From well before the first look to well after the second one, most within the milliseconds that a start and its end take. */
const latestInMicroseconds = 12_000;

/** @param folder empty; @param times how often the script is exchanged and started */
export async function race(folder: string, times: number): Promise<Raced> {
  const root = join(folder, "repository");
  const script = join(root, "a.sh");
  mkdirSync(root, { recursive: true });
  const put = (): void => {
    writeFileSync(`${script}.good`, good, { mode: 0o755 });
    renameSync(`${script}.good`, script);
  };
  put();
  const origin = { dialect: "settings", layer: "project", root };
  const hook = { origin, bound: { [script]: stateOfFile(script) } } as unknown as Hook; // all that is read of it
  const starter = standingStarter(folder);
  const { spawn } = verifying(
    { spawn: async () => starter.run(script), changed: ({ bound }: Hook) => changedOf(bound) } as unknown as Ports, // no other port is asked
    hook,
  );
  const shared = new SharedArrayBuffer(16);
  const turn = new Int32Array(shared);
  const racer = new Worker(exchange, { eval: true, workerData: { shared, script } });
  const found: Raced = { good: 0, refused: 0, failed: 0, evil: [] };
  try {
    for (let round = 1; round <= times; round++) {
      turn[2] = Math.round((round / times) ** 2 * latestInMicroseconds);
      Atomics.store(turn, 0, round);
      Atomics.notify(turn, 0);
      const ended = await spawn?.({ program: script, args: [], cwd: root, environment: {}, input: "" }, options);
      if (ended?.how === "launch") found[ended.stdout === "" ? "refused" : "failed"] += 1;
      else if (ended?.stdout === `good ${script}\n`) found.good += 1;
      else found.evil.push(ended?.stdout ?? "nothing was started");
      while (Atomics.load(turn, 1) < round) Atomics.wait(turn, 1, round - 1);
      put();
    }
  } finally {
    await racer.terminate();
    starter.end();
  }
  return found;
}

const options = { signal: new AbortController().signal };

interface Starter {
  /** Starts the script by its path, and waits for its end. */
  run(script: string): Ended;
  end(): void;
}

/** A shell that starts what it is told to: to start a program from the process of the tests takes ten times as long. */
function standingStarter(folder: string): Starter {
  const [asked, said] = ["asked", "said"].map((name) => join(folder, name)) as [string, string]; // one for each of the two names
  spawnSync("mkfifo", [asked, said]);
  const line = 'exec 3<"$0" 4>"$1"; while read -r script <&3; do "$script" >&4 2>&4; done';
  start("/bin/sh", ["-c", line, asked, said], { stdio: "ignore" });
  const [requests, answers] = [openSync(asked, "w"), openSync(said, "r")];
  const part = Buffer.alloc(4_096);
  return {
    run(script) {
      writeSync(requests, `${script}\n`);
      let stdout = "";
      do stdout += part.toString("utf8", 0, readSync(answers, part));
      while (!stdout.endsWith("\n"));
      return { ...notStarted(""), how: "exit", code: 0, stdout };
    },
    end() {
      for (const pipe of [requests, answers]) closeSync(pipe);
    },
  };
}
