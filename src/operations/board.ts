/** What the operations on projects, tasks, notes and memory share: where they work, and which project is meant. */
import { textField } from "../engine/event.ts";
import { type Schema, text } from "../engine/schema.ts";
import type { Board } from "../services/projects/index.ts";
import type { Placed } from "../services/projects/projects.ts";
import { type ProjectRecord, storeIsMissing } from "../services/projects/records.ts";
import type { Cause } from "../services/projects/sending.ts";
import type { Asked } from "./operation.ts";

/** @throws HooklineError store_unusable */
export async function boardOf({ board }: Pick<Asked, "board">): Promise<Board> {
  const found = await board?.();
  if (!found) throw storeIsMissing();
  return found;
}

/** Where whoever asks works. */
export const folderOf = ({ event, cwd }: Pick<Asked, "event" | "cwd">): string => event?.cwd ?? cwd ?? process.cwd();

export const causeOf = ({ event, cwd, signal, key, untold }: Asked): Cause => ({ event, cwd, signal, key, untold });

export const projectParam: Schema<string> = text("the project's id; that of the folder unless said");

type Wanted = Pick<Asked, "board" | "event" | "cwd">;

/**
 * The project that is meant, for who reads; undefined: the folder belongs to none. Throws for an id that there is not.
 *
 * @param id as it was written; absent: the project that the event is about, else that of the folder
 */
export async function projectMeant(asked: Wanted, id: string | undefined): Promise<ProjectRecord | undefined> {
  const { projects } = await boardOf(asked);
  return projects.find({ id: id ?? (await idOfEvent(asked)), folder: folderOf(asked) });
}

/** The same, for who needs one: a folder that belongs to none gets its own project. */
export async function projectFor(asked: Wanted, id: string | undefined): Promise<Placed> {
  const { projects } = await boardOf(asked);
  return projects.place({ id: id ?? (await idOfEvent(asked)), folder: folderOf(asked) });
}

/** The same, as it would be: what may be refused yet makes no project. */
export async function projectForeseen(asked: Wanted, id: string | undefined): Promise<Placed> {
  const { projects } = await boardOf(asked);
  return projects.foresee({ id: id ?? (await idOfEvent(asked)), folder: folderOf(asked) });
}

async function idOfEvent(asked: Wanted): Promise<string | undefined> {
  const id = asked.event && textField(asked.event.data, "project_id");
  return id !== undefined && (await (await boardOf(asked)).projects.get(id)) ? id : undefined;
}

/** @throws an Error that says how to make one */
export async function projectNeeded(asked: Wanted, id: string | undefined): Promise<ProjectRecord> {
  const found = await projectMeant(asked, id);
  if (found) return found;
  throw new Error(`no project lies at ${folderOf(asked)}; project list shows them, project create makes one`);
}

/** Told where a project came to be on the way. */
export const madeNote = ({ project, made }: Placed): { project_made?: string } =>
  made ? { project_made: project.workspace ?? project.id } : {};

export const seconds = (instant: number | undefined): number | null => (instant === undefined ? null : instant / 1000);
