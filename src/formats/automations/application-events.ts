/** The application events that Hookline itself sends, and what they carry: one table for senders, documentation and checks. */

export interface ApplicationEvent {
  /** When it happens. */
  when: string;
  /** The fields of its payload. */
  fields: readonly string[];
}

const task = ["task_id", "project_id", "title", "status"] as const;
const note = ["project_id", "note_name", "note_path", "title", "operation"] as const;

export const applicationEvents: Readonly<Record<string, ApplicationEvent>> = {
  "task.created": { when: "a task was created", fields: task },
  "task.started": { when: "work on a task began", fields: task },
  "task.completed": { when: "a task was done", fields: task },
  "task.failed": { when: "a task could not be done", fields: ["task_id", "project_id", "title", "error"] },
  "note.created": { when: "a note was created", fields: note },
  "note.updated": { when: "a note was changed", fields: note },
  "note.deleted": { when: "a note was deleted", fields: note },
  "file.changed": {
    when: "a file that an automation watches was created, modified or deleted",
    fields: ["path", "relative_path", "project_id", "operation", "old_mtime", "new_mtime", "size", "watch_id"],
  },
  "folder.changed": {
    when: "files below a folder that an automation watches have changed, and it has been quiet for a while",
    fields: ["path", "project_id", "changes", "count", "truncated", "watch_id"],
  },
  "schedule.due": {
    when: "an automation is due: the event goes to that one alone",
    fields: [
      "current_time",
      "current_time_epoch",
      "last_run_time",
      "last_run_time_epoch",
      "seconds_since_last_run",
      "scheduled_for",
    ],
  },
  "automation.fired": { when: "a person ran an automation by hand: the event goes to that one alone", fields: [] },
};
