/**
 * Dispatch inside one process: find the hooks of an event, test them, call them.
 *
 * Ours does what the engine does between an event and its handlers: plans.find(event), the plan's open test, the
 * step's context, the bound call. Nothing is recorded; whole-line.ts shows the whole line. hookable and eventemitter3 know no conditions,
 * so each of their callbacks asks its own, made beforehand. tapable's AsyncSeriesHook (synchronous taps) tests nothing.
 * "by hand" is the limit: two nested maps and a loop. Each side is checked to call the same callbacks before it is timed.
 *
 * Each case is taken in a thread of its own. One engine would know from the case before how often a loop is gone through,
 * and leave calls alone that it would otherwise make part of the loop: figures of one side would then be one or twice as high.
 */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { HookFunction } from "../src/actions/function/function.ts";
import type { HookEvent } from "../src/engine/event.ts";
import { callStep, contextOf, newStepScope, sharedScope } from "../src/engine/event-context.ts";
import type { HookSet } from "../src/engine/hook.ts";
import { type PlannedStep, type Plans, planHooks } from "../src/engine/plan.ts";
import type { Ports } from "../src/engine/ports.ts";
import type { StepRecord } from "../src/engine/record.ts";
import { checkCalls, events, foreignMatcher, repeat, repeatAwaited, type World } from "./dispatch-world.ts";
import {
  type Benchmark,
  type Findings,
  joined,
  ratioOf,
  rowsOf,
  type Samples,
  type Sampling,
  sampleWork,
  type Work,
} from "./measure.ts";
import { missingPeers, type Peers } from "./peers.ts";
import { firstTimes, wholeLine } from "./whole-line.ts";

export const dispatch: Benchmark = {
  name: "dispatch",
  about: "find, test and call the hooks of one event, in process",
  missing: missingPeers,
  async measure() {
    const parts: Findings[] = [];
    for (const name in cases) parts.push(await takeAlone(name));
    return joined(parts);
  },
};

/** What dispatch-case.ts takes, by name. */
export const cases: Readonly<Record<string, (world: World, peers: Peers) => Promise<Findings>>> = {
  noneMatch,
  tenMatch,
  tenMatchers,
  wholeLine,
  firstTimes,
};

async function takeAlone(name: string): Promise<Findings> {
  const worker = new Worker(new URL("dispatch-case.ts", import.meta.url), { workerData: name });
  const [findings] = await once(worker, "message"); // rejects with what the thread throws
  await worker.terminate();
  return findings;
}

const usual: Sampling = { rounds: 31, milliseconds: 12 };

/** The cheapest test of the same matcher that a callback can make for itself. */
function ownTest(index: number): (tool: string) => boolean {
  const matcher = foreignMatcher(index);
  if (matcher.endsWith(".*")) {
    const expression = new RegExp(`^${matcher}$`);
    return (tool) => expression.test(tool);
  }
  const [one, other] = matcher.split("|");
  return other === undefined ? (tool) => tool === one : (tool) => tool === one || tool === other;
}

function ours({ registry, patterns }: World, set: HookSet): (event: HookEvent) => number {
  const plans = planHooks(set, registry, patterns);
  return (event) => findTestCall(plans, event);
}

const caller = {};
const noPorts = {} as Ports; // the callbacks that are timed look at nothing
const noResults: readonly StepRecord[] = [];
const noSignal = new AbortController().signal;

/** What engine/evaluate.ts and engine/run.ts do between an event and its handlers, by the same functions. Counts the hooks. */
function findTestCall(plans: Plans, event: HookEvent): number {
  const found = plans.find(event);
  if (found.length === 0) return 0;
  const stepScope = newStepScope(event, caller, noPorts);
  let called = 0;
  for (const plan of found) {
    if (plan.open !== undefined && plan.open(sharedScope(stepScope)) === false) continue;
    let step: PlannedStep | undefined = plan.first ?? plan.prepare();
    do {
      callStep(step, contextOf(stepScope, plan.hook, "", step.step.timeout, noResults, undefined));
      step = step.next;
    } while (step !== undefined);
    called += 1;
  }
  return called;
}

async function noneMatch(world: World, peers: Peers): Promise<Findings> {
  const sides: Work[] = [];
  for (const count of [1000, 100, 10]) {
    const dispatchOne = ours(world, world.hooks(count, foreignMatcher));
    sides.push(repeat(`hookline, ${count} hooks`, dispatchOne));
  }
  sides.push(repeat("by hand, 1000 hooks", byHand(world, 1000, foreignMatcher)));
  for (const count of [1000, 10]) {
    const hooks = peers.hookable.createHooks();
    const emitter = new peers.eventemitter3.EventEmitter();
    for (let index = 0; index < count; index++) {
      const call = guarded(ownTest(index), world.callback());
      hooks.hook("PreToolUse", call);
      emitter.on("PreToolUse", call);
    }
    sides.push(repeatAwaited(`hookable, ${count} hooks`, (event) => hooks.callHook("PreToolUse", event)));
    sides.push(repeat(`eventemitter3, ${count} hooks`, (event) => emitter.emit("PreToolUse", event)));
  }
  await checkCalls(world, sides, 0);
  const samples = await sampleWork(sides, usual);
  return {
    rows: rowsOf("no hook matches", "ns", samples),
    ratios: [
      ratioOf(samples, {
        goal: "none of 1,000 hooks matches: near what 10 hooks cost",
        cost: "hookline, 1000 hooks",
        by: "hookline, 10 hooks",
        atMost: 10,
      }),
      ratioOf(samples, {
        goal: "none of 1,000 hooks matches: faster than hookable",
        cost: "hookable, 1000 hooks",
        by: "hookline, 1000 hooks",
        atLeast: 100,
      }),
      ratioOf(samples, {
        goal: "none of 1,000 hooks matches, against the limit",
        cost: "hookline, 1000 hooks",
        by: "by hand, 1000 hooks",
        atMost: 3,
      }),
    ],
  };
}

const guarded =
  (test: (tool: string) => boolean, call: HookFunction) =>
  (given: unknown): unknown => {
    const event = given as HookEvent; // what this benchmark emits
    return test(String(event.data.tool_name)) ? call(event, { signal: noSignal }) : undefined;
  };

/** The limit: which callbacks an event has is looked up in two maps; nothing else is known about a hook. */
function byHand(
  world: World,
  count: number,
  matcher: (index: number) => string | undefined,
): (event: HookEvent) => number {
  const calls = Array.from({ length: count }, () => world.callback());
  const byTool = new Map<unknown, HookFunction[]>();
  for (const { data } of events) byTool.set(data.tool_name, matcher(0) === undefined ? calls : []);
  const byName = new Map([["PreToolUse", byTool]]);
  return (event) => {
    const found = byName.get(event.name)?.get(event.data.tool_name) ?? [];
    for (const call of found) call(event, { signal: noSignal });
    return found.length;
  };
}

async function tenMatch(world: World, peers: Peers): Promise<Findings> {
  const samples = await sampleTen({ world, peers }, () => undefined, [hookableSide, emitterSide, limitSide]);
  return {
    rows: rowsOf("10 hooks match, the result awaited once", "ns", samples),
    ratios: [
      ratioOf(samples, {
        goal: "10 matching synchronous hooks: find, test and call",
        cost: "hookline",
        by: tapable,
        atMost: 1.5,
      }),
      ratioOf(samples, {
        goal: "10 matching synchronous hooks: faster than hookable",
        cost: "hookable",
        by: "hookline",
        atLeast: 10,
      }),
      ratioOf(samples, { goal: "10 matching synchronous hooks, against the limit", cost: "hookline", by: "by hand" }),
    ],
  };
}

async function tenMatchers(world: World, peers: Peers): Promise<Findings> {
  const samples = await sampleTen({ world, peers }, () => ".*", []);
  return {
    rows: rowsOf("10 hooks match, each with a matcher, the result awaited once", "ns", samples),
    ratios: [
      ratioOf(samples, {
        goal: "the same, each with a matcher",
        cost: "hookline",
        by: tapable,
        atMost: 1.5,
      }),
    ],
  };
}

const tapable = "tapable AsyncSeriesHook";
const ten = 10;
interface Both {
  world: World;
  peers: Peers;
}
type Side = (both: Both) => Work;

/** Ours and tapable's, and others beside them. */
async function sampleTen(
  both: Both,
  matcher: (index: number) => string | undefined,
  others: readonly Side[],
): Promise<Samples> {
  const { world } = both;
  const dispatchTen = ours(world, world.hooks(ten, matcher));
  const sides = [repeatAwaited("hookline", dispatchTen), tapableSide(both), ...others.map((side) => side(both))];
  await checkCalls(world, sides, ten);
  return sampleWork(sides, usual);
}

/** It looks at neither of its parameters. */
const foreignCallback = (world: World): ((event: unknown) => unknown) =>
  world.callback() as (event: unknown) => unknown;

const tapableSide: Side = ({ world, peers }) => {
  const series = new peers.tapable.AsyncSeriesHook(["event"]);
  for (let index = 0; index < ten; index++) series.tap(`tap-${index}`, foreignCallback(world));
  return repeatAwaited(tapable, (event) => series.promise(event));
};
const hookableSide: Side = ({ world, peers }) => {
  const hooks = peers.hookable.createHooks();
  for (let index = 0; index < ten; index++) hooks.hook("PreToolUse", foreignCallback(world));
  return repeatAwaited("hookable", (event) => hooks.callHook("PreToolUse", event));
};
const emitterSide: Side = ({ world, peers }) => {
  const emitter = new peers.eventemitter3.EventEmitter();
  for (let index = 0; index < ten; index++) emitter.on("PreToolUse", foreignCallback(world));
  return repeatAwaited("eventemitter3", (event) => emitter.emit("PreToolUse", event));
};
const limitSide: Side = ({ world }) =>
  repeatAwaited(
    "by hand",
    byHand(world, ten, () => undefined),
  );
