/**
 * Automations (specification 000): what is written in the store, in a file or in a request becomes one Hook, or findings
 * that say why not. Pure; never throws.
 */
import type { Fields, Instant, Json } from "../core/event.ts";
import type { Condition, Hook, Origin, Step } from "../core/hook.ts";
import type { Registry } from "../core/ports.ts";
import { isRecord, kindOf } from "../core/schema.ts";
import { isId, slugOf } from "../core/slug.ts";
import { type Automation, automationDefaults, hookIdOf, type LlmConfig } from "./automation-fields.ts";
import { type AutomationFinding, collectFindings, type Findings, tellMismatches } from "./automation-findings.ts";
import { warnOfPlaceholders } from "./automation-placeholders.ts";
import { automationFieldNames, automationFields, isAutomationField } from "./automation-schema.ts";
import { type ReadSteps, readSteps } from "./automation-steps.ts";
import { type ReadTrigger, readTrigger, type Times } from "./automation-trigger.ts";

export interface AutomationOptions {
  registry: Pick<Registry, "handlers">;
  times: Times;
  /** The project of an automation that names none. */
  project?: string;
  /** The folder of its project. */
  workspace?: string;
  /** When it is made: a moment has to lie ahead, and a delay counts from here. Absent: it was made before. */
  now?: Instant;
  /** What is wrong with the model that it names, or with there being none. */
  modelFault?(llm: LlmConfig | null): ModelFault | undefined;
}
export type ModelFault = Pick<AutomationFinding, "severity" | "message" | "suggestion">;

export interface CompiledAutomation {
  /** With every default; `created_at` and `updated_at` as written, else 0. Absent: it is broken. */
  automation?: Automation;
  /** Of one that is broken, a hook that fails and says why, if it is known what sets it off. */
  hook?: Hook;
  findings: AutomationFinding[];
}

/** @param origin where it was written; `root` is the folder of its project */
export function compileAutomation(written: Json, origin: Origin, options: AutomationOptions): CompiledAutomation {
  const findings = collectFindings();
  const fields = readFields(written, findings);
  if (!fields) return { findings: findings.all };
  const automation = withDefaults(fields, options, findings);
  const workspace = options.workspace === undefined ? {} : { workspace: options.workspace };
  const trigger = readTrigger(fields.trigger, {
    ...options,
    ...workspace,
    findings,
    cooldown: automation.cooldown_seconds,
  });
  const steps = readSteps(fields.context_steps, {
    ...options,
    findings,
    origin: options.workspace === undefined ? {} : { root: options.workspace },
  });
  checkModel(automation, trigger, findings, options);
  const { prompt_template: prompt } = automation;
  warnOfPlaceholders(prompt, { findings, path: ["prompt_template"], steps: steps.steps.length });
  if (findings.isBroken || !trigger)
    return { ...brokenHook(automation, trigger, origin, findings), findings: findings.all };
  const whole: Automation = {
    ...automation,
    trigger: trigger.trigger,
    context_steps: Array.isArray(fields.context_steps) ? (fields.context_steps as Fields[]) : [], // each was read as a map
  };
  return { automation: whole, hook: hookOf(whole, trigger, steps, origin, workspace), findings: findings.all };
}

/** The specification keeps these as texts that hold JSON. */
const jsonTexts = ["trigger", "context_steps", "llm_config"] as const;

function readFields(written: Json, findings: Findings): Fields | undefined {
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
function withDefaults(fields: Fields, { project }: AutomationOptions, findings: Findings): Automation {
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

/** What sets it off is known, but not what it does: its runs fail and say why (R48). */
function brokenHook(
  automation: Automation,
  trigger: ReadTrigger | undefined,
  origin: Origin,
  { all }: Findings,
): Pick<CompiledAutomation, "hook"> {
  const reason = all.find(({ severity, isBearable }) => severity === "error" && !isBearable)?.message ?? "";
  if (!trigger || !isId(automation.id) || !isId(automation.project_id)) return {};
  const step: Step = { uses: "invalid", with: { reason }, timeout: 10, onError: "stop" };
  const hook = hookAround(automation, trigger, [step], origin, {});
  return { hook: { ...hook, tags: [brokenTag] } };
}

/** The hook stands for an automation that cannot run. */
export const brokenTag = "broken";

function hookOf(
  automation: Automation,
  trigger: ReadTrigger,
  { steps, flags }: ReadSteps,
  origin: Origin,
  workspace: Pick<AutomationOptions, "workspace">,
): Hook {
  const { prompt_template: prompt, timeout_seconds: timeout } = automation;
  const asksNone = trigger.trigger.skip_llm === true || prompt.trim() === "";
  const last: Step = asksNone
    ? { uses: "no_model", with: {}, timeout: 10, onError: "stop" }
    : {
        uses: "ask_model",
        with: modelParams(automation),
        timeout,
        onError: "stop",
        templates: true,
        ...(flags.some((one) => Object.keys(one).length > 0) ? { skipIf: { is: "skip_flags", with: flags } } : {}),
      };
  const [first, ...rest] = [...steps, last];
  return hookAround(automation, trigger, [first ?? last, ...rest], origin, workspace);
}

const modelParams = ({ prompt_template: prompt, llm_config: llm, ...given }: Automation): Fields => ({
  prompt,
  ...llm,
  ...(given.max_tokens_per_run === null ? {} : { max_tokens: given.max_tokens_per_run }),
  ...(given.max_turns === null ? {} : { max_turns: given.max_turns }),
  ...(given.tools === null ? {} : { tools: given.tools }),
});

function hookAround(
  automation: Automation,
  { on }: ReadTrigger,
  steps: Hook["steps"],
  origin: Origin,
  { workspace }: Pick<AutomationOptions, "workspace">,
): Hook {
  const {
    project_id: project,
    name,
    enabled,
    cooldown_seconds: cooldown,
    timeout_seconds: timeout,
    overlap,
    notify,
  } = automation;
  return {
    id: hookIdOf(automation),
    name,
    on,
    ...("event" in on ? { when: concerns(project, workspace) } : {}),
    steps,
    limits: { timeout, ...(cooldown > 0 ? { cooldown } : {}), overlap },
    mode: "async",
    role: "observe",
    onFailure: "continue",
    priority: 100,
    enabled,
    tags: [],
    durable: true,
    project,
    ...(notify === null ? {} : { notify }),
    origin: { ...origin, ...(workspace === undefined ? {} : { root: workspace }) },
  };
}

const concerns = (project: string, workspace: string | undefined): Condition => ({
  is: "of_project",
  with: { project, ...(workspace === undefined ? {} : { workspace }) },
});
