/** An automation as specification 000 writes it, whether it lies in the store or in a file. */
import type { Fields, Seconds } from "../../engine/event.ts";
import type { Limits } from "../../engine/hook.ts";

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
