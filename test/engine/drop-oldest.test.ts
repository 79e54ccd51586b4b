import assert from "node:assert/strict";
import { test } from "node:test";
import { dropOldest } from "../../src/engine/drop-oldest.ts";

test("above the bound those go that have lain there the longest, and no more of them than that", () => {
  const map = new Map([1, 2, 3, 4].map((key) => [key, `${key}`]));
  dropOldest(map, 4);
  assert.equal(map.size, 4);
  dropOldest(map, 2);
  assert.deepEqual([...map.keys()], [3, 4]);
  const set = new Set(["a", "b"]);
  dropOldest(set, 1);
  assert.deepEqual([...set], ["b"]);
});

test("a caller with more to do about a pending check drops it itself", () => {
  const open = new Map([1, 2, 3].map((key) => [key, key]));
  const closed: number[] = [];
  dropOldest(open, 1, (key) => {
    closed.push(key);
    open.delete(key);
  });
  assert.deepEqual(closed, [1, 2]);
});
