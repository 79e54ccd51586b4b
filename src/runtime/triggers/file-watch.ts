/** Files and folders that hooks watch: each hook hears of its own (R24). Follows the hooks as they come, change and go. */
import { dirname } from "node:path";
import { messageOf } from "../../engine/error.ts";
import type { HookEvent, HookId, MaybePromise, Seconds } from "../../engine/event.ts";
import type { Hook, WatchRule } from "../../engine/hook.ts";
import type { Ports } from "../../engine/ports.ts";
import { watchPaths } from "../../files/watch-paths.ts";
import { isSharedFolder, sharedReason, type WatchTree, watchTree } from "../../files/watch-tree.ts";
import { eventMaker, placesOf, type Watch, type WatchedPlace, type WatchOptions, watchOne } from "./watch-file.ts";
import { watchFolder } from "./watch-folder.ts";
import type { WatchLoops } from "./watch-loops.ts";

interface FileWatcherSettings {
  /** False: nothing is watched. */
  enabled: boolean;
  /** Between two looks at what is polled. */
  pollInterval: Seconds;
  /** Of quiet, after which the changes in a folder are reported. */
  debounce: Seconds;
}

export interface FileWatcherOptions extends Pick<Ports, "now" | "elapsed" | "after" | "id"> {
  /** Asked anew each time; who changes `enabled` or `pollInterval` calls `sync` after it. */
  settings(): FileWatcherSettings;
  /** Sends the event to the engine. Where that throws, it is tried again. */
  tell(event: HookEvent): MaybePromise<unknown>;
  /** Called with what cannot be watched, and why. */
  complain?(reason: string): void;
  /** Counts how often changes come out of runs that changes began. */
  loops?: Pick<WatchLoops, "pass">;
  /** What watches folders; default: the system's watches. */
  watchTree?: WatchTree;
}

export interface Watched {
  /** The `watch_id` of its events. */
  id: string;
  hook: HookId;
  kind: WatchRule["kind"];
  path: string;
  /** Why it is polled, if so. */
  polls?: string;
}

export interface FileWatcher {
  /**
   * What is to be watched from now on; watches that stay as they are keep what they know. Done when all are set: later
   * changes are reported. Never rejects.
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
/** Every so many intervals everything is looked at, reported or not: nothing stays unseen for good. */
const looksUntilAll = 6;

/** @example const watcher = createFileWatcher({ now, after, id, settings: () => defaults, tell: engine.emit }); */
export function createFileWatcher(options: FileWatcherOptions): FileWatcher {
  const { now, after, id, settings, tell, complain = () => {} } = options;
  const delivery = createDelivery({ tell, after, complain });
  const watches = new Map<string, { place: WatchedPlace; watch: Watch }>();
  const paths = watchPaths({ event: (key) => watches.get(key)?.watch.heard(), entriesOnly: true });
  const makeEvent = eventMaker(now, id);
  const counted = createFloodGauge(options, () => {
    for (const { watch } of watches.values()) watch.doubt();
  });
  let lookedAt: number | undefined;
  let looks = 0;
  let looking: Promise<unknown> = Promise.resolve();
  let timer: { wait: Seconds; cancel(): void } | undefined;
  let isClosed = false;

  /** Where other machines may write, a server may take long to answer: such a path is only looked at now and then. */
  async function follow(key: string, { path, poll }: WatchedPlace): Promise<string | undefined> {
    if (poll) return undefined;
    if (await liesShared(path)) return sharedReason;
    return !isClosed && watches.has(key) ? paths.follow(key, [path]) : undefined;
  }

  function start(key: string, place: WatchedPlace): Watch {
    const its: WatchOptions = {
      now,
      ...(options.elapsed ? { elapsed: options.elapsed } : {}),
      after,
      debounce: () => settings().debounce,
      counted,
      follow: () => follow(key, place),
      complain,
      tell(name, data, changed) {
        const late = watches.get(key)?.watch.polls() === undefined ? 0 : settings().pollInterval;
        const event = makeEvent(place, name, data);
        if (options.loops)
          options.loops.pass({ event, workspace: place.root, changed, late, deliver: delivery.deliver });
        else delivery.deliver(event);
      },
    };
    if (place.kind === "file") return watchOne(place, its);
    return watchFolder(place, { ...its, watchTree: options.watchTree ?? watchTree });
  }

  async function lookAll(): Promise<void> {
    lookedAt = now();
    looks += 1;
    const isLate = looks % looksUntilAll === 0;
    looking = Promise.all([...watches.values()].map(({ watch }) => watch.look(isLate)));
    await looking;
  }

  /** A timer that runs stays: frequent calls of `sync` do not put off the look. */
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
      const isOn = settings().enabled && !isClosed;
      const wanted = isOn ? wantedBy(hooks, complain) : new Map<string, WatchedPlace>();
      for (const [key, { watch }] of watches) {
        if (wanted.has(key)) continue;
        watches.delete(key);
        paths.drop(key);
        void watch.close();
      }
      for (const [key, place] of wanted) if (!watches.has(key)) watches.set(key, { place, watch: start(key, place) });
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
      paths.close();
      await Promise.all(open.map(({ watch }) => watch.close()));
      delivery.close();
    },
  };
}

/** Counts what the system reports. One queue of the kernel serves all watches, so the flood of one may have drowned the events of another. */
function createFloodGauge({ now, settings }: FileWatcherOptions, flooded: () => void): () => void {
  let since = now();
  let events = 0;
  return () => {
    const moment = now();
    const window = Math.max(1, settings().debounce) * 1000;
    if (Math.abs(moment - since) > window) {
      since = moment;
      events = 0;
    }
    events += 1;
    if (events % eventsAtMost === 0) flooded();
  };
}

function wantedBy(hooks: readonly Hook[], complain: (reason: string) => void): Map<string, WatchedPlace> {
  const wanted = new Map<string, WatchedPlace>();
  for (const hook of hooks.filter(({ enabled }) => enabled)) {
    const { places, lost } = placesOf(hook);
    for (const place of places) wanted.set(JSON.stringify(place), place);
    for (const path of lost) complain(`${hook.name}: ${path} is relative, and its rule starts nowhere`);
  }
  return wanted;
}

/** The folder of the path does, or the nearest above that is there. */
async function liesShared(path: string): Promise<boolean> {
  const folder = dirname(path);
  try {
    return await isSharedFolder(folder);
  } catch {
    return folder !== path && liesShared(folder);
  }
}

/** Sends what watches have seen to the engine, one after another in that order: what the engine refuses is kept and sent again. */
interface DeliveryOptions extends Pick<Ports, "after"> {
  /** May throw: it is tried again. */
  tell(event: HookEvent): MaybePromise<unknown>;
  /** Called with why something has to wait, once for each reason, and what is given up. */
  complain(reason: string): void;
}

interface Delivery {
  deliver(event: HookEvent): void;
  /** What still waits is dropped. */
  close(): void;
}

const againInMilliseconds = 1_000;
const waitingAtMost = 1_000;

export function createDelivery({ tell, after, complain }: DeliveryOptions): Delivery {
  const waiting: HookEvent[] = [];
  let complained: string | undefined;
  let cancel: (() => void) | undefined;
  let isSending = false;
  let isClosed = false;

  function deliver(event: HookEvent): void {
    if (isClosed) return;
    waiting.push(event);
    if (complained !== undefined) giveUpOldest();
    if (!isSending && !cancel) void sendAll();
  }

  function complainOnce(event: HookEvent, error: unknown): void {
    const reason = messageOf(error);
    if (reason !== complained) complain(`${called(event)}: ${reason}`);
    complained = reason;
  }

  /** Only what the engine refuses piles up: a flood that it takes is none. */
  function giveUpOldest(): void {
    while (waiting.length > waitingAtMost) {
      const [given] = waiting.splice(isSending ? 1 : 0, 1);
      if (given) complain(`${called(given)} is given up: ${waitingAtMost} newer ones wait`);
    }
  }

  async function sendAll(): Promise<void> {
    isSending = true;
    cancel = undefined;
    for (let event = waiting[0]; event && !isClosed; event = waiting[0])
      try {
        await tell(event);
        waiting.shift();
        complained = undefined;
      } catch (error) {
        complainOnce(event, error);
        break;
      }
    isSending = false;
    if (waiting.length === 0 || isClosed) return;
    giveUpOldest();
    cancel = after(againInMilliseconds, () => void sendAll());
  }

  return {
    deliver,
    close() {
      isClosed = true;
      cancel?.();
      waiting.length = 0;
    },
  };
}

const called = ({ name, to }: HookEvent): string => `${name} of ${to?.hook}`;
