/** Projects and what belongs to them, on SQLite. Apart from the store, because most processes never touch them. */
import type { Fields, Instant, Json } from "../../engine/event.ts";
import type { QueryName } from "../../engine/named.ts";
import type { Holdings, ProjectChanges, ProjectRecord, ProjectRecords } from "../../services/projects/records.ts";
import type { Database } from "./database.ts";
import { createMemoryRecords, createNoteRecords } from "./memory-records.ts";
import { readBack, written } from "./rows.ts";
import { createTaskRecords } from "./task-records.ts";

interface ProjectRow {
  id: string;
  name: string;
  workspace: string | null;
  repository: string | null;
  branch: string | null;
  notify: string | null;
  created: Instant;
  updated: Instant;
}
const columns = "id, name, workspace, repository, branch, notify, created, updated";

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
    list: () => database.all<ProjectRow>(`select ${columns} from project order by id`).map(projectOf),
    get(id) {
      const row = database.get<ProjectRow>(`select ${columns} from project where id = ?`, id);
      return row && projectOf(row);
    },
    add: ({ id, name, workspace, repository, branch, notify, created, updated }) =>
      database.run(
        `insert into project (${columns}) values (?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`,
        id,
        name,
        workspace ?? null,
        repository ?? null,
        branch ?? null,
        notify === undefined ? null : JSON.stringify(notify),
        created,
        updated,
      ) === 1,
    edit(id, changes, now) {
      const values = Object.entries(valuesOf(changes));
      const set = [...values.map(([column]) => `${column} = ?`), "updated = ?"].join(", ");
      return (
        database.run(`update or ignore project set ${set} where id = ?`, ...values.map(([, one]) => one), now, id) === 1
      );
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

const projectOf = (row: ProjectRow): ProjectRecord => ({
  id: row.id,
  name: row.name,
  ...(row.workspace !== null && { workspace: row.workspace }),
  ...(row.repository !== null && { repository: row.repository }),
  ...(row.branch !== null && { branch: row.branch }),
  ...(row.notify !== null && { notify: JSON.parse(row.notify) }),
  created: row.created,
  updated: row.updated,
});

/** The columns that change; their names are those of the fields. */
function valuesOf({ notify, ...texts }: ProjectChanges): Record<string, string | null> {
  const values: Record<string, string | null> = {};
  for (const [name, value] of Object.entries(texts)) if (value !== undefined) values[name] = value;
  if (notify !== undefined) values.notify = notify === null ? null : JSON.stringify(notify);
  return values;
}

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

/** @param params all that the query takes, and no others */
/** Their parameters are bound, times are told as unix seconds, lists and objects as such. */
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
  Object.fromEntries(Object.entries(row).map(([column, value]) => [column, told(column, value)]));

function told(column: string, value: Json): Json {
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
