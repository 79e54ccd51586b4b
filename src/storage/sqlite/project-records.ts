/** Projects and their tasks, on SQLite. Apart from the store, because most processes never touch them. */
import type { Fields, Json } from "../../engine/event.ts";
import type { QueryName } from "../../engine/named.ts";
import type {
  Awaited,
  Dependency,
  Holdings,
  ProjectRecord,
  ProjectRecords,
  TaskRecord,
  TaskRecords,
  TaskStatus,
} from "../../services/projects/records.ts";
import type { Database } from "./database.ts";
import { createMemoryRecords, createNoteRecords, type MemoryTable } from "./memory-records.ts";
import { insistOnProject } from "./queries.ts";
import { places, readBack, written } from "./rows.ts";

const projectFields = ["id", "name", "workspace", "repository", "branch", "notify", "created", "updated"] as const;
const projectColumns = projectFields.join(", ");

/** Every method is synchronous. May throw what the database throws. */
export function createProjectRecords(database: Database): ProjectRecords {
  const memory = createMemoryRecords(database);
  const count = (table: "task" | "note" | "memory", project: string): number =>
    database.get<{ n: number }>(`select count(*) as n from ${table} where project = ?`, project)?.n ?? 0;
  const holdings = (id: string): Holdings => ({
    tasks: count("task", id),
    notes: count("note", id),
    memories: count("memory", id),
    automations: database
      .all<{ id: string }>("select id from automation where project = ? order by id", id)
      .map((row) => row.id),
  });
  return {
    list: () => database.all<ProjectRow>(`select ${projectColumns} from project order by id`).map(projectOf),
    get(id) {
      const row = database.get<ProjectRow>(`select ${projectColumns} from project where id = ?`, id);
      return row && projectOf(row);
    },
    add: (project) =>
      database.run(
        `insert into project (${projectColumns}) values (${places(projectFields)}) on conflict do nothing`,
        ...projectFields.map((field) => storedValue(project[field])),
      ) === 1,
    edit(id, changes, now) {
      const changed = Object.entries({ ...changes, updated: now }).filter(([, value]) => value !== undefined);
      const set = changed.map(([column]) => `${column} = ?`).join(", "); // named as the fields are
      const values = changed.map(([, value]) => storedValue(value));
      return database.run(`update or ignore project set ${set} where id = ?`, ...values, id) === 1;
    },
    remove: (id, mayGo) =>
      database.write(() => {
        mayGo(holdings(id));
        for (const table of ["task", "note", "memory", "automation"])
          database.run(`delete from ${table} where project = ?`, id);
        database.run("delete from project where id = ?", id);
      }),
    holdings,
    tasks: createTaskRecords(database, memory),
    notes: createNoteRecords(database, memory),
    memory,
    query: (name, params) => ask(database, name, params),
    wasTold: (event) => database.get("select 1 from event where id = ?", written(event)) !== undefined,
  };
}

/** A record as it is stored: what is absent is null, and a list is JSON. */
type Stored<Record> = {
  [Field in keyof Record]-?:
    | (NonNullable<Record[Field]> extends readonly unknown[] ? string : NonNullable<Record[Field]>)
    | (undefined extends Record[Field] ? null : never);
};
/** Without the fields that are null. */
type Present<Row> = { [Field in keyof Row as null extends Row[Field] ? never : Field]: Row[Field] } & {
  [Field in keyof Row as null extends Row[Field] ? Field : never]?: NonNullable<Row[Field]>;
};
type ProjectRow = Stored<ProjectRecord>;

const present = <Row extends object>(row: Row): Present<Row> =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as Present<Row>; // what the filter leaves

const storedValue = (value: string | number | readonly unknown[] | null | undefined): string | number | null =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : (value ?? null);

const projectOf = ({ notify, ...row }: ProjectRow): ProjectRecord => ({
  ...present(row),
  ...(notify !== null && { notify: JSON.parse(notify) }),
});

const task = `id, id as task_id, project as project_id, title, description, status, priority, parent as parent_task_id,
  profile as profile_id, workspace as preferred_workspace_id, branch as branch_name, context as context_entries,
  depends_on, result, error, created / 1000 as created_at, updated / 1000 as updated_at, started / 1000 as started_at,
  ended / 1000 as completed_at`;
const taskInShort = `id, id as task_id, project as project_id, title, status, priority, created / 1000 as created_at,
  started / 1000 as started_at, ended / 1000 as completed_at`;

/** An automation's run names its project in the hook's id. */
const run = `id, hook as hook_id, hook_name,
  case when hook like 'automation:%' then substr(hook, 12, instr(hook, '/') - 12) end as project_id,
  event_name as event_type, cause as trigger_reason, status, reason, started / 1000 as started_at,
  case when status not in ('queued', 'running') then (started + coalesce(ms, 0)) / 1000 end as completed_at,
  ms / 1000 as duration_seconds`;

const queries: Readonly<Record<QueryName, string>> = {
  recent_task_results: `select ${taskInShort}, result, error from task
    where ended is not null order by ended desc, seq desc limit 20`,
  task_detail: `select ${task} from task where id = :task_id`,
  recent_events: `select id, name as event_type, payload, session as session_id, cwd, at / 1000 as timestamp
    from event order by seq desc limit 50`,
  // an automation is also known by its own id, in whichever project
  hook_runs: `select ${run} from run
    where hook in (select :hook_id union select 'automation:' || id || '/' || :hook_id from project)
    order by seq desc limit 10`,
  failed_tasks: `select ${taskInShort}, error from task where status = 'FAILED' order by ended desc, seq desc limit 20`,
  project_tasks_by_status: `select ${taskInShort}, branch as branch_name from task
    where project = :project_id and status = :status order by priority, seq limit 20`,
  recent_hook_activity: `select ${run} from run order by seq desc limit 20`,
};

/**
 * Parameters are bound, times are unix seconds, lists and objects are given as such.
 *
 * @param params all that the query takes, and no others
 */
function ask(database: Database, name: QueryName, params: Readonly<Record<string, string | number | null>>): Fields[] {
  const values: (string | number | null)[] = [];
  const sql = queries[name].replaceAll(/(?<!:):(\w+)/g, (_written, param: string) => {
    const value = params[param] ?? null;
    const at = values.push(typeof value === "string" ? written(value) : value);
    return `?${at}`;
  });
  return database.all<Fields>(sql, ...values).map(readable);
}

const asJson: ReadonlySet<string> = new Set(["context_entries", "depends_on"]);

const readable = (row: Fields): Fields =>
  Object.fromEntries(Object.entries(row).map(([column, value]) => [column, answered(column, value)]));

function answered(column: string, value: Json): Json {
  if (typeof value !== "string") return value;
  if (asJson.has(column)) return JSON.parse(value);
  return column === "payload" ? payloadOf(value) : readBack(value);
}

/** Fifty whole payloads would leave a prompt no room. */
const longestPayload = 10_000;

/** Of all that is kept of an event, what its sender said: as text, where it is cut. */
function payloadOf(text: string): Json {
  const { data = {} }: { data?: Json } = JSON.parse(text); // rowOfEvent wrote it
  const whole = JSON.stringify(data);
  return whole.length <= longestPayload
    ? data
    : `${whole.slice(0, longestPayload)} … (cut at ${longestPayload} characters)`;
}

type TaskRow = Stored<TaskRecord>;
const taskFields = [
  ...([
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
  ] as const),
  ...([
    "context",
    "dependsOn",
    "result",
    "error",
    "movedBy",
    "untold",
    "created",
    "updated",
    "started",
    "ended",
  ] as const),
];
const columnNames: Partial<Record<keyof TaskRecord, string>> = { dependsOn: "depends_on", movedBy: "moved_by" };
const taskColumns = taskFields.map((field) => columnNames[field] ?? field).join(", ");
const selectTask = `select ${taskFields.map((field) => `${columnNames[field] ?? field} as ${field}`).join(", ")} from task`;

/** What is being worked on comes first, what is done last. */
const byUrgency = `case status when 'IN_PROGRESS' then 0 when 'DEFINED' then 1 when 'FAILED' then 2 else 3 end,
  case when ended is null then priority end, ended desc, seq`;

/** What comes of a task is remembered with it. */
function createTaskRecords(database: Database, memory: MemoryTable): TaskRecords {
  const get = (id: string): TaskRecord | undefined => {
    const row = database.get<TaskRow>(`${selectTask} where id = ?`, id);
    return row && taskOf(row);
  };
  return {
    get,
    list: ({ project, status, limit }) =>
      database
        .all<TaskRow>(
          `${selectTask} where (?1 is null or project = ?1) and (?2 is null or status = ?2)
           order by ${byUrgency} limit ?3`,
          project ?? null,
          status ?? null,
          limit,
        )
        .map(taskOf),
    add: (task, key) =>
      database.write(() => {
        const made = key === undefined ? undefined : database.get<TaskRow>(`${selectTask} where key = ?`, key);
        if (made) return taskOf(made);
        insistOnProject(database, task.project);
        if (get(task.id)) return undefined;
        database.run(
          `insert into task (key, ${taskColumns}) values (?, ${places(taskFields)})`,
          key ?? null,
          ...taskFields.map((field) => storedValue(task[field])),
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

const taskOf = ({ context, dependsOn, ...row }: TaskRow): TaskRecord => ({
  ...present(row),
  context: JSON.parse(context),
  dependsOn: JSON.parse(dependsOn),
});
