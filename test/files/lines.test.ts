/** Lines are the same, wherever what arrives is cut. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createLines, type Line } from "../../src/files/lines.ts";

const largestInBytes = 1024 * 1024;

const textsOf = (pieces: readonly (string | Buffer)[], isEnded = true): string[] => {
  const lines = createLines(largestInBytes);
  const found = pieces.flatMap((piece) => [...lines.add(Buffer.from(piece))]);
  if (isEnded) found.push(...lines.end());
  return found.map(named);
};
const named = (line: Line): string => ("text" in line ? line.text : `!${line.because}`);

test("lines are the same wherever what arrives is cut, also in the middle of a letter", () => {
  const text = '{"a":"ä€😀"}\n\n{"b":2}\r\n  \n{"c":3}';
  const whole = Buffer.from(text);
  const expected = ['{"a":"ä€😀"}', '{"b":2}\r', '{"c":3}'];
  assert.deepEqual(textsOf([whole]), expected);
  for (let size = 1; size < 12; size++) {
    const pieces: Buffer[] = [];
    for (let at = 0; at < whole.length; at += size) pieces.push(whole.subarray(at, at + size));
    assert.deepEqual(textsOf(pieces), expected, `pieces of ${size} bytes`);
  }
});

test("a line that is no UTF-8 is one bad line, and its neighbours are good", () => {
  const broken = Buffer.concat([Buffer.from("good\n"), Buffer.from([0xff, 0xfe]), Buffer.from("\nfine\n")]);
  assert.deepEqual(textsOf([broken]), ["good", "!input_invalid", "fine"]);
});

test("a line beyond the largest size is dropped as it comes in, and what follows it is taken", () => {
  const half = "x".repeat(700_000);
  assert.deepEqual(textsOf(["first\n", half, half, half, "\nlast\n"]), ["first", "!line_too_large", "last"]);
  assert.deepEqual(textsOf([`${half}${half}\nlast`]), ["!line_too_large", "last"]);
});

test("a line's size is that of its bytes, whether it comes whole or in parts, and next to one that is no UTF-8", () => {
  const line = "é".repeat(600_000);
  assert.deepEqual(textsOf([`${line}\nlast`]), ["!line_too_large", "last"]);
  assert.deepEqual(textsOf([line.slice(0, 300_000), line.slice(300_000), "\nlast"]), ["!line_too_large", "last"]);
  const broken = Buffer.concat([Buffer.from(`${line}\n`), Buffer.from([0xff]), Buffer.from("\nlast\n")]);
  assert.deepEqual(textsOf([broken]), ["!line_too_large", "!input_invalid", "last"]);
  assert.deepEqual(
    textsOf([`${"é".repeat(524_288)}\nlast`]).map((text) => text.length),
    [524_288, 4],
  );
});

test("a line whose end has not come is none yet", () => {
  assert.deepEqual(textsOf(['{"a":1}\n{"b"'], false), ['{"a":1}']);
});
