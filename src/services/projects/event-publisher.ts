/** The event publisher of the project service: a change is written first, and stands whatever becomes of its event. */
import { HooklineError, messageOf } from "../../engine/error.ts";
import { type EventName, type Fields, type HookEvent, type MaybePromise, present } from "../../engine/event.ts";
import type { NoteRecord, ProjectRecord, TaskRecord, TaskStatus } from "./records.ts";

/** What happened, as an event. */
export interface Happening {
  name: EventName;
  data: Fields;
  /** The folder that it happens in; absent: the folder of its cause. */
  cwd?: string;
  /** Sent once under this id. */
  id?: string;
}
/** Who caused it: the event whose hook asked for it, or where a person works. */
export interface Cause {
  event?: HookEvent | undefined;
  cwd?: string | undefined;
  signal?: AbortSignal | undefined;
  /** The same at each attempt of a call that is repeated after a crash. */
  key?: string | undefined;
  /** Called with why the event was not sent; absent: the log has it. */
  untold?: ((reason: string) => void) | undefined;
}
/** May throw: then nothing was sent. */
export type Send = (happening: Happening, cause: Cause) => MaybePromise<unknown>;

export interface PublisherOptions {
  send: Send;
  /** Called with what a person should know, in one sentence. */
  complain(reason: string): void;
}

/**
 * Whether that is over: sent, or refused, as where hooks answer each other without end. What the store could not take may
 * be sent later. Never rejects: nothing that was written depends on its event.
 */
export async function publish(
  { send, complain }: PublisherOptions,
  happening: Happening,
  cause: Cause,
): Promise<boolean> {
  try {
    await send(happening, cause);
    return true;
  } catch (error) {
    const reason = `${happening.name} was not sent: ${messageOf(error)}`;
    complain(reason);
    cause.untold?.(reason);
    return !(error instanceof HooklineError);
  }
}

const placeOf = (project: ProjectRecord | undefined): Pick<Happening, "cwd"> => present({ cwd: project?.workspace });

const taskEvents: { readonly [S in TaskStatus]: EventName } = {
  DEFINED: "task.created",
  IN_PROGRESS: "task.started",
  COMPLETED: "task.completed",
  FAILED: "task.failed",
};

/** How a task came to stand as it stands. */
export function ofTask(task: TaskRecord, project: ProjectRecord | undefined): Happening {
  const { id, title, status, error = "" } = task;
  const known = { task_id: id, project_id: task.project, title };
  const data = status === "FAILED" ? { ...known, error } : { ...known, status };
  return { name: taskEvents[status], data, ...placeOf(project) };
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
