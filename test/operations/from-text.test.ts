import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../src/engine/event.ts";
import {
  anything,
  either,
  flag,
  integer,
  listOf,
  mapOf,
  number,
  oneOf,
  type Schema,
  text,
} from "../../src/engine/schema.ts";
import { secondsFrom0 } from "../../src/formats/reading/fields.ts";
import { isSwitch, readValue, takesList } from "../../src/operations/from-text.ts";

const orNull = (schema: Schema<unknown>): unknown => ({ anyOf: [schema.json, { type: "null" }] });

const cases: readonly [schema: unknown, text: string, value: Json][] = [
  [text().json, "12", "12"],
  [text().json, "true", "true"],
  [text().json, '{"a":1}', '{"a":1}'],
  [integer().json, "12", 12],
  [integer().json, "-3", -3],
  [integer().json, "many", "many"],
  [number().json, "1.5e3", 1500],
  [flag.json, "false", false],
  [oneOf("a", "b").json, "a", "a"],
  [orNull(integer()), "null", null],
  [orNull(integer()), "7", 7],
  [orNull(text()), "null", null],
  [listOf(text()).json, "one", ["one"]],
  [listOf(text()).json, '["one","two"]', ["one", "two"]],
  [listOf(integer()).json, "4", [4]],
  [either(listOf(text()), oneOf("all")).json, "all", "all"],
  [either(listOf(text()), oneOf("all")).json, '["a"]', ["a"]],
  [either(listOf(text()), oneOf("all")).json, "hookline.task_list", ["hookline.task_list"]],
  [mapOf(anything).json, '{"a":[1]}', { a: [1] }],
  [either(text(), mapOf(anything)).json, '{"a":1}', { a: 1 }],
  [either(text(), mapOf(anything)).json, "{{event.a}}", "{{event.a}}"],
  [anything.json, "12", 12],
  [anything.json, "plain words", "plain words"],
];

test("text becomes the JSON that a schema asks for, and stays text where text is taken", () => {
  for (const [schema, written, value] of cases)
    assert.deepEqual(readValue(written, schema), value, `${JSON.stringify(schema)} of ${written}`);
});

test("what has to be JSON and is not is an error, never another value", () => {
  assert.throws(() => readValue("{a:1}", mapOf(anything).json), SyntaxError);
  assert.throws(() => readValue("[1,", listOf(integer()).json), SyntaxError);
});

test("a flag without a value is one whose schema takes nothing but true and false", () => {
  assert.equal(isSwitch(flag.json), true);
  assert.equal(isSwitch(orNull(flag)), true);
  assert.equal(isSwitch(anything.json), false);
  assert.equal(isSwitch(either(flag, text()).json), false);
  assert.equal(takesList(listOf(text()).json), true);
  assert.equal(takesList(text().json), false);
});

test("seconds may be a number or a duration on the command line", () => {
  const { json } = secondsFrom0;
  assert.deepEqual([readValue("0", json), readValue("300", json), readValue("5m", json)], [0, 300, "5m"]);
});
