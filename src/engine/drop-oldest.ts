/** Maps and sets that must not grow for ever: above a bound, what has lain in them the longest goes. */
interface Bounded<Key> {
  readonly size: number;
  /** The oldest first. */
  keys(): Iterable<Key>;
  delete(key: Key): unknown;
}

/** @param drop deletes it, and does what else has to be done */
export function dropOldest<Key>(
  held: Bounded<Key>,
  atMost: number,
  drop: (key: Key) => void = (key) => void held.delete(key),
): void {
  if (held.size <= atMost) return;
  for (const key of held.keys()) {
    drop(key);
    if (held.size <= atMost) return;
  }
}

/**
 * A map for what is there briefly. V8 links each outgrown table of a Map or a Set to the next one, so that all that ever lay in
 * one which has grown old is kept until the whole heap is looked through; here each time of being empty ends such a chain.
 */
export interface BriefMap<Key, Value> {
  readonly size: number;
  get(key: Key): Value | undefined;
  has(key: Key): boolean;
  set(key: Key, value: Value): void;
  /** Whether it was there. */
  delete(key: Key): boolean;
  /** The oldest first, as of now. */
  keys(): Iterable<Key>;
}

export function createBriefMap<Key, Value>(): BriefMap<Key, Value> {
  let held = new Map<Key, Value>();
  return {
    get size() {
      return held.size;
    },
    get: (key) => held.get(key),
    has: (key) => held.has(key),
    set: (key, value) => void held.set(key, value),
    delete(key) {
      if (held.size !== 1 || !held.has(key)) return held.delete(key);
      held = new Map();
      return true;
    },
    keys: () => held.keys(),
  };
}
