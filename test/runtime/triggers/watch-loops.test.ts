/** Which changes of a watched file count as a loop, by a clock of the test: what a person's edits look like, and what a run's own. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { HookEvent } from "../../../src/engine/event.ts";
import type { Run, RunStatus } from "../../../src/engine/record.ts";
import { createWatchLoops } from "../../../src/runtime/triggers/watch-loops.ts";
import { createFakeClock } from "../../../testing/clock.ts";
import { aHook } from "../../engine/a-hook.ts";

interface Watching {
  /** The watched file is changed. */
  change(): void;
  advance(milliseconds: number): void;
  /** A clock of a workspace starts a run, which goes on. */
  clock(name: string, workspace: string): void;
  completed(): number;
  failures: string[];
}

/** One watch, whose runs take so long, one at a time, and change the file at their end or not. */
function watching(lasting: number, { feedsItself = false, name = "Slow" } = {}): Watching {
  const clock = createFakeClock();
  const loops = createWatchLoops(clock);
  const failures: string[] = [];
  const waiting: HookEvent[] = [];
  let ids = 0;
  let completed = 0;
  let isRunning = false;
  const hookOf = (called: string, root: string) =>
    aHook(called, "shell", { name: called, origin: { dialect: "automation", layer: "project", root } });

  function tell(called: string, root: string, event: Pick<HookEvent, "id" | "name">, status: RunStatus): void {
    const run: Run = {
      ...{ id: `run of ${event.id}`, hook: called, hookName: called, eventId: event.id, eventName: event.name },
      ...{ status, cause: "", startedAt: clock.now(), steps: [], notes: [], asked: 1 },
    };
    loops.observe({ is: "run", run, hook: hookOf(called, root) });
  }

  function start(event: HookEvent): void {
    isRunning = true;
    tell(name, "/shop", event, "running");
    clock.after(lasting, () => {
      tell(name, "/shop", event, "completed");
      isRunning = false;
      completed += 1;
      if (feedsItself) change();
      const next = waiting.shift();
      if (next) start(next);
    });
  }

  function deliver(event: HookEvent): void {
    if (event.to?.instead) failures.push(event.to.instead.because);
    else if (!isRunning) start(event);
    else waiting.splice(0, waiting.length, event);
  }

  function change(): void {
    ids += 1;
    const event: HookEvent = {
      ...{ id: `change ${ids}`, name: "file.changed", at: clock.now(), cwd: "/shop", data: { path: "/shop/src.txt" } },
      ...{ sender: "watch", to: { hook: name, because: "event:file.changed" } },
    };
    loops.pass({ event, workspace: "/shop", changed: clock.now(), late: 0, deliver });
  }

  return {
    ...{ change, failures, advance: clock.advance, completed: () => completed },
    clock: (called, root) => tell(called, root, { id: `clock ${(ids += 1)}`, name: "schedule.due" }, "running"),
  };
}

for (const [gap, lasting] of [
  [1_100, 1_500],
  [900, 20],
  [4_000, 20_000],
  [19_000, 20_000],
] as const)
  test(`a person who edits every ${gap} ms a file whose watch runs for ${lasting} ms makes no loop, and the last edit is run for`, () => {
    const { change, advance, completed, failures } = watching(lasting);
    for (let edit = 0; edit < 200; edit++) {
      change();
      advance(gap);
    }
    const before = completed();
    change();
    advance(120_000);
    assert.deepEqual(failures, []);
    assert.ok(completed() > before);
  });

for (const lasting of [20, 1_500, 20_000])
  test(`a watch that feeds itself stops after ten rounds of ${lasting} ms and says what is known, and no clock is blamed`, () => {
    const { change, advance, clock, completed, failures } = watching(lasting, { feedsItself: true, name: "Feed" });
    clock("Per", "/elsewhere");
    clock("Tick", "/shop");
    change();
    advance(600_000);
    assert.equal(completed(), 10);
    assert.deepEqual(failures, [
      'a loop, as it seems: /shop/src.txt was changed during each of the last 10 runs of "Feed", and not in the pause before the last one, so this one is left out — let it write elsewhere, or watch less',
    ]);
  });
