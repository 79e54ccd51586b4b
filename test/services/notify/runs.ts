/** Runs of an automation as the engine tells of them, and a notifier that sends to the server of the tests. */
import type { TestContext } from "node:test";
import type { Fields } from "../../../src/engine/event.ts";
import type { Hook } from "../../../src/engine/hook.ts";
import type { Observation } from "../../../src/engine/ports.ts";
import type { Run, StepRecord } from "../../../src/engine/record.ts";
import type { NoticeChannel } from "../../../src/formats/config/config.ts";
import { after } from "../../../src/runtime/system.ts";
import { createNotifier, type Notifier, type NotifierOptions } from "../../../src/services/notify/index.ts";
import { anAutomation } from "../../engine/a-hook.ts";

export const hookCalled = (name: string, more: Partial<Hook> = {}): Hook =>
  anAutomation(name, { on: { event: ["deploy.done"] }, limits: { overlap: "coalesce" }, ...more });

export const asked = (tools: readonly string[], response?: string): StepRecord => ({
  uses: "ask_model",
  ok: true,
  output: {
    calls: tools.map((tool): Fields => ({ tool, ok: true, ms: 1 })),
    ...(response === undefined ? {} : { response }),
  },
  ms: 1,
});

export interface Story {
  seen(run: Partial<Run>, more?: { resumed?: true }): void;
}

/** What is observed of one run. */
export function runOf(notifier: Notifier, hook: Hook, id = "a1b2c3d4e5f6", cause = "event:deploy.done"): Story {
  const run: Run = {
    id,
    hook: hook.id,
    hookName: hook.name,
    eventId: "event-1",
    eventName: "deploy.done",
    status: "running",
    cause,
    startedAt: 1_760_000_000_000,
    steps: [],
    notes: [],
    asked: 1,
  };
  return {
    seen(more, { resumed } = {}) {
      const seen: Observation = { is: "run", run: { ...run, ...more }, hook, ...(resumed ? { resumed } : {}) };
      notifier.observe(seen);
    },
  };
}

/** Pauses between attempts are told, not waited for. */
export interface Told {
  notifier: Notifier;
  complaints: string[];
  pauses: number[];
}

export function notifierOf(
  context: TestContext,
  channels: { [name: string]: NoticeChannel },
  options: Partial<NotifierOptions> = {},
): Told {
  const complaints: string[] = [];
  const pauses: number[] = [];
  let time = 1_760_000_000_000;
  const notifier = createNotifier({
    settings: () => ({ channels, notify: Object.keys(channels) }),
    environment: {},
    now: () => time,
    after(milliseconds, callback) {
      if (milliseconds >= 5000) return after(milliseconds, callback); // how long closing may take
      pauses.push(milliseconds);
      time += milliseconds;
      return after(0, callback);
    },
    complain: (reason) => complaints.push(reason),
    ...options,
  });
  context.after(() => notifier.close());
  return { notifier, complaints, pauses };
}
