/**
 * Composes the automations of one store: its rows, and all that is needed to read them. Apart, because it loads what most
 * events do not need: the registry with the context steps, and the libraries that read times.
 */
import type { Origin } from "../../engine/hook.ts";
import type { Patterns, Registry } from "../../engine/ports.ts";
import type { Store } from "../../engine/record.ts";
import { type AutomationOptions, compileAutomation } from "../../formats/automations/automation.ts";
import { readCron } from "../../formats/automations/cron.ts";
import type { LlmConfig } from "../../formats/automations/fields.ts";
import type { ModelSettings } from "../../formats/config/config.ts";
import { type AutomationSource, createAutomationSource } from "../../loading/automations.ts";
import type { AutomationService, Making } from "../../operations/automations/stored.ts";
import { modelFault } from "../../services/models/names.ts";
import { createAutomationRecords, databaseOf } from "../../storage/sqlite/automation-records.ts";

interface AutomationsOptions {
  store: Partial<Store>;
  registry: Pick<Registry, "handlers">;
  environment: Readonly<Record<string, string>>;
  /** Absent: nothing is made here. */
  patterns?: Patterns;
  /** The settings of models that hold in a folder; absent: models are not looked at. */
  modelsIn?(folder: string | undefined): ModelSettings;
}

/** The store's automations, for sets of hooks and for operations. */
export type Automations = AutomationSource & AutomationService;

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
      const { compileAutomationFile } = await import("../../formats/automations/file.ts");
      return compileAutomationFile(text, origin, reading(making));
    },
    textOf: async (automations) => (await import("../../formats/automations/file.ts")).automationText(automations),
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
    readCron,
    ...(modelsIn
      ? { modelFault: (llm: LlmConfig | null) => modelFault(llm, modelsIn(making.workspace), environment) }
      : {}),
  });
