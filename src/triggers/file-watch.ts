/** Files and folders that hooks watch: each hook hears of its own (R24). Follows the hooks as they come, change and go. */
import type { HookEvent, HookId, MaybePromise, Seconds } from "../core/event.ts";
import type { Hook, WatchRule } from "../core/hook.ts";
import type { Ports } from "../core/ports.ts";
import { createDelivery } from "./file-watch-delivery.ts";
import { eventMaker } from "./file-watch-event.ts";
import { watchFolder } from "./file-watch-folder.ts";
import { type Watch, type WatchOptions, watchOne } from "./file-watch-one.ts";
import { placesOf, type WatchedPlace } from "./file-watch-place.ts";
import { folderTeller, type MakeTeller } from "./file-watch-tellers.ts";

export interface FileWatcherSettings {
  /** False: nothing is watched. */
  enabled: boolean;
  /** Between two looks at what nobody tells of. */
  pollInterval: Seconds;
  /** Of quiet, after which the changes in a folder are told. */
  debounce: Seconds;
}

export interface FileWatcherOptions extends Pick<Ports, "now" | "elapsed" | "after" | "id"> {
  /** Asked anew each time; who changes `enabled` or `pollInterval` calls `sync` after it. */
  settings(): FileWatcherSettings;
  /** Puts the event on the line. Where that throws, it is tried again. */
  tell(event: HookEvent): MaybePromise<unknown>;
  /** Told what cannot be watched, and why. */
  complain?(reason: string): void;
  /** Who tells of folders; the best that there is unless said. */
  teller?: MakeTeller;
}

export interface Watched {
  /** The `watch_id` of its events. */
  id: string;
  hook: HookId;
  kind: WatchRule["kind"];
  path: string;
  /** Why it is looked at now and then instead of being told of. */
  polls?: string;
}

export interface FileWatcher {
  /**
   * What is to be watched from now on; watches that stay as they are keep what they know. Done when all are set: later
   * changes are told. Never rejects.
   */
  sync(hooks: readonly Hook[]): Promise<void>;
  /** Looks at what is due to be looked at: not more often than the poll interval. Else done by itself. Never rejects. */
  check(): Promise<void>;
  list(): Watched[];
  /** What is waited for is dropped. Safe to call twice. */
  close(): Promise<void>;
}

/** More events than this in one window, and some may have been lost: the kernel drops them without a word. */
const eventsAtMost = 4_000;
/** Every so many intervals everything is looked at, told or not: nothing stays unseen for good. */
const looksUntilAll = 6;

/** @example const watcher = createFileWatcher({ now, after, id, settings: () => defaults, tell: engine.emit }); */
export function createFileWatcher(options: FileWatcherOptions): FileWatcher {
  const { now, after, id, settings, tell, complain = () => {} } = options;
  const delivery = createDelivery({ tell, after, complain });
  const watches = new Map<string, { place: WatchedPlace; watch: Watch }>();
  const makeEvent = eventMaker(now, id);
  const burst = { since: now(), events: 0 };
  let lookedAt: number | undefined;
  let looks = 0;
  let looking: Promise<unknown> = Promise.resolve();
  let timer: { wait: Seconds; cancel(): void } | undefined;
  let isClosed = false;

  /** One queue of the kernel serves all watches, so the flood of one may have drowned the events of another. */
  function counted(): void {
    const moment = now();
    const window = Math.max(1, settings().debounce) * 1000;
    if (Math.abs(moment - burst.since) > window) Object.assign(burst, { since: moment, events: 0 });
    burst.events += 1;
    if (burst.events % eventsAtMost === 0) for (const { watch } of watches.values()) watch.doubt();
  }

  function start(place: WatchedPlace): Watch {
    const its: WatchOptions = {
      now,
      ...(options.elapsed ? { elapsed: options.elapsed } : {}),
      after,
      debounce: () => settings().debounce,
      counted,
      complain,
      tell: (name, data) => delivery.deliver(makeEvent(place, name, data)),
    };
    if (place.kind === "file") return watchOne(place, its);
    return watchFolder(place, { ...its, teller: options.teller ?? folderTeller });
  }

  function wantedBy(hooks: readonly Hook[]): Map<string, WatchedPlace> {
    const wanted = new Map<string, WatchedPlace>();
    for (const hook of settings().enabled && !isClosed ? hooks.filter(({ enabled }) => enabled) : []) {
      const { places, lost } = placesOf(hook);
      for (const place of places) wanted.set(JSON.stringify(place), place);
      for (const path of lost) complain(`${hook.name}: ${path} is relative, and its rule starts nowhere`);
    }
    return wanted;
  }

  async function lookAll(): Promise<void> {
    lookedAt = now();
    looks += 1;
    const isLate = looks % looksUntilAll === 0;
    looking = Promise.all([...watches.values()].map(({ watch }) => watch.look(isLate)));
    await looking;
  }

  /** A timer that runs stays: who syncs often does not put off the look. */
  function arm(): void {
    const wait = settings().pollInterval;
    if (timer?.wait === wait && watches.size > 0) return;
    timer?.cancel();
    timer = undefined;
    if (isClosed || watches.size === 0) return;
    const cancel = after(wait * 1000, () => {
      timer = undefined;
      void lookAll().then(arm);
    });
    timer = { wait, cancel };
  }

  return {
    async sync(hooks) {
      const wanted = wantedBy(hooks);
      for (const [key, { watch }] of watches) {
        if (wanted.has(key)) continue;
        watches.delete(key);
        void watch.close();
      }
      for (const [key, place] of wanted) if (!watches.has(key)) watches.set(key, { place, watch: start(place) });
      arm();
      await Promise.all([...watches.values()].map(({ watch }) => watch.ready));
    },
    async check() {
      const wait = settings().pollInterval * 1000;
      if (lookedAt === undefined || Math.abs(now() - lookedAt) >= wait) await lookAll();
      await looking;
    },
    list: () =>
      [...watches.values()].map(({ place: { id: name, hook, kind, path }, watch }) => {
        const polls = watch.polls();
        return { id: name, hook, kind, path, ...(polls === undefined ? {} : { polls }) };
      }),
    async close() {
      isClosed = true;
      timer?.cancel();
      const open = [...watches.values()];
      watches.clear();
      await Promise.all(open.map(({ watch }) => watch.close()));
      delivery.close();
    },
  };
}
