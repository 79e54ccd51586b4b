/** The events that tell of tasks and notes, and how they leave: what was written stands before, whatever becomes of them. */
import { messageOf } from "../core/error.ts";
import type { EventName, Fields, HookEvent, MaybePromise } from "../core/event.ts";
import type { NoteRecord, ProjectRecord, TaskRecord } from "./records.ts";

/** What happened, for those who listen. */
export interface Happening {
  name: EventName;
  data: Fields;
  /** The folder that it happens in; absent: where whoever asks works. */
  cwd?: string;
  /** Told once under this id. */
  id?: string;
}
/** Who caused it: the event whose hook asked for it, or where a person works. */
export interface Cause {
  event?: HookEvent | undefined;
  cwd?: string | undefined;
  signal?: AbortSignal | undefined;
}
/** May throw: then nothing was told. */
export type Send = (happening: Happening, cause: Cause) => MaybePromise<unknown>;

/** Never rejects: nothing that was written depends on who hears of it. */
export async function tell(
  { send, complain }: { send: Send; complain(reason: string): void },
  happening: Happening,
  cause: Cause,
): Promise<void> {
  try {
    await send(happening, cause);
  } catch (error) {
    complain(`${happening.name} was not told: ${messageOf(error)}`);
  }
}

const placeOf = (project: ProjectRecord | undefined): Pick<Happening, "cwd"> =>
  project?.workspace === undefined ? {} : { cwd: project.workspace };

export function ofTask(name: EventName, task: TaskRecord, project: ProjectRecord | undefined): Happening {
  const { id, title, status, error = "" } = task;
  const known = { task_id: id, project_id: task.project, title };
  return { name, data: status === "FAILED" ? { ...known, error } : { ...known, status }, ...placeOf(project) };
}

export type NoteOperation = "created" | "updated" | "deleted";

export function ofNote(
  operation: NoteOperation,
  note: NoteRecord,
  path: string,
  project: ProjectRecord | undefined,
): Happening {
  const { project: project_id, name: note_name, title } = note;
  const data = { project_id, note_name, note_path: path, title, operation };
  return { name: `note.${operation}`, data, ...placeOf(project) };
}
