/** Workers in processes of their own whose automation asks a scripted model and calls two tools. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import type { Fields } from "../../src/engine/event.ts";
import type { Run } from "../../src/engine/record.ts";
import { openSqliteStore } from "../../src/storage/sqlite/sqlite.ts";
import { type ScriptedAnswer, type ScriptedModel, type ScriptedTurn, startScriptedModel } from "../../testing/index.ts";
import { bundled } from "../program.ts";

interface Said {
  tool?: string;
  key?: string;
  status?: string;
  output?: Fields;
}
export interface Worker {
  said: Said[];
  says(what: (said: Said) => boolean): Promise<Said>;
  kill(): Promise<void>;
}

const program = (): string => bundled(join(import.meta.dirname, "automation-worker.ts"));

export function startWorker(t: TestContext, folder: string, url: string, ...words: string[]): Worker {
  const child = spawn(process.execPath, [program(), folder, url, ...words], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "close");
  const said: Said[] = [];
  const waiting = new Set<() => void>();
  createInterface(child.stdout).on("line", (line) => {
    said.push(JSON.parse(line));
    for (const look of waiting) look();
  });
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
  };
  t.after(kill);
  return {
    said,
    kill,
    says: (what) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = said.find(what);
          if (found) resolve(found);
        };
        waiting.add(look);
        look();
        void ended.then(() => reject(new Error(`it ended after ${JSON.stringify(said)}`)));
      }),
  };
}

export const both: ScriptedTurn = {
  calls: [
    { tool: "hookline_first", input: {} },
    { tool: "hookline_second", input: {} },
  ],
  usage: { input: 40, output: 4 },
};
export const done: ScriptedAnswer = { text: "Both are done.", usage: { input: 60, output: 6 } };

export async function modelWith(t: TestContext, turns: readonly ScriptedTurn[]): Promise<ScriptedModel> {
  const server = await startScriptedModel({ turns });
  t.after(() => server.close());
  return server;
}

export function runIn(folder: string): Run {
  const store = openSqliteStore({ path: join(folder, "store.db") });
  try {
    const [run, ...others] = store.runs({}) as Run[]; // SQLite's is synchronous
    assert.ok(run && others.length === 0);
    return run;
  } finally {
    store.close();
  }
}

export const toolsOf = ({ said }: Worker): string[] => said.flatMap(({ tool }) => tool ?? []);
export const hasEnded = ({ status }: Said): boolean => status !== undefined && !["queued", "running"].includes(status);
