/** What dispatch costs beyond find, test and call: engine.emit from end to end, and what is paid once per set or name. */
import { createEngine } from "../src/engine/engine.ts";
import type { HookEvent } from "../src/engine/event.ts";
import type { HookSet } from "../src/engine/hook.ts";
import { planHooks } from "../src/engine/plan.ts";
import type { Store } from "../src/engine/record.ts";
import { createInlineQueue } from "../src/runtime/queues/inline.ts";
import { systemPorts } from "../src/runtime/system.ts";
import { openMemoryStore } from "../src/storage/memory/memory.ts";
import { eventAt, foreignMatcher, repeat, type World } from "./dispatch-world.ts";
import { type Findings, ratioOf, rowsOf, sampleWork, type Work } from "./measure.ts";
import { createNullStore } from "./null-store.ts";

export async function wholeLine(world: World): Promise<Findings> {
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
export async function firstTimes(world: World): Promise<Findings> {
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
