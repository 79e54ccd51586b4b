/** How the tests of automations compile what is written: with the real registry, the real libraries and no files. */

import { createHandlers } from "../../src/actions/index.ts";
import type { Fields, Json } from "../../src/engine/event.ts";
import type { Origin } from "../../src/engine/hook.ts";
import {
  type AutomationOptions,
  type CompiledAutomation,
  compileAutomation,
} from "../../src/formats/automations/automation.ts";
import { readCron } from "../../src/formats/automations/cron.ts";
import { type CompiledAutomations, compileAutomationFile } from "../../src/formats/automations/file.ts";

const origin: Origin = {
  dialect: "automation",
  layer: "project",
  file: "/shop/.hookline/automations/a.yaml",
  root: "/shop",
};
export const options: AutomationOptions = {
  registry: { handlers: createHandlers(new Map()) },
  readCron,
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
