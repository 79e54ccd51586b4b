/** How the tests of automations compile what is written: with the real registry, the real libraries and no files. */

import type { Fields, Json } from "../../src/core/event.ts";
import type { Origin } from "../../src/core/hook.ts";
import { type AutomationOptions, type CompiledAutomation, compileAutomation } from "../../src/dialects/automation.ts";
import { readCron } from "../../src/dialects/automation-cron.ts";
import { type CompiledAutomations, compileAutomationFile } from "../../src/dialects/automation-file.ts";
import { createHandlers } from "../../src/handlers/index.ts";
import { delayExamples, delayOf } from "../../src/triggers/delay.ts";

const origin: Origin = {
  dialect: "automation",
  layer: "project",
  file: "/shop/.hookline/automations/a.yaml",
  root: "/shop",
};
export const options: AutomationOptions = {
  registry: { handlers: createHandlers(new Map()) },
  times: { readCron, delayOf, delayExamples },
  project: "shop",
  workspace: "/shop",
};

/** A valid automation, with these fields instead of its own; null takes one out. */
export const written = (fields: Fields = {}): Fields => ({
  name: "Tell of failures",
  trigger: { type: "event", event_type: "task.failed" },
  prompt_template: "Why did {{event.title}} fail?",
  ...fields,
});

export const compile = (fields: Json, more: Partial<AutomationOptions> = {}): CompiledAutomation =>
  compileAutomation(fields, origin, { ...options, ...more });

/** What is told of such an automation: severity and message. */
export const told = (fields: Fields, more: Partial<AutomationOptions> = {}): string[] =>
  compile(written(fields), more).findings.map(({ severity, message }) => `${severity}: ${message}`);

export const compileFile = (text: string, more: Partial<AutomationOptions> = {}): CompiledAutomations =>
  compileAutomationFile(text, origin, { ...options, ...more });
