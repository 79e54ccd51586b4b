/** Composes the project service of one store: its records, what git and the settings say of a project, and the way of its events. */
import { basename, dirname, join } from "node:path";
import type { Engine } from "../../engine/engine.ts";
import type { Instant, MaybePromise } from "../../engine/event.ts";
import type { Store } from "../../engine/record.ts";
import type { LoadedHooks } from "../../loading/load.ts";
import type { Send } from "../../services/projects/event-publisher.ts";
import { createProjectService, type ProjectService } from "../../services/projects/index.ts";
import { databaseOf } from "../../storage/sqlite/automation-records.ts";
import type { Database } from "../../storage/sqlite/database.ts";

interface ProjectServiceOptions {
  store: Store;
  engine: Pick<Engine, "emit" | "committed" | "explain">;
  now(): Instant;
  id(): string;
  home: string;
  environment: Readonly<Record<string, string>>;
  redact(text: string): MaybePromise<string>;
  /** The settings that hold in a folder. */
  settingsIn(folder: string): Pick<LoadedHooks, "config" | "userConfig">;
  complain(reason: string): void;
}

/** Undefined where the store keeps no projects. Everything behind it is loaded here: most processes never ask for it. */
export async function openProjectService(options: ProjectServiceOptions): Promise<ProjectService | undefined> {
  const { engine, now, id, environment } = options;
  const database = databaseOf(options.store);
  if (!database) return undefined;
  const [{ createProjectRecords }, { repositoryFacts }, { createGit }, { findProject }, { send }] = await Promise.all([
    import("../../storage/sqlite/project-records.ts"),
    import("../../services/projects/projects.ts"),
    import("../../runtime/processes/git.ts"),
    import("../../loading/project.ts"),
    import("../../operations/event.ts"),
  ]);
  const git = createGit(environment);
  const publish: Send = ({ name, data, ...given }, { event, cwd, signal }) =>
    send(name, data, { engine, now, id, environment, event, signal, cwd: cwd ?? process.cwd() }, given);
  const service = createProjectService({
    ...options,
    records: createProjectRecords(database),
    notesFolder: notesFolder(database),
    send: publish,
    rootOf: (folder) => findProject(folder, options.home).root,
    repositoryOf: (folder) =>
      repositoryFacts(async (place, words) => {
        const answer = await git.askIn(place, words);
        return answer.ok ? answer.stdout.toString("utf8") : undefined;
      }, folder),
    async embedderOf(project) {
      const { config, userConfig } = options.settingsIn(project?.workspace ?? process.cwd());
      const { embeddings } = config.memory;
      if (embeddings === undefined) return undefined;
      const { createEmbeddings } = await import("../../services/models/embeddings.ts");
      return createEmbeddings(embeddings, { models: config.models, own: userConfig.models }, environment);
    },
  });
  await service.notes.mend();
  return service;
}

/** Beside the store, so that each has its own. */
function notesFolder(database: Database): string {
  const file = database.get<{ file: string }>("select file from pragma_database_list where name = 'main'")?.file ?? "";
  return join(dirname(file), `${basename(file).replace(/\.db$/, "")}-notes`);
}
