/** A trusted script that another process exchanges all the time while it is started again and again. */
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Hook } from "../../../src/engine/hook.ts";
import { stateOfFile } from "../../../src/loading/trust/item.ts";
import { createVerify } from "../../../src/loading/trust/verified.ts";

const good = "#!/bin/sh\necho good\n";

/** Writes each of the two texts and puts each in place by a rename, without end; the trusted one stays long enough to be seen. */
const exchange = `
const { writeFileSync, renameSync } = require("node:fs");
const [file, good] = process.argv.slice(1);
const evil = "#!/bin/sh\\necho evil\\n";
for (;;) for (const text of [evil, good]) {
  writeFileSync(file, text);
  writeFileSync(file + ".n", text === good ? evil : good, { mode: 0o755 });
  renameSync(file + ".n", file);
  if (text === evil) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 0.3);
}`;

export interface Raced {
  /** The trusted bytes ran. */
  good: number;
  refused: number;
  /** What else was said. */
  evil: string[];
}

/** @param folder empty; @param times how often it is started; those that are refused come on top */
export function race(folder: string, times: number): Raced {
  const root = join(folder, "repository");
  const script = join(root, "a.sh");
  for (const made of [root, join(folder, "state")]) mkdirSync(made, { recursive: true, mode: 0o700 });
  writeFileSync(script, good, { mode: 0o755 });
  const origin = { dialect: "settings", layer: "project", root };
  const hook = { origin, bound: { [script]: stateOfFile(script) } } as unknown as Hook; // all that verify reads
  const verify = createVerify(join(folder, "state"));
  const racer = spawn(process.execPath, ["-e", exchange, script, good], { stdio: "ignore" });
  const found: Raced = { good: 0, refused: 0, evil: [] };
  try {
    while (found.good + found.evil.length < times) {
      const command = verify({ program: script, args: [], cwd: root, environment: {} }, hook);
      if (typeof command === "string") found.refused += 1;
      else {
        const { stdout, error } = spawnSync(command.program, { encoding: "utf8" });
        if (stdout === "good\n") found.good += 1;
        else found.evil.push(error?.message ?? stdout);
      }
    }
  } finally {
    racer.kill("SIGKILL");
  }
  return found;
}
