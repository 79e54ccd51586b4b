import assert from "node:assert/strict";
import { test } from "node:test";
import { getHeapSpaceStatistics } from "node:v8";
import fc from "fast-check";
import { type BriefMap, createBriefMap } from "../../src/engine/drop-oldest.ts";

test("a brief map holds what a Map would, in its order", () => {
  const step = fc.record({
    is: fc.constantFrom("set", "delete"),
    key: fc.integer({ max: 4, min: 0 }),
    value: fc.nat(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const brief = createBriefMap<number, number>();
      const map = new Map<number, number>();
      for (const { is, key, value } of steps) {
        if (is === "set") {
          brief.set(key, value);
          map.set(key, value);
        } else assert.equal(brief.delete(key), map.delete(key));
        assert.deepEqual([...brief.keys()], [...map.keys()]);
        assert.equal(brief.size, map.size);
        assert.deepEqual([brief.get(key), brief.has(key)], [map.get(key), map.has(key)]);
      }
    }),
  );
});

test("what has left it is not kept by those that lay in it before", async () => {
  const kept = async (map: Pick<BriefMap<number, unknown>, "set" | "delete">): Promise<number> => {
    map.set(-1, undefined);
    for (let turn = 0; turn < 300; turn++) litter(); // until its table is old
    map.delete(-1);
    const before = oldSpace();
    for (let turn = 0; turn < 3_000; turn++) {
      map.set(turn, litter());
      map.delete(turn);
      if (turn % 100 === 0) await new Promise(setImmediate);
    }
    return oldSpace() - before;
  };
  const one = new Map<number, unknown>();
  const map = {
    set: (key: number, value: unknown) => void one.set(key, value),
    delete: (key: number) => one.delete(key),
  };
  await kept(createBriefMap()); // what is compiled meanwhile lies there, too
  assert.ok((await kept(createBriefMap())) < 100_000);
  assert.ok((await kept(map)) > 200_000, "V8 no longer does so, and it can go");
});

const litter = (): unknown => Array.from({ length: 1_000 }, (_, index) => ({ index }));
const oldSpace = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space")?.space_used_size ?? Number.NaN;
