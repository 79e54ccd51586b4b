/**
 * Automations (specification 000): what is written in the store, in a file or in a request becomes one Hook, or findings
 * that say why not. Pure; never throws.
 */
import type { Fields, Instant, Json } from "../../engine/event.ts";
import type { Hook, Origin } from "../../engine/hook.ts";
import { knownInPlaceOf } from "../../engine/named.ts";
import { didYouMean } from "../../engine/nearest.ts";
import type { Patterns, Registry } from "../../engine/ports.ts";
import { isRecord } from "../../engine/schema.ts";
import type { Automation, LlmConfig } from "./fields.ts";
import { type AutomationFinding, collectFindings, type Findings } from "./findings.ts";
import { brokenHook, hookOf } from "./hook.ts";
import { warnOfPlaceholders } from "./placeholders.ts";
import { readSteps } from "./steps.ts";
import { type ReadTrigger, readTrigger, type Times } from "./trigger.ts";
import { readFields, withDefaults } from "./written.ts";

export interface AutomationOptions {
  registry: Pick<Registry, "handlers">;
  times: Times;
  /** Absent: what its steps hold of patterns and shell lines is believed. */
  patterns?: Patterns;
  /** The project of an automation that names none. */
  project?: string;
  /** The folder of its project. */
  workspace?: string;
  /** When it is made: a moment has to lie ahead, and a delay counts from here. Absent: it was made before. */
  now?: Instant;
  /** The moment that it has already, where it is made anew: that one may have passed. */
  momentBefore?(automation: Pick<Automation, "project_id" | "id">): Instant | undefined;
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
  /** What its moment was written as, which is another one whenever that is read. */
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
    const suggestion = name === "all" ? "write tools: all" : (didYouMean(name, known) ?? `known: ${known.join(", ")}`);
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
