/** Projects and what belongs to them, on SQLite. Apart from the store, because most processes never touch them. */
import type { Instant } from "../core/event.ts";
import type { Holdings, ProjectChanges, ProjectRecord, ProjectRecords } from "../projects/records.ts";
import type { Database } from "./database.ts";
import { createMemoryRecords } from "./memory-records.ts";
import { ask } from "./named-queries.ts";
import { createNoteRecords } from "./note-records.ts";
import { written } from "./rows.ts";
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
