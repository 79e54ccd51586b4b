/** That a project is there when something is added to it: whoever found it before may have waited since. A part of that write. */
import type { Database } from "./database.ts";
import { written } from "./rows.ts";

/** @throws Error where it is gone */
export function insistOnProject(database: Database, id: string): void {
  if (database.get("select 1 from project where id = ?", written(id)) === undefined)
    throw new Error(`no project is called "${id}"; it was taken away`);
}
