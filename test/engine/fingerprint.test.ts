import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { fingerprint } from "../../src/engine/fingerprint.ts";

test("equal texts have one fingerprint of 32 hexadecimal digits, and a changed character another", () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(), fc.string({ minLength: 1, maxLength: 1 }), (text, place, other) => {
      const index = text.length === 0 ? 0 : place % text.length;
      const changed = text.slice(0, index) + other + text.slice(index + 1);
      assert.match(fingerprint(text), /^[0-9a-f]{32}$/);
      assert.equal(fingerprint(text) === fingerprint(changed), text === changed);
    }),
    { numRuns: 2_000 },
  );
});

test("20,000 similar texts have 20,000 fingerprints, also by their first 12 digits", () => {
  const seen = new Set<string>();
  const short = new Set<string>();
  for (let count = 0; count < 20_000; count++) {
    const print = fingerprint(`{"hooks":[{"id":"${count}"}]}`);
    seen.add(print);
    short.add(print.slice(0, 12));
  }
  assert.equal(seen.size, 20_000);
  assert.ok(short.size >= 19_999);
});
