/** The questions that a db_query step may ask: what each is about, and what it needs. Their SQL is the store's. */

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
