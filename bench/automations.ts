/**
 * What an event costs that concerns no automation, sent to a daemon with 10 and to one with 1,000 of them: real processes,
 * real HTTP on loopback, one request after another, both daemons in turn.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packageForTests } from "../scripts/package-for-tests.ts";
import { startDaemon } from "./daemon.ts";
import { type Benchmark, type Findings, ratioOf, rowsOf, sampleReadings, sized } from "./measure.ts";

const rounds = 25;
const eventsInRound = sized(40, 3);
/** Automations of the two daemons. */
const [few, many] = [10, sized(1_000, 50)];

export const automations: Benchmark = {
  name: "automations",
  about: "an event that concerns no automation, in a daemon with 10 and with 1,000 of them",
  async measure() {
    const bin = join(packageForTests("asked"), "bin", "hookline.js");
    const daemons = new Map<string, Daemon>();
    try {
      for (const count of [few, many]) daemons.set(`${count} automations`, await prepared(bin, count));
      return await measureIn(daemons);
    } finally {
      await Promise.all([...daemons.values()].map((one) => one.close()));
    }
  },
};

async function measureIn(daemons: ReadonlyMap<string, Daemon>): Promise<Findings> {
  for (const one of daemons.values()) await timeOf(one); // warm
  const samples = await sampleReadings([...daemons.keys()], rounds, async (name) => {
    const daemon = daemons.get(name);
    assert.ok(daemon);
    return timeOf(daemon);
  });
  return {
    rows: rowsOf("an event that concerns none", "ms", samples),
    ratios: [
      ratioOf(samples, {
        goal: "1,000 automations cost at most 10 times as much as 10",
        cost: `${many} automations`,
        by: `${few} automations`,
        atMost: 10,
      }),
    ],
  };
}

interface Daemon {
  send(): Promise<void>;
  close(): Promise<void>;
}

/** Milliseconds for one event. */
async function timeOf(daemon: Daemon): Promise<number> {
  const started = performance.now();
  for (let count = 0; count < eventsInRound; count++) await daemon.send();
  return (performance.now() - started) / eventsInRound;
}

const automation = (index: number): object => ({
  id: `listener-${index}`,
  name: `listener ${index}`,
  trigger: { type: "event", event_type: `concerns.number${index}`, skip_llm: true },
  context_steps: [{ type: "shell", command: "echo {{event.word}}" }],
});

async function prepared(bin: string, count: number): Promise<Daemon> {
  const folder = mkdtempSync(join(tmpdir(), "hookline-bench-automations-"));
  const workspace = join(folder, "workspace");
  mkdirSync(join(folder, "home"));
  mkdirSync(workspace);
  const environment = { PATH: process.env.PATH ?? "", HOME: join(folder, "home") };
  const file = join(folder, "all.yaml");
  writeFileSync(file, JSON.stringify({ automations: Array.from({ length: count }, (_, index) => automation(index)) }));
  const applied = spawnSync(process.execPath, [bin, "automation", "apply", file], {
    cwd: workspace,
    env: environment,
    encoding: "utf8",
  });
  assert.equal(applied.status, 0, applied.stderr);
  const { port, token, close } = await startDaemon({ bin, cwd: workspace, environment });
  return {
    async send() {
      const response = await fetch(`http://127.0.0.1:${port}/events`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ event: "nothing.listens", data: { word: "hello" } }),
      });
      const answer: unknown = await response.json();
      assert.equal(response.status, 200, JSON.stringify(answer));
    },
    async close() {
      await close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
