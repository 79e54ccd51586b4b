/** Automations of any content: what is written as YAML reads back to the same. */
import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import type { Automation } from "../../../src/formats/automations/fields.ts";
import { automationText } from "../../../src/formats/automations/file.ts";
import { anyCharacter } from "../../any-character.ts";
import { compile, compileFile, written } from "../automation-helpers.ts";

/** Texts that YAML could read as something else, and any others. */
const text = fc.oneof(
  fc.constantFrom(
    "yes",
    "null",
    "~",
    "0x1F",
    "1e3",
    "- a",
    "a: b",
    "# no",
    "'",
    '"',
    "|",
    "%",
    "@",
    "<<",
    " lead",
    "trail ",
    "a\n\nb\n",
    "\ttab",
    "🪝",
    "---",
    "...\n",
    "{{event.title}}",
  ),
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.string({ unit: anyCharacter, maxLength: 20 }).filter((one) => one.isWellFormed()),
);
const trigger = fc.oneof(
  fc.record({ type: fc.constant("periodic"), interval_seconds: fc.integer({ min: 1, max: 1e6 }) }),
  fc.constant({ type: "event", event_type: "folder.changed", watch: { paths: ["docs/"], recursive: true } }),
  fc.constant({ type: "cron", cron: "0 3 * * *", zone: "Europe/Berlin", skip_llm: true }),
  fc.constant({ type: "at", at: "2030-01-31T08:00:00.000Z" }),
);
const automation = fc.record({
  name: text.filter((one) => one.trim() !== "").map((one) => one.trim()),
  id: fc.constantFrom("a", "b-2", "true", "12", "null"),
  trigger,
  prompt_template: text,
  enabled: fc.boolean(),
  cooldown_seconds: fc.double({ min: 0, max: 1e6, noNaN: true }).map((one) => one + 0),
  context_steps: fc.array(
    fc.record({
      type: fc.constant("shell"),
      command: text.filter((one) => !/[{$`\\'"]|\n/.test(one)),
      skip_llm_if_empty: fc.boolean(),
    }),
    { maxLength: 3 },
  ),
  llm_config: fc.option(
    fc.record({ model: text.filter((one) => one.trim() !== "" && !one.includes("{{")).map((one) => one.trim()) }),
  ),
  notify: fc.option(fc.array(fc.constantFrom("team", "yes"), { maxLength: 2 })),
  tools: fc.oneof(fc.constant(null), fc.constant("all"), fc.constant(["hookline.task_list"])),
});

export function testReadingBack(rounds: number): void {
  test("what is exported reads back to the same automations, and is written again byte for byte", () => {
    let count = 0;
    fc.assert(
      fc.property(fc.array(automation, { maxLength: 3 }), (list) => {
        const made = list.flatMap(
          (one, index): Automation | readonly Automation[] =>
            compile(written({ ...JSON.parse(JSON.stringify(one)), id: `${one.id}-${index}` })).automation ?? [],
        );
        count += made.length;
        const yaml = automationText(made);
        const read = compileFile(yaml).automations.flatMap((one) => one.automation ?? []);
        assert.deepEqual(read, made);
        assert.equal(automationText(read), yaml);
      }),
      { numRuns: rounds },
    );
    assert.ok(count > rounds / 2, `${count} automations`);
  });
}
