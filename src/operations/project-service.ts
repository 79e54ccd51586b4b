/** What the operations on projects, tasks and notes share: which project is meant, and how records look in JSON. */
import { type Fields, type Json, textField } from "../engine/event.ts";
import { isRecord, type Schema, text } from "../engine/schema.ts";
import { printValue } from "../engine/template.ts";
import type { Cause } from "../services/projects/event-publisher.ts";
import type { ProjectService } from "../services/projects/index.ts";
import type { Note } from "../services/projects/notes.ts";
import type { Placed } from "../services/projects/projects.ts";
import {
  type Awaited,
  type Dependency,
  type ProjectRecord,
  storeIsMissing,
  type TaskRecord,
} from "../services/projects/records.ts";
import { type Asked, folderOf } from "./operation.ts";

/** @throws HooklineError store_unusable */
export async function projectServiceOf({ board }: Pick<Asked, "board">): Promise<ProjectService> {
  const found = await board?.();
  if (!found) throw storeIsMissing();
  return found;
}

export const causeOf = ({ event, cwd, signal, key, untold }: Asked): Cause => ({ event, cwd, signal, key, untold });

export const projectParam: Schema<string> = text("the project's id; default: the folder's project");

type Wanted = Pick<Asked, "board" | "event" | "cwd">;

/**
 * The project that is meant, for reading; undefined: the folder belongs to none. Throws for an id that there is not.
 *
 * @param id as it was written; absent: the project that the event is about, else that of the folder
 */
export async function projectMeant(asked: Wanted, id: string | undefined): Promise<ProjectRecord | undefined> {
  const { projects } = await projectServiceOf(asked);
  return projects.find({ id: id ?? (await idOfEvent(asked)), folder: folderOf(asked) });
}

/** The same, where one is needed: a folder that belongs to none gets its own project. */
export async function projectFor(asked: Wanted, id: string | undefined): Promise<Placed> {
  const { projects } = await projectServiceOf(asked);
  return projects.place({ id: id ?? (await idOfEvent(asked)), folder: folderOf(asked) });
}

/** The same, as it would be: what may be refused yet makes no project. */
export async function projectForeseen(asked: Wanted, id: string | undefined): Promise<Placed> {
  const { projects } = await projectServiceOf(asked);
  return projects.foresee({ id: id ?? (await idOfEvent(asked)), folder: folderOf(asked) });
}

async function idOfEvent(asked: Wanted): Promise<string | undefined> {
  const id = asked.event && textField(asked.event.data, "project_id");
  return id !== undefined && (await (await projectServiceOf(asked)).projects.get(id)) ? id : undefined;
}

/** @throws an Error that says how to make one */
export async function projectNeeded(asked: Wanted, id: string | undefined): Promise<ProjectRecord> {
  const found = await projectMeant(asked, id);
  if (found) return found;
  throw new Error(
    `the folder ${folderOf(asked)} has no project; \`hookline project list\` shows all projects, \`hookline project create\` creates one`,
  );
}

/** Told where a project came to be on the way. */
export const madeNote = ({ project, made }: Placed): { project_made?: string } =>
  made ? { project_made: project.workspace ?? project.id } : {};

export const seconds = (instant: number | undefined): number | null => (instant === undefined ? null : instant / 1000);

// Records as JSON. Times are unix seconds.

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

export const rowsOf = (result: Json): Fields[] => (Array.isArray(result) ? result.filter(isFields) : []);
/** Whether it has fields. */
export const isFields = (value: Json): value is Fields => isRecord(value);

/** Where a project was made on the way, its person hears of it first. */
export const madeLines = (result: Json): string[] =>
  isRecord(result) && typeof result.project_made === "string"
    ? [`created the project ${printValue((result.project_id ?? "") as Json)} for ${result.project_made}`] // of JSON
    : [];
