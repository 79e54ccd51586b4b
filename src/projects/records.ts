/** What is kept of projects, tasks, notes and memory, and the port of whoever keeps it. */
import type { Fields, Instant, MaybePromise } from "../core/event.ts";
import type { QueryName } from "../core/named-queries.ts";
import type { NewTask, Project } from "../core/reach.ts";
import type { RunStatus } from "../core/record.ts";

export interface ProjectRecord extends Project {
  /** The names of places that are told of its automations' runs; absent: those of the settings. */
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
}
export interface TaskFilter {
  project?: string;
  status?: TaskStatus;
  limit: number;
}
/** What a task becomes; what is absent is taken away. */
export interface TaskMove {
  status: TaskStatus;
  at: Instant;
  started?: Instant;
  ended?: Instant;
  result?: string;
  error?: string;
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
/** A memory that holds some of the words, and how much of their weight: 0 to 1. */
export interface WordHit {
  seq: number;
  similarity: number;
}

/** Safe across processes; each method is one transaction. Methods may throw HooklineError (store_unusable, store_locked). */
export interface ProjectRecords {
  list(): MaybePromise<ProjectRecord[]>;
  get(id: string): MaybePromise<ProjectRecord | undefined>;
  /** False where the id or the folder is another's. */
  add(project: ProjectRecord): MaybePromise<boolean>;
  /** False where the folder is another's, or the project is gone. */
  edit(id: string, changes: ProjectChanges, now: Instant): MaybePromise<boolean>;
  /** Everything that belongs to it goes with it. */
  remove(id: string): MaybePromise<void>;
  /** How much belongs to it. */
  holdings(id: string): MaybePromise<{ tasks: number; notes: number; memories: number; automations: string[] }>;
  tasks: TaskRecords;
  notes: NoteRecords;
  memory: MemoryRecords;
  query(name: QueryName, params: Readonly<Record<string, string | number | null>>): MaybePromise<Fields[]>;
  /** Whether an event with this id was told. */
  wasTold(event: string): MaybePromise<boolean>;
}
export interface TaskRecords {
  /** The most pressing first: by status, then by priority. */
  list(filter: TaskFilter): MaybePromise<TaskRecord[]>;
  get(id: string): MaybePromise<TaskRecord | undefined>;
  /** The task that this key made before, if one did; undefined: the id is taken. */
  add(task: TaskRecord, key: string | undefined): MaybePromise<TaskRecord | undefined>;
  /** Undefined where it did not stand as expected: somebody else was faster. */
  move(id: string, from: readonly TaskStatus[], to: TaskMove): MaybePromise<TaskRecord | undefined>;
  awaited(dependencies: readonly Dependency[]): MaybePromise<Awaited[]>;
}
export interface NoteRecords {
  list(project: string): MaybePromise<NoteRecord[]>;
  get(project: string, name: string): MaybePromise<NoteRecord | undefined>;
  /** Also remembers it. `copy` is called before it counts: where that throws, nothing was written. Says whether it is new. */
  save(note: NoteRecord, memories: readonly MemoryRecord[], copy: () => void): MaybePromise<boolean>;
  /** Also forgets it. Undefined: there was none. */
  remove(project: string, name: string, dropCopy: () => void): MaybePromise<NoteRecord | undefined>;
}
export interface MemoryRecords {
  /** One key is remembered once: gives the id that it has. */
  add(memory: MemoryRecord, key: string): MaybePromise<string>;
  get(seq: number): MaybePromise<MemoryRecord | undefined>;
  /** Those that hold any of the words, the best first. Without a project: all. */
  search(words: readonly string[], project: string | undefined, limit: number): MaybePromise<WordHit[]>;
  /** The newest that have no vector of this maker yet. */
  unembedded(maker: string, project: string | undefined, limit: number): MaybePromise<{ seq: number; text: string }[]>;
  saveVectors(maker: string, vectors: readonly { seq: number; vector: Float32Array }[]): MaybePromise<void>;
  vectors(maker: string, project: string | undefined): MaybePromise<{ seq: number; vector: Float32Array }[]>;
}
/** What memories of a note are from. */
export const sourceOfNote = (name: string): string => `note:${name}`;
