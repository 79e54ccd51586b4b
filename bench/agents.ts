/**
 * What a hook costs a real Claude Code for each tool call: the gap between two requests to its model.
 *
 * A scripted model on loopback asks for 20 calls of Bash, one after another; what lies between a request and the next is
 * the agent's own work, the tool, and its hooks. Sides: no hook; a command hook `true` of its own before each call, two of
 * them, and the same on every event that ours is registered for: what the agent's own starting of programs costs there; ours
 * with one and with 50 rules that match each call, are recorded and only write a log line, as `hookline install`
 * registers it (that is for all but a few events of the agent, so for two of them on each call), through the client that
 * install chooses and over HTTP, with the daemon up; an empty server behind the registrations of the latter; and a guard of
 * another project, written for Node, before each call of Bash. One reading is the median of a session's gaps, all but the
 * first two.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { installAgents } from "../scripts/install-agents.ts";
import { claudeCode } from "../src/agents/claude-code/adapter.ts";
import { type ClaudeSession, startClaude } from "../test/real-agents/claude-session.ts";
import { findAgent } from "../test/real-agents/installed.ts";
import type { ScriptedTurn } from "../testing/scripted-model.ts";
import { type Benchmark, type Findings, isQuick, quantile, ratioOf, rowsOf, sampleReadings, sized } from "./measure.ts";
import { hasPeer } from "./peers.ts";

export const agents: Benchmark = {
  name: "agents",
  about: "one tool call of a real Claude Code, from one request to its model to the next",
  missing() {
    const found = findAgent("claude-code");
    if (!("missing" in found)) return undefined;
    return isQuick ? found.missing : installAgents();
  },
  leftOut: () => (hasPeer("cc-safety-net") ? [] : [`${guardInNode}: it is not installed`]),
  async measure() {
    const ends: (() => unknown)[] = [];
    try {
      return await measureWith((end) => void ends.unshift(end));
    } finally {
      for (const end of ends) await end();
    }
  },
};

const rounds = 10;
const calls = sized(20, 3);
/** The agent's first calls load what it needs for them. */
const warmUp = 2;

const noHook = "no hook";
const own = "`true`, one command hook of its own";
const ownTwice = "`true` twice, two command hooks of its own";
const everywhere = "`true` on each event that ours is registered for";
const everywhereTwice = "`true` twice on each event that ours is registered for";
const shell = "Hookline, one rule, the usual client";
const http = "Hookline, one rule, over HTTP";
const emptyServer = "an empty server behind the same registrations as over HTTP";
const guardInNode = "a guard in Node: cc-safety-net, one command hook of its own";
const fifty = "Hookline, 50 rules, the usual client";

/** Their words differ: of equal hooks the agent runs one. */
function ownHooks(count: number, events: readonly string[]): string {
  const hooks = Array.from({ length: count }, (_, index) => ({ type: "command", command: `true ${index}` }));
  return JSON.stringify({ hooks: Object.fromEntries(events.map((event) => [event, [{ hooks }]])) });
}
const rules = (count: number): string =>
  Array.from({ length: count }, (_, index) =>
    [
      `- id: rule-${index}`,
      "  on: tool_start",
      `  condition: { type: tool_name, match: "Bash" }`,
      `  action: { type: log, message: "call ${index}" }`,
      "",
    ].join("\n"),
  ).join("");

export type Prepare = (session: ClaudeSession, after: (end: () => unknown) => void) => Promise<void>;

export const ownSettings =
  (count: number, events: readonly string[] = ["PreToolUse"]): Prepare =>
  async ({ write }) =>
    write(".claude/settings.json", ownHooks(count, events));

export const hookline =
  (count: number, ...words: string[]): Prepare =>
  async (session, after) => {
    await session.write(".hookline/rules/bench.yaml", rules(count));
    const { stdout } = await session.hookline("trust", "list", "--json");
    for (const { path, hash } of JSON.parse(stdout)) await mustWork(session, "trust", path, "--hash", hash);
    await mustWork(session, "up", "--background", "--port", "0");
    after(() => session.hookline("down"));
    await mustWork(session, "install", "claude-code", ...words);
  };

/** What ours registers over HTTP, with `true` for its commands and a server for its URLs that reads the payload and answers `{}`. */
const emptyBehindOurs: Prepare = async (session, after) => {
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  await mustWork(session, "install", "claude-code", "--http");
  const file = ".claude/settings.json";
  const settings = JSON.parse(await session.readAtHome(file), (name, value) => {
    if (name === "url") return String(value).replace(/:\d+\//, `:${port}/`);
    return name === "command" ? "true" : value;
  });
  await session.writeAtHome(file, JSON.stringify(settings));
};

const nodeGuard: Prepare = async ({ write }) => {
  const program = join(import.meta.dirname, "node_modules", "cc-safety-net", "dist", "bin", "cc-safety-net.js");
  const hooks = [{ type: "command", command: `"${process.execPath}" "${program}" hook --claude-code` }];
  await write(".claude/settings.json", JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Bash", hooks }] } }));
};

async function mustWork(session: ClaudeSession, ...words: string[]): Promise<void> {
  const { code, stderr } = await session.hookline(...words);
  if (code !== 0) throw new Error(`hookline ${words.join(" ")} exited ${code}: ${stderr}`);
}

const sides: Readonly<Record<string, Prepare>> = {
  [own]: ownSettings(1),
  [noHook]: async () => {},
  [ownTwice]: ownSettings(2),
  [shell]: hookline(1),
  [http]: hookline(1, "--http"),
  [emptyServer]: emptyBehindOurs,
  [fifty]: hookline(50),
  [everywhere]: ownSettings(1, claudeCode.settings.events),
  [everywhereTwice]: ownSettings(2, claudeCode.settings.events),
  ...(hasPeer("cc-safety-net") && { [guardInNode]: nodeGuard }),
};

interface Side {
  name: string;
  /** One session; milliseconds. */
  gap(): Promise<number>;
}

async function measureWith(after: (end: () => unknown) => void): Promise<Findings> {
  const ready: Side[] = [];
  for (const [name, prepare] of Object.entries(sides)) ready.push(await sideOf(name, prepare, after));
  const samples = await sampleReadings(Object.keys(sides), rounds, async (name) => {
    const side = ready.find((one) => one.name === name);
    if (!side) throw new Error(`no side is called ${name}`);
    return side.gap();
  });
  return {
    rows: rowsOf("gap between two requests", "ms", samples),
    ratios: [
      ratioOf(samples, {
        goal: "the usual client, where `true` is on the same events",
        cost: shell,
        by: everywhere,
        atMost: 1.15,
      }),
      ratioOf(samples, { goal: "over HTTP", cost: http, by: emptyServer, atMost: 1.05 }),
      ratioOf(samples, { goal: "50 rules, where two `true` are on the same events", cost: fifty, by: everywhereTwice }),
      ratioOf(samples, { goal: "the usual client, against no hook at all", cost: shell, by: noHook }),
      ratioOf(samples, { goal: "over HTTP, against no hook at all", cost: http, by: noHook }),
      ratioOf(samples, { goal: "the usual client, against one `true`", cost: shell, by: own }),
      ratioOf(samples, { goal: "`true` on the same events, against one `true`", cost: everywhere, by: own }),
      ...(hasPeer("cc-safety-net")
        ? [ratioOf(samples, { goal: "a guard in Node, against no hook at all", cost: guardInNode, by: noHook })]
        : []),
    ],
  };
}

export async function sessionFor(
  turns: readonly ScriptedTurn[],
  prepare: Prepare,
  after: (end: () => unknown) => void,
): Promise<ClaudeSession> {
  // what startClaude needs of a test: where it may stop, and who cleans up
  const context = { after, signal: new AbortController().signal } as unknown as TestContext;
  const session = await startClaude(context, { turns, endText: "Done." }, { daemon: true });
  await prepare(session, after);
  return session;
}

async function sideOf(name: string, prepare: Prepare, after: (end: () => unknown) => void): Promise<Side> {
  const asked: number[] = [];
  const session = await sessionFor(noting(asked, calls), prepare, after);
  return {
    name,
    async gap() {
      asked.length = 0;
      const { code, stderr } = await session.run({ allowedTools: "Bash" });
      const gaps = asked.slice(1).map((at, index) => at - (asked[index] ?? Number.NaN));
      if (code !== 0 || gaps.length !== calls)
        throw new Error(`${name}: the agent exited ${code} after ${gaps.length} of ${calls} calls: ${stderr}`);
      await mustHaveRun(session, name);
      return quantile(gaps.slice(warmUp), 0.5);
    },
  };
}

/** The script's turns, with the moment at which each was first asked for. */
export function noting(asked: number[], calls: number): readonly ScriptedTurn[] {
  const call = { calls: [{ tool: "Bash", input: { command: "true", description: "nothing" } }] };
  const turns: ScriptedTurn[] = [...Array(calls).fill(call), { text: "Done." }];
  return new Proxy(turns, {
    get(all, key) {
      const turn = typeof key === "string" ? Number(key) : Number.NaN;
      if (Number.isInteger(turn)) asked[turn] ??= performance.now();
      return Reflect.get(all, key);
    },
  });
}

/** Ours has written down a run of each rule for each call of the session; the others leave nothing. */
async function mustHaveRun(session: ClaudeSession, name: string): Promise<void> {
  if (!name.startsWith("Hookline")) return;
  const count = name === fifty ? 50 : 1;
  const { stdout } = await session.hookline(
    "runs",
    "--event",
    "PreToolUse",
    "--limit",
    String(calls * count),
    "--json",
  );
  const completed = JSON.parse(stdout).filter(({ status }: { status: string }) => status === "completed").length;
  const { daemon } = JSON.parse((await session.hookline("status", "--json")).stdout);
  const heard = Number(daemon?.activity?.events ?? 0);
  if (heard < calls) throw new Error(`${name}: the daemon heard of ${heard} events, and there were ${calls} calls`);
  if (completed !== calls * count) throw new Error(`${name}: ${completed} of ${calls * count} runs were recorded`);
}
