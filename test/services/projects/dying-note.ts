/** A process of its own that is killed when a note's copy is written and its row is not: node dying-note.ts STORE FOLDER PROJECT NAME. */
import { createNoteCopies } from "../../../src/services/projects/notes.ts";
import { createProjectRecords } from "../../../src/storage/sqlite/project-records.ts";
import { openSqliteStore } from "../../../src/storage/sqlite/sqlite.ts";

const [path = "", folder = "", project = "", name = ""] = process.argv.slice(2);
const { notes } = createProjectRecords(openSqliteStore({ path }).database);
const copies = createNoteCopies(folder);
const content = "what nobody ever wrote";
await notes.save({ project, name, title: name, content, created: 0, updated: 0 }, [], () => {
  copies.begin({ project, name });
  copies.write(project, name, content);
  process.kill(process.pid, "SIGKILL");
});
