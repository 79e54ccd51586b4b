/** What a daemon fires of itself: clocks and watched files, as the automations that are active now say. */
import type { Fields, HookEvent } from "../../engine/event.ts";
import type { Hook } from "../../engine/hook.ts";
import type { Observation, Ports } from "../../engine/ports.ts";
import type { Store } from "../../engine/record.ts";
import { createFileWatcher } from "../../runtime/triggers/file-watch.ts";
import { createSchedule } from "../../runtime/triggers/schedule.ts";
import { createWatchLoops } from "../../runtime/triggers/watch-loops.ts";
import type { Settings } from "./changes.ts";

interface TriggersOptions extends Pick<Ports, "now" | "elapsed" | "after" | "id"> {
  store: Store;
  home: string;
  settings(): Settings;
  emit(event: HookEvent): Promise<unknown>;
  /** What fires once has fired. */
  ended(hook: Hook): void;
  complain(reason: string): void;
}

interface Triggers {
  /** What is to be fired and watched from now on. Never rejects. */
  sync(hooks: readonly Hook[]): Promise<void>;
  /** Hears of runs. */
  observe(seen: Observation): void;
  /** Fires what is due now. */
  fireDue(hooks: readonly Hook[]): Promise<void>;
  /** When what is due, and what is watched. */
  facts(): Fields;
  close(): Promise<void>;
}

export function createTriggers({ settings, emit, ...options }: TriggersOptions): Triggers {
  const schedule = createSchedule({ ...options, isEnabled: () => settings().engine.enabled, fire: emit });
  const loops = createWatchLoops(options);
  const watcher = createFileWatcher({
    ...options,
    loops,
    tell: emit,
    settings() {
      const { engine } = settings();
      return {
        enabled: engine.enabled && engine.file_watcher_enabled, // A51
        pollInterval: engine.file_watcher_poll_interval,
        debounce: engine.file_watcher_debounce_seconds,
      };
    },
  });
  return {
    observe: loops.observe,
    async sync(hooks) {
      await Promise.all([schedule.sync(hooks), watcher.sync(hooks.filter(({ on }) => "watch" in on))]);
    },
    async fireDue(hooks) {
      await schedule.sync(hooks);
      await schedule.check();
    },
    facts: () => ({
      due: schedule
        .list()
        .map(({ hook, at, waits }) => ({ hook, at: new Date(at).toISOString(), waits: waits ?? null })),
      watches: watcher.list().map((one) => ({ ...one })),
    }),
    async close() {
      loops.close();
      await Promise.all([schedule.close(), watcher.close()]);
    },
  };
}
