import assert from "node:assert/strict";
import { test } from "node:test";
import { read, testYamlProperties } from "./yaml-properties.ts";

test("[SD14] a file of too many words and signs is refused", () => {
  assert.match(read(`[a,${"a,".repeat(1_400_000)}`).found[0] ?? "", /more than 1000000 words and signs/);
});

testYamlProperties(3_000);
