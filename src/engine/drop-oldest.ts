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
