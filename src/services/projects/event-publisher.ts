/** The event publisher of the project service: a change is written first, and stands whatever becomes of its event. */
import { HooklineError, messageOf } from "../../engine/error.ts";
import type { EventName, Fields, HookEvent, MaybePromise } from "../../engine/event.ts";
import type { NoteRecord, ProjectRecord, TaskRecord, TaskStatus } from "./records.ts";

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
  /** The same at each attempt of a call that is repeated after a crash. */
  key?: string | undefined;
  /** Told what could not be told; absent: the log has it. */
  untold?: ((reason: string) => void) | undefined;
}
/** May throw: then nothing was told. */
export type Send = (happening: Happening, cause: Cause) => MaybePromise<unknown>;

/**
 * Whether that is over: told, or refused, as where hooks answer each other without end. What the store could not take may
 * be told later. Never rejects: nothing that was written depends on who hears of it.
 */
export async function publish(
  { send, complain }: { send: Send; complain(reason: string): void },
  happening: Happening,
  cause: Cause,
): Promise<boolean> {
  try {
    await send(happening, cause);
    return true;
  } catch (error) {
    const reason = `${happening.name} was not told: ${messageOf(error)}`;
    complain(reason);
    cause.untold?.(reason);
    return !(error instanceof HooklineError);
  }
}

const placeOf = (project: ProjectRecord | undefined): Pick<Happening, "cwd"> =>
  project?.workspace === undefined ? {} : { cwd: project.workspace };

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
