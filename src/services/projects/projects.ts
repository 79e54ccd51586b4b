/** Projects: made, found by their folder, changed, taken away. */

import { realpathSync } from "node:fs";
import { basename, dirname, relative, resolve } from "node:path";
import { type Instant, type MaybePromise, present } from "../../engine/event.ts";
import { isId, slugBeside, slugOf } from "../../engine/fingerprint.ts";
import { nearest } from "../../engine/nearest.ts";
import { oneLine, withoutCredentials } from "../../engine/one-line.ts";
import { isFolder, isInside } from "../../files/paths.ts";
import type { NoteCopies } from "./notes.ts";
import {
  clean,
  type Holdings,
  type ProjectChanges,
  type ProjectRecord,
  type ProjectRecords,
  type ServiceOptions,
  titleOf,
} from "./records.ts";

/** What a repository says of itself. */
export interface RepositoryFacts {
  /** The top of the worktree that the folder lies in, and that of the main one, where it is another. */
  top?: string;
  main?: string;
  /** Without credentials. */
  repository?: string;
  branch?: string;
}
export interface ProjectsOptions extends ServiceOptions {
  home: string;
  /** The project's folder that a folder lies in (R34). */
  rootOf(folder: string): string;
  /** Never rejects: where there is no repository there is nothing to say. */
  repositoryOf(folder: string): Promise<RepositoryFacts>;
  copies: Pick<NoteCopies, "removeAll" | "begin">;
}
export interface NewProject {
  id?: string;
  name?: string;
  workspace?: string;
  repository?: string;
  branch?: string;
  notify?: string[];
}
/** Which project is meant: by its id, else by a folder. */
export interface Meant {
  id?: string | undefined;
  folder: string;
}
export interface Placed {
  project: ProjectRecord;
  /** It was not there before. */
  made: boolean;
}

/** Each may throw an Error whose message tells a person what to do. */
export interface ProjectBook {
  list(): MaybePromise<ProjectRecord[]>;
  get(id: string): MaybePromise<ProjectRecord | undefined>;
  /** The one with this id. */
  known(id: string): Promise<ProjectRecord>;
  /** The one whose folder holds this one; of several the innermost. */
  at(folder: string): Promise<ProjectRecord | undefined>;
  /** The one that is meant; undefined: the folder belongs to none. */
  find(meant: Meant): Promise<ProjectRecord | undefined>;
  /** The same, for who needs one: a folder that belongs to none gets its own. */
  place(meant: Meant): Promise<Placed>;
  /** What `place` would give, as far as can be said before: nothing is made. */
  foresee(meant: Meant): Promise<Placed>;
  create(project: NewProject, folder: string): Promise<ProjectRecord>;
  edit(id: string, changes: ProjectChanges, folder: string): Promise<ProjectRecord>;
  holdings(id: string): ReturnType<ProjectRecords["holdings"]>;
  /** Refused where automations belong to it, and where anything does unless `force` is said. */
  remove(id: string, force: boolean): Promise<ProjectRecord>;
}

export function createProjectBook(options: ProjectsOptions): ProjectBook {
  const { records, now, repositoryOf, copies, redact } = options;

  async function known(id: string): Promise<ProjectRecord> {
    const found = await records.get(id);
    if (found) return found;
    const ids = (await records.list()).map((one) => one.id);
    throw new Error(`no project is called "${id}"; ${near(id, ids)}`);
  }

  async function at(folder: string): Promise<ProjectRecord | undefined> {
    const all = (await records.list()).filter(({ workspace }) => workspace !== undefined);
    const direct = innermost(all, realOf(folder));
    if (direct || all.length === 0) return direct;
    const mapped = inMainWorktree(realOf(folder), await repositoryOf(folder));
    return mapped === undefined ? undefined : innermost(all, mapped);
  }

  async function make(folder: string): Promise<Placed> {
    const draft = await recordOfFolder(folder, options);
    const { id, workspace } = draft;
    for (const free of [id, slugBeside(id, workspace)]) {
      const project = { ...draft, id: free };
      if (await records.add(project)) return { project, made: true };
      const other = innermost(await records.list(), workspace); // another process may have been faster
      if (other?.workspace === workspace) return { project: other, made: false };
    }
    throw new Error(`${id} and what could stand for it are names of other projects; make one with a name of its own`);
  }

  async function find({ id, folder }: Meant): Promise<ProjectRecord | undefined> {
    return id === undefined ? at(folder) : known(id);
  }

  return {
    list: () => records.list(),
    get: (id) => records.get(id),
    holdings: (id) => records.holdings(id),
    known,
    at,
    find,
    async place(meant) {
      const project = await find(meant);
      return project ? { project, made: false } : make(meant.folder);
    },
    async foresee(meant) {
      const project = await find(meant);
      return project ? { project, made: false } : { project: await recordOfFolder(meant.folder, options), made: true };
    },
    async create(given, folder) {
      const project = await recordAsGiven(given, folder, options);
      if (await records.add(project)) return project;
      throw new Error(await whyTaken(records, project.id, project.workspace));
    },
    async edit(id, { workspace, ...changes }, folder) {
      await known(id);
      const place = typeof workspace === "string" ? folderOf(workspace, folder) : workspace;
      const all = { ...(await withoutSecrets(changes, redact)), ...present({ workspace: place }) };
      if (Object.keys(all).length === 0) throw new Error("No fields to update");
      if (!(await records.edit(id, all, now()))) throw new Error(await whyTaken(records, "", place ?? undefined));
      return known(id);
    },
    async remove(id, force) {
      const project = await known(id);
      const mayGo = (holdings: Holdings): void => refuseHeld(id, holdings, force);
      mayGo(await records.holdings(id));
      let over = (): void => {};
      await records.remove(id, (holdings) => {
        mayGo(holdings); // by then it may hold more
        over = copies.begin({ project: id });
      });
      copies.removeAll(id);
      over();
      return project;
    },
  };
}

/** A project that was not made by hand: of the folder that the files of a project would be looked for in. */
async function recordOfFolder(
  folder: string,
  options: ProjectsOptions,
): Promise<ProjectRecord & { workspace: string }> {
  const { home, now, rootOf, repositoryOf } = options;
  const facts = await repositoryOf(folder);
  const root = realOf(rootOf(folder));
  const workspace = inMainWorktree(root, facts) ?? root;
  if (isAbove(workspace, home)) throw new Error(`${workspace} holds more than one project; say which is meant`);
  const name = basename(workspace);
  return { ...recordOf({ id: slugOf(name) || "project", name, ...said(facts) }, now()), workspace };
}

async function recordAsGiven(given: NewProject, folder: string, options: ProjectsOptions): Promise<ProjectRecord> {
  const { now, redact, repositoryOf } = options;
  const workspace = given.workspace === undefined ? await freeRoot(folder, options) : folderOf(given.workspace, folder);
  const name = titleOf(await redact(given.name ?? given.id ?? (workspace === undefined ? "" : basename(workspace))));
  if (name === "") throw new Error("a project needs a name");
  const id = given.id ?? slugOf(name);
  if (id === "") throw new Error(`"${name}" holds no letter that an id could be made of; give an id as well`);
  if (!isId(id)) throw new Error(`"${id}" is no id: use letters, digits, dots, dashes and underscores`);
  const facts = workspace === undefined ? {} : said(await repositoryOf(workspace));
  const { notify, repository, branch } = given;
  const own = await withoutSecrets(present({ repository, branch }), redact);
  return recordOf({ ...facts, ...own, ...present({ workspace, notify }), id, name }, now());
}

/** Where a person makes a project without naming its folder: this one's, unless it has its project already. */
async function freeRoot(folder: string, options: ProjectsOptions): Promise<string | undefined> {
  const { records, home, rootOf } = options;
  const root = realOf(rootOf(folder));
  const isTaken = (await records.list()).some(({ workspace }) => workspace === root);
  return isTaken || isAbove(root, home) ? undefined : root;
}

async function whyTaken(records: ProjectRecords, id: string, workspace: string | undefined): Promise<string> {
  const all = await records.list();
  if (all.some((one) => one.id === id)) return `a project is called "${id}" already; give another name or id`;
  const there = all.find((one) => one.workspace === workspace);
  return `${workspace} is the folder of the project ${there?.id ?? "that was just made"}`;
}

async function withoutSecrets<T extends Omit<ProjectChanges, "workspace">>(
  given: T,
  redact: ProjectsOptions["redact"],
): Promise<T> {
  const { name, repository, branch } = given;
  return {
    ...given,
    ...(name === undefined ? {} : { name: titleOf(await redact(name)) }),
    ...(typeof repository === "string" ? { repository: await redact(withoutCredentials(repository)) } : {}),
    ...(typeof branch === "string" ? { branch: await redact(clean(branch)) } : {}),
  };
}

function refuseHeld(id: string, { automations, ...rest }: Holdings, force: boolean): void {
  if (automations.length > 0)
    throw new Error(`automations belong to the project ${id}: delete them first (${automations.join(", ")})`);
  const held = Object.entries(rest).filter(([, count]) => count > 0);
  if (held.length > 0 && !force)
    throw new Error(`${held.map(([what, n]) => `${n} ${what}`).join(", ")} would go with it; say force to mean it`);
}

const recordOf = (project: Omit<ProjectRecord, "created" | "updated">, now: Instant): ProjectRecord => ({
  ...project,
  created: now,
  updated: now,
});

const said = ({ repository, branch }: RepositoryFacts): Pick<RepositoryFacts, "repository" | "branch"> =>
  present({ repository, branch });

function near(id: string, ids: readonly string[]): string {
  const meant = nearest(id, ids);
  if (meant !== undefined) return `did you mean "${meant}"?`;
  return ids.length === 0 ? "there is none yet" : `known: ${ids.slice(0, 20).join(", ")}`;
}

/** As links lead; a folder that is not there stands as it was written. */
function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder); // it may be gone since
  }
}

function folderOf(written: string, from: string): string {
  const path = resolve(from, written);
  if (!isFolder(path)) throw new Error(`${oneLine(path)} is no folder`);
  return realpathSync(path);
}

/** A project there would hold everything that a person has. */
const isAbove = (folder: string, home: string): boolean =>
  dirname(folder) === folder || (home !== "" && isInside(folder, realOf(home)));

function innermost(all: readonly ProjectRecord[], folder: string): ProjectRecord | undefined {
  const holding = all.filter(({ workspace }) => workspace !== undefined && isInside(workspace, folder));
  return holding.reduce<ProjectRecord | undefined>(
    (best, one) => ((one.workspace?.length ?? 0) > (best?.workspace?.length ?? -1) ? one : best),
    undefined,
  );
}

/** The same place in the main worktree, for a folder of a linked one: they are one project. */
function inMainWorktree(folder: string, { top, main }: RepositoryFacts): string | undefined {
  if (top === undefined || main === undefined || !isInside(top, folder)) return undefined;
  return resolve(main, relative(top, folder));
}

// What git says of a project's folder: its worktrees, where it comes from, and its default branch.

/** Questions to git, by its words; undefined where it has no answer. Never rejects. */
export type AskGit = (folder: string, words: readonly string[]) => Promise<string | undefined>;

/** Never rejects: outside of repositories, and without git, there is nothing to say. */
export async function repositoryFacts(ask: AskGit, folder: string): Promise<RepositoryFacts> {
  const line = async (...words: string[]): Promise<string | undefined> => {
    const answer = (await ask(folder, words))?.replace(/\r?\n$/, "");
    return answer === "" ? undefined : answer;
  };
  const top = await line("rev-parse", "--show-toplevel");
  if (top === undefined) return {};
  const [common, address, remoteHead, head] = await Promise.all([
    line("rev-parse", "--path-format=absolute", "--git-common-dir"),
    line("config", "--get", "remote.origin.url"),
    line("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"),
    line("symbolic-ref", "--quiet", "--short", "HEAD"),
  ]);
  const main = common !== undefined && basename(common) === ".git" ? dirname(common) : undefined;
  const branch = remoteHead?.replace(/^origin\//, "") ?? head;
  const repository = address === undefined ? undefined : withoutCredentials(address);
  return { top, ...present({ main: main === top ? undefined : main, repository, branch }) };
}
