/**
 * What hooks add to the processor time of a real Claude Code for each tool call.
 *
 * A scripted model on loopback asks for 60 calls of Bash; one reading is the user and system time of the agent and of all that it has
 * waited for, in a session, for each call. What the session without a hook of the same round took is taken off. Sides: `true` on each event that
 * ours is registered for; ours by its client; ours as a mod beside the client, and in its place. The daemon is up, is no child
 * of the agent, and its own time is said beside it.
 */
import { readFileSync } from "node:fs";
import { claudeCode } from "../src/agents/claude-code/adapter.ts";
import type { ClaudeSession } from "../test/real-agents/claude-session.ts";
import { agents, hookline, noting, ownSettings, type Prepare, sessionFor } from "./agents.ts";
import { type Benchmark, type Findings, ratioOf, rowsOf, type Samples, sampleTogether, sized } from "./measure.ts";

const rounds = 4;
const calls = sized(60, 3);

const noHook = "no hook";
const everywhere = "`true` on each event that ours is registered for";
const client = "Hookline, one rule, the usual client";
const beside = "Hookline, one rule, a mod beside the client";
const alone = "Hookline, one rule, a mod in the client's place";

const sides: Readonly<Record<string, Prepare>> = {
  [everywhere]: ownSettings(1, claudeCode.settings.events),
  [noHook]: async () => {},
  [client]: hookline(1),
  [beside]: hookline(1, "--mod"),
  [alone]: hookline(1, "--mod-alone"),
};

export const agentsProcessor: Benchmark = {
  ...agents,
  name: "agents-processor",
  about: "the processor time of a real Claude Code for one tool call, by how its hooks are called",
  leftOut: () => [],
  async measure() {
    const ends: (() => unknown)[] = [];
    try {
      return await measureWith((end) => void ends.unshift(end));
    } finally {
      for (const end of ends) await end();
    }
  },
};

async function measureWith(after: (end: () => unknown) => void): Promise<Findings> {
  const sessions = new Map<string, ClaudeSession>();
  for (const [name, prepare] of Object.entries(sides))
    sessions.set(name, await sessionFor(noting([], calls), prepare, after));
  const { agent, daemon } = await sampleTogether(Object.keys(sides), rounds, async (name) => {
    const session = sessions.get(name);
    if (!session) throw new Error(`no side is called ${name}`);
    const pid = await daemonOf(session);
    const before = [ofChildren(), ofDaemon(pid)] as const;
    const { code, stderr } = await session.run({ allowedTools: "Bash" });
    const after = [ofChildren(), ofDaemon(pid)] as const;
    if (code !== 0) throw new Error(`${name}: the agent exited ${code}: ${stderr}`);
    await mustHaveRun(session, name);
    return { agent: (after[0] - before[0]) / calls, daemon: (after[1] - before[1]) / calls };
  });
  const added = without(agent, noHook);
  return {
    rows: [
      ...rowsOf("processor time of the agent for one call", "ms", agent),
      ...rowsOf("processor time of the daemon for one call", "ms", daemon),
    ],
    ratios: [
      ratioOf(added, { goal: "what a mod in the client's place adds", cost: alone, by: everywhere, atMost: 0.5 }),
      ratioOf(added, { goal: "what the client adds", cost: client, by: everywhere, atMost: 1.05 }),
      ratioOf(added, { goal: "what a mod beside the client adds", cost: beside, by: everywhere }),
    ],
  };
}

/** What a side takes more than another of the same round. */
const without = (samples: Samples, base: string): Samples => {
  const less = (readings: readonly number[]): number[] =>
    readings.map((reading, index) => reading - (samples.of(base)[index] ?? Number.NaN));
  return { names: samples.names, of: (name) => less(samples.of(name)), again: less(samples.again) };
};

/** Milliseconds; the kernel counts in hundredths of a second. */
const fieldsOf = (pid: number | "self"): number[] =>
  (readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1) ?? "").split(" ").map((field) => Number(field) * 10);
/** User and system time of children that have ended and were waited for, and of theirs. */
const ofChildren = (): number => (fieldsOf("self")[13] ?? 0) + (fieldsOf("self")[14] ?? 0);
const ofDaemon = (pid: number | undefined): number =>
  pid === undefined ? 0 : (fieldsOf(pid)[11] ?? 0) + (fieldsOf(pid)[12] ?? 0);

async function daemonOf(session: ClaudeSession): Promise<number | undefined> {
  const { daemon } = JSON.parse((await session.hookline("status", "--json")).stdout);
  return daemon?.pid;
}

/** A run of the rule for each call of the session was recorded. */
async function mustHaveRun(session: ClaudeSession, name: string): Promise<void> {
  if (!name.startsWith("Hookline")) return;
  const words = ["runs", "--event", "PreToolUse", "--limit", String(calls), "--json"];
  const runs = JSON.parse((await session.hookline(...words)).stdout);
  if (runs.length !== calls) throw new Error(`${name}: ${runs.length} of ${calls} runs were recorded`);
}
