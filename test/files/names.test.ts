import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bytesOfNames, isPlainText, pathOf, readableName, textOfNames } from "../../src/files/names.ts";

test("whatever bytes names are, their text gives them back, and no two have one text", () => {
  const someByte = fc.oneof(
    fc.nat(255),
    fc.constantFrom(0xc3, 0xa9, 0xe2, 0xed, 0xef, 0xbf, 0xbd, 0xf0, 0x9f, 0x80, 0),
  );
  fc.assert(
    fc.property(fc.array(someByte), (bytes) => {
      const name = Buffer.from(bytes);
      assert.deepEqual(bytesOfNames(textOfNames(name)), name);
    }),
    { numRuns: 2_000 },
  );
});

test("names that are UTF-8 are the texts that they are", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (name) => {
      assert.equal(textOfNames(Buffer.from(name)), name);
      assert.equal(pathOf(name), name);
      assert.equal(readableName(name), name);
    }),
  );
  assert.equal(textOfNames(Buffer.from("\ufeffa\ufffd")), "\ufeffa\ufffd");
});

test("a name that is no UTF-8 keeps what is, goes to the file system as it is, and can be read", () => {
  const bytes = Buffer.concat([Buffer.from("größe-"), Buffer.of(0xe9, 0xf0, 0x9f), Buffer.from(".go")]);
  const name = textOfNames(bytes);
  assert.equal(name, "größe-\udce9\udcf0\udc9f.go");
  assert.deepEqual(pathOf(name), bytes);
  assert.equal(readableName(name), "größe-\\xE9\\xF0\\x9F.go");
  assert.equal(isPlainText(name), false);
  assert.equal(JSON.parse(JSON.stringify(name)), name);
});
