/** A context step that makes a task (specification 000, section 4.8). A step that is repeated after a crash makes no second one. */
import type { Handler, StepContext } from "../core/ports.ts";
import type { NewTask, Projects } from "../core/reach.ts";
import { either, integer, listOf, object, say, text } from "../core/schema.ts";
import { contextStep } from "./context-step.ts";
import { projectsOf } from "./db-query.ts";
import { ownProject } from "./own-project.ts";

export interface CreateTaskParams {
  title_template?: string;
  description_template?: string;
  project_id?: string;
  parent_task_id?: string;
  profile_id?: string;
  preferred_workspace_id?: string;
  branch_name?: string;
  priority?: number | string;
  context_entries?: { type?: string; label?: string; content: string }[];
}

const usualTitle = "Hook-created task";
const usualPriority = 100;

export const createTask: Handler<CreateTaskParams> = contextStep(
  {
    type: "create_task",
    summary: "Makes a task, for a person or an agent to do.",
    limit: 30,
    gives: { task_id: "the task's id", created: "true" },
  },
  {
    params: object(
      {},
      {
        title_template: say(text(), "what is to be done, on one line", usualTitle),
        description_template: say(text(), "what whoever does it has to know", ""),
        project_id: say(text(), "the project; the automation's own unless said", ""),
        parent_task_id: text("the task that it is a part of"),
        profile_id: text("the profile of the agent that is to do it"),
        preferred_workspace_id: text("the workspace that it is best done in"),
        branch_name: text("the git branch that it is about"),
        priority: say(either(integer(), text()), "lower is more urgent", usualPriority),
        context_entries: say(
          listOf(
            object(
              { content: text("the text itself") },
              { type: say(text(), "what kind of text it is", "text"), label: say(text(), "what it is called", "") },
            ),
          ),
          "texts that belong to it",
          [],
        ),
      },
    ),
    inspect: ({ priority }) =>
      typeof priority === "string" && !priority.includes("{{") && priorityIn(priority) === undefined
        ? [{ path: ["priority"], expected: "a whole number", found: JSON.stringify(priority) }]
        : [],
    async run(params, context) {
      const projects = await projectsOf(context);
      const project = params.project_id || (await ownProjectIn(projects, context));
      if (project === undefined) throw new Error("project_id is required");
      const task = { ...taskOf(params), project };
      const key = `${context.run}:${context.scope.results.length}`;
      const { id } = await projects.createTask(task, key, context.event);
      return { ok: true, output: { task_id: id, created: true } };
    },
  },
);

/** That of an automation in a file is known by its folder, and need not have been made. */
async function ownProjectIn(projects: Projects, context: StepContext): Promise<string | undefined> {
  const id = ownProject(context);
  const { project, origin } = context.hook;
  if (id === undefined || id !== project || origin.root === undefined || (await projects.project(id))) return id;
  return (await projects.projectOf(origin.root)).id;
}

/** An empty text is what a placeholder leaves that leads nowhere. */
function taskOf(params: CreateTaskParams): NewTask {
  const { title_template: title = "", description_template: description = "", priority = usualPriority } = params;
  const number = priorityIn(priority);
  if (number === undefined) throw new Error(`priority needs a whole number but is ${JSON.stringify(priority)}`);
  const optional = {
    parent: params.parent_task_id,
    profile: params.profile_id,
    workspace: params.preferred_workspace_id,
    branch: params.branch_name,
  };
  return {
    title: title.trim() || usualTitle,
    description,
    priority: number,
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined && value !== "")),
    context: (params.context_entries ?? []).map(({ type = "text", label = "", content }) => ({ type, label, content })),
  };
}

/** Nothing is the usual. */
function priorityIn(written: number | string): number | undefined {
  if (typeof written === "number") return Number.isSafeInteger(written) ? written : undefined;
  if (written.trim() === "") return usualPriority;
  return /^-?\d{1,9}$/.test(written.trim()) ? Number(written) : undefined;
}
