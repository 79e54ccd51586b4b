/** Tasks: defined, started, completed or failed, each published as an event once it is written. */
import { type Instant, type MaybePromise, present } from "../../engine/event.ts";
import type { NewTask } from "../../engine/external-services.ts";
import { type Cause, ofTask, type PublisherOptions, publish } from "./event-publisher.ts";
import type { NewMemory } from "./memory.ts";
import {
  type Awaited,
  clean,
  type Dependency,
  type ProjectRecords,
  type Remembered,
  type ServiceOptions,
  type TaskFilter,
  type TaskMove,
  type TaskRecord,
  type TaskStatus,
  titleOf,
} from "./records.ts";

export interface TasksOptions extends ServiceOptions, PublisherOptions {
  newId(): string;
  /** What a task gave, as it is remembered. */
  memoryOf(result: NewMemory): Promise<Remembered>;
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
  create(task: TaskToMake, cause: Cause): Promise<TaskRecord>;
  /**
   * Refused while something that it waits for has not been completed, unless `force` is said. A failed task begins anew.
   * Here and below: a call that is repeated after a crash, by the same key or before the event was sent, is not refused.
   */
  start(id: string, force: boolean, cause: Cause): Promise<TaskRecord>;
  complete(id: string, result: string | undefined, cause: Cause): Promise<TaskRecord>;
  fail(id: string, error: string, cause: Cause): Promise<TaskRecord>;
  /** What it waits for that has not been completed. */
  openOf(task: TaskRecord): Promise<Awaited[]>;
}

interface Kind {
  from: readonly TaskStatus[];
  to: TaskStatus;
  /** Where it stands so, it has to wait for what it depends on. What was begun all the same may also end. */
  waits: readonly TaskStatus[];
}
const moves = {
  start: { from: ["DEFINED", "FAILED"], to: "IN_PROGRESS", waits: ["DEFINED", "FAILED"] },
  complete: { from: ["DEFINED", "IN_PROGRESS"], to: "COMPLETED", waits: ["DEFINED"] },
  fail: { from: ["DEFINED", "IN_PROGRESS"], to: "FAILED", waits: [] },
} as const satisfies Record<string, Kind>;

const optionalTexts = ["parent", "profile", "workspace", "branch"] as const;
const usualPriority = 100;
const idsTried = 5;

export function createTasks(options: TasksOptions): Tasks {
  const { records, now, redact } = options;

  async function find(id: string): Promise<TaskRecord> {
    const found = await records.tasks.get(clean(id));
    if (!found) throw new Error(`no task is called "${id}"; task list shows them`);
    return found;
  }

  async function openOf({ dependsOn }: TaskRecord): Promise<Awaited[]> {
    const awaited = await records.tasks.awaited(dependsOn);
    return awaited.filter(({ status }) => status?.toUpperCase() !== "COMPLETED");
  }

  async function add(record: TaskRecord, key: string | undefined): Promise<TaskRecord> {
    for (let tries = 0; tries < idsTried; tries++) {
      const made = await records.tasks.add(tries === 0 ? record : { ...record, ...identity(options) }, key);
      if (made) return made;
    }
    throw new Error("no free id was found for the task");
  }

  async function move(
    id: string,
    kind: Kind,
    more: Partial<TaskMove>,
    { force, cause }: { force: boolean; cause: Cause },
  ): Promise<TaskRecord> {
    const known = await find(id);
    const before = await announced(known, cause);
    const isRepeated = known.untold !== undefined || (cause.key !== undefined && cause.key === known.movedBy);
    if (before.status === kind.to && isRepeated) return before;
    if (!kind.from.includes(before.status)) throw new Error(whyNot(before, kind));
    const open = kind.waits.includes(before.status) && !force ? await openOf(before) : [];
    if (open.length > 0) throw new Error(`the task ${before.id} waits for ${open.map(inWords).join(", and for ")}`);
    const to: TaskMove = {
      ...more,
      from: kind.from,
      status: kind.to,
      ...timesOf(before, kind.to, now()),
      untold: eventFor(before.id, kind.to, options),
      ...present({ movedBy: cause.key }),
    };
    const task = await records.tasks.move(before.id, to, await resultOf(before, more.result));
    if (!task) throw new Error(whyNot(await find(id), kind)); // another process was faster
    return announced(task, cause);
  }

  async function resultOf({ id, project, title }: TaskRecord, result = ""): Promise<Remembered | undefined> {
    if (result.trim() === "") return undefined;
    return options.memoryOf({ project, source: `task:${id}`, heading: title, content: result });
  }

  /** Sends the event of how it stands, if that was never sent: the process that wrote it may have ended before. */
  async function announced(task: TaskRecord, cause: Cause): Promise<TaskRecord> {
    const { untold: event, ...rest } = task;
    if (event === undefined) return task;
    const happening = { ...ofTask(task, await records.get(task.project)), id: event };
    const isOver = (await records.wasTold(event)) || (await publish(options, happening, cause));
    if (!isOver) return task;
    await records.tasks.told(task.id, event);
    return rest;
  }

  return {
    list: (filter) => records.tasks.list(filter),
    has: async (id) => (await records.tasks.get(clean(id))) !== undefined,
    known: find,
    openOf,
    create: async (given, cause) => announced(await add(await recordOf(given, options), cause.key), cause),
    start: (id, force, cause) => move(id, moves.start, {}, { force, cause }),
    complete: async (id, result, cause) =>
      move(id, moves.complete, result === undefined ? {} : { result: await kept(result, redact) }, {
        force: false,
        cause,
      }),
    fail: async (id, error, cause) =>
      move(id, moves.fail, { error: await kept(error, redact) }, { force: false, cause }),
  };
}

/** What `create` writes. Rejects with what a person has to mend in the task. */
async function recordOf(given: TaskToMake, options: TasksOptions): Promise<TaskRecord> {
  const { records, now, redact } = options;
  const { title, description = "", project, priority = usualPriority, context = [], dependsOn = [] } = given;
  const named = titleOf(await kept(title, redact));
  if (named === "") throw new Error("a task needs a title");
  if (!Number.isSafeInteger(priority)) throw new Error(`a priority is a whole number, and ${priority} is none`);
  if (!(await records.get(project)))
    throw new Error(`no project is called "${project}"; project list shows them, and project create makes one`);
  await checkDependencies(records, dependsOn);
  const texts: Pick<TaskRecord, (typeof optionalTexts)[number]> = {};
  for (const name of optionalTexts) {
    const text = given[name];
    if (text) texts[name] = await kept(text, redact);
  }
  const at = now();
  return {
    ...identity(options),
    project,
    title: named,
    description: await kept(description, redact),
    status: "DEFINED",
    priority,
    ...texts,
    context: await Promise.all(
      context.map(async ({ type, label, content }) => ({
        type: await kept(type, redact),
        label: await kept(label, redact),
        content: await kept(content, redact),
      })),
    ),
    dependsOn,
    created: at,
    updated: at,
  };
}

const kept = async (text: string, redact: TasksOptions["redact"]): Promise<string> => redact(clean(text));

const eventFor = (id: string, to: TaskStatus, { newId }: Pick<TasksOptions, "newId">): string =>
  `task-${id}-${to.toLowerCase()}-${newId()}`;

function identity(options: Pick<TasksOptions, "newId">): Pick<TaskRecord, "id"> & { untold: string } {
  const id = options.newId();
  return { id, untold: eventFor(id, "DEFINED", options) };
}

/** When it was begun, and when it ended: what is begun anew has not. */
function timesOf({ started }: TaskRecord, to: TaskStatus, at: Instant): Pick<TaskMove, "at" | "started" | "ended"> {
  if (to === "IN_PROGRESS") return { at, started: at };
  return { at, ended: at, ...present({ started }) };
}

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
