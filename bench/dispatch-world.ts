/** The hooks, events and callbacks that the dispatch measurements share, and the check that all sides do the same work. */

import { type Callback, callbackOf, functionHandler, type HookFunction } from "../src/actions/function/function.ts";
import { conditions } from "../src/conditions/index.ts";
import { loadPatterns } from "../src/conditions/patterns.ts";
import type { HookEvent } from "../src/engine/event.ts";
import type { Hook, HookSet } from "../src/engine/hook.ts";
import type { Handler, Patterns, Registry } from "../src/engine/ports.ts";
import { aHook } from "../test/engine/a-hook.ts";
import type { Work } from "./measure.ts";

export interface World {
  registry: Registry;
  patterns: Patterns;
  /** Calls of callbacks so far: what each side has to agree on. */
  calls(): number;
  callback(): HookFunction;
  hooks(count: number, matcher: (index: number) => string | undefined): HookSet;
}

export async function makeWorld(): Promise<World> {
  const functions = new Map<string, Callback>();
  const handlers = new Map([["function", functionHandler(functions) as Handler]]); // its schema checks what it is given
  let calls = 0;
  const callback = (): HookFunction => () => {
    calls += 1;
  };
  return {
    registry: { handlers, conditions },
    patterns: await loadPatterns({ regex: true }),
    calls: () => calls,
    callback,
    hooks(count, matcher) {
      const hooks = Array.from({ length: count }, (_, index) => hookOf(`hook-${index}`, matcher(index)));
      for (const { id } of hooks) functions.set(id, callbackOf(callback()));
      return { id: `${count} hooks`, hooks };
    },
  };
}

const hookOf = (id: string, matcher: string | undefined): Hook =>
  aHook(id, "function", {
    ...(matcher === undefined ? {} : { when: { is: "match", with: matcher } }),
    steps: [{ uses: "function", with: { id }, timeout: 60, onError: "stop" }],
    limits: { overlap: "skip" },
  });

/** A session's tools come in turn, so that no side meets one event alone. */
export const events: readonly HookEvent[] = [
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
export const eventAt = (index: number): HookEvent => events[index & 7] as HookEvent; // there are eight

/** Names, lists and expressions, as people write them; none of them fits an event above. */
export const foreignMatcher = (index: number): string =>
  index % 5 === 4 ? `mcp__server${index}__.*` : index % 5 === 3 ? `Tool${index}|Other${index}` : `Tool${index}`;

type Repeated = (event: HookEvent) => unknown;
export const repeat = (name: string, work: Repeated): Work => ({ name, run: loopOf("", "", work) });
export const repeatAwaited = (name: string, work: Repeated): Work => ({ name, run: loopOf("async", "await", work) });

/**
 * Made anew for each side: of one loop for all, the engine would know that it calls many things, and make none part of it.
 * What the work gives is kept, else the engine might see that nobody needs it.
 */
const loopOf = (kind: string, wait: string, work: Repeated): Work["run"] =>
  new Function(
    "work",
    "eventAt",
    `let kept; return ${kind} (times) => { for (let index = 0; index < times; index++) kept = ${wait} work(eventAt(index)); }`,
  )(work, eventAt);

/** Same result before timing: each side calls as many callbacks per event as it should. */
export async function checkCalls(world: World, sides: readonly Work[], expected: number): Promise<void> {
  for (const { name, run } of sides) {
    const before = world.calls();
    await run(events.length);
    const each = (world.calls() - before) / events.length;
    if (each !== expected) throw new Error(`${name} calls ${each} hooks per event, not ${expected}`);
  }
}
