/** Clocks and watchers of a daemon, which follow the automations in force and the settings. */
import type { Fields, HookEvent } from "../../engine/event.ts";
import type { Hook } from "../../engine/hook.ts";
import type { Ports } from "../../engine/ports.ts";
import type { Store } from "../../engine/record.ts";
import type { Config, EngineSettings } from "../../formats/config/config.ts";
import { engineDefaults } from "../../formats/config/keys.ts";
import type { Loaded } from "../../loading/loading.ts";
import { createFileWatcher } from "../../runtime/triggers/file-watch.ts";
import { createSchedule } from "../../runtime/triggers/schedule.ts";

export interface TriggersOptions extends Pick<Ports, "now" | "elapsed" | "after" | "id"> {
  store: Store;
  home: string;
  settings(): Settings;
  emit(event: HookEvent): Promise<unknown>;
  /** What fires once has fired. */
  ended(hook: Hook): void;
  complain(reason: string): void;
}

export interface Triggers {
  /** What is to be fired and watched from now on. Never rejects. */
  sync(hooks: readonly Hook[]): Promise<void>;
  /** Fires what is due now. */
  fireDue(hooks: readonly Hook[]): Promise<void>;
  /** When what is due, and what is watched. */
  facts(): Fields;
  close(): Promise<void>;
}

export function createTriggers({ settings, emit, ...options }: TriggersOptions): Triggers {
  const schedule = createSchedule({ ...options, isEnabled: () => settings().engine.enabled, fire: emit });
  const watcher = createFileWatcher({
    ...options,
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
      await Promise.all([schedule.close(), watcher.close()]);
    },
  };
}

/** What the settings say of automations, with what holds where they say nothing. Read anew whenever they change. */
export interface Settings {
  engine: Required<EngineSettings>;
  notifications: Config["notifications"];
  /** The names of the channels that get notices where neither a hook nor its project names any. */
  notify: readonly string[];
  webhooks: Config["webhooks"];
}

/** Of the daemon's own folder: its file says how automations run, and the user's file who gets notices and which webhooks are heard. */
export function settingsOf(loaded: Pick<Loaded, "config" | "userConfig"> | undefined): Settings {
  const { engine = {}, notify = [] } = loaded?.config ?? {};
  const { notifications = {}, webhooks = {} } = loaded?.userConfig ?? {};
  return { engine: { ...engineDefaults, ...engine }, notifications, notify, webhooks };
}
