/**
 * Dispatch inside one process: find the hooks of an event, test them, call them.
 *
 * Ours does what the engine does between an event and its handlers: plans.find(event), the plan's open test, the step's
 * bound call. Nothing is recorded; the "emit" cases show the whole line. hookable and eventemitter3 know no conditions,
 * so each of their callbacks asks its own, made beforehand. tapable's AsyncSeriesHook (synchronous taps) tests nothing.
 * "by hand" is the limit: two nested maps and a loop. Each side is checked to call the same callbacks before it is timed.
 */
import { conditions } from "../src/conditions/index.ts";
import { loadPatterns } from "../src/conditions/patterns.ts";
import { createEngine } from "../src/core/engine.ts";
import type { HookEvent } from "../src/core/event.ts";
import type { Hook, HookSet } from "../src/core/hook.ts";
import { type Plans, planHooks, scopeOf } from "../src/core/plan.ts";
import type { Handler, Patterns, Ports, Registry, StepContext, Store } from "../src/core/ports.ts";
import { functionHandler, type HookFunction } from "../src/handlers/function.ts";
import { createInlineQueue } from "../src/queues/inline.ts";
import { openMemoryStore } from "../src/stores/memory.ts";
import { systemPorts } from "../src/system.ts";
import { type Benchmark, type Findings, ratioOf, rowsOf, type Sampling, sampleWork, type Work } from "./measure.ts";
import { createNullStore } from "./null-store.ts";
import { loadPeers, type Peers } from "./peers.ts";

export const dispatch: Benchmark = {
  name: "dispatch",
  about: "find, test and call the hooks of one event, in process",
  async measure() {
    const world = await makeWorld();
    const parts = [await noneMatch(world), await tenMatch(world), await wholeLine(world), await firstTimes(world)];
    return { rows: parts.flatMap(({ rows }) => rows), ratios: parts.flatMap(({ ratios }) => ratios) };
  },
};

const usual: Sampling = { rounds: 31, milliseconds: 12 };

interface World {
  peers: Peers;
  registry: Registry;
  patterns: Patterns;
  /** Calls of callbacks so far: what each side has to agree on. */
  calls(): number;
  callback(): HookFunction;
  hooks(count: number, matcher: (index: number) => string | undefined): HookSet;
}

async function makeWorld(): Promise<World> {
  const functions = new Map<string, HookFunction>();
  const handlers = new Map([["function", functionHandler(functions) as Handler]]); // its schema checks what it is given
  let calls = 0;
  const callback = (): HookFunction => () => {
    calls += 1;
  };
  return {
    peers: await loadPeers(),
    registry: { handlers, conditions },
    patterns: await loadPatterns({ regex: true }),
    calls: () => calls,
    callback,
    hooks(count, matcher) {
      const hooks = Array.from({ length: count }, (_, index) => hookOf(`hook-${index}`, matcher(index)));
      for (const { id } of hooks) functions.set(id, callback());
      return { id: `${count} hooks`, hooks };
    },
  };
}

const hookOf = (id: string, matcher: string | undefined): Hook => ({
  id,
  name: id,
  on: { event: ["PreToolUse"] },
  ...(matcher === undefined ? {} : { when: { is: "match", with: matcher } }),
  steps: [{ uses: "function", with: { id }, timeout: 60, onError: "stop" }],
  limits: { overlap: "skip" },
  mode: "sync",
  role: "observe",
  onFailure: "continue",
  priority: 100,
  enabled: true,
  tags: [],
  origin: { dialect: "config", layer: "local" },
});

/** A session's tools come in turn, so that no side meets one event alone. */
const events: readonly HookEvent[] = [
  "Bash",
  "Read",
  "Edit",
  "Grep",
  "Write",
  "Glob",
  "WebFetch",
  "mcp__github__search",
].map((tool, index) => ({
  id: `event-${index}`,
  name: "PreToolUse",
  at: 1_790_000_000_000,
  cwd: "/project",
  data: { tool_name: tool, tool_input: { command: "git status" } },
  sender: "embedder",
  session: "session",
}));
const eventAt = (index: number): HookEvent => events[index & 7] as HookEvent; // there are eight

/** Names, lists and expressions, as people write them; none of them fits an event above. */
const foreignMatcher = (index: number): string =>
  index % 5 === 4 ? `mcp__server${index}__.*` : index % 5 === 3 ? `Tool${index}|Other${index}` : `Tool${index}`;

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

const repeat = (name: string, work: (event: HookEvent) => unknown): Work => ({
  name,
  run(times) {
    for (let index = 0; index < times; index++) work(eventAt(index));
  },
});
const repeatAwaited = (name: string, work: (event: HookEvent) => unknown): Work => ({
  name,
  async run(times) {
    for (let index = 0; index < times; index++) await work(eventAt(index));
  },
});

function ours({ registry, patterns }: World, set: HookSet): (event: HookEvent) => number {
  const plans = planHooks(set, registry, patterns);
  return (event) => findTestCall(plans, event);
}

const caller = {};
const noPorts = {} as Ports; // the callbacks that are timed look at nothing
const noSignal = new AbortController().signal;

/** What the engine does between an event and its handlers, and nothing else. Answers how many hooks were called. */
function findTestCall(plans: Plans, event: HookEvent): number {
  const found = plans.find(event);
  if (found.length === 0) return 0;
  const scope = scopeOf(event);
  let called = 0;
  for (const plan of found) {
    if (plan.open && plan.open(scope) === false) continue;
    const { hook } = plan;
    const context: StepContext = { event, hook, scope, run: "", timeout: 60, caller, ports: noPorts, signal: noSignal };
    for (const step of plan.steps()) step.handler.run(step.render(scope), context);
    called += 1;
  }
  return called;
}

async function noneMatch(world: World): Promise<Findings> {
  const sides: Work[] = [];
  for (const count of [1000, 100, 10]) {
    const dispatchOne = ours(world, world.hooks(count, foreignMatcher));
    sides.push(repeat(`hookline, ${count} hooks`, dispatchOne));
  }
  sides.push(repeat("by hand, 1000 hooks", byHand(world, 1000, foreignMatcher)));
  for (const count of [1000, 10]) {
    const hooks = world.peers.hookable.createHooks();
    const emitter = new world.peers.eventemitter3.EventEmitter();
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

async function tenMatch(world: World): Promise<Findings> {
  const count = 10;
  const everything = (): undefined => undefined;
  const series = new world.peers.tapable.AsyncSeriesHook(["event"]);
  const hooks = world.peers.hookable.createHooks();
  const emitter = new world.peers.eventemitter3.EventEmitter();
  for (let index = 0; index < count; index++) {
    const call = world.callback() as (event: unknown) => unknown; // it looks at neither of its parameters
    series.tap(`tap-${index}`, call);
    hooks.hook("PreToolUse", call);
    emitter.on("PreToolUse", call);
  }
  const sides: Work[] = [
    repeatAwaited("hookline", ours(world, world.hooks(count, everything))),
    repeatAwaited("tapable AsyncSeriesHook", (event) => series.promise(event)),
    repeatAwaited(
      "hookline, each with a matcher",
      ours(
        world,
        world.hooks(count, () => ".*"),
      ),
    ),
    repeatAwaited("hookable", (event) => hooks.callHook("PreToolUse", event)),
    repeatAwaited("eventemitter3", (event) => emitter.emit("PreToolUse", event)),
    repeatAwaited("by hand", byHand(world, count, everything)),
  ];
  await checkCalls(world, sides, count);
  const samples = await sampleWork(sides, usual);
  return {
    rows: rowsOf("10 hooks match, the result awaited once", "ns", samples),
    ratios: [
      ratioOf(samples, {
        goal: "10 matching synchronous hooks: find, test and call",
        cost: "hookline",
        by: "tapable AsyncSeriesHook",
        atMost: 1.5,
      }),
      ratioOf(samples, {
        goal: "the same, each with a matcher",
        cost: "hookline, each with a matcher",
        by: "tapable AsyncSeriesHook",
        atMost: 1.5,
      }),
      ratioOf(samples, {
        goal: "10 matching synchronous hooks: faster than hookable",
        cost: "hookable",
        by: "hookline",
      }),
      ratioOf(samples, { goal: "10 matching synchronous hooks, against the limit", cost: "hookline", by: "by hand" }),
    ],
  };
}

async function wholeLine(world: World): Promise<Findings> {
  const cases: readonly { name: string; count: number; matches: boolean }[] = [
    { name: "no hook", count: 0, matches: false },
    { name: "none of 10", count: 10, matches: false },
    { name: "none of 100", count: 100, matches: false },
    { name: "none of 1000", count: 1000, matches: false },
    { name: "10 matching", count: 10, matches: true },
  ];
  const sides = cases.flatMap(({ name, count, matches }) => {
    const set = world.hooks(count, matches ? () => undefined : foreignMatcher);
    return stores.map((store) => repeat(`${name}, ${store.name}`, emitter(world, set, store.open())));
  });
  const samples = await sampleWork(sides, { rounds: 15, milliseconds: 10 });
  const rows = rowsOf("engine.emit, the whole line", "ns", samples);
  const flat = ratioOf(samples, {
    goal: "engine.emit, none of 1,000 matches, against 10",
    cost: "none of 1000, null store",
    by: "none of 10, null store",
  });
  return { rows, ratios: [flat] };
}

const stores: readonly { name: string; open(): Store }[] = [
  { name: "null store", open: createNullStore },
  { name: "memory store", open: () => openMemoryStore() },
];

function emitter({ registry, patterns }: World, set: HookSet, store: Store): (event: HookEvent) => unknown {
  const engine = createEngine({
    ...systemPorts(),
    store,
    queue: createInlineQueue(),
    hooks: () => set,
    registry,
    patterns,
  });
  return (event) => engine.emit(event);
}

/** What is paid once: per reload of the hook files, and per tool name that was never seen. */
async function firstTimes(world: World): Promise<Findings> {
  const set = world.hooks(1000, foreignMatcher);
  const plans = planHooks(set, world.registry, world.patterns);
  let seen = 0;
  const unseen = (): HookEvent => ({ ...eventAt(0), data: { tool_name: `Unseen${seen++}`, tool_input: {} } });
  const sides: Work[] = [
    repeat("1,000 hooks read for the first time", (event) =>
      planHooks(set, world.registry, world.patterns).find(event),
    ),
    repeat("a tool name for the first time", () => plans.find(unseen())),
  ];
  return { rows: rowsOf("paid once", "ns", await sampleWork(sides, { rounds: 9, milliseconds: 20 })), ratios: [] };
}

/** Same result before timing: each side calls as many callbacks per event as it should. */
async function checkCalls(world: World, sides: readonly Work[], expected: number): Promise<void> {
  for (const { name, run } of sides) {
    const before = world.calls();
    await run(events.length);
    const each = (world.calls() - before) / events.length;
    if (each !== expected) throw new Error(`${name} calls ${each} hooks per event, not ${expected}`);
  }
}
