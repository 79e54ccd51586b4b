/** The application events that Hookline itself sends, and what they carry: one table for whoever sends, documents or checks them. */

export interface ApplicationEvent {
  /** When it happens. */
  when: string;
  /** The fields of its payload. */
  fields: readonly string[];
}

const task = ["task_id", "project_id", "title", "status"] as const;
const note = ["project_id", "note_name", "note_path", "title", "operation"] as const;

export const applicationEvents: Readonly<Record<string, ApplicationEvent>> = {
  "task.created": { when: "a task was made", fields: task },
  "task.started": { when: "somebody began with a task", fields: task },
  "task.completed": { when: "a task was done", fields: task },
  "task.failed": { when: "a task could not be done", fields: ["task_id", "project_id", "title", "error"] },
  "note.created": { when: "a note was written that was not there", fields: note },
  "note.updated": { when: "a note was written anew", fields: note },
  "note.deleted": { when: "a note was taken away", fields: note },
  "file.changed": {
    when: "a file that an automation watches was created, modified or deleted",
    fields: ["path", "relative_path", "project_id", "operation", "old_mtime", "new_mtime", "size", "watch_id"],
  },
  "folder.changed": {
    when: "files below a folder that an automation watches have changed, and it has been quiet for a while",
    fields: ["path", "project_id", "changes", "count", "truncated", "watch_id"],
  },
  "schedule.due": {
    when: "the time of an automation has come: it is told to that one alone",
    fields: [
      "current_time",
      "current_time_epoch",
      "last_run_time",
      "last_run_time_epoch",
      "seconds_since_last_run",
      "scheduled_for",
    ],
  },
  "automation.fired": { when: "a person ran an automation by hand: it is told to that one alone", fields: [] },
};
