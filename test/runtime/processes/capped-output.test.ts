import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createCappedOutput } from "../../../src/runtime/processes/spawn.ts";

function written(keptInBytes: number, chunks: Uint8Array[]) {
  const output = createCappedOutput(keptInBytes);
  for (const chunk of chunks) output.write(chunk);
  return output;
}

test("[X3] what fits is kept exactly, however it was cut into chunks", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), fc.integer({ min: 1, max: 7 }), (said, size) => {
      const bytes = Buffer.from(said);
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      const output = written(4096, chunks);
      assert.equal(output.text(), said.toWellFormed());
      assert.equal(output.droppedInBytes(), 0);
    }),
  );
});

test("[X3, F5] of more than fits, exactly the head and the tail are kept, and the gap is counted", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 40 }), (sizes) => {
      const total = sizes.reduce((sum, size) => sum + size, 0);
      const all = Array.from({ length: total }, (_, index) => String.fromCharCode(97 + (index % 26))).join("");
      let at = 0;
      const chunks = sizes.map((size) => {
        at += size;
        return Buffer.from(all.slice(at - size, at));
      });
      const output = written(64, chunks);
      const expected =
        total <= 64 ? all : `${all.slice(0, 32)}\n[… ${total - 64} bytes were not kept …]\n${all.slice(-32)}`;
      assert.equal(output.text(), expected);
      assert.equal(output.droppedInBytes(), Math.max(0, total - 64));
      assert.equal(output.totalInBytes(), total);
    }),
  );
});

test("[F8] a character that the gap cuts in two is left out, not garbled", () => {
  const output = written(16, [Buffer.from("é".repeat(3)), Buffer.from("a€€€€€€€€€€")]);
  assert.doesNotMatch(output.text(), /\uFFFD/);
  assert.match(output.text(), /^ééé/);
  assert.match(output.text(), /€€$/);
});

test("[F5] one byte per write costs only the bytes", () => {
  const output = createCappedOutput(1 << 10);
  for (let index = 0; index < 100_000; index++) output.write(Uint8Array.of(120));
  assert.equal(output.droppedInBytes(), 100_000 - 1024);
  assert.ok(output.text().length < 1100);
});

test("[C37] the first line is known when its line break has come, also across chunks", () => {
  const output = createCappedOutput(1 << 20);
  output.write(Buffer.from('{"async"'));
  assert.equal(output.firstLine(), undefined);
  output.write(Buffer.from(":true}\nmore\n"));
  assert.equal(output.firstLine(), '{"async":true}');
});
