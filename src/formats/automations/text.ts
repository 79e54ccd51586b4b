/** Automations as the text of a file that reads back to the same ones, byte for byte the same when it is written again. */
import { stringify } from "yaml";
import type { Fields, Json } from "../../engine/event.ts";
import { type Automation, automationDefaults } from "./fields.ts";
import { automationFields } from "./schema.ts";

/** What holds where it is left out is left out. */
function written(automation: Automation): Fields {
  const otherwise: Readonly<Record<string, unknown>> = { ...automationDefaults, context_steps: [] };
  const all = automation as unknown as Fields; // its fields are plain JSON
  const fields: Fields = {};
  for (const [key, { isOurs }] of Object.entries(automationFields)) {
    const value = all[key];
    if (isOurs || value === undefined || JSON.stringify(value) === JSON.stringify(otherwise[key])) continue;
    fields[key] = value;
  }
  return fields;
}

/** Names first, so that a list of them can be read from above. */
export function automationText(automations: readonly Automation[]): string {
  const list: Json[] = automations.map(written);
  return stringify({ automations: list }, textForm);
}

/** Long texts stay on their lines, texts that YAML reads otherwise are quoted, and nothing is written by reference. */
const textForm = {
  aliasDuplicateObjects: false,
  lineWidth: 0,
  version: "1.2",
  schema: "core",
  doubleQuotedAsJSON: true,
} as const;
