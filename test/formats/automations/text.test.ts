/** What is written as YAML reads back to the same automations. */
import assert from "node:assert/strict";
import test from "node:test";
import { automationText } from "../../../src/formats/automations/file.ts";
import { compile } from "../automation-helpers.ts";
import { testReadingBack } from "./text-property.ts";

testReadingBack(40);

test("defaults are left out", () => {
  const made = compile({ name: "Night", trigger: { type: "periodic" } }).automation;
  assert.ok(made);
  assert.equal(
    automationText([made]),
    "automations:\n  - id: night\n    project_id: shop\n    name: Night\n    trigger:\n      type: periodic\n",
  );
});
