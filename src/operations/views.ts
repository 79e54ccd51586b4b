/** How projects, tasks and notes look in JSON, and what of it people read. Times are unix seconds. */
import type { Fields, Json } from "../engine/event.ts";
import { isRecord } from "../engine/schema.ts";
import { printValue } from "../engine/template.ts";
import type { Note } from "../services/projects/notes.ts";
import type { Awaited, Dependency, ProjectRecord, TaskRecord } from "../services/projects/records.ts";
import { seconds } from "./board.ts";

export const projectView = (project: ProjectRecord, isPaused: boolean): Fields => ({
  id: project.id,
  name: project.name,
  workspace: project.workspace ?? null,
  repository: project.repository ?? null,
  branch: project.branch ?? null,
  notify: project.notify ?? null,
  paused: isPaused,
  created_at: seconds(project.created),
  updated_at: seconds(project.updated),
});

export const taskView = (task: TaskRecord): Fields => ({
  id: task.id,
  project_id: task.project,
  title: task.title,
  description: task.description,
  status: task.status,
  priority: task.priority,
  parent_task_id: task.parent ?? null,
  profile_id: task.profile ?? null,
  preferred_workspace_id: task.workspace ?? null,
  branch_name: task.branch ?? null,
  context_entries: task.context.map((one) => ({ ...one })),
  depends_on: task.dependsOn.map(dependencyInWords),
  result: task.result ?? null,
  error: task.error ?? null,
  created_at: seconds(task.created),
  updated_at: seconds(task.updated),
  started_at: seconds(task.started),
  completed_at: seconds(task.ended),
});

export const taskRow = (task: TaskRecord): Fields => ({
  id: task.id,
  status: task.status,
  priority: task.priority,
  title: task.title,
  project_id: task.project,
});

const dependencyInWords = ({ task, run }: Dependency): string => (task === undefined ? `run:${run}` : `task:${task}`);

export const awaitedView = ({ kind, id, status }: Awaited): Fields => ({ [kind]: id, status: status ?? null });

export const noteView = ({ name, project, title, path, updated }: Note): Fields => ({
  name,
  title,
  project_id: project,
  note_path: path,
  updated_at: seconds(updated),
});

/** `key   value`, each on its line; what is empty is left out, as are times that nobody knows, and long texts stand below. */
export function fieldLines(result: Json): string[] {
  if (!isRecord(result)) return [];
  const shown = Object.entries(result as Fields).filter(
    ([key, value]) => !isEmpty(value) && !(isTime(key) && value === 0),
  ); // it is JSON
  const width = Math.max(0, ...shown.map(([key]) => key.length));
  return shown.flatMap(([key, value]) => {
    const text = isTime(key) && typeof value === "number" ? dateOf(value) : printValue(value);
    const [first = "", ...more] = text.split("\n");
    return [`${key.padEnd(width)}  ${first}`, ...more.map((line) => `${" ".repeat(width)}  ${line}`)];
  });
}

const isTime = (key: string): boolean => key.endsWith("_at");
const isEmpty = (value: Json): boolean =>
  value === null || value === "" || value === false || (Array.isArray(value) && value.length === 0);

const dateOf = (unixSeconds: number): string => new Date(unixSeconds * 1000).toISOString();

export const rowsOf = (result: Json): Fields[] => (Array.isArray(result) ? result.filter(isFields) : []);
/** Whether it has fields. */
export const isFields = (value: Json): value is Fields => isRecord(value);

/** Where a project was made on the way, its person hears of it first. */
export const madeLines = (result: Json): string[] =>
  isRecord(result) && typeof result.project_made === "string"
    ? [`made the project ${printValue((result.project_id ?? "") as Json)} for ${result.project_made}`] // of JSON
    : [];
