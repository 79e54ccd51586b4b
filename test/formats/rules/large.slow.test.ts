import assert from "node:assert/strict";
import { test } from "node:test";
import { codes, compile, file, rule } from "../rules-helpers.ts";

test("[R33] nine thousand rules of four megabytes are read", () => {
  const rules = Array.from({ length: 9_000 }, (_, at) =>
    rule({ id: `r${at}`, condition: `{ type: content_contains, keyword: "${"a && b ".repeat(45)}" }` }),
  );
  const text = file(...rules);
  assert.ok(text.length > 3_800_000);
  const { hooks, problems } = compile(text);
  assert.deepEqual([hooks.length, codes({ problems })], [9_000, []]);
});
