/** A watch on one path: what becomes of it is told at once, and once for each look (specification 000, section 12). */
import { messageOf } from "../core/error.ts";
import type { Fields } from "../core/event.ts";
import type { Ports } from "../core/ports.ts";
import { fileData } from "./file-watch-event.ts";
import type { WatchedPlace } from "./file-watch-place.ts";
import { createAnchor } from "./file-watch-tellers.ts";
import { isSame, lookThrough, type Stamp } from "./file-watch-tree.ts";
import { createQuiet } from "./quiet.ts";

export interface Watch {
  /** What is there from the beginning is known, and no news. Never rejects. */
  readonly ready: Promise<void>;
  /** Looks for itself. `late`: at all, although it is told of what happens. Never rejects. */
  look(late: boolean): Promise<void>;
  /** Something may have been lost. */
  doubt(): void;
  /** Why it looks now and then instead of being told, if so. */
  polls(): string | undefined;
  /** What is waited for is dropped; waits for a look under way. Safe to call twice. */
  close(): Promise<void>;
}

export interface WatchOptions extends Pick<Ports, "now" | "elapsed" | "after"> {
  /** Seconds of quiet after which changes of a folder are told together. */
  debounce(): number;
  tell(name: "file.changed" | "folder.changed", data: Fields): void;
  /** Counts what the system tells. */
  counted(): void;
  complain(reason: string): void;
}

/** A file is often written in several steps; who never stops writing is told of each second. */
const quietInMilliseconds = 50;
const atLatestInMilliseconds = 1_000;

export const pollAsked = "its rule says poll";

export function watchOne(place: WatchedPlace, options: WatchOptions): Watch {
  const { tell, counted, complain } = options;
  const anchor = place.poll ? undefined : createAnchor(place.path, told);
  const quiet = createQuiet(options, () => void look());
  let known: Stamp | undefined;
  let complained: string | undefined;
  let working: Promise<void> = begin();
  let isClosed = false;

  function told(): void {
    counted();
    quiet.push(quietInMilliseconds, atLatestInMilliseconds);
  }

  async function begin(): Promise<void> {
    await anchor?.renew();
    await compare(() => {});
  }

  function look(): Promise<void> {
    working = working.then(() =>
      compare((before, after) => {
        const operation = !before ? "created" : after ? "modified" : "deleted";
        tell("file.changed", fileData(place, operation, { before, after }));
      }),
    );
    return working;
  }

  async function compare(differs: (before: Stamp | undefined, after: Stamp | undefined) => void): Promise<void> {
    try {
      const before = known;
      const after = (await lookThrough(place.path)).stamp;
      complained = undefined;
      if (isClosed || isSame(before, after)) return;
      known = after;
      differs(before, after);
    } catch (error) {
      const reason = messageOf(error);
      if (reason !== complained) complain(`${place.path} cannot be looked at: ${reason}`);
      complained = reason; // nobody may look, say: what is known stays
    }
  }

  return {
    ready: working,
    async look() {
      await anchor?.renew();
      await look();
    },
    doubt: () => quiet.push(quietInMilliseconds, atLatestInMilliseconds),
    polls: () => (place.poll ? pollAsked : undefined),
    async close() {
      isClosed = true;
      quiet.stop();
      anchor?.close();
      await working;
    },
  };
}
