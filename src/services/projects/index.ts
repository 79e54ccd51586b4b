/** The project service: projects with their tasks, notes and memory, as operations and steps of automations use them. */
import type { Fields } from "../../engine/event.ts";
import type { Projects } from "../../engine/external-services.ts";
import { isQueryName, unknownQuery, wrongParams } from "../../engine/named.ts";
import type { PublisherOptions } from "./event-publisher.ts";
import { createMemory, type Embedder, type Memory } from "./memory.ts";
import { createNoteCopies, createNotes, type Notes } from "./notes.ts";
import { createProjectBook, type ProjectBook, type ProjectsOptions } from "./projects.ts";
import type { ProjectRecord, ProjectRecords } from "./records.ts";
import { createTasks, type Tasks } from "./tasks.ts";

export interface ProjectServiceOptions extends Omit<ProjectsOptions, "copies">, PublisherOptions {
  /** Where copies of notes lie. */
  notesFolder: string;
  /** What the settings of this project's folder name. */
  embedderOf(project: ProjectRecord | undefined): Promise<Embedder | undefined>;
}

export interface ProjectService extends Projects {
  projects: ProjectBook;
  tasks: Tasks;
  notes: Notes;
  memory: Memory;
}

const idLength = 8;
const newId = (): string => crypto.randomUUID().slice(0, idLength);
const newMemoryId = (): string => crypto.randomUUID().replaceAll("-", "").slice(0, 12);

export function createProjectService(options: ProjectServiceOptions): ProjectService {
  const { records } = options;
  const copies = createNoteCopies(options.notesFolder);
  const projects = createProjectBook({ ...options, copies });
  const memory = createMemory({
    ...options,
    records: records.memory,
    newId: newMemoryId,
    embedderOf: async (id) => options.embedderOf(id === undefined ? undefined : await records.get(id)),
  });
  const tasks = createTasks({ ...options, newId, memoryOf: memory.recordOf });
  const notes = createNotes({ ...options, newId: newMemoryId, copies });
  return {
    projects,
    tasks,
    notes,
    memory,
    project: (id) => records.get(id),
    projectOf: async (folder) => (await projects.place({ folder })).project,
    async createTask({ project, ...task }, key, event) {
      if (project === undefined) throw new Error("a task needs a project: say which");
      return { id: (await tasks.create({ ...task, project }, { event, key })).id };
    },
    async searchMemory({ note, ...asked }, signal) {
      const found = await memory.search(asked, signal);
      if (found.note !== undefined) note?.(found.note);
      return found.hits.map(({ source, heading, content, similarity }) => ({ source, heading, content, similarity }));
    },
    query: (name, params) => ask(records, name, params),
  };
}

async function ask(records: ProjectRecords, name: string, params: Fields): Promise<Fields[]> {
  if (!isQueryName(name)) throw new Error(unknownQuery(name));
  const wrong = wrongParams(name, Object.keys(params));
  if (wrong !== undefined) throw new Error(wrong);
  const bound = Object.entries(params).map(([key, value]) => {
    if (typeof value === "object" && value !== null)
      throw new Error(`the parameter ${key} of ${name} is ${Array.isArray(value) ? "a list" : "an object"}`);
    return [key, typeof value === "boolean" ? Number(value) : value] as const;
  });
  return records.query(name, Object.fromEntries(bound));
}
