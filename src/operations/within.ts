/** Operations as they are for who may look at one project alone (R28): each is asked for it, or what it tells is. One line each. */
import type { Fields, Json } from "../engine/event.ts";
import type { OperationName } from "../engine/named.ts";
import { isRecord } from "../engine/schema.ts";
import { automationOf } from "../formats/automations/fields.ts";
import { boardOf } from "./board.ts";
import type { Asked, Operation } from "./operation.ts";
import type { OperationTable } from "./serve.ts";
import { rowsOf } from "./views.ts";

interface Limit {
  /** What it is asked instead. May throw an Error that says why not. */
  asked?(params: Fields, project: string): Fields;
  /** What of its answer may be told. */
  told?(result: Json, project: string): Json;
  /** It reads what lies in the store below the project's row. */
  isKept?: true;
}

/** By the parameter that says which project is meant. */
const by = (name: "project" | "id"): Pick<Limit, "asked"> => ({
  asked(params, project) {
    const { [name]: said = project } = params;
    if (said !== project) throw new Error(`only the project ${project} may be looked at here`);
    return { ...params, [name]: project };
  },
});

/** What is not here cannot be kept to one project, or changes something. */
const limits: { readonly [N in OperationName]?: Limit } = {
  automation_list: by("project"),
  automation_show: by("project"),
  automation_export: by("project"),
  automation_runs: by("project"),
  runs: { asked: (params, project) => ({ ...params, among: { prefix: `automation:${project}/` } }) },
  run: { told: (run, project) => onlyIf(automationOf(textIn(run, "hook"))?.project === project, run) },
  project_list: { told: (rows, project) => rowsOf(rows).filter(({ id }) => id === project) },
  project_show: { ...by("id"), isKept: true },
  task_list: { ...by("project"), isKept: true },
  task_show: { told: (task, project) => onlyIf(textIn(task, "project_id") === project, task), isKept: true },
  note_list: { ...by("project"), isKept: true },
  note_show: { ...by("project"), isKept: true },
  memory_search: { ...by("project"), isKept: true },
};

const textIn = (result: Json, key: string): string => (isRecord(result) ? String(result[key]) : "");

function onlyIf(isOwn: boolean, result: Json): Json {
  if (!isOwn) throw new Error("it belongs to another project, and may not be looked at here");
  return result;
}

export const operationsWithin = (all: OperationTable, project: string): OperationTable =>
  new Map(
    Object.entries(limits).flatMap(([name, limit]) => {
      const operation = all.get(name);
      return operation ? [[name, limited(operation, limit, project)] as const] : [];
    }),
  );

const limited = (operation: Operation<unknown>, limit: Limit, project: string): Operation<unknown> => ({
  ...operation,
  async run(params, asked: Asked) {
    const { asked: instead, told, isKept } = limit;
    const meant = instead ? instead(params as Fields, project) : params; // checked by its schema: an object
    if (isKept && !(await (await boardOf(asked)).project(project)))
      throw new Error(`nothing is kept of the project ${project} so far`);
    const result = await operation.run(meant, asked);
    return told ? told(result, project) : result;
  },
});
