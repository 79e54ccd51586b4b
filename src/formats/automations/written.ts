/** The fields of an automation as they were written: checked by the table, completed with what holds where one is left out. */
import type { Fields, Json } from "../../engine/event.ts";
import { isId, slugOf } from "../../engine/fingerprint.ts";
import { isRecord, kindOf } from "../../engine/schema.ts";
import { type Automation, automationDefaults, type LlmConfig } from "./fields.ts";
import { type Findings, tellMismatches } from "./findings.ts";
import { automationFieldNames, automationFields, isAutomationField } from "./schema.ts";

/** The specification keeps these as texts that hold JSON. */
const jsonTexts = ["trigger", "context_steps", "llm_config"] as const;

/** Undefined: it is no map, which was told. What is wrong with single fields was told, too, and they are left out. */
export function readFields(written: Json, findings: Findings): Fields | undefined {
  if (!isRecord(written)) {
    const message = `an automation is a map with name and trigger, not ${kindOf(written)}`;
    findings.error([], { code: "wrong-type", message, suggestion: "write name: … and trigger: …" });
    return undefined;
  }
  const fields: Fields = { ...(written as Fields) }; // it is JSON
  for (const key of jsonTexts) {
    const text = fields[key];
    if (typeof text !== "string" || text.trim() === "") continue;
    try {
      fields[key] = JSON.parse(text);
    } catch {
      const message = `"${key}" is a text that is no JSON`;
      findings.error([key], { code: "syntax", message, suggestion: "write it as a map or a list" });
      delete fields[key];
    }
  }
  for (const [key, value] of Object.entries(fields)) if (value === null) delete fields[key]; // as good as nothing
  checkFields(fields, written as Fields, findings);
  return fields;
}

/** Words of other formats for an automation's fields. */
const elsewhere: { readonly [word: string]: string } = {
  on: "trigger",
  when: "trigger",
  event: "trigger",
  steps: "context_steps",
  context: "context_steps",
  prompt: "prompt_template",
  template: "prompt_template",
  llm: "llm_config",
  model: "llm_config",
  provider: "llm_config",
  cooldown: "cooldown_seconds",
  timeout: "timeout_seconds",
  max_tokens: "max_tokens_per_run",
  project: "project_id",
  title: "name",
  skip_llm: "trigger: { skip_llm: true }",
};

function checkFields(fields: Fields, written: Fields, findings: Findings): void {
  const subject = { name: "an automation", path: [], elsewhere };
  const meant = new Set<string>();
  for (const key of Object.keys(fields)) {
    if (isAutomationField(key)) continue;
    const unknown = {
      path: [key],
      expected: "a field",
      found: key,
      unknown: true,
      known: automationFieldNames,
    } as const;
    tellMismatches([unknown], { ...subject, value: fields }, findings);
    meant.add(elsewhere[key] ?? "");
  }
  for (const [key, { schema, required }] of Object.entries(automationFields)) {
    const value = fields[key];
    if (value === undefined) {
      if (required && !meant.has(key) && !isToldOf(key, written, findings))
        findings.error([], {
          code: "missing-field",
          message: `an automation needs "${key}"`,
          suggestion: examples[key] ?? "",
        });
      continue;
    }
    const found = schema.check(value).map((one) => ({ ...one, path: [key, ...one.path] }));
    tellMismatches(found, { ...subject, value: fields }, findings);
    if (found.length > 0 && key !== "name") delete fields[key];
  }
}

/** A text that is no JSON is there, and was told of; so was a name that is nearly this one. */
const isToldOf = (key: string, written: Fields, { all }: Findings): boolean =>
  (written[key] !== undefined && written[key] !== null) ||
  all.some(({ suggestion, code }) => code === "unknown-field" && suggestion === `did you mean "${key}"?`);

const examples: { readonly [field: string]: string } = {
  name: "write name: Nightly report",
  trigger: "write trigger: { type: event, event_type: task.completed }",
};

/** Of a wrong field, which was told of, its default. */
export function withDefaults(fields: Fields, project: string | undefined, findings: Findings): Automation {
  const { trigger: _trigger, context_steps: _steps, ...plain } = fields;
  const name = typeof fields.name === "string" ? fields.name.trim() : "";
  const id = typeof fields.id === "string" ? fields.id.trim() : slugOf(name);
  const project_id = typeof fields.project_id === "string" ? fields.project_id.trim() : (project ?? "");
  if (name !== "" || fields.id !== undefined) checkId("id", id, fields.id === undefined ? "name" : "id", findings);
  checkId("project_id", project_id, "project_id", findings);
  const llm = fields.llm_config;
  return {
    created_at: 0,
    updated_at: 0,
    ...automationDefaults,
    ...(plain as Partial<Automation>), // its schemas have passed every one of them
    llm_config: isRecord(llm) ? llmOf(llm as Fields) : null, // as above
    id,
    project_id,
    name,
    trigger: { type: "event", event_type: "" },
    context_steps: [],
  };
}

function checkId(what: "id" | "project_id", id: string, field: string, findings: Findings): void {
  if (isId(id)) return;
  const message =
    id === ""
      ? `an automation needs "${what}"${what === "id" ? ": its name holds no letter or digit" : ", for it lies in no project"}`
      : `"${id}" cannot be an id: letters and digits, then also dots, _ and -, at most 100`;
  findings.error([field], { code: id === "" ? "missing-field" : "shape", message, suggestion: `write ${what}: name` });
}

/** Numbers where names are meant are read as text (A41); nothing is as good as empty. */
function llmOf(written: Fields): LlmConfig {
  const entries = Object.entries(written).flatMap(([key, value]) => {
    const text = value === null ? "" : String(value).trim();
    return text === "" ? [] : [[key, text] as const];
  });
  return Object.fromEntries(entries);
}
