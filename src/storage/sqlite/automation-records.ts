/** Automations in the SQLite store: one row each. A row that cannot be read never stops the others (R33). */
import { messageOf } from "../../engine/error.ts";
import type { EventName, Fields } from "../../engine/event.ts";
import { eventNames, hears, resolveEvent } from "../../engine/events.ts";
import type { AutomationRecords, BrokenRow, StoredAutomation } from "../../engine/journal.ts";
import type { Store } from "../../engine/record.ts";
import { isRecord, kindOf } from "../../engine/schema.ts";
import type { Database } from "./database.ts";
import { insistOnProject } from "./queries.ts";
import { places, readBack, written } from "./rows.ts";

interface Row {
  project: string;
  id: string;
  name: string;
  enabled: number;
  listens: string | null;
  fields: string;
  created: number;
  updated: number;
}
const columns = "project, id, name, enabled, listens, fields, created, updated";

export function createAutomationRecords(database: Database): AutomationRecords {
  const read = (where: string, ...values: string[]): (StoredAutomation | BrokenRow)[] =>
    database.all<Row>(`select ${columns} from automation ${where} order by project, id`, ...values).map(automationOf);

  const removeRow = (project: string, id: string): boolean =>
    database.run("delete from automation where project = ? and id = ?", written(project), written(id)) === 1;

  return {
    write: (work) => database.write(work),
    list: (project) => (project === undefined ? read("") : read("where project = ?", written(project))),
    get: (project, id) => read("where project = ? and id = ?", written(project), written(id))[0],
    listening(names) {
      const heard = [...new Set(names.flatMap((name) => namesHeardAt(name as EventName)))].map(written); // no automation listens to a name that no sender uses
      return read(`where listens in (${places(heard)})`, ...heard);
    },
    add: (automation, key) =>
      database.write(() => {
        insistOnProject(database, automation.project);
        const { project, id, created, updated } = automation;
        const values = [written(project), written(id), ...valuesOf(automation), created, updated, key ?? null];
        const sql = `insert into automation (${columns}, key) values (${places(values)}) on conflict do nothing`;
        return database.run(sql, ...values) === 1;
      }),
    madeFor(key) {
      const sql = "select project, id from automation where key = ?";
      const made = database.get<Pick<Row, "project" | "id">>(sql, key);
      return made && { project: readBack(made.project), id: readBack(made.id) };
    },
    replace: (automation) =>
      database.run(
        `update automation set name = ?, enabled = ?, listens = ?, fields = ?, updated = ? where project = ? and id = ?`,
        ...valuesOf(automation),
        automation.updated,
        written(automation.project),
        written(automation.id),
      ) === 1,
    enable: (project, id, enabled, now) =>
      database.run(
        "update automation set enabled = ?, updated = ? where project = ? and id = ? and enabled <> ?",
        enabled ? 1 : 0,
        now,
        written(project),
        written(id),
        enabled ? 1 : 0,
      ) === 1,
    remove(project, id) {
      const isGone = database.write(() => {
        if (!removeRow(project, id)) return false;
        forget(database, written(`automation:${project}/${id}`));
        return true;
      });
      database.settle(() => isGone);
      return isGone;
    },
    removeRow,
    version() {
      const row = database.beside(() =>
        database.get<{ changes: number | null; projects: number; last: number | null }>(
          `select (select value from meta where key = 'automations') as changes,
             (select count(*) from project) as projects, (select max(updated) from project) as last`,
        ),
      );
      return `${row?.changes} ${row?.projects} ${row?.last}`;
    },
    workspaces() {
      const rows = database.all<{ id: string; workspace: string | null }>("select id, workspace from project");
      return new Map(rows.map(({ id, workspace }) => [readBack(id), workspace === null ? null : readBack(workspace)]));
    },
  };
}

const valuesOf = ({ name, enabled, listens, fields }: StoredAutomation): (string | number | null)[] => [
  written(name),
  enabled ? 1 : 0,
  listens === undefined ? null : written(listens),
  JSON.stringify(fields),
];

/** Waiting and running work of it included: its worker finds that it no longer has it. */
function forget(database: Database, hook: string): void {
  database.shred(); // what its steps gave may hold secrets
  database.run("delete from step where run in (select run from work where hook = ?)", hook);
  database.run("delete from work where hook = ?", hook);
  database.run("delete from run where hook = ?", hook);
  database.run("delete from claim where instr(key || ':', ':' || ? || ':') > 0", hook);
  database.run("delete from pause where what = ?", hook);
}

function automationOf({ fields: text, listens, ...row }: Row): StoredAutomation | BrokenRow {
  const named = { project: readBack(row.project), id: readBack(row.id), name: readBack(row.name) };
  try {
    const fields: unknown = JSON.parse(text);
    if (!isRecord(fields)) return { ...named, broken: `its fields are ${kindOf(fields)} and no object` };
    return {
      ...named,
      enabled: row.enabled !== 0,
      ...(listens === null ? {} : { listens: readBack(listens) }),
      fields: fields as Fields, // what JSON.parse gives of an object
      created: row.created,
      updated: row.updated,
    };
  } catch (error) {
    return { ...named, broken: `its fields are no JSON: ${messageOf(error)}` };
  }
}

/** The database behind a store that has one: automations, projects and durable runs lie there. */
export const databaseOf = (store: Partial<Store> | undefined): Database | undefined =>
  store && "database" in store ? (store.database as Database | undefined) : undefined; // only the store on SQLite has one

/** Every name under which an author may have written this event. */
const namesHeardAt = (name: EventName): string[] => [
  ...new Set([name, ...eventNames.filter((one) => hears(resolveEvent(one) ?? [], name))]),
];

/** May throw what the store throws, as may `anyListens`. */
export const anyStored = (database: Database): boolean =>
  database.get("select 1 from automation limit 1") !== undefined;

export function anyListens(database: Database, names: readonly EventName[]): boolean {
  const heard = names.flatMap(namesHeardAt).map(written);
  return database.get(`select 1 from automation where listens in (${places(heard)}) limit 1`, ...heard) !== undefined;
}
