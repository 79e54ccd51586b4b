/**
 * Automations (specification 000): what is written in the store, in a file or in a request becomes one Hook, or findings
 * that say why not. Fields are checked by the table, and completed with their defaults. Pure; never throws.
 */
import type { Fields, Instant, Json } from "../../engine/event.ts";
import { isId, slugOf } from "../../engine/fingerprint.ts";
import type { Hook, Origin } from "../../engine/hook.ts";
import { knownInPlaceOf } from "../../engine/named.ts";
import { meantOrKnown } from "../../engine/nearest.ts";
import type { Patterns, Registry } from "../../engine/ports.ts";
import { isFields, isRecord, kindOf, type Mismatch } from "../../engine/schema.ts";
import { warnOfPlaceholders } from "../placeholders.ts";
import { withDurations } from "../reading/durations.ts";
import {
  type Automation,
  automationDefaults,
  automationSchema,
  defaultCooldown,
  type LlmConfig,
  type TriggerType,
} from "./fields.ts";
import { type AutomationFinding, collectFindings, type Findings, reportMismatches } from "./findings.ts";
import { brokenHook, hookOf, readSteps } from "./steps.ts";
import { type ReadCron, type ReadTrigger, readTrigger } from "./trigger.ts";

export interface AutomationOptions {
  registry: Pick<Registry, "handlers">;
  /** Absent: cron patterns were read when the automation was made. */
  readCron?: ReadCron;
  /** Absent: patterns and shell lines in its steps are not checked. */
  patterns?: Patterns;
  /** The project of an automation that names none. */
  project?: string;
  /** The folder of its project. */
  workspace?: string;
  /** When it is created: a moment has to lie ahead, and a delay counts from here. Absent: it was created before. */
  now?: Instant;
  /** The moment that it has already, where it is written again: that one may have passed. */
  momentBefore?(automation: Pick<Automation, "project_id" | "id">): Instant | undefined;
  /** What is wrong with its model, also where it names none. */
  modelFault?(llm: LlmConfig | null): ModelFault | undefined;
}
export type ModelFault = Pick<AutomationFinding, "severity" | "message" | "suggestion">;

export interface CompiledAutomation {
  /** With every default; `created_at` and `updated_at` as written, else 0. Absent: it is broken. */
  automation?: Automation;
  /** For a broken one whose trigger is known: a hook that fails and says why. */
  hook?: Hook;
  findings: AutomationFinding[];
  /** The delay that its moment was written as: read again, it would give another moment. */
  delay?: string;
}

/** @param origin where it was written; `root` is the folder of its project */
export function compileAutomation(written: Json, origin: Origin, options: AutomationOptions): CompiledAutomation {
  const findings = collectFindings();
  const fields = readFields(written, findings);
  if (!fields) return { findings: findings.all };
  const automation = withDefaults(fields, options.project, findings);
  const workspace = options.workspace === undefined ? {} : { workspace: options.workspace };
  const trigger = readTrigger(fields.trigger, {
    ...options,
    ...workspace,
    findings,
    cooldown: automation.cooldown_seconds,
    mayBePast: (moment) => !automation.enabled || options.momentBefore?.(automation) === moment,
  });
  const steps = readSteps(fields.context_steps, {
    ...options,
    findings,
    origin: options.workspace === undefined ? {} : { root: options.workspace },
  });
  checkModel(automation, trigger, findings, options);
  checkTools(automation, findings);
  const { prompt_template: prompt } = automation;
  warnOfPlaceholders(prompt, { findings, path: ["prompt_template"], steps: steps.steps.length });
  if (findings.isBroken || !trigger) {
    const hook = trigger && brokenHook(automation, trigger, findings, origin, workspace);
    return { ...(hook ? { hook } : {}), findings: findings.all };
  }
  const whole: Automation = {
    ...automation,
    trigger: trigger.trigger,
    context_steps: Array.isArray(fields.context_steps) ? (fields.context_steps as Fields[]) : [], // each was read as a map
  };
  const delay =
    isRecord(fields.trigger) && typeof fields.trigger.in === "string" ? fields.trigger.in.trim() : undefined;
  return {
    automation: whole,
    hook: hookOf(whole, trigger, steps, origin, workspace),
    findings: findings.all,
    ...(delay === undefined ? {} : { delay }),
  };
}

/** Those of servers are not known before a server is asked. */
function checkTools({ tools }: Automation, findings: Findings): void {
  if (!Array.isArray(tools)) return;
  for (const [index, name] of tools.entries()) {
    const known = knownInPlaceOf(name);
    if (!known) continue;
    const message = `no tool is called "${name}"`;
    const suggestion = name === "all" ? "write tools: all" : meantOrKnown(name, known);
    findings.error(["tools", index], { code: "unknown-tool", message, suggestion, isBearable: true });
  }
}

function checkModel(
  { llm_config: llm, prompt_template: prompt }: Automation,
  trigger: ReadTrigger | undefined,
  findings: Findings,
  { modelFault }: AutomationOptions,
): void {
  for (const [key, value] of Object.entries(llm ?? {}))
    if (String(value).includes("{{")) {
      const message = `"${key}" of llm_config holds a placeholder, and events may not say which model is asked`;
      findings.error(["llm_config", key], { code: "placeholder", message, suggestion: "write the value itself" });
    }
  if (trigger?.trigger.skip_llm) return;
  if (prompt.trim() === "") {
    const message = "there is no prompt, so no model is asked";
    const suggestion = "write prompt_template, or skip_llm: true in the trigger";
    if (trigger) findings.warn(["trigger"], { code: "missing-field", message, suggestion });
    return;
  }
  const fault = modelFault?.(llm);
  if (fault) findings.all.push({ ...fault, code: "setting-refused", path: ["llm_config"], isBearable: true });
}

/** The specification keeps these as texts that hold JSON. */
const jsonTexts = ["trigger", "context_steps", "llm_config"] as const;

/** Undefined: it is no map, which is reported. So is what is wrong with single fields, which are left out. */
function readFields(written: Json, findings: Findings): Fields | undefined {
  if (!isRecord(written)) {
    const message = `an automation is a map with name and trigger, not ${kindOf(written)}`;
    findings.error([], { code: "wrong-type", message, suggestion: "write name: … and trigger: …" });
    return undefined;
  }
  const fields: Fields = withDurations(written as Fields); // it is JSON
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
  const { trigger, context_steps: steps } = fields;
  if (isFields(trigger)) fields.trigger = withDurations(trigger);
  if (Array.isArray(steps)) fields.context_steps = steps.map((step) => (isFields(step) ? withDurations(step) : step));
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

/** What is wrong with a field is reported, and the field left out, as the table has its default. */
function checkFields(fields: Fields, written: Fields, findings: Findings): void {
  const isNoJson = ({ path: [key = ""] }: Mismatch): boolean => typeof written[key] === "string" && !(key in fields);
  const wrong = automationSchema.check(fields).filter((one) => !isNoJson(one));
  reportMismatches(wrong, { name: "an automation", at: [], value: fields, elsewhere, examples }, findings);
  for (const { path, unknown } of wrong) if (!unknown && path[0] !== "name") delete fields[String(path[0])];
}

const examples: { readonly [field: string]: string } = {
  name: "name: Nightly report",
  trigger: "trigger: { type: event, event_type: task.completed }",
};

/** A wrong field has its default; it was reported. */
function withDefaults(fields: Fields, project: string | undefined, findings: Findings): Automation {
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
    ...(isCron(fields.trigger) ? { cooldown_seconds: defaultCooldown.cron } : {}),
    ...(plain as Partial<Automation>), // its schemas have passed every one of them
    llm_config: isFields(llm) ? llmOf(llm) : null,
    id,
    project_id,
    name,
    trigger: { type: "event", event_type: "" },
    context_steps: [],
  };
}

const isCron = (trigger: Json | undefined): boolean =>
  isFields(trigger) && trigger.type === ("cron" satisfies TriggerType);

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
