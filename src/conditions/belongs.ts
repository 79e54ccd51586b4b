/** Conditions that only formats write: agent, who works (specification 003), and of_project, whether the event concerns a project (specification 000, A8). */
import type { HookEvent, Json } from "../engine/event.ts";
import type { ConditionKind, Scope } from "../engine/ports.ts";
import { object, text } from "../engine/schema.ts";
import { because } from "./constant.ts";

/** The event's own agent; where it names none, the turn's. */
const agentOf = ({ event, turn }: Scope): { id: string; type?: string } | undefined => event.agent ?? turn.agent;

/** Parameter: the agent's id. An agent is known by its type, too. */
export const agent: ConditionKind<string> = {
  params: text("an agent's id"),
  compile: (id) => (scope) => {
    const known = agentOf(scope);
    return known !== undefined && (known.id === id || known.type === id);
  },
  describe: (id) => `the agent is ${id}`,
  explain(id, scope) {
    const known = agentOf(scope);
    if (!known) {
      return because(`no agent is named, and the hook belongs to ${id}`);
    }
    const who = known.type === undefined || known.type === known.id ? known.id : `${known.id} (${known.type})`;
    return { holds: `the agent is ${who}`, fails: `the agent is ${who}, and the hook belongs to ${id}` };
  },
};

interface OfProject {
  project: string;
  workspace?: string;
}

/** What the event itself says: application events name their project, agents know of none. */
function projectNamedBy({ data }: HookEvent): string | undefined {
  const named: Json | undefined = data.project_id;
  return named === undefined || named === null || named === "" ? undefined : String(named);
}

/** Only agents' names have no dot. */
const isOfAgent = ({ name }: HookEvent): boolean => !name.includes(".");

function liesIn(folder: string, workspace: string): boolean {
  const top = workspace.replace(/[/\\]+$/, "");
  return folder === top || folder.startsWith(`${top}/`) || folder.startsWith(`${top}\\`);
}

function read({ project, workspace }: OfProject, event: HookEvent): { holds: boolean; because: string } {
  const named = projectNamedBy(event);
  if (named !== undefined)
    return named === project
      ? { holds: true, because: `it concerns the project ${project}` }
      : { holds: false, because: `it concerns the project ${named}, and the hook belongs to ${project}` };
  if (!isOfAgent(event)) return { holds: true, because: "it names no project, so it concerns all projects" };
  if (workspace === undefined) return { holds: true, because: `the project ${project} has no folder of its own` };
  return liesIn(event.cwd, workspace)
    ? { holds: true, because: `it happened in the folder of ${project}` }
    : { holds: false, because: `it happened outside the folder of the project ${project}` };
}

export const ofProject: ConditionKind<OfProject> = {
  params: object({ project: text("a project's id") }, { workspace: text("the project's folder") }),
  compile: (params) => (scope) => read(params, scope.event).holds,
  describe: ({ project }) => `the project is ${project}`,
  explain: (params, { event }) => because(read(params, event).because),
};
