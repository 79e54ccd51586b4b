/** An automation as specification 000 writes it, and its fields in one table: it makes the checks, the JSON Schema and the documentation. */
import type { Fields, Json, Seconds } from "../../engine/event.ts";
import type { Limits } from "../../engine/hook.ts";
import {
  either,
  flag,
  integer,
  listOf,
  mapOf,
  number,
  object,
  oneOf,
  type Schema,
  say,
  text,
} from "../../engine/schema.ts";
import { type Field, type FieldTable, field, schemaOf, seconds, secondsFrom0, some, typed } from "../reading/fields.ts";

export interface Automation {
  /** Unique in its project. */
  id: string;
  project_id: string;
  name: string;
  enabled: boolean;
  trigger: AutomationTrigger;
  context_steps: Fields[];
  prompt_template: string;
  llm_config: LlmConfig | null;
  cooldown_seconds: Seconds;
  max_tokens_per_run: number | null;
  /** Unix seconds. */
  created_at: Seconds;
  updated_at: Seconds;
  /** What becomes of events that come while it runs (R23). */
  overlap: Limits["overlap"];
  /** Of the whole run (R14). */
  timeout_seconds: Seconds;
  /** What the model may call (R28); null: what reads the project. */
  tools: string[] | "all" | null;
  /** Calls of the model in one run, at most. */
  max_turns: number | null;
  /** The notifications that report its runs, by name; null: those of its project. */
  notify: string[] | null;
}

/** `skip_llm`: its steps run, and no model is asked. */
export type AutomationTrigger = { skip_llm?: boolean } & (
  | { type: "event"; event_type: string; watch?: AutomationWatch }
  | { type: "periodic"; interval_seconds?: Seconds }
  | { type: "cron"; cron: string; zone?: string }
  /** `in` becomes `at` when the automation is made. */
  | { type: "at"; at?: string; in?: string }
);

export interface AutomationWatch {
  paths: string[];
  project_id?: string;
  base_dir?: string;
  recursive?: boolean;
  extensions?: string[];
  /** Looks now and then instead of waiting for the system's reports: network file systems. */
  poll?: boolean;
}

export interface LlmConfig {
  provider?: string;
  model?: string;
  base_url?: string;
}

/** A clock that names its moments needs no other limit: specification 000 has none of its kind (R96). */
export const defaultCooldown: { readonly [T in AutomationTrigger["type"]]: Seconds } = {
  event: 3600,
  periodic: 3600,
  cron: 0,
  at: 3600,
};

export const automationDefaults: Omit<
  Automation,
  "id" | "project_id" | "name" | "trigger" | "context_steps" | "created_at" | "updated_at"
> = {
  enabled: true,
  prompt_template: "",
  llm_config: null,
  cooldown_seconds: defaultCooldown.event,
  max_tokens_per_run: null,
  overlap: "coalesce",
  timeout_seconds: 300,
  tools: null,
  max_turns: null,
  notify: null,
};

/** The id of an automation's hook, which claims, runs and pauses go by. */
export const hookIdOf = ({ project_id, id }: Pick<Automation, "project_id" | "id">): string =>
  `automation:${project_id}/${id}`;

/** Whose hook it is, if it is an automation's. Names of projects hold no slash. */
export function automationOf(hook: string): { project: string; id: string } | undefined {
  const [, project, id] = /^automation:([^/]*)\/(.+)$/s.exec(hook) ?? [];
  return project === undefined || id === undefined ? undefined : { project, id };
}

/** Each is read by a file of its own. */
const steps: Schema<Fields[]> = { json: { type: "array", items: { type: "object" } }, check: () => [] };

/** A value, or null for none. */
const orNone = <T>(schema: Schema<T>): Schema<T | null> => ({
  json: { anyOf: [schema.json, { type: "null" }] },
  check: (value, path) => (value === null ? [] : schema.check(value, path)),
});

const all: Schema<"all"> = oneOf("all");

/** What specification 000 writes as numbers where a name is meant is read as text (A41). */
const name: Schema<string | number> = either(some, number());
export const modelFields: { [F in "provider" | "model" | "base_url"]: Schema<string | number | null> } = {
  provider: say(orNone(name), "whose model it is: a provider of models.providers, anthropic, openai or google"),
  model: say(orNone(name), "the model's name there"),
  base_url: say(orNone(text()), "where the provider is: an address that the user's own settings name, or this machine"),
};
const llm = object({}, modelFields);

type FieldName = keyof Automation;
const optional = (fieldName: keyof typeof automationDefaults, schema: Schema<unknown>, description: string): Field =>
  field(schema, description, { default: automationDefaults[fieldName] as Json }); // its automationDefaults are plain JSON

export const automationFields: FieldTable<FieldName> = {
  id: field(some, "what it is called in commands: unique in its project; default: made of the name"),
  project_id: field(some, "the project that it belongs to; default: the one of the folder"),
  name: field(some, "what a person calls it", { required: true }),
  enabled: optional("enabled", flag, "false: it is kept and listed, and runs only by hand"),
  trigger: field(typed, "what sets it off: a map with a type", { required: true }),
  context_steps: field(steps, "what is gathered before the model is asked, in this order"),
  prompt_template: optional("prompt_template", text(), "what the model is asked; it may hold placeholders"),
  llm_config: optional("llm_config", orNone(llm), "which model is asked; what is left out is as in the settings"),
  cooldown_seconds: optional(
    "cooldown_seconds",
    secondsFrom0,
    "minimum seconds from one start to the next, or a duration such as 5m; 0: none, which is the default of a cron trigger",
  ),
  max_tokens_per_run: optional(
    "max_tokens_per_run",
    orNone(integer(undefined, 1)),
    "maximum tokens of the model in one run, question and answer together",
  ),
  overlap: optional(
    "overlap",
    oneOf("skip", "queue", "coalesce", "restart"),
    "what happens to events that come while it runs",
  ),
  timeout_seconds: optional(
    "timeout_seconds",
    seconds,
    "time limit of the whole run, in seconds or as a duration such as 5m",
  ),
  tools: optional(
    "tools",
    orNone(either(all, listOf(some))),
    "what the model may call: names of tools, or all; default: tools that read the project",
  ),
  max_turns: optional("max_turns", orNone(integer(undefined, 1)), "how often the model is asked in one run, at most"),
  notify: optional("notify", orNone(listOf(some)), "where its runs are reported; default: as its project says"),
  created_at: field(number(), "when it was made, in Unix seconds", { isOurs: true }),
  updated_at: field(number(), "when it was last changed, in Unix seconds", { isOurs: true }),
};
export const automationSchema: Schema<object> = schemaOf(automationFields);
export const isAutomationField = (key: string): key is FieldName => Object.hasOwn(automationFields, key);

export const watch: Schema<AutomationWatch> = object(
  { paths: say(listOf(some), "files or folders; relative ones start at base_dir") },
  {
    project_id: say(some, "the project that its events name; default: the automation's own"),
    base_dir: say(some, "where relative paths start; default: the project's folder"),
    recursive: say(flag, "folders: subfolders too", false),
    extensions: say(listOf(some), "folders: only files with these endings, such as .md; default: all"),
    poll: say(flag, "look regularly instead of using the system's watches: for network file systems", false),
  },
);

const skipLlm = say(flag, "true: the context steps run, and no model is asked", false);
interface TriggerKind {
  summary: string;
  params: Schema<object>;
}

export const triggerKinds: { readonly [T in "event" | "periodic" | "cron" | "at"]: TriggerKind } = {
  event: {
    summary: "when an event happens: an agent's, an application's, or a change of files",
    params: object(
      { event_type: say(some, "the event's name, as docs/events.md has it, or any name with a dot") },
      { watch: say(watch, "for file.changed and folder.changed: what is watched"), skip_llm: skipLlm },
    ),
  },
  periodic: {
    summary: "again and again, so many seconds after its last run began",
    params: object(
      {},
      { interval_seconds: say(seconds, "seconds from run to run, or a duration such as 15m", 3600), skip_llm: skipLlm },
    ),
  },
  cron: {
    summary: "at the times that a cron pattern names",
    params: object(
      { cron: say(some, "minute, hour, day, month and weekday, such as 0 3 * * 1-5") },
      {
        zone: say(some, "the time zone of the pattern, such as Europe/Berlin; default: this machine's"),
        skip_llm: skipLlm,
      },
    ),
  },
  at: {
    summary: "once, at a moment or after a delay",
    params: object(
      {},
      {
        at: say(some, "the moment, such as 2030-01-31T08:00:00Z"),
        in: say(some, "instead: how long from now, such as 30s, 5m, 2h, 1d or 2h30m"),
        skip_llm: skipLlm,
      },
    ),
  },
};
export type TriggerType = keyof typeof triggerKinds;
export const triggerTypes = Object.keys(triggerKinds) as TriggerType[]; // the mapped type makes the list complete
export const isTriggerType = (type: string): type is TriggerType => Object.hasOwn(triggerKinds, type);

/** Fields of any kind, for a caller that hands an automation on to this format. */
export const anyFields: Schema<Fields> = mapOf({ json: {}, check: () => [] });
