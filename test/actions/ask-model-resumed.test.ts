import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import test, { type TestContext } from "node:test";
import type { Fields } from "../../src/engine/event.ts";
import type { Run } from "../../src/engine/record.ts";
import { type ScriptedModel, type ScriptedTurn, startScriptedModel } from "../../src/hosts/testing/index.ts";
import { openSqliteStore } from "../../src/storage/sqlite/sqlite.ts";
import { bundled } from "../program.ts";
import { temporaryFolder } from "./context.ts";

interface Said {
  tool?: string;
  key?: string;
  status?: string;
  output?: Fields;
}
interface Worker {
  said: Said[];
  says(what: (said: Said) => boolean): Promise<Said>;
  kill(): Promise<void>;
}

const program = (): string => bundled(join(import.meta.dirname, "automation-worker.ts"));

function startWorker(t: TestContext, folder: string, url: string, ...words: string[]): Worker {
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

const both: ScriptedTurn = {
  calls: [
    { tool: "hookline_first", input: {} },
    { tool: "hookline_second", input: {} },
  ],
  usage: { input: 40, output: 4 },
};
const done: ScriptedTurn = { text: "Both are done.", usage: { input: 60, output: 6 } };

async function modelWith(t: TestContext, turns: readonly ScriptedTurn[]): Promise<ScriptedModel> {
  const server = await startScriptedModel({ turns });
  t.after(() => server.close());
  return server;
}

function runIn(folder: string): Run {
  const store = openSqliteStore({ path: join(folder, "store.db") });
  try {
    const [run, ...others] = store.runs({}) as Run[]; // SQLite's is synchronous
    assert.ok(run && others.length === 0);
    return run;
  } finally {
    store.close();
  }
}

const toolsOf = ({ said }: Worker): string[] => said.flatMap(({ tool }) => tool ?? []);
const hasEnded = ({ status }: Said): boolean => status !== undefined && !["queued", "running"].includes(status);

test("[A46, R56, AT49] killed while the model thinks: finished turns and tool calls are not repeated, paid or counted twice", async (t) => {
  const folder = temporaryFolder(t);
  const server = await modelWith(t, [both, { hang: true, times: 1, next: done }]);
  const first = startWorker(t, folder, server.url, "emit");
  await server.arrival(2);
  const atWork = runIn(folder);
  assert.deepEqual([atWork.status, atWork.tokens], ["running", 44], "what it has cost so far is known");
  assert.match(String(atWork.steps.at(-1)?.output.prompt), /gathered$/);
  assert.deepEqual(atWork.steps.at(-1)?.output.actions, ["hookline.first", "hookline.second"]);
  await first.kill();
  const second = startWorker(t, folder, server.url);
  const { status } = await second.says(hasEnded);
  const run = runIn(folder);
  assert.deepEqual(
    [status, run.status, run.steps.at(-1)?.output.response],
    ["completed", "completed", "Both are done."],
  );
  assert.deepEqual([toolsOf(first), toolsOf(second)], [["hookline.first", "hookline.second"], []]);
  assert.deepEqual(
    server.requests.map(({ turn }) => turn),
    [0, 1, 1],
  );
  assert.equal(run.tokens, 110);
  assert.deepEqual(run.steps.at(-1)?.output.actions, ["hookline.first", "hookline.second"]);
});

test("[R56] killed in a tool call: the one before it is not repeated, and the one that was cut off has the same key again", async (t) => {
  const folder = temporaryFolder(t);
  const server = await modelWith(t, [both, done]);
  const first = startWorker(t, folder, server.url, "emit", "stuck");
  const cutOff = await first.says(({ tool }) => tool === "hookline.second");
  await first.kill();
  const second = startWorker(t, folder, server.url);
  await second.says(hasEnded);
  assert.deepEqual(toolsOf(second), ["hookline.second"]);
  assert.equal(second.said.find(({ tool }) => tool)?.key, cutOff.key);
  assert.match(cutOff.key ?? "", /1:ask_model\/turn 1 call 1$/);
  assert.deepEqual(
    server.requests.map(({ turn }) => turn),
    [0, 1],
  );
  assert.deepEqual([runIn(folder).status, runIn(folder).tokens], ["completed", 110]);
});
