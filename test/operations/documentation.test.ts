import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Fields } from "../../src/engine/event.ts";
import { operations } from "../../src/operations/index.ts";

test("docs/tools.md has a row for every operation, with every field of its input", () => {
  const page = readFileSync(new URL("../../docs/tools.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| `hookline\.(\w+)` \| (.*?) \|/gm)].map(([, name = "", input = ""]) => [
    name,
    [...input.matchAll(/`(\w+)`/g)].map(([, field]) => field),
    [...input.matchAll(/\*\*`(\w+)`\*\*/g)].map(([, field]) => field),
  ]);
  const expected = [...operations].map(([name, { params }]) => [
    name,
    Object.keys(params.json.properties as Fields), // an object's schema has them
    params.json.required,
  ]);
  assert.deepEqual(rows, expected);
});
