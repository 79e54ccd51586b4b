/** Notes on SQLite. Each is remembered as well, and its copy on disk changes under the same lock: the last writer's stands in all three. */
import { type NoteRecord, type NoteRecords, sourceOfNote } from "../projects/records.ts";
import type { Database } from "./database.ts";
import type { MemoryTable } from "./memory-records.ts";
import { insistOnProject } from "./project-there.ts";

const columns = "project, name, title, content, created, updated";

export function createNoteRecords(database: Database, memory: MemoryTable): NoteRecords {
  const get = (project: string, name: string): NoteRecord | undefined =>
    database.get<NoteRecord>(`select ${columns} from note where project = ? and name = ?`, project, name);
  return {
    get,
    list: (project) =>
      database.all<NoteRecord>(`select ${columns} from note where project = ? order by updated desc, name`, project),
    save: ({ project, name, title, content, updated }, memories, copy) =>
      database.write(() => {
        insistOnProject(database, project);
        const isNew = get(project, name) === undefined;
        database.run(
          `insert into note (${columns}) values (?1, ?2, ?3, ?4, ?5, ?5)
           on conflict (project, name) do update
             set title = excluded.title, content = excluded.content, updated = excluded.updated`,
          project,
          name,
          title,
          content,
          updated,
        );
        memory.forget(project, sourceOfNote(name));
        for (const one of memories) memory.add({ memory: one, key: `${one.project}/${one.id}` });
        copy();
        return isNew;
      }),
    remove: (project, name, dropCopy) =>
      database.write(() => {
        const note = get(project, name);
        if (!note) return undefined;
        database.run("delete from note where project = ? and name = ?", project, name);
        memory.forget(project, sourceOfNote(name));
        dropCopy();
        return note;
      }),
    hold: (project, name, work) => database.write(() => work(get(project, name))),
  };
}
