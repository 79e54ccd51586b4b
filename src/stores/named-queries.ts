/** The SQL of the named queries. Their parameters are bound, times are told as unix seconds, lists and objects as such. */
import type { Fields, Json } from "../core/event.ts";
import type { QueryName } from "../core/named-queries.ts";
import type { Database } from "./database.ts";
import { readBack, written } from "./rows.ts";

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
export function ask(
  database: Database,
  name: QueryName,
  params: Readonly<Record<string, string | number | null>>,
): Fields[] {
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
