/**
 * Conditions that only formats write: agent, who works (specification 003), of_project, whether the event concerns a project, and
 * skip_flags, whether the model is needless (specification 000, A8, A38, A39).
 */
import type { Fields, HookEvent, Json } from "../engine/event.ts";
import { type SkipFlag, type SkipFlags, skipFlagNames, skipFlags } from "../engine/named.ts";
import type { ConditionKind, Scope } from "../engine/ports.ts";
import type { StepRecord } from "../engine/record.ts";
import { flag, listOf, object, say, text } from "../engine/schema.ts";
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

// skip_flags is asked once, before the model's step, with one entry of flags for each context step.

/** What a step's result has to be for a flag, in the words of the reason; undefined: it is not. */
const findings: { readonly [F in SkipFlag]: (result: StepRecord) => string | undefined } = {
  exit_zero: ({ output }) => (output.exit_code === 0 ? "exit code 0" : undefined),
  empty: (result) => (isEmpty(result) ? "output empty" : undefined),
  status_ok({ output: { status_code: status } }) {
    return typeof status === "number" && status >= 200 && status < 300 ? `HTTP ${status}` : undefined;
  },
};

/** What a step is about; which of them it has depends on the step (R25). */
const mainOutputs = ["stdout", "content", "body", "diff", "rows", "files"] as const;

function isEmpty(result: StepRecord): boolean {
  const said = mainOutputs.flatMap((field) => result.output[field] ?? []);
  const has = mainOutputs.some((field) => Object.hasOwn(result.output, field));
  return has && !hasFailed(result) && said.every(isBlank);
}

const isBlank = (value: Json): boolean => typeof value === "string" && value.trim() === "";

/** A program that exits otherwise than 0 and says nothing, as grep does, has found nothing; one that complains has failed. */
function hasFailed({ ok, output }: StepRecord): boolean {
  const { error, exit_code: code, stderr, passed } = output;
  if (!ok || passed === false || code === -1) return true;
  if (error !== undefined && error !== null && error !== "") return true;
  return typeof code === "number" && code !== 0 && typeof stderr === "string" && stderr.trim() !== "";
}

function reasonFor(flags: readonly SkipFlags[], results: readonly StepRecord[]): Fields | false {
  for (const [index, wanted] of flags.entries()) {
    const result = results[index];
    if (!result) continue;
    for (const name of skipFlagNames) {
      const found = wanted[name] ? findings[name](result) : undefined;
      if (found !== undefined) return { reason: `step_${index}: ${found} (${skipFlags[name].written})` };
    }
  }
  return false;
}

export const skipFlagsHold: ConditionKind<SkipFlags[]> = {
  params: say(
    listOf(object({}, { exit_zero: flag, empty: flag, status_ok: flag })),
    "what each context step is asked for",
  ),
  compile: (flags) => (scope) => reasonFor(flags, scope.results),
  describe: (flags) =>
    flags
      .flatMap((wanted, index) =>
        skipFlagNames.flatMap((name) => (wanted[name] ? `step_${index}: ${skipFlags[name].written}` : [])),
      )
      .join(" or ") || "no flags",
};
