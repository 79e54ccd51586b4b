/**
 * Made-up sessions of each agent, sent through its adapter into the engine: parallel calls, retries, the same call refused and then let
 * through, reports that come late, twice or by another registration, sessions that end or do not. What really happened to each call is
 * known here, and compared with its receipt.
 */
import assert from "node:assert/strict";
import { agents, isHeadless, reportsOf } from "../../src/agents/index.ts";
import { conditions } from "../../src/conditions/index.ts";
import { loadPatterns } from "../../src/conditions/patterns.ts";
import { createEngine, type Engine } from "../../src/engine/engine.ts";
import type { Outcome } from "../../src/engine/outcome.ts";
import type { Handler, Ports } from "../../src/engine/ports.ts";
import type { ReceiptState } from "../../src/engine/receipt.ts";
import type { Store } from "../../src/engine/record.ts";
import { anything, isRecord } from "../../src/engine/schema.ts";
import { createInlineQueue } from "../../src/runtime/queues/inline.ts";
import { systemPorts } from "../../src/runtime/system.ts";
import { aHook } from "../engine/a-hook.ts";
import { type RecordedAgent, recordedAgents } from "./recorded-agents.ts";

export const agentNames: readonly string[] = Object.keys(recordedAgents);

/** What is said about commands: forbidden ones are refused, until a person lets them pass. */
function judge(command: string, isLifted: boolean): Outcome {
  const verdict = (is: "deny" | "ask"): Outcome => ({ verdict: { is, reason: "because", by: "judge" } });
  if (command.startsWith("forbidden") && !isLifted) return verdict("deny");
  if (command.startsWith("risky")) return verdict("ask");
  return command.startsWith("long") ? { updatedInput: { command: command.replace("long", "short") } } : {};
}

interface Teller {
  engine: Engine;
  store: Store;
  /** Answers what the payload came to, and the ids of its events. */
  send(
    agent: string,
    sent: { event?: string; wire: object },
    registration: string,
  ): Promise<{ outcome: Outcome; ids: string[] }>;
  lift(command: string): void;
}

async function tellerOf(store: Store): Promise<Teller> {
  const lifted = new Set<string>();
  const system = systemPorts();
  const judges: Handler = {
    params: anything as Handler["params"], // it takes any fields
    run(_params, { event }) {
      const { tool_input: input } = event.data;
      const command = isRecord(input) && typeof input.command === "string" ? input.command : "";
      const said = judge(command, lifted.has(command));
      const whole = said.updatedInput && isRecord(input) ? { updatedInput: { ...input, ...said.updatedInput } } : said;
      return { ok: true, output: {}, outcome: whole as Outcome };
    },
  };
  const hook = aHook("judge", "judges", { role: "guard", origin: { dialect: "script", layer: "user" } });
  const ports: Ports = {
    ...system,
    store,
    queue: createInlineQueue(),
    hooks: () => ({ id: "set", hooks: [hook] }),
    registry: { handlers: new Map([["judges", judges]]), conditions },
    patterns: await loadPatterns(),
    reports: reportsOf,
    unanswered: (event) => (isHeadless(event, {}) ? "deny" : undefined),
  };
  const engine = createEngine(ports);
  return {
    engine,
    store,
    lift: (command) => lifted.add(command),
    async send(agent, { event, wire }, registration) {
      const adapter = agents[agent];
      assert.ok(adapter);
      const options = {
        at: system.now(),
        id: system.id,
        cwd: "/workspace/repo",
        registration: `${agent} ${registration}`,
      };
      const events = adapter.decode(wire, { ...options, ...(event !== undefined && { event }) });
      let outcome: Outcome = {};
      for (const one of [...events.flatMap((each) => adapter.derived?.(each, system.id) ?? []), ...events])
        outcome = { ...outcome, ...(await engine.emit(one)) };
      return { outcome, ids: events.map(({ id }) => id) };
    },
  };
}

/** The same numbers for the same seed. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

interface Call {
  id: string;
  command: string;
  event: string;
  asked: Outcome;
  /** With which command it ran; undefined: it did not. */
  ran?: string;
}

export interface Told {
  calls: number;
  /** How many there were of each: what really happened, and what its receipt says. */
  counts: Map<string, number>;
}

const disobeyed = ({ asked, ran, command }: Call): boolean =>
  ran !== undefined && (asked.verdict?.is === "deny" || (asked.updatedInput !== undefined && ran === command));

/**
 * One session.
 *
 * @param obeys the agent does what it is told; else it does not, one time in three
 */
async function tellSession(
  teller: Teller,
  agent: string,
  { seed, obeys }: { seed: number; obeys: boolean },
): Promise<Told> {
  const sends = recordedAgents[agent];
  assert.ok(sends);
  const random = randomFrom(seed);
  const oneIn = (times: number): boolean => random(times) === 0;
  const session = `${agent}-${seed}`;
  const calls: Call[] = [];
  const late: (() => Promise<unknown>)[] = [];
  const named = sends.before({ session, id: "x", command: "x", at: 0 });
  const hasIds = JSON.stringify(named.wire).includes('"x"') && reportsOf({ ...blank, sender: agent })?.id !== undefined;
  let at = 1_795_000_000_000 + seed * 1_000_000;
  const moment = (): number => (at += 1 + random(900));
  const commands = ["ls", "cat a.txt", "forbidden one", "forbidden two", "risky one", "long one", `echo ${seed}`];

  /** By one registration or by two, now and then twice by the first. */
  async function report(sent: ReturnType<RecordedAgent["before"]>): Promise<{ outcome: Outcome; ids: string[] }> {
    const first = await teller.send(agent, sent, "user");
    if (oneIn(6)) await teller.send(agent, sent, "project");
    return first;
  }

  async function judged(command: string): Promise<Call> {
    const id = `call_${seed}_${calls.length}`;
    const { outcome, ids } = await report(sends?.before({ session, id, command, at: moment() }) ?? named);
    const call: Call = { id, command, event: ids[0] ?? "", asked: outcome };
    calls.push(call);
    return call;
  }

  async function worked(call: Call): Promise<void> {
    const { verdict, updatedInput } = call.asked;
    const given = updatedInput ? call.command.replace("long", "short") : call.command;
    const disobeys = !obeys && oneIn(3);
    const runs = verdict?.is === "deny" ? disobeys : !oneIn(8);
    if (!runs) return;
    call.ran = disobeys ? call.command : given;
    const make = oneIn(5) && sends?.failed ? sends.failed : sends?.ran;
    const sent = make?.({ session, id: call.id, command: call.ran, at: moment() });
    assert.ok(sent);
    const isLate = oneIn(9) && (hasIds || calls.every(({ command }) => command !== call.command || !call.ran));
    if (isLate) late.push(() => report(sent));
    else await report(sent);
    if (oneIn(9) && hasIds) await teller.send(agent, sent, "user");
  }

  for (let turn = 0; turn < 1 + random(4); turn++) {
    if (!oneIn(10)) await report(sends.prompt({ session, at: moment() }));
    for (let step = 0; step < random(5); step++) {
      const together: Call[] = [];
      for (let count = 0; count < 1 + random(3); count++)
        together.push(await judged(commands[random(commands.length)] ?? "ls"));
      for (const call of together.toSorted(() => random(3) - 1)) await worked(call);
      if (oneIn(12) && late.length === 0) teller.lift("forbidden two");
    }
    if (!oneIn(8)) await report(sends.stop({ session, at: moment() }));
    for (const one of late.splice(0)) await one();
  }
  if (sends.end && oneIn(2)) await report(sends.end({ session, at: moment() }));
  for (const one of late) await one();
  return compared(teller.store, { agent, calls, hasIds, seed });
}

/** Many sessions of one agent, in one store. */
export async function tellMany(
  store: Store,
  agent: string,
  { sessions, obeys }: { sessions: number; obeys: boolean },
): Promise<Told> {
  const teller = await tellerOf(store);
  const all: Told = { calls: 0, counts: new Map() };
  for (let seed = 1; seed <= sessions; seed++) {
    const { calls, counts } = await tellSession(teller, agent, { seed: obeys ? -seed : seed, obeys });
    all.calls += calls;
    for (const [kind, count] of counts) all.counts.set(kind, (all.counts.get(kind) ?? 0) + count);
  }
  await teller.engine.close();
  assert.ok(obeys || (all.counts.get("disobeyed disobeyed") ?? 0) > 0, "what is disobeyed is seen");
  return all;
}

const blank = { id: "", name: "PreToolUse", at: 0, cwd: "/", data: {} } as const;

async function compared(
  store: Store,
  { agent, calls, hasIds, seed }: { agent: string; calls: readonly Call[]; hasIds: boolean; seed: number },
): Promise<Told> {
  const counts = new Map<string, number>();
  for (const call of calls) {
    const receipt = (await store.event(call.event))?.receipt;
    const is: ReceiptState | "none" = receipt?.is ?? "none";
    const really = disobeyed(call) ? "disobeyed" : "ordinary";
    const words = `${agent}, seed ${seed}: ${call.command} was answered ${JSON.stringify(call.asked)} and ran as ${call.ran}; its receipt: ${JSON.stringify(receipt)}`;
    // Without ids, calls alike cannot be told apart: one of them was disobeyed.
    const isOne = hasIds ? disobeyed(call) : calls.some((one) => one.command === call.command && disobeyed(one));
    if (really === "disobeyed") assert.notEqual(is, "obeyed", words);
    if (is === "disobeyed") assert.ok(isOne, words);
    counts.set(`${really} ${is}`, (counts.get(`${really} ${is}`) ?? 0) + 1);
  }
  return { calls: calls.length, counts };
}
