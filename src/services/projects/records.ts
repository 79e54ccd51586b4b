/** What is kept of projects, tasks, notes and memory, and the port of the store. */

import { HooklineError } from "../../engine/error.ts";
import type { Fields, Instant, MaybePromise } from "../../engine/event.ts";
import type { NewTask, Project, Projects } from "../../engine/external-services.ts";
import type { QueryName } from "../../engine/named.ts";
import { shortened } from "../../engine/one-line.ts";
import type { RunStatus } from "../../engine/record.ts";

export interface ProjectRecord extends Project {
  /** The channels that get notices of its automations' runs; absent: those of the settings. */
  notify?: string[];
  created: Instant;
  updated: Instant;
}
/** What may be changed; null takes a value away. */
export interface ProjectChanges {
  name?: string;
  workspace?: string | null;
  repository?: string | null;
  branch?: string | null;
  notify?: string[] | null;
}

export const taskStatuses = ["DEFINED", "IN_PROGRESS", "COMPLETED", "FAILED"] as const;
export type TaskStatus = (typeof taskStatuses)[number];
export type ContextEntry = NonNullable<NewTask["context"]>[number];
export type Dependency = NonNullable<NewTask["dependsOn"]>[number];

export interface TaskRecord {
  id: string;
  project: string;
  title: string;
  description: string;
  status: TaskStatus;
  /** Lower is more urgent. */
  priority: number;
  parent?: string;
  profile?: string;
  workspace?: string;
  branch?: string;
  context: ContextEntry[];
  dependsOn: Dependency[];
  result?: string;
  error?: string;
  created: Instant;
  updated: Instant;
  started?: Instant;
  ended?: Instant;
  /** The key of the call that moved it last, where that has one. */
  movedBy?: string;
  /** The id of the event of how it stands, which is yet to be sent. */
  untold?: string;
}
export interface TaskFilter {
  project?: string;
  status?: TaskStatus;
  limit: number;
}
/** What a task becomes; what is absent is taken away. */
export interface TaskMove {
  from: readonly TaskStatus[];
  status: TaskStatus;
  at: Instant;
  started?: Instant;
  ended?: Instant;
  result?: string;
  error?: string;
  movedBy?: string;
  untold: string;
}
/** Something that a task waits for, and how it stands; no status: it is not known any more. */
export interface Awaited {
  kind: "task" | "run";
  id: string;
  status?: TaskStatus | RunStatus;
}

export interface NoteRecord {
  project: string;
  name: string;
  title: string;
  content: string;
  created: Instant;
  updated: Instant;
}

export interface MemoryRecord {
  id: string;
  project: string;
  source: string;
  heading: string;
  content: string;
  created: Instant;
}
/** One key is remembered once. */
export interface Remembered {
  memory: MemoryRecord;
  key: string;
}
/** A memory that holds some of the words, and how much of their weight: 0 to 1. */
export interface WordHit {
  seq: number;
  similarity: number;
}

/** How much belongs to a project. */
export interface Holdings {
  tasks: number;
  notes: number;
  memories: number;
  automations: string[];
}
/** What the parts of the project service share. */
export interface ServiceOptions {
  records: ProjectRecords;
  now(): Instant;
  /** Takes secrets out of what is written. */
  redact(text: string): MaybePromise<string>;
}
/**
 * Safe across processes; each method is one transaction. Methods may throw HooklineError (store_unusable, store_locked),
 * and those that add something to a project an Error where it is gone.
 */
export interface ProjectRecords {
  list(): MaybePromise<ProjectRecord[]>;
  get(id: string): MaybePromise<ProjectRecord | undefined>;
  /** False where the id or the folder is another's. */
  add(project: ProjectRecord): MaybePromise<boolean>;
  /** False where the folder is another's, or the project is gone. */
  edit(id: string, changes: ProjectChanges, now: Instant): MaybePromise<boolean>;
  /** Everything that belongs to it goes with it. `mayGo` is asked before it counts: where that throws, nothing goes. */
  remove(id: string, mayGo: (holdings: Holdings) => void): MaybePromise<void>;
  holdings(id: string): MaybePromise<Holdings>;
  tasks: TaskRecords;
  notes: NoteRecords;
  memory: MemoryRecords;
  query(name: QueryName, params: Readonly<Record<string, string | number | null>>): MaybePromise<Fields[]>;
  /** Whether an event with this id was sent. */
  wasTold(event: string): MaybePromise<boolean>;
}
export interface TaskRecords {
  /** The most pressing first: by status, then by priority. */
  list(filter: TaskFilter): MaybePromise<TaskRecord[]>;
  get(id: string): MaybePromise<TaskRecord | undefined>;
  /** The task that this key made before, if one did; undefined: the id is taken. */
  add(task: TaskRecord, key: string | undefined): MaybePromise<TaskRecord | undefined>;
  /** Also remembers what came of it. Undefined where it did not stand as expected: another process was faster. */
  move(id: string, move: TaskMove, result?: Remembered): MaybePromise<TaskRecord | undefined>;
  /** This event needs to be sent no more. */
  told(id: string, event: string): MaybePromise<void>;
  awaited(dependencies: readonly Dependency[]): MaybePromise<Awaited[]>;
}
export interface NoteRecords {
  list(project: string): MaybePromise<NoteRecord[]>;
  get(project: string, name: string): MaybePromise<NoteRecord | undefined>;
  /** Also remembers it. `copy` is called before it counts: where that throws, nothing was written. Says whether it is new. */
  save(note: NoteRecord, memories: readonly MemoryRecord[], copy: () => void): MaybePromise<boolean>;
  /** Also forgets it. Undefined: there was none. */
  remove(project: string, name: string, dropCopy: () => void): MaybePromise<NoteRecord | undefined>;
  /** The note, or that there is none, stays as it is while the work is done. */
  hold(project: string, name: string, work: (note: NoteRecord | undefined) => void): MaybePromise<void>;
}
export interface MemoryRecords {
  /** Gives the id that it has, or had before. */
  add(remembered: Remembered): MaybePromise<string>;
  get(seq: number): MaybePromise<MemoryRecord | undefined>;
  /** Those that hold any of the words, the best first. Without a project: all. */
  search(words: readonly string[], project: string | undefined, limit: number): MaybePromise<WordHit[]>;
  /** The newest that have no vector of this maker yet. */
  unembedded(maker: string, project: string | undefined, limit: number): MaybePromise<{ seq: number; text: string }[]>;
  /** Without a vector: this maker makes none of it, and is not asked again. */
  saveVectors(maker: string, vectors: readonly { seq: number; vector: Float32Array | undefined }[]): MaybePromise<void>;
  vectors(maker: string, project: string | undefined): MaybePromise<{ seq: number; vector: Float32Array }[]>;
}
/** What memories of a note are from. */
export const sourceOfNote = (name: string): string => `note:${name}`;

// What texts have to be so that a store holds them, and titles one line.

/** Without what SQLite and files would not give back as it was. */
export const clean = (text: string): string => text.toWellFormed().replaceAll("\0", "");

const longestTitle = 300;

/** A text that fits on one line of a list. */
export function titleOf(text: string): string {
  return shortened(clean(text).replace(/\s+/g, " ").trim(), longestTitle);
}

// What hooks reach in place of projects where nothing keeps any: nothing is remembered, and the rest says what is
// missing.

export const storeIsMissing = (): HooklineError =>
  new HooklineError("store_unusable", {
    reason: "projects, tasks, notes and memory are kept in SQLite, and this line keeps its records elsewhere",
    where: "projects",
    advice: 'give createHookline a path, such as store: "hooks.db"',
  });

const refuse = (): never => {
  throw storeIsMissing();
};

export const withoutStore: Projects = {
  project: () => undefined,
  projectOf: refuse,
  createTask: refuse,
  searchMemory: async () => [],
  query: refuse,
};
