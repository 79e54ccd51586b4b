/** Tasks: defined, started, completed or failed, each told as an event once it is written. */
import type { EventName, Instant, MaybePromise } from "../core/event.ts";
import type { NewTask } from "../core/reach.ts";
import type {
  Awaited,
  Dependency,
  ProjectRecord,
  ProjectRecords,
  TaskFilter,
  TaskMove,
  TaskRecord,
  TaskStatus,
} from "./records.ts";
import { type Cause, ofTask, type Send, tell } from "./sending.ts";
import { clean, titleOf } from "./text.ts";

export interface TasksOptions {
  records: ProjectRecords;
  now(): Instant;
  newId(): string;
  send: Send;
  complain(reason: string): void;
  redact(text: string): MaybePromise<string>;
  /** Told of what a task gave, to be found again. */
  remember(project: string, memory: { source: string; heading: string; content: string }): Promise<unknown>;
}
export interface TaskToMake extends NewTask {
  project: string;
}

/** Each may throw an Error whose message tells a person what to do. */
export interface Tasks {
  list(filter: TaskFilter): MaybePromise<TaskRecord[]>;
  has(id: string): Promise<boolean>;
  known(id: string): Promise<TaskRecord>;
  /** One key makes one task, however often it is asked for. */
  create(task: TaskToMake, cause: Cause, key?: string): Promise<TaskRecord>;
  /** Refused while something that it waits for has not been completed, unless `force` is said. A failed task begins anew. */
  start(id: string, force: boolean, cause: Cause): Promise<TaskRecord>;
  complete(id: string, result: string | undefined, cause: Cause): Promise<TaskRecord>;
  fail(id: string, error: string, cause: Cause): Promise<TaskRecord>;
  /** What it waits for that has not been completed. */
  openOf(task: TaskRecord): Promise<Awaited[]>;
}

interface Kind {
  event: EventName;
  from: readonly TaskStatus[];
  to: TaskStatus;
  waits: boolean;
}
const moves = {
  start: { event: "task.started", from: ["DEFINED", "FAILED"], to: "IN_PROGRESS", waits: true },
  complete: { event: "task.completed", from: ["DEFINED", "IN_PROGRESS"], to: "COMPLETED", waits: true },
  fail: { event: "task.failed", from: ["DEFINED", "IN_PROGRESS"], to: "FAILED", waits: false },
} as const satisfies Record<string, Kind>;

const usualPriority = 100;
const idsTried = 5;

export function createTasks(options: TasksOptions): Tasks {
  const { records, now, newId, redact } = options;

  async function known(id: string): Promise<TaskRecord> {
    const found = await records.tasks.get(clean(id));
    if (!found) throw new Error(`no task is called "${id}"; task list shows them`);
    return found;
  }

  const kept = async (text: string): Promise<string> => redact(clean(text));

  async function openOf({ dependsOn }: TaskRecord): Promise<Awaited[]> {
    const awaited = await records.tasks.awaited(dependsOn);
    return awaited.filter(({ status }) => status?.toUpperCase() !== "COMPLETED");
  }

  async function recordOf(given: TaskToMake): Promise<TaskRecord> {
    const { title, description = "", project, priority = usualPriority, context = [], dependsOn = [] } = given;
    const named = titleOf(await kept(title));
    if (named === "") throw new Error("a task needs a title");
    if (!Number.isSafeInteger(priority)) throw new Error(`a priority is a whole number, and ${priority} is none`);
    if (!(await records.get(project))) throw new Error(`no project is called "${project}"`);
    await checkDependencies(records, dependsOn);
    const at = now();
    return {
      id: newId(),
      project,
      title: named,
      description: await kept(description),
      status: "DEFINED",
      priority,
      ...optional("parent", given.parent),
      ...optional("profile", given.profile),
      ...optional("workspace", given.workspace),
      ...optional("branch", given.branch),
      context: await Promise.all(context.map(async (one) => ({ ...one, content: await kept(one.content) }))),
      dependsOn,
      created: at,
      updated: at,
    };
  }

  async function add(record: TaskRecord, key: string | undefined): Promise<TaskRecord> {
    for (let tries = 0; tries < idsTried; tries++) {
      const made = await records.tasks.add(tries === 0 ? record : { ...record, id: newId() }, key);
      if (made) return made;
    }
    throw new Error("no free id was found for the task");
  }

  async function move(id: string, kind: Kind, more: Partial<TaskMove>, given: Giving): Promise<TaskRecord> {
    const before = await known(id);
    if (!kind.from.includes(before.status)) throw new Error(whyNot(before, kind));
    const open = kind.waits && !given.force ? await openOf(before) : [];
    if (open.length > 0) throw new Error(`the task ${before.id} waits for ${open.map(inWords).join(", and for ")}`);
    const at = now();
    const started = kind.to === "IN_PROGRESS" ? at : before.started;
    const ended = kind.to === "IN_PROGRESS" ? undefined : at;
    const times = { ...(started === undefined ? {} : { started }), ...(ended === undefined ? {} : { ended }) };
    const task = await records.tasks.move(before.id, kind.from, { status: kind.to, at, ...times, ...more });
    if (!task) throw new Error(whyNot(await known(id), kind)); // somebody else was faster
    await rememberResult(task);
    await tell(options, ofTask(kind.event, task, await projectOf(task)), given.cause);
    return task;
  }

  async function rememberResult({ id, project, title, result }: TaskRecord): Promise<void> {
    if (result !== undefined && result.trim() !== "")
      await options.remember(project, { source: `task:${id}`, heading: title, content: result });
  }

  const projectOf = async ({ project }: TaskRecord): Promise<ProjectRecord | undefined> => records.get(project);

  return {
    list: (filter) => records.tasks.list(filter),
    has: async (id) => (await records.tasks.get(clean(id))) !== undefined,
    known,
    openOf,
    async create(given, cause, key) {
      const task = await add(await recordOf(given), key);
      const event = `task-created-${task.id}`;
      // Asked for again after a crash: whether it was told then is known by the event's id.
      if (key !== undefined && (await records.wasTold(event))) return task;
      await tell(options, { ...ofTask("task.created", task, await projectOf(task)), id: event }, cause);
      return task;
    },
    start: (id, force, cause) => move(id, moves.start, {}, { force, cause }),
    complete: async (id, result, cause) =>
      move(id, moves.complete, result === undefined ? {} : { result: await kept(result) }, { force: false, cause }),
    fail: async (id, error, cause) => move(id, moves.fail, { error: await kept(error) }, { force: false, cause }),
  };
}

interface Giving {
  force: boolean;
  cause: Cause;
}

const optional = <K extends string>(key: K, value: string | undefined): Partial<Record<K, string>> =>
  value === undefined || value === "" ? {} : ({ [key]: clean(value) } as Record<K, string>); // the one key

/** What is not there cannot be waited for. */
async function checkDependencies(records: ProjectRecords, dependsOn: readonly Dependency[]): Promise<void> {
  if (dependsOn.some(({ task, run }) => (task === undefined) === (run === undefined)))
    throw new Error("a dependency names a task or a run");
  const unknown = (await records.tasks.awaited(dependsOn)).find(({ status }) => status === undefined);
  if (unknown) throw new Error(`no ${unknown.kind} is called "${unknown.id}", so nothing can wait for it`);
}

const inWords = ({ kind, id, status }: Awaited): string =>
  `the ${kind} ${id}, which ${status === undefined ? "is not recorded any more" : `is ${status}`}`;

function whyNot({ id, status }: TaskRecord, { to, from }: Kind): string {
  if (status === to) return `the task ${id} is ${status} already`;
  const advice = from.includes("IN_PROGRESS") && status === "FAILED" ? "; start it again first" : "";
  return `the task ${id} is ${status}, and cannot become ${to}${advice}`;
}
