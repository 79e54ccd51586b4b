/**
 * What a store could not be given, in the order in which it came, to be written when it takes something again. Apart from
 * standby.ts, which decides when that is.
 */
import { createBriefMap } from "../core/brief-map.ts";
import { dropOldest } from "../core/drop-oldest.ts";
import type { Store } from "../core/record.ts";
import { stringify } from "./shorten.ts";

export interface Write {
  /** The id of the event that it belongs to: without that one it is not written. */
  event?: string | undefined;
  /** It is that event itself. */
  isEvent?: boolean;
  /** Reads the same after it was JSON. */
  given: object;
  to(store: Store, given: object): unknown;
}

export interface MissedWrites {
  /** Fixed as it is now; or left out, where all together would be more than is kept. */
  add(write: Write): void;
  /** Of what came before all that is here. */
  putFirst(writes: readonly Write[]): void;
  /** Nothing that belongs to this event is kept, until it is `with` it again. */
  without(event: string): void;
  with(event: string): void;
  isEmpty(): boolean;
  /** Something was left out since this was last asked. */
  takeLoss(): boolean;
  /** Writes as many as a few milliseconds allow, one at least, and gives their number. They stay until they are dropped. */
  writeSome(store: Store): number;
  drop(count: number): void;
}

/** As JSON. */
const atMostInCharacters = 8 * 1024 * 1024;
/** A run comes soon after its event: of more than so many, the first are over. */
const leftOutAtMost = 10_000;
/** Milliseconds: writing down what was given takes as long again, and other processes wait for both. */
const writesFor = 5;

export function createMissedWrites(): MissedWrites {
  const leftOut = createBriefMap<string, true>();
  let held: { text: string; to: Write["to"] }[] = [];
  let characters = 0;
  let isLoss = false;

  function without(event: string): void {
    leftOut.set(event, true);
    dropOldest(leftOut, leftOutAtMost);
  }

  function taken({ event, isEvent, given, to }: Write): typeof held {
    if (event !== undefined && leftOut.has(event)) return [];
    const text = stringify(given);
    if (text === undefined || characters + text.length > atMostInCharacters) {
      isLoss = true;
      if (isEvent && event !== undefined) without(event);
      return [];
    }
    characters += text.length;
    return [{ text, to }];
  }

  return {
    add: (write) => void held.push(...taken(write)),
    putFirst(writes) {
      held = [...writes.flatMap(taken), ...held];
    },
    without,
    with: (event) => void leftOut.delete(event),
    isEmpty: () => held.length === 0,
    takeLoss() {
      const was = isLoss;
      isLoss = false;
      return was;
    },
    writeSome(store) {
      const end = performance.now() + writesFor;
      let count = 0;
      for (const { text, to } of held) {
        to(store, JSON.parse(text));
        count += 1;
        if (performance.now() > end) break;
      }
      return count;
    },
    drop(count) {
      for (const { text } of held.splice(0, count)) characters -= text.length;
    },
  };
}
