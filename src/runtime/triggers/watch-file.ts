/** A watch on one path: a change is reported at once, and once for each look (specification 000, section 12). */
import { isAbsolute, relative, resolve, sep } from "node:path";
import { messageOf } from "../../engine/error.ts";
import type { Fields, HookEvent, Instant } from "../../engine/event.ts";
import type { Hook, WatchRule } from "../../engine/hook.ts";
import type { Ports } from "../../engine/ports.ts";
import { readableName } from "../../files/names.ts";
import { isSame, lookThrough, type Operation, type Pendings, type Stamp } from "./files-known.ts";

export interface Watch {
  /** What is there from the beginning is known, and no news. Never rejects. */
  readonly ready: Promise<void>;
  /** Looks at the file system. `late`: even where the system reports changes. Never rejects. */
  look(late: boolean): Promise<void>;
  /** Something happened to the path itself. */
  heard(): void;
  /** Something may have been lost. */
  doubt(): void;
  /** Why it is polled, if so. */
  polls(): string | undefined;
  /** What is waited for is dropped; waits for a look under way. Safe to call twice. */
  close(): Promise<void>;
}

export interface WatchOptions extends Pick<Ports, "now" | "elapsed" | "after"> {
  /** Seconds of quiet after which changes of a folder are reported together. */
  debounce(): number;
  /** @param changed when the change was seen */
  tell(name: "file.changed" | "folder.changed", data: Fields, changed: Instant): void;
  /** Counts what the system reports. */
  counted(): void;
  /**
   * From now on `heard` is called when something happens to the path; to be called before it is looked at, again and again.
   * Gives why a change might go unreported. Never rejects.
   */
  follow(): Promise<string | undefined>;
  complain(reason: string): void;
}

/** A file is often written in several steps; one that is written all the time is reported each second. */
const quietInMilliseconds = 50;
const atLatestInMilliseconds = 1_000;

export const pollAsked = "its rule says poll";

export function watchOne(place: WatchedPlace, options: WatchOptions): Watch {
  const { tell, counted } = options;
  const complainOnce = createComplaint(options.complain);
  const quiet = createQuiet(options, () => void look());
  let known: Stamp | undefined;
  let refusal: string | undefined;
  let working: Promise<void> = begin();
  let heardAt: Instant | undefined;
  let isClosed = false;

  async function begin(): Promise<void> {
    refusal = await options.follow();
    await compare(() => {});
  }

  function look(): Promise<void> {
    working = working.then(async () => {
      refusal = await options.follow();
      await compare((before, after) => {
        const operation = !before ? "created" : after ? "modified" : "deleted";
        tell("file.changed", fileData(place, operation, { before, after }), heardAt ?? options.now());
      });
      heardAt = undefined;
    });
    return working;
  }

  const doubt = (): void => quiet.push(quietInMilliseconds, atLatestInMilliseconds);

  async function compare(differs: (before: Stamp | undefined, after: Stamp | undefined) => void): Promise<void> {
    try {
      const before = known;
      const after = (await lookThrough(place.path)).stamp;
      complainOnce(undefined);
      if (isClosed || isSame(before, after)) return;
      known = after;
      differs(before, after);
    } catch (error) {
      complainOnce(`${place.path} cannot be looked at: ${messageOf(error)}`); // it may not be read, say: what is known stays
    }
  }

  return {
    ready: working,
    look,
    heard() {
      counted();
      heardAt ??= options.now();
      doubt();
    },
    doubt,
    polls: () => (place.poll ? pollAsked : refusal),
    async close() {
      isClosed = true;
      quiet.stop();
      await working;
    },
  };
}

/** Passes on a reason that is not that of the last time; undefined: all is well again. */
export function createComplaint(complain: (reason: string) => void): (reason: string | undefined) => void {
  let last: string | undefined;
  return (reason) => {
    if (reason !== undefined && reason !== last) complain(reason);
    last = reason;
  };
}

/** Waits until nothing has happened for a while, and at the latest until a longer while after the first (R24). */
interface Quiet {
  /** Something happened: it is waited so many milliseconds more, in all at most so many. */
  push(wait: number, atMost: number): void;
  /** What was waited for is dropped. */
  stop(): void;
}

/** One timer, however often something happens. A clock that is set back ends the wait. */
export function createQuiet({ now, after }: Pick<Ports, "now" | "after">, callback: () => void): Quiet {
  let window: { first: Instant; due: Instant; wait: number } | undefined;
  let cancel: (() => void) | undefined;

  function arm(milliseconds: number): void {
    cancel = after(Math.max(0, milliseconds), () => {
      cancel = undefined;
      const left = window ? window.due - now() : 0;
      if (window && left > 0 && left <= window.wait) return arm(left);
      window = undefined;
      callback();
    });
  }

  return {
    push(wait, atMost) {
      const moment = now();
      const first = Math.min(window?.first ?? moment, moment);
      window = { first, due: Math.min(moment + wait, first + atMost), wait };
      if (!cancel) arm(window.due - moment);
    },
    stop() {
      cancel?.();
      cancel = undefined;
      window = undefined;
    },
  };
}

/** What a hook's watch rule watches, path by path, and its events (specification 000, 3.1): each path is a watch of its own, so that no two hooks share what they know. */
export interface WatchedPlace {
  /** Names the watch in its events. */
  id: string;
  hook: string;
  kind: WatchRule["kind"];
  /** Absolute. */
  path: string;
  /** From where its rule starts, with forward slashes; the path itself where it lies elsewhere. */
  relative: string;
  /** Where its events happen. */
  cwd: string;
  /** The workspace of its hook. */
  root?: string;
  project?: string;
  recursive: boolean;
  /** None: all. */
  extensions: readonly string[];
  poll: boolean;
}

/** `lost` are relative paths of a rule that starts nowhere. */
export function placesOf(hook: Hook): { places: WatchedPlace[]; lost: string[] } {
  const places = new Map<string, WatchedPlace>();
  const lost: string[] = [];
  const rule = "watch" in hook.on ? hook.on.watch : undefined;
  for (const written of rule?.paths ?? []) {
    const place = rule && placeAt(written, rule, hook);
    if (place) places.set(place.path, place);
    else lost.push(written);
  }
  return { places: [...places.values()], lost };
}

function placeAt(written: string, rule: WatchRule, hook: Hook): WatchedPlace | undefined {
  const { root } = hook.origin;
  const base = rule.base === undefined ? root : resolve(root ?? "/", rule.base);
  if (base === undefined && !isAbsolute(written)) return undefined;
  const path = resolve(base ?? "/", written);
  const project = rule.project ?? hook.project;
  return {
    id: `${hook.id}:${written}`,
    hook: hook.id,
    kind: rule.kind,
    path,
    relative: relativeTo(base, path),
    cwd: root ?? base ?? path,
    ...(root === undefined ? {} : { root }),
    ...(project === undefined ? {} : { project }),
    recursive: rule.recursive ?? false,
    extensions: rule.extensions ?? [],
    poll: rule.poll ?? false,
  };
}

function relativeTo(base: string | undefined, path: string): string {
  const found = base === undefined ? path : relative(base, path);
  const isInside = found !== "" && found !== ".." && !found.startsWith(`..${sep}`) && !isAbsolute(found);
  return (isInside ? found : path).replaceAll(sep, "/");
}

type EventMaker = (place: WatchedPlace, name: "file.changed" | "folder.changed", data: Fields) => HookEvent;

/** It reaches the hook of the watch and no other (R24). */
export const eventMaker =
  (now: () => Instant, id: () => string): EventMaker =>
  ({ id: watch, hook, cwd, project }, name, data) => ({
    id: id(),
    name,
    at: now(),
    cwd,
    data: { ...data, ...(project === undefined ? {} : { project_id: project }), watch_id: watch },
    sender: "watch",
    to: { hook, because: `event:${name}` },
  });

/** Times are Unix seconds; null stands for those of a file that is not there. */
const fileData = (
  { path, relative }: WatchedPlace,
  operation: Operation,
  stamps: { before: Stamp | undefined; after: Stamp | undefined },
): Fields => ({
  path: readableName(path),
  relative_path: readableName(relative),
  operation,
  old_mtime: secondsOf(stamps.before),
  new_mtime: secondsOf(stamps.after),
  size: stamps.after?.size ?? null,
});

const secondsOf = (stamp: Stamp | undefined): number | null => (stamp ? stamp.mtime / 1000 : null);

/** What an event lists; `count` is of all. */
const changesAtMost = 1_000;

export function folderData({ path }: WatchedPlace, pendings: Pendings): Fields {
  const changes = [...pendings]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .slice(0, changesAtMost)
    .map(([name, { operation }]) => ({ path: readableName(name), operation }));
  const left = pendings.size - changes.length;
  return { path: readableName(path), changes, count: pendings.size, ...(left > 0 ? { truncated: left } : {}) };
}
