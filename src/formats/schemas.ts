/** The file formats by their names on the command line: the JSON Schema of each, its files, and an example that holds. */
import type { Fields, Json } from "../engine/event.ts";
import type { Registry } from "../engine/ports.ts";
import { fieldsIn, isRecord } from "../engine/schema.ts";
import { testsSchema } from "./hook-tests/fields.ts";
import { automationSchema, rulesSchema } from "./json-schema.ts";
import { registrySchema } from "./registry/schema.ts";
import { scriptsSchema } from "./scripts/fields.ts";
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
      handler: { kind: "script", command: "cat >>.hookline/calls.jsonl; echo {}" },
      match: { ability_scope: "deploy_*" },
    },
  },
  automation: {
    make: automationSchema,
    files: [".hookline/automations/*.yaml"],
    language: "yaml",
    example: {
      name: "nightly report",
      trigger: { type: "cron", cron: "0 3 * * *" },
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
  tests: {
    make: testsSchema,
    files: ["**/*.hooktest.yaml"],
    language: "yaml",
    example: {
      tests: [
        {
          name: "a push is denied",
          event: "PreToolUse",
          data: { tool_name: "Bash", tool_input: { command: "git push" } },
          expect: { verdict: "deny" },
        },
      ],
    },
  },
};

/** The schema as it is printed: each field of the example has its part of it, which editors show beside what the field means. */
export function schemaOf({ make, example }: Format, registry: Registry): Fields {
  const schema = make(registry);
  return { ...withExamples(schema, example, schema), examples: [example] };
}

/** The same node, with examples at what stands in it directly or by a reference, which is shared. */
function withExamples(node: Fields, example: Json, root: Fields): Fields {
  const defs = fieldsIn(root.$defs);
  const [, name = ""] = /^#\/\$defs\/(\w+)$/.exec(String(node.$ref)) ?? [];
  if (defs[name] !== undefined) defs[name] = withExamples(fieldsIn(defs[name]), example, root);
  if (Array.isArray(example))
    return isRecord(node.items)
      ? { ...node, items: withExamples(fieldsIn(node.items), example[0] ?? null, root) }
      : node;
  if (!isRecord(example)) return node;
  if (!isRecord(node.properties))
    return isRecord(node.else) ? { ...node, else: withExamples(fieldsIn(node.else), example, root) } : node;
  const properties = Object.entries(fieldsIn(node.properties)).map(([key, inner]): [string, Json] => {
    const value = Object.hasOwn(example, key) ? example[key] : undefined;
    if (value === undefined) return [key, inner];
    return [key, { ...withExamples(fieldsIn(inner), value, root), examples: [value] }];
  });
  return { ...node, properties: Object.fromEntries(properties) };
}

export const schemaText = (format: Format, registry: Registry): string =>
  `${JSON.stringify(schemaOf(format, registry), null, 2)}\n`;
