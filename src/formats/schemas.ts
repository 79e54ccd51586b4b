/** The file formats by their names on the command line: the JSON Schema of each, its files, and an example that holds. */
import type { Fields, Json } from "../engine/event.ts";
import type { Registry } from "../engine/ports.ts";
import { automationSchema, rulesSchema } from "./json-schema.ts";
import { registrySchema } from "./registry/schema.ts";
import { scriptsSchema } from "./scripts/schema.ts";
import { hooksSchema } from "./settings/schema.ts";

export interface Format {
  /** @param registry also what extensions have registered */
  make(registry: Registry): Fields;
  /** Its files in a project, for editors. */
  files: readonly string[];
  /** How an editor reads them; absent: not with a schema. */
  language?: "yaml" | "json";
  example: Json;
}

const rule: Fields = {
  id: "no-push",
  on: "tool_start",
  condition: { type: "shell", runs: ["git push *"] },
  action: { type: "gate", reason: "people push" },
};

export const formats: Readonly<Record<string, Format>> = {
  rules: {
    make: (registry) => rulesSchema(registry, "rules"),
    files: [".hookline/rules/*.yaml"],
    language: "yaml",
    example: { hooks: [rule] },
  },
  settings: {
    make: hooksSchema,
    files: [".hookline/hooks.json", ".hookline/hooks.local.json"],
    language: "json",
    example: {
      hooks: {
        PreToolUse: [{ deny: ["Bash(git push --force *)"] }],
        Stop: [{ hooks: [{ command: "npm test", timeout: 300 }] }],
      },
    },
  },
  scripts: {
    make: scriptsSchema,
    files: [".hookline/hooks/*"],
    example: { name: "Go format check", type: "file", pattern: "*.go", timeout: 60 },
  },
  registry: {
    make: registrySchema,
    files: [".system/hooks/*.yaml", ".hookline/registry/*.yaml"],
    language: "yaml",
    example: {
      id: "call_tracker",
      event_type: "PostAbilityCall",
      handler: { kind: "script", command: "./scripts/hooks/call-tracker.sh" },
      match: { ability_scope: "deploy_*" },
    },
  },
  automation: {
    make: automationSchema,
    files: [".hookline/automations/*.yaml"],
    language: "yaml",
    example: {
      name: "nightly report",
      trigger: { type: "schedule", cron: "0 3 * * *" },
      prompt_template: "Summarize what changed today.",
    },
  },
  config: {
    make: (registry) => rulesSchema(registry, "config"),
    files: ["hookline.yaml"],
    language: "yaml",
    example: { hooks: [rule], models: { default: "anthropic/claude-sonnet-4-5" } },
  },
  app: {
    make: (registry) => rulesSchema(registry, "app"),
    files: [".hookline/app.yaml"],
    language: "yaml",
    example: {
      runtime: { hooks: [rule] },
      agents: [{ id: "assistant", hooks: [{ ...rule, id: "assistant-no-push" }] }],
    },
  },
  // tests: a row for hook tests (*.hooktest.yaml)
};

/** The schema as it is printed. */
export function schemaOf({ make, example }: Format, registry: Registry): Fields {
  return { ...make(registry), examples: [example] };
}

export const schemaText = (format: Format, registry: Registry): string =>
  `${JSON.stringify(schemaOf(format, registry), null, 2)}\n`;
