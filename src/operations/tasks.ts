/** Operations on tasks. Each change is an event: task.created, task.started, task.completed, task.failed. */
import type { Fields, Json } from "../engine/event.ts";
import { flag, integer, listOf, object, oneOf, say, text } from "../engine/schema.ts";
import type { ProjectService } from "../services/projects/index.ts";
import { type Dependency, type TaskRecord, type TaskStatus, taskStatuses } from "../services/projects/records.ts";
import type { Asked, Operation } from "./operation.ts";
import {
  awaitedView,
  causeOf,
  madeLines,
  madeNote,
  projectFor,
  projectMeant,
  projectParam,
  projectServiceOf,
  rowsOf,
  taskRow,
  taskView,
} from "./project-service.ts";

const usualLimit = 50;
const largestLimit = 1000;

export const taskList: Operation<{ project?: string; status?: TaskStatus; limit?: number }> = {
  summary: "Lists tasks: those in progress first, then by priority.",
  params: object(
    {},
    {
      project: text("only tasks of the project with this id; default: the folder's project, or all where it has none"),
      status: say(oneOf(...taskStatuses), "only tasks with this status"),
      limit: say(integer(undefined, 1), `how many at most; never more than ${largestLimit}`, usualLimit),
    },
  ),
  readOnly: true,
  example: "hookline task list --status DEFINED",
  async run({ project: written, status, limit = usualLimit }, asked) {
    const project = await projectMeant(asked, written);
    const filter = { ...(project ? { project: project.id } : {}), ...(status === undefined ? {} : { status }) };
    const { tasks } = await projectServiceOf(asked);
    return (await tasks.list({ ...filter, limit: Math.min(limit, largestLimit) })).map(taskRow);
  },
};

export const taskShow: Operation<{ id: string }> = {
  summary: "Shows one task in full, with what it waits for.",
  params: object({ id: text("the task's id") }),
  readOnly: true,
  words: ["id"],
  example: "hookline task show 3f9a1c2e",
  async run({ id }, asked) {
    const { tasks } = await projectServiceOf(asked);
    return whole(tasks, await tasks.known(id));
  },
};

async function whole(tasks: ProjectService["tasks"], task: TaskRecord): Promise<Fields> {
  return { ...taskView(task), waits_for: (await tasks.openOf(task)).map(awaitedView) };
}

interface Create {
  title: string;
  description?: string;
  project?: string;
  priority?: number;
  parent?: string;
  branch?: string;
  profile?: string;
  workspace?: string;
  context?: { type?: string; label?: string; content: string }[];
  depends_on?: string[];
}

export const taskCreate: Operation<Create> = {
  summary: "Creates a task. In a folder without a project, it also creates the project.",
  params: object(
    { title: text("what is to be done, on one line") },
    {
      description: say(text(), "what to know before doing it", ""),
      project: projectParam,
      priority: say(integer(), "lower is more urgent", 100),
      parent: text("the id of the task that it is part of"),
      branch: text("the git branch that it is about"),
      profile: text("the profile of the agent that should do it"),
      workspace: text("the workspace to do it in"),
      context: say(
        listOf(object({ content: text("the text") }, { type: text("its kind"), label: text("its name") })),
        "texts that belong to it: {type, label, content} each",
        [],
      ),
      depends_on: say(listOf(text()), "ids of tasks and runs that must be completed before it may start", []),
    },
  ),
  readOnly: false,
  words: ["title"],
  example: 'hookline task create "Fix the failing tests" --priority 10',
  show: (result) => [...madeLines(result), ...rowLine(result)],
  async run({ project: written, depends_on = [], context = [], parent, ...given }, asked) {
    const { tasks } = await projectServiceOf(asked);
    if (parent !== undefined) await tasks.known(parent);
    const dependsOn = await Promise.all(depends_on.map((one) => dependencyOf(one, asked)));
    const placed = await projectFor(asked, written);
    const texts = context.map(({ type = "text", label = "", content }) => ({ type, label, content }));
    const task = await tasks.create(
      { ...given, project: placed.project.id, context: texts, dependsOn, ...(parent === undefined ? {} : { parent }) },
      causeOf(asked),
    );
    return { ...(await whole(tasks, task)), ...madeNote(placed) };
  },
};

/** `task:ID`, `run:ID`, or an id alone, which is a task's if there is such a task. */
async function dependencyOf(written: string, asked: Asked): Promise<Dependency> {
  const [, kind, id = written] = /^(task|run):(.+)$/s.exec(written) ?? [];
  if (kind !== undefined) return { [kind]: id };
  const { tasks } = await projectServiceOf(asked);
  if (await tasks.has(id)) return { task: id };
  if (await asked.store.run(id)) return { run: id };
  throw new Error(`no task or run is called "${id}", so the task cannot depend on it`);
}

export const taskStart: Operation<{ id: string; force?: boolean }> = {
  summary: "Marks a task as started. Refused while a task or run that it waits for is not completed.",
  params: object(
    { id: text("the task's id") },
    { force: say(flag, "start it although it waits for something", false) },
  ),
  readOnly: false,
  words: ["id"],
  example: "hookline task start 3f9a1c2e",
  show: rowLine,
  run: ({ id, force = false }, asked) => moved(asked, (tasks) => tasks.start(id, force, causeOf(asked))),
};

export const taskComplete: Operation<{ id: string; result?: string }> = {
  summary: "Marks a task as completed, with its result.",
  params: object({ id: text("the task's id") }, { result: text("its result; `memory search` finds it") }),
  readOnly: false,
  words: ["id", "result"],
  example: 'hookline task complete 3f9a1c2e "the date was parsed in local time"',
  show: rowLine,
  run: ({ id, result }, asked) => moved(asked, (tasks) => tasks.complete(id, result, causeOf(asked))),
};

export const taskFail: Operation<{ id: string; error: string }> = {
  summary: "Marks a task as failed, and says why.",
  params: object({ id: text("the task's id"), error: text("why it failed") }),
  readOnly: false,
  words: ["id", "error"],
  example: 'hookline task fail 3f9a1c2e "no access to the staging server"',
  show: rowLine,
  run: ({ id, error }, asked) => moved(asked, (tasks) => tasks.fail(id, error, causeOf(asked))),
};

async function moved(asked: Asked, move: (tasks: ProjectService["tasks"]) => Promise<TaskRecord>): Promise<Json> {
  const { tasks } = await projectServiceOf(asked);
  return whole(tasks, await move(tasks));
}

function rowLine(result: Json): string[] {
  const [task] = rowsOf([result]);
  return task ? [`${task.id}  ${task.status}  ${task.title}`] : [];
}
