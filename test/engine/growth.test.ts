/** What an event costs as hooks become many, counted by how often anything of a hook is looked at. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { conditions } from "../../src/conditions/index.ts";
import { loadPatterns } from "../../src/conditions/patterns.ts";
import { createEngine } from "../../src/engine/engine.ts";
import type { HookEvent } from "../../src/engine/event.ts";
import type { Hook, HookSet } from "../../src/engine/hook.ts";
import { planHooks } from "../../src/engine/plan.ts";
import type { Handler, Ports, Registry } from "../../src/engine/ports.ts";
import { anything } from "../../src/engine/schema.ts";
import { createInlineQueue } from "../../src/runtime/queues/inline.ts";
import { systemPorts } from "../../src/runtime/system.ts";
import { openMemoryStore } from "../../src/storage/memory/memory.ts";
import { aHook } from "./a-hook.ts";

const counts = [100, 1_000] as const;

const nothing: Handler = {
  params: anything as Handler["params"], // it takes any fields
  run: () => ({ ok: true, output: {} }),
};
const registry: Registry = { handlers: new Map([["nothing", nothing]]), conditions };

const hookOf = (index: number, given: Partial<Hook>): Hook =>
  aHook(`hook-${index}`, "nothing", {
    origin: { dialect: "script", layer: "project", root: `/project/${index}` },
    ...given,
  });

/** Hooks that count how often somebody looks at a field of one of them. */
function countedSet(count: number, given: (index: number) => Partial<Hook>): { set: HookSet; looks(): number } {
  let looks = 0;
  const hooks = Array.from(
    { length: count },
    (_, index) =>
      new Proxy(hookOf(index, given(index)), {
        get(hook, field, receiver) {
          looks += 1;
          return Reflect.get(hook, field, receiver);
        },
      }),
  );
  return { set: { id: `${count}`, hooks }, looks: () => looks };
}

const eventOf = (tool: string): HookEvent => ({
  id: `event-${tool}`,
  name: "PreToolUse",
  at: 1,
  cwd: "/project",
  sender: "emit",
  data: { tool_name: tool, tool_input: {} },
});

/** Ten times the hooks may be looked at ten times as often, and some more. */
function assertLinear(looks: readonly number[]): void {
  const each = looks.map((one, index) => one / (counts[index] ?? 1));
  const [first = 0, ...others] = each;
  for (const one of others) assert.ok(one <= first * 1.2 + 1, `looks at each hook: ${each.join(", ")}`);
}

test("making the plans of a set looks at each hook so often, however many there are", async () => {
  const patterns = await loadPatterns();
  const looks = counts.map((count) => {
    const { set, looks } = countedSet(count, (index) => ({ when: { is: "match", with: `Tool${index}` } }));
    planHooks(set, registry, patterns).find(eventOf("Bash"));
    return looks();
  });
  assertLinear(looks);
});

test("finding the hooks of an event looks at none of those that do not match", async () => {
  const patterns = await loadPatterns();
  for (const count of counts) {
    const { set, looks } = countedSet(count, (index) => ({ when: { is: "match", with: `Tool${index}` } }));
    const plans = planHooks(set, registry, patterns);
    plans.find(eventOf("Bash"));
    const before = looks();
    for (let time = 0; time < 100; time++) assert.equal(plans.find(eventOf("Bash")).length, 0);
    assert.equal(looks() - before, 0, `of ${count}`);
  }
});

for (const { what, given } of [
  { what: "hooks that do the same in projects of their own", given: () => ({}) },
  {
    what: "hooks that do different things",
    given: (index: number): Partial<Hook> => ({
      steps: [{ uses: "nothing", with: { index }, timeout: 5, onError: "stop" }],
    }),
  },
  {
    what: "hooks that are one by many paths",
    given: (): Partial<Hook> => ({ origin: { dialect: "script", layer: "user" } }),
  },
])
  test(`an event that asks all of them looks at each so often, however many there are: ${what}`, async () => {
    const patterns = await loadPatterns();
    const looks: number[] = [];
    for (const count of counts) {
      const { set, looks: sofar } = countedSet(count, given);
      const store = openMemoryStore({ limit: 100_000 });
      const ports: Ports = {
        ...systemPorts(),
        store: { ...store, saveRun() {} },
        queue: createInlineQueue(),
        hooks: () => set,
        registry,
        patterns,
      };
      await createEngine(ports).emit(eventOf("Bash"));
      looks.push(sofar());
    }
    assertLinear(looks);
  });
