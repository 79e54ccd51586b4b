import assert from "node:assert/strict";
import { test } from "node:test";
import { anything, either, flag, integer, listOf, mapOf, object, text } from "../../src/engine/schema.ts";
import { printerOf } from "../../src/engine/template.ts";

const whole = object(
  { name: text() },
  {
    ends: listOf(text()),
    counts: listOf(integer()),
    entries: listOf(object({ label: text() }, { isNew: flag })),
    headers: mapOf(text()),
    params: mapOf(anything),
    either: either(integer(), text()),
  },
);

test("what has to be text is printed, however deep it is, and everything else keeps its kind", () => {
  const print = printerOf(whole.json);
  assert.deepEqual(
    print?.({
      name: 1,
      ends: [1, "a", null, [2], { b: 3 }],
      counts: [1],
      entries: [{ label: 4, isNew: true }, "none"],
      headers: { a: 5, b: "c" },
      params: { a: 6 },
      either: 7,
      unknown: 8,
    }),
    {
      name: "1",
      ends: ["1", "a", "", "[2]", '{"b":3}'],
      counts: [1],
      entries: [{ label: "4", isNew: true }, "none"],
      headers: { a: "5", b: "c" },
      params: { a: 6 },
      either: 7,
      unknown: 8,
    },
  );
});

test("where no text is needed, nothing is looked through", () => {
  assert.equal(printerOf(object({ counts: listOf(integer()) }, { params: mapOf(anything) }).json), undefined);
});
