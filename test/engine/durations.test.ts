/** Limits and durations while the clock is set: they go by the time that has passed. */
import assert from "node:assert/strict";
import test from "node:test";
import { createEngine } from "../../src/engine/engine.ts";
import type { HookEvent } from "../../src/engine/event.ts";
import type { Hook } from "../../src/engine/hook.ts";
import type { Handler } from "../../src/engine/ports.ts";
import type { Run } from "../../src/engine/record.ts";
import { anything } from "../../src/engine/schema.ts";
import { createInlineQueue } from "../../src/runtime/queues/inline.ts";
import { systemPorts } from "../../src/runtime/system.ts";
import { openMemoryStore } from "../../src/storage/memory/memory.ts";

const hour = 3_600_000;

for (const [how, jump] of Object.entries({ "forward an hour": hour, "back an hour": -hour }))
  test(`[R54] a caller that waits at most 10 s is answered by every hook although the clock is set ${how} in the meantime`, async () => {
    let offset = 0;
    const now = (): number => Date.now() + offset;
    const turns: Handler = {
      params: anything as Handler["params"], // it takes any fields
      async run() {
        await new Promise(setImmediate);
        offset += jump;
        return { ok: true, output: {} };
      },
    };
    const hooks = ["one", "two"].map(hookOf);
    const store = openMemoryStore();
    const engine = createEngine({
      ...{ ...systemPorts(), now, store, queue: createInlineQueue() },
      hooks: () => ({ id: "some", hooks }),
      registry: { handlers: new Map([["turns", turns]]), conditions: new Map() },
      patterns: {
        regex: () => () => false,
        glob: () => () => false,
        commands: () => ({ commands: [], unknown: [] }),
        expression: () => null,
      },
    });
    await engine.emit(eventAt(now()), { deadline: now() + 10_000 });
    await engine.close();
    const runs: readonly Run[] = await store.runs({});
    assert.deepEqual(
      runs.map(({ status, reason }) => [status, reason]),
      [
        ["completed", undefined],
        ["completed", undefined],
      ],
    );
    for (const { ms = -1, steps } of runs) {
      assert.ok(ms >= 0 && ms < 10_000, `${ms} ms`);
      assert.ok(steps.length === 2 && steps.every((step) => step.ms >= 0 && step.ms < 10_000));
    }
  });

const hookOf = (id: string): Hook => ({
  ...{ id, name: id, on: { event: ["PreToolUse"] }, limits: { overlap: "queue" } },
  steps: [
    { uses: "turns", with: { id }, timeout: 10, onError: "stop" },
    { uses: "turns", with: { id }, timeout: 10, onError: "stop" },
  ],
  mode: "sync",
  role: "guard",
  onFailure: "block",
  priority: 100,
  enabled: true,
  tags: [],
  origin: { dialect: "code", layer: "session" },
});
const eventAt = (at: number): HookEvent => ({ id: "e", name: "PreToolUse", at, cwd: "/", data: {}, sender: "test" });
