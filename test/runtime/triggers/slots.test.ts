import assert from "node:assert/strict";
import { test } from "node:test";
import { slotsOf } from "../../../src/runtime/triggers/slots.ts";
import { eachTimeComesOnce } from "./slots-model.ts";

eachTimeComesOnce(6); // every fifth is of the whole day

test("a pattern that has a wildcard for seconds fires once for the hour that a change of clocks leaves out", async () => {
  const slots = await slotsOf("* 30 2 * * *", "Europe/Berlin");
  const change = Date.parse("2026-03-29T01:00:00Z");
  assert.deepEqual(slots.together(change), [change]);
});
