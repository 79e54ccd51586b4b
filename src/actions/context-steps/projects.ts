/** The steps of automations that read and change projects: create_task, db_query, memory_search (specification 000, section 4). */

import { textField } from "../../engine/event.ts";
import type { MemoryHit, NewTask, Projects } from "../../engine/external-services.ts";
import {
  isQueryName,
  namedQueries,
  type QueryName,
  queryNames,
  unknownQuery,
  wrongParams,
} from "../../engine/named.ts";
import { meantOrKnown } from "../../engine/nearest.ts";
import type { Handler, StepContext } from "../../engine/ports.ts";
import {
  anything,
  either,
  integer,
  isRecord,
  listOf,
  type Mismatch,
  mapOf,
  object,
  say,
  text,
} from "../../engine/schema.ts";
import { noted } from "../step.ts";
import { contextStep } from "./context-step.ts";

interface CreateTaskParams {
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

export const createTask: Handler = contextStep(
  {
    type: "create_task",
    summary: "Creates a task for a person or an agent.",
    limit: 30,
    gives: { task_id: "the task's id", created: "true" },
  },
  {
    params: object(
      {},
      {
        title_template: say(text(), "what is to be done, on one line", usualTitle),
        description_template: say(text(), "what to know before doing it", ""),
        project_id: say(text(), "the project (default: the automation's own)", ""),
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

/** What it is given is bound, never text of the question (A28). */
export const dbQuery: Handler = contextStep(
  {
    type: "db_query",
    summary: "Runs a named query on the store: tasks, events or runs.",
    limit: 30,
    gives: { rows: "the rows that were found, each an object", count: "how many there are" },
  },
  {
    params: object(
      { query: text(`the question: ${queryNames.join(", ")}`) },
      { params: say(mapOf(anything), "the parameters of the query, by name; each may hold placeholders", {}) },
    ),
    inspect: ({ query, params }) => mismatchesOf(String(query), isRecord(params) ? Object.keys(params) : []),
    async run({ query, params = {} }, context) {
      if (!isQueryName(query)) throw new Error(unknownQuery(query));
      const projects = await projectsOf(context);
      const rows = await projects.query(query, params);
      return { ok: true, output: { rows, count: rows.length } };
    },
  },
);

/** @throws where this line reaches no projects */
async function projectsOf({ ports }: Pick<StepContext, "ports">): Promise<Projects> {
  const projects = await ports.projects?.();
  if (!projects) throw new Error("projects and tasks cannot be reached here: they need the SQLite store");
  return projects;
}

/** Found when the automation is made. A question whose name is a placeholder is known when it is asked. */
function mismatchesOf(query: string, given: readonly string[]): Mismatch[] {
  if (query.includes("{{")) return [];
  if (isQueryName(query)) return wrongParams(query, given) === undefined ? [] : paramMismatches(query, given);
  const advice = meantOrKnown(query, queryNames);
  return [{ path: ["query"], expected: `${unknownQuery(query)} (${advice})`, found: query }];
}

function paramMismatches(query: QueryName, given: readonly string[]): Mismatch[] {
  const { params } = namedQueries[query];
  const takes = params.length === 0 ? "none" : params.join(" and ");
  return [
    ...params
      .filter((one) => !given.includes(one))
      .map((one) => ({ path: ["params", one], expected: "a value", found: "nothing" })),
    ...given
      .filter((one) => !params.includes(one))
      .map((one) => ({
        path: ["params", one],
        expected: `Unknown parameter "${one}": the query ${query} takes ${takes}`,
        found: one,
      })),
  ];
}

const longestContent = 50_000;
const usualCount = 3;

/** Nothing remembered, and nothing that could remember, are both nothing found (A34). */
export const memorySearch: Handler = contextStep(
  {
    type: "memory_search",
    summary: "Searches what the project remembers: notes, results of tasks, and what was added.",
    limit: 30,
    gives: {
      content: "what was found, each with its source, heading, content and similarity (50,000 characters)",
      count: "how many were found",
    },
  },
  {
    params: object(
      {},
      {
        project_id: say(text(), "the project (default: the automation's own)", ""),
        query: say(text(), "what to look for, in any words", ""),
        top_k: say(integer(undefined, 1), "at most so many", usualCount),
      },
    ),
    async run({ project_id = "", query = "", top_k: limit = usualCount }, context) {
      const { ports, signal } = context;
      const projects = await ports.projects?.();
      const project = project_id || ownProject(context);
      const notes: string[] = [];
      const hits = projects
        ? await projects.searchMemory(
            { ...(project === undefined ? {} : { project }), query, limit, note: (note) => void notes.push(note) },
            signal,
          )
        : [];
      const output = { content: hits.map(inWords).join("\n\n").slice(0, longestContent), count: hits.length };
      return { ok: true, output, ...noted(notes) };
    },
  },
);

const inWords = ({ source, heading, content, similarity }: MemoryHit, index: number): string =>
  `[${index + 1}] ${source}${heading === "" ? "" : ` — ${heading}`} (similarity ${similarity.toFixed(2)})\n${content}`;

/** The automation's own, else the one that the event is about. */
const ownProject = ({ hook, event }: Pick<StepContext, "hook" | "event">): string | undefined =>
  hook.project ?? (textField(event.data, "project_id") || undefined);
