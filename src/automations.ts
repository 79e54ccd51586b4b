/**
 * Composes the automations of one store: its rows, and all that is needed to read them. Apart, because it loads what most
 * events do not need: the registry with the context steps, and the libraries that read times.
 */
import type { Origin } from "./core/hook.ts";
import type { Patterns, Registry } from "./core/ports.ts";
import type { Store } from "./core/record.ts";
import { type AutomationOptions, compileAutomation } from "./dialects/automation.ts";
import { readCron } from "./dialects/automation-cron.ts";
import type { LlmConfig } from "./dialects/automation-fields.ts";
import type { ModelSettings } from "./dialects/config.ts";
import { modelFault } from "./llm/wanted.ts";
import type { AutomationDesk, Making } from "./operations/automation-desk.ts";
import { type AutomationSource, createAutomationSource } from "./sources/automations.ts";
import { createAutomationRecords, databaseOf } from "./stores/automation-records.ts";
import { delayExamples, delayOf } from "./triggers/delay.ts";

export interface AutomationsOptions {
  store: Partial<Store>;
  registry: Pick<Registry, "handlers">;
  environment: Readonly<Record<string, string>>;
  /** Absent: nothing is made here. */
  patterns?: Patterns;
  /** The settings of models that hold in a folder; absent: models are not looked at. */
  modelsIn?(folder: string | undefined): ModelSettings;
}

/** The store's automations, for whoever puts sets of hooks together, and for operations. */
export type Automations = AutomationSource & AutomationDesk;

/** Undefined: this store keeps none. */
export function openAutomations(options: AutomationsOptions): Automations | undefined {
  const database = databaseOf(options.store);
  if (!database) return undefined;
  const records = createAutomationRecords(database);
  const reading = readingOf(options);
  return {
    ...createAutomationSource({
      records,
      compile: (written, origin, workspace) =>
        compileAutomation(written, origin, reading(workspace === undefined ? {} : { workspace })),
    }),
    records,
    compile: (written, making) => compileAutomation(written, originOf(making), reading(making)),
    async compileFile(text, origin, making) {
      const { compileAutomationFile } = await import("./dialects/automation-file.ts");
      return compileAutomationFile(text, origin, reading(making));
    },
    textOf: async (automations) => (await import("./dialects/automation-text.ts")).automationText(automations),
  };
}

const originOf = ({ workspace }: Making): Origin => ({
  dialect: "automation",
  layer: "user",
  ...(workspace === undefined ? {} : { root: workspace }),
});

const readingOf =
  ({ registry, environment, modelsIn, patterns }: AutomationsOptions) =>
  (making: Making): AutomationOptions => ({
    ...making,
    registry,
    ...(patterns ? { patterns } : {}),
    times: { readCron, delayOf, delayExamples },
    ...(modelsIn
      ? { modelFault: (llm: LlmConfig | null) => modelFault(llm, modelsIn(making.workspace), environment) }
      : {}),
  });
