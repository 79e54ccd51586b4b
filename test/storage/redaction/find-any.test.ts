import assert from "node:assert/strict";
import { test } from "node:test";
import { createFindAny } from "../../../src/storage/redaction/redaction.ts";

const signs = ["a.b*c+d?", "(e|f)[g]{1}", "^h$", "i\\nj", "k\nl", "m/n-o", "\ud83d", "p😀q"];
const more = Array.from({ length: 40 }, (_, index) => `secret-number-${index}-`);

test("a text that holds one of them is found, however often was looked before, and no other text is", () => {
  for (const wanted of [signs, [...signs, ...more]]) {
    const holdsAny = createFindAny(wanted);
    for (let look = 0; look < 300; look++) {
      const one = wanted[look % wanted.length] ?? "";
      const around = "x".repeat(look);
      assert.equal(holdsAny(around + one + around), true, one);
      assert.equal(holdsAny(`${around}aXbbbc e i\nj k\\nl secret-number-${around}`), false);
    }
  }
});

test("among none nothing is found, and more than an expression can hold are found as well", () => {
  const none = createFindAny([]);
  const many = Array.from({ length: 5_000 }, (_, index) => `one-of-many-secrets-${index}-`);
  const holdsAny = createFindAny(many);
  for (let look = 0; look < 300; look++) {
    assert.equal(none("any text"), false);
    assert.equal(holdsAny(`it is one-of-many-secrets-${look}-`), true);
    assert.equal(holdsAny("one-of-many-secrets-x-"), false);
  }
});
