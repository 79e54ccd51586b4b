/** A watch on a folder: changes of its files are gathered, and reported together once it has been quiet (specification 000, section 12). */
import { dirname, join, sep } from "node:path";
import { messageOf } from "../../engine/error.ts";
import type { Instant } from "../../engine/event.ts";
import { elapsed } from "../../engine/ports.ts";
import { isSharedFolder, sharedReason, type TreeWatch, type WatchTree, watchRefusal } from "../../files/watch-tree.ts";
import { createKnown, type FoundAt, filesAtMost, lookAt, lookThrough, readTree, type Tree } from "./files-known.ts";
import {
  createComplaint,
  createQuiet,
  folderData,
  pollAsked,
  type Watch,
  type WatchedPlace,
  type WatchOptions,
} from "./watch-file.ts";

export interface FolderWatchOptions extends WatchOptions {
  watchTree: WatchTree;
}

/** Events of one change come in a handful. */
const batchInMilliseconds = 50;
/** Windows after which changes are reported although more keep coming (R24). */
const windowsAtMost = 6;
const atOnce = 64;
/** A look at everything that nothing asked for takes no more than one part of so many of the time. */
const idleParts = 100;

export function watchFolder(place: WatchedPlace, options: FolderWatchOptions): Watch {
  const { path: top, recursive } = place;
  const { debounce, tell, counted } = options;
  const touched = new Set<string>();
  const batch = createQuiet(options, () => void work());
  const window = createQuiet(options, () => void endWindow());
  const complainOnce = createComplaint(options.complain);
  const files = createWatchedFiles(place, { ...options, heard, complainOnce });
  const { pendings } = files.known;
  let heardAt: Instant | undefined;
  let isDoubtful = false;
  let isClosed = false;
  let working: Promise<void> = guarded(async () => {
    await options.follow();
    touched.add(top);
    await lookAtTouched();
    pendings.clear(); // what is there from the beginning is no news
  });

  async function guarded(task: () => Promise<void>): Promise<void> {
    try {
      if (!isClosed) await task();
    } catch (error) {
      complainOnce(`${top} cannot be looked at: ${messageOf(error)}`); // what is known stays
    }
  }

  function heard(path: string | undefined): void {
    counted();
    if (path === undefined) doubt();
    else if (isDoubtful) openWindow();
    else if (isBelow(top, path, recursive)) {
      heardAt ??= options.now();
      touched.add(path);
      batch.push(batchInMilliseconds, batchInMilliseconds);
    }
  }

  /** Everything will be looked at, once it is quiet. */
  function doubt(): void {
    if (isClosed) return;
    isDoubtful = true;
    touched.clear();
    openWindow();
  }

  function openWindow(): void {
    heardAt ??= options.now();
    const wait = debounce() * 1000;
    if (!isClosed) window.push(wait, wait * windowsAtMost);
  }

  async function endWindow(): Promise<void> {
    await work();
    if (isClosed) return;
    if (!isDoubtful) window.stop();
    if (pendings.size > 0) tell("folder.changed", folderData(place, pendings), heardAt ?? options.now());
    pendings.clear();
    heardAt = undefined;
  }

  /** One after another: what is known has one writer. */
  function work(): Promise<void> {
    working = working.then(() =>
      guarded(async () => {
        const before = files.known.changes();
        await lookAtTouched();
        if (files.known.changes() !== before) openWindow();
      }),
    );
    return working;
  }

  function lookAtTouched(): Promise<void> {
    const paths = isDoubtful ? [top] : [...touched];
    isDoubtful = false;
    touched.clear();
    return files.lookAt(paths);
  }

  return {
    ready: working,
    async look(late) {
      await options.follow();
      if (files.watches.isOn() && !(late && files.isDue())) return;
      touched.add(top);
      await work();
    },
    heard: () => heard(top),
    doubt,
    polls: files.watches.refusal,
    async close() {
      isClosed = true;
      batch.stop();
      window.stop();
      files.watches.close();
      await working;
    },
  };
}

interface WatchedFilesOptions extends FolderWatchOptions, Pick<SystemWatchOptions, "heard"> {
  complainOnce(reason: string): void;
}

/** The files in a folder: what is known of them, and how it is found out anew. One look ends before the next begins. */
function createWatchedFiles(place: WatchedPlace, options: WatchedFilesOptions) {
  const { path: top, recursive, extensions } = place;
  const counts = (name: string): boolean => extensions.length === 0 || extensions.some((end) => name.endsWith(end));
  const known = createKnown((name) => !isHidden(name) && counts(name));
  const { watchTree, heard, complain, complainOnce } = options;
  const watches = createSystemWatch({ top, watchTree, heard, complain, ...(place.poll ? { refusal: pollAsked } : {}) });
  let lookedAtAll = { at: elapsed(options), took: 0 };

  async function lookAtAll(): Promise<void> {
    const at = elapsed(options);
    const found = await lookThrough(top);
    if (found.is === "folder") {
      await watches.begin(found.identity);
      known.replace(top, await read(top));
    } else {
      watches.end();
      known.forget(top);
    }
    lookedAtAll = { at, took: elapsed(options) - at };
  }

  /** Undefined: it may not be read, and what is known stays. */
  async function take(path: string, found: FoundAt | undefined): Promise<void> {
    if (!found) return;
    if (found.is === "nothing") {
      if (known.hasFolder(path)) watches.leave(path);
      known.forget(path);
    } else if (found.is === "folder") {
      if (recursive) known.replace(path, await readAnew(path));
      else known.forget(path); // a file was called so
    } else if (known.hasFolder(dirname(path))) known.settle(path, found.stamp);
    else if (recursive) {
      const folder = outermostUnknown(path);
      known.replace(folder, await readAnew(folder));
    }
  }

  function outermostUnknown(path: string): string {
    let folder = dirname(path);
    while (folder.length > top.length && !known.hasFolder(dirname(folder))) folder = dirname(folder);
    return folder;
  }

  function readAnew(folder: string): Promise<Tree> {
    watches.leave(folder); // one of the same name may have been moved here
    return read(folder);
  }

  function read(folder: string): Promise<Tree> {
    const full = (): void => complainOnce(`${top} holds more than ${filesAtMost} files: not all of them are watched`);
    return readTree(folder, { recursive, counts, enter: watches.enter, strict: folder === top, full });
  }

  return {
    known,
    watches,
    /** Whether it is time to look at everything, although nothing asked for it. */
    isDue: (): boolean => elapsed(options) - lookedAtAll.at >= lookedAtAll.took * idleParts,
    async lookAt(paths: readonly string[]): Promise<void> {
      if (paths.includes(top)) return lookAtAll();
      for (let start = 0; start < paths.length && !watches.isClosed(); start += atOnce) {
        const part = paths.slice(start, start + atOnce);
        const found = await Promise.all(part.map((path) => lookAt(path).catch(() => undefined)));
        for (const [index, path] of part.entries()) await take(path, found[index]);
      }
    },
  };
}

const isHidden = (name: string): boolean => name.startsWith(".");

/** Neither hidden nor in a hidden folder; not recursive: in the folder itself. */
function isBelow(top: string, path: string, recursive: boolean): boolean {
  if (path === top) return true;
  if (!path.startsWith(top)) return false;
  const parts = path
    .slice(top.length)
    .split(sep)
    .filter((part) => part !== "");
  return (recursive || parts.length === 1) && !parts.some(isHidden);
}

/** The system's watches on a folder: begun when the folder appears, begun anew when another takes its place, given up for good where the system refuses. */
interface SystemWatch {
  /** The folder is there, and is this one. Never rejects. */
  begin(identity: string): Promise<void>;
  end(): void;
  isOn(): boolean;
  /** Why the folder is polled instead, if so. */
  refusal(): string | undefined;
  /** Before a folder is read. Where the system refuses, it is given up. */
  enter(folder: string): void;
  leave(folder: string): void;
  isClosed(): boolean;
  close(): void;
}

interface SystemWatchOptions {
  top: string;
  watchTree: WatchTree;
  /** Something happened here; undefined: anywhere. */
  heard(path: string | undefined): void;
  complain(reason: string): void;
  /** Why it is not even tried. */
  refusal?: string;
}

function createSystemWatch({ top, watchTree, heard, complain, refusal: given }: SystemWatchOptions): SystemWatch {
  let current: { tree: TreeWatch; identity: string } | undefined;
  let refusal = given;
  let isClosed = false;

  function end(): void {
    current?.tree.close();
    current = undefined;
  }

  function giveUp(reason: unknown): void {
    if (!current) return;
    end();
    refuse(reason);
  }

  function refuse(reason: unknown): void {
    refusal = watchRefusal(reason);
    complain(`${top} is looked at now and then instead of being watched: ${refusal}`);
  }

  return {
    async begin(identity) {
      if (current && current.identity !== identity) end();
      if (current || refusal !== undefined || isClosed) return;
      try {
        if (await isSharedFolder(top)) throw new Error(sharedReason);
        if (isClosed) return;
        const changed = (folder: string, name?: string): void =>
          heard(name === undefined ? undefined : join(folder, name));
        current = { tree: watchTree({ changed, lost: giveUp }), identity };
      } catch (error) {
        refuse(error);
      }
    },
    end,
    isOn: () => current !== undefined,
    refusal: () => refusal,
    enter(folder) {
      try {
        current?.tree.enter(folder);
      } catch (error) {
        giveUp(error);
      }
    },
    leave: (folder) => current?.tree.leave(folder),
    isClosed: () => isClosed,
    close() {
      isClosed = true;
      end();
    },
  };
}
