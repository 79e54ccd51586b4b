/** Tasks on SQLite. */
import type { Instant } from "../../engine/event.ts";
import type { Awaited, Dependency, TaskRecord, TaskRecords, TaskStatus } from "../../services/projects/records.ts";
import type { Database } from "./database.ts";
import type { MemoryTable } from "./memory-records.ts";
import { insistOnProject } from "./queries.ts";
import { written } from "./rows.ts";

interface TaskRow {
  id: string;
  project: string;
  title: string;
  description: string;
  status: TaskStatus;
  priority: number;
  parent: string | null;
  profile: string | null;
  workspace: string | null;
  branch: string | null;
  context: string;
  depends_on: string;
  result: string | null;
  error: string | null;
  moved_by: string | null;
  untold: string | null;
  created: Instant;
  updated: Instant;
  started: Instant | null;
  ended: Instant | null;
}
const fields: readonly (keyof TaskRow)[] = [
  "id",
  "project",
  "title",
  "description",
  "status",
  "priority",
  "parent",
  "profile",
  "workspace",
  "branch",
  "context",
  "depends_on",
  "result",
  "error",
  "moved_by",
  "untold",
  "created",
  "updated",
  "started",
  "ended",
];
const columns = fields.join(", ");

/** What is being worked on comes first, what is done last. */
const byUrgency = `case status when 'IN_PROGRESS' then 0 when 'DEFINED' then 1 when 'FAILED' then 2 else 3 end,
  case when ended is null then priority end, ended desc, seq`;

/** What comes of a task is remembered with it. */
export function createTaskRecords(database: Database, memory: MemoryTable): TaskRecords {
  const get = (id: string): TaskRecord | undefined => {
    const row = database.get<TaskRow>(`select ${columns} from task where id = ?`, id);
    return row && taskOf(row);
  };
  return {
    get,
    list: ({ project, status, limit }) =>
      database
        .all<TaskRow>(
          `select ${columns} from task where (?1 is null or project = ?1) and (?2 is null or status = ?2)
           order by ${byUrgency} limit ?3`,
          project ?? null,
          status ?? null,
          limit,
        )
        .map(taskOf),
    add: (task, key) =>
      database.write(() => {
        const made =
          key === undefined ? undefined : database.get<TaskRow>(`select ${columns} from task where key = ?`, key);
        if (made) return taskOf(made);
        insistOnProject(database, task.project);
        if (get(task.id)) return undefined;
        const row = rowOf(task);
        database.run(
          `insert into task (key, ${columns}) values (?, ${fields.map(() => "?").join(", ")})`,
          key ?? null,
          ...fields.map((field) => row[field]),
        );
        return task;
      }),
    move: (id, { from, status, at, started, ended, result, error, movedBy, untold }, remembered) =>
      database.write(() => {
        const changed = database.run(
          `update task
           set status = ?, updated = ?, started = ?, ended = ?, result = ?, error = ?, moved_by = ?, untold = ?
           where id = ? and status in (select value from json_each(?))`,
          status,
          at,
          started ?? null,
          ended ?? null,
          result ?? null,
          error ?? null,
          movedBy ?? null,
          untold,
          id,
          JSON.stringify(from),
        );
        if (changed === 0) return undefined;
        if (remembered) memory.add(remembered);
        return get(id);
      }),
    told(id, event) {
      database.run("update task set untold = null where id = ? and untold = ?", id, event);
    },
    awaited: (dependencies) => dependencies.flatMap((one) => awaitedBy(database, one)),
  };
}

function awaitedBy(database: Database, { task, run }: Dependency): Awaited[] {
  const found = (kind: Awaited["kind"], id: string): Awaited => {
    const row = database.get<{ status: TaskStatus }>(`select status from ${kind} where id = ?`, written(id));
    return { kind, id, ...(row ? { status: row.status } : {}) };
  };
  return [...(task === undefined ? [] : [found("task", task)]), ...(run === undefined ? [] : [found("run", run)])];
}

const taskOf = (row: TaskRow): TaskRecord => ({
  id: row.id,
  project: row.project,
  title: row.title,
  description: row.description,
  status: row.status,
  priority: row.priority,
  ...(row.parent !== null && { parent: row.parent }),
  ...(row.profile !== null && { profile: row.profile }),
  ...(row.workspace !== null && { workspace: row.workspace }),
  ...(row.branch !== null && { branch: row.branch }),
  context: JSON.parse(row.context),
  dependsOn: JSON.parse(row.depends_on),
  ...(row.result !== null && { result: row.result }),
  ...(row.error !== null && { error: row.error }),
  ...(row.moved_by !== null && { movedBy: row.moved_by }),
  ...(row.untold !== null && { untold: row.untold }),
  created: row.created,
  updated: row.updated,
  ...(row.started !== null && { started: row.started }),
  ...(row.ended !== null && { ended: row.ended }),
});

const rowOf = ({ context, dependsOn, movedBy, untold, ...task }: TaskRecord): TaskRow => ({
  ...task,
  parent: task.parent ?? null,
  profile: task.profile ?? null,
  workspace: task.workspace ?? null,
  branch: task.branch ?? null,
  context: JSON.stringify(context),
  depends_on: JSON.stringify(dependsOn),
  result: task.result ?? null,
  error: task.error ?? null,
  moved_by: movedBy ?? null,
  untold: untold ?? null,
  started: task.started ?? null,
  ended: task.ended ?? null,
});
