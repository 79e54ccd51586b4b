/** What is kept of automations, and the port of whoever keeps it. */
import type { Fields, Seconds } from "./event.ts";

/** As its author wrote it; fields that have a place of their own are not in `fields`. */
export interface StoredAutomation {
  project: string;
  id: string;
  name: string;
  enabled: boolean;
  /** The event that it listens to, as it was written. */
  listens?: string;
  fields: Fields;
  /** Unix seconds. */
  created: Seconds;
  updated: Seconds;
}
/** A row that holds no automation: what it holds, and why. */
export interface BrokenRow extends Pick<StoredAutomation, "project" | "id" | "name"> {
  broken: string;
}

/** Safe across processes; each method is one transaction. Methods may throw HooklineError (store_unusable, store_locked). */
export interface AutomationRecords {
  /** One transaction of several: nobody else writes in between, and where it throws, nothing of it counts. */
  write<T>(work: () => T): T;
  /** By project and id. @param project absent: all projects' */
  list(project?: string): (StoredAutomation | BrokenRow)[];
  get(project: string, id: string): StoredAutomation | BrokenRow | undefined;
  /** Those that may concern events of this name. */
  listening(names: readonly string[]): (StoredAutomation | BrokenRow)[];
  /** False where the id is taken. Throws an Error where the project is gone. @param key what it is made for, once */
  add(automation: StoredAutomation, key?: string): boolean;
  /** The one that was made for this key, if it is still there. */
  madeFor(key: string): Pick<StoredAutomation, "project" | "id"> | undefined;
  /** In the place of the one with its id; `created` stays. False where there is none. */
  replace(automation: StoredAutomation): boolean;
  /** False where there is none, or it stands so already. */
  enable(project: string, id: string, enabled: boolean, now: Seconds): boolean;
  /** Its runs go with it, and whatever else is kept of it (A54). False where there is none. */
  remove(project: string, id: string): boolean;
  /** The same, of one that lies in a file, too: what else is kept of it stays. */
  removeRow(project: string, id: string): boolean;
  /** Another one whenever an automation or the folder of a project has changed, whoever changed it. Costs one look. */
  version(): string;
  /** All projects and their folders; null: it has none. */
  workspaces(): ReadonlyMap<string, string | null>;
}
