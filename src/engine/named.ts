/** Names that authors write: tools that come with Hookline, questions of a db_query step, an automation's model and flags. */
import type { ModelRequest } from "./external-services.ts";

/** What a person, a hook or a model can ask of the engine. */
export const operationNames = [
  "hooks",
  "explain",
  "runs",
  "run",
  "why",
  "follow_ups",
  "status",
  "coverage",
  "emit",
  "pause",
  "resume",
  "guard_list",
  "guard_stats",
  "appeal",
  "automation_list",
  "automation_show",
  "automation_create",
  "automation_edit",
  "automation_delete",
  "automation_enable",
  "automation_disable",
  "automation_fire",
  "automation_pause",
  "automation_resume",
  "automation_apply",
  "automation_export",
  "automation_runs",
  "project_list",
  "project_show",
  "project_create",
  "project_edit",
  "project_delete",
  "project_pause",
  "project_resume",
  "task_list",
  "task_show",
  "task_create",
  "task_start",
  "task_complete",
  "task_fail",
  "note_list",
  "note_show",
  "note_write",
  "note_delete",
  "memory_add",
  "memory_search",
] as const;
export type OperationName = (typeof operationNames)[number];

/** Of models: what reads the project's files. */
export const fileToolNames = ["read_file", "list_files", "search"] as const;

/** The operations, as tools, stand behind this name and a dot. Tools of servers hold a dot, too; others do not. */
export const ownModule = "hookline";

/** All that can be known without asking a server. */
const ownTools: readonly string[] = [...fileToolNames, ...operationNames.map((name) => `${ownModule}.${name}`)];

/** Whether a name in a list stands for this tool: its own, or the beginning of its own with a `*` behind. */
export const namesTool = (written: string, name: string): boolean =>
  written === name || (written.endsWith("*") && name.startsWith(written.slice(0, -1)));

/** The names that there can be in place of one that stands for no tool; undefined: it may stand for one. */
export function knownInPlaceOf(written: string): readonly string[] | undefined {
  const isForeign = written.includes(".") ? !written.startsWith(`${ownModule}.`) : written.endsWith("*");
  return isForeign || ownTools.some((name) => namesTool(written, name)) ? undefined : ownTools;
}

export interface NamedQuery {
  /** What it answers, for the documentation. */
  summary: string;
  /** All of them have to be given; they are bound, and never become text of the question. */
  params: readonly string[];
}

export const queryNames = [
  "recent_task_results",
  "task_detail",
  "recent_events",
  "hook_runs",
  "failed_tasks",
  "project_tasks_by_status",
  "recent_hook_activity",
] as const;
export type QueryName = (typeof queryNames)[number];

export const namedQueries: Readonly<Record<QueryName, NamedQuery>> = {
  recent_task_results: { summary: "the last 20 tasks that have ended, with their results", params: [] },
  task_detail: { summary: "one task whole", params: ["task_id"] },
  recent_events: { summary: "the last 50 events, with their payloads", params: [] },
  hook_runs: { summary: "the last 10 runs of one hook, by its id or an automation's own", params: ["hook_id"] },
  failed_tasks: { summary: "the last 20 tasks that have failed, and why", params: [] },
  project_tasks_by_status: {
    summary: "up to 20 tasks of a project with one status, the most urgent first",
    params: ["project_id", "status"],
  },
  recent_hook_activity: { summary: "the last 20 runs of any hook, with its name and how long they took", params: [] },
};

export const isQueryName = (name: string): name is QueryName => Object.hasOwn(namedQueries, name);

export const unknownQuery = (name: string): string => `Unknown query: ${name}`;

/** What is wrong with the names of the parameters that a query is given; undefined: nothing. */
export function wrongParams(name: QueryName, given: readonly string[]): string | undefined {
  const { params } = namedQueries[name];
  const missing = params.find((one) => !given.includes(one));
  if (missing !== undefined) return `the query ${name} needs the parameter ${missing}`;
  const more = given.find((one) => !params.includes(one));
  if (more === undefined) return undefined;
  return `the query ${name} takes ${params.length === 0 ? "no parameters" : params.join(" and ")}, and no ${more}`;
}

export interface NamedModel {
  provider?: string;
  model?: string;
  base_url?: string;
}

/** Of what it does not name, the configured default holds, key by key. What is empty counts as left out. */
export function wantedModel({
  provider,
  model,
  base_url: url,
}: NamedModel): Pick<ModelRequest, "model" | "over" | "url"> {
  const over = { ...(provider ? { provider } : {}), ...(model ? { model } : {}) };
  return {
    ...(provider && model ? { model: `${provider}/${model}` } : provider || model ? { over } : {}),
    ...(url ? { url } : {}),
  };
}

/** The sentence of specification 000, section 7. */
export const noProviderSentence = (provider: string | undefined): string =>
  `Failed to create LLM provider: ${provider || "the default"}`;

/** A flag of a context step that makes the model needless. */
export type SkipFlag = "exit_zero" | "empty" | "status_ok";
export type SkipFlags = Partial<Record<SkipFlag, boolean>>;

interface Flag {
  /** As an automation's author writes it. */
  written: string;
  summary: string;
}

/** Looked at in this order (specification 000, A38). */
export const skipFlags: { readonly [F in SkipFlag]: Flag } = {
  exit_zero: {
    written: "skip_llm_if_exit_zero",
    summary: "true: where this step's program exits 0, no model is asked",
  },
  empty: {
    written: "skip_llm_if_empty",
    summary: "true: where this step finds nothing, no model is asked; a step that failed has not found nothing",
  },
  status_ok: {
    written: "skip_llm_if_status_ok",
    summary: "true: where this step's address answers with a status of 200 to 299, no model is asked",
  },
};
export const skipFlagNames = Object.keys(skipFlags) as SkipFlag[]; // the mapped type makes the list complete
