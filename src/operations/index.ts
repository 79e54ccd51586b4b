/** The engine's own operations. One line each, and its name in engine/named.ts; hooks and models call them as tools of the module `hookline`. */
import { HooklineError } from "../engine/error.ts";
import type { ToolInfo, Tools } from "../engine/external-services.ts";
import { type OperationName, ownModule } from "../engine/named.ts";
import {
  automationDelete,
  automationDisable,
  automationEnable,
  automationFire,
  automationList,
  automationPause,
  automationResume,
  automationShow,
} from "./automations/actions.ts";
import { automationCreate, automationEdit } from "./automations/edit.ts";
import { automationApply, automationExport } from "./automations/files.ts";
import { emit } from "./event.ts";
import { explain, hooks } from "./hooks.ts";
import { memoryAdd, memorySearch, noteDelete, noteList, noteShow, noteWrite } from "./notes.ts";
import type { Operation, OperationContext } from "./operation.ts";
import {
  projectCreate,
  projectDelete,
  projectEdit,
  projectList,
  projectPause,
  projectResume,
  projectShow,
} from "./projects.ts";
import { automationRuns, run, runs, status } from "./runs.ts";
import { type Described, type OperationTable, operationsWithin, serveOperations } from "./serve.ts";
import { taskComplete, taskCreate, taskFail, taskList, taskShow, taskStart } from "./tasks.ts";

export type { Operation, OperationContext } from "./operation.ts";

/** An operation checks its parameters against its own schema, so the table may forget their type. */
const forget = <P>(operation: Operation<P>): Operation<unknown> => operation as unknown as Operation<unknown>;

const table: { readonly [N in OperationName]: Operation<unknown> } = {
  hooks: forget(hooks),
  explain: forget(explain),
  runs: forget(runs),
  run: forget(run),
  status: forget(status),
  emit: forget(emit),
  automation_list: forget(automationList),
  automation_show: forget(automationShow),
  automation_create: forget(automationCreate),
  automation_edit: forget(automationEdit),
  automation_delete: forget(automationDelete),
  automation_enable: forget(automationEnable),
  automation_disable: forget(automationDisable),
  automation_fire: forget(automationFire),
  automation_pause: forget(automationPause),
  automation_resume: forget(automationResume),
  automation_apply: forget(automationApply),
  automation_export: forget(automationExport),
  automation_runs: forget(automationRuns),
  project_list: forget(projectList),
  project_show: forget(projectShow),
  project_create: forget(projectCreate),
  project_edit: forget(projectEdit),
  project_delete: forget(projectDelete),
  project_pause: forget(projectPause),
  project_resume: forget(projectResume),
  task_list: forget(taskList),
  task_show: forget(taskShow),
  task_create: forget(taskCreate),
  task_start: forget(taskStart),
  task_complete: forget(taskComplete),
  task_fail: forget(taskFail),
  note_list: forget(noteList),
  note_show: forget(noteShow),
  note_write: forget(noteWrite),
  note_delete: forget(noteDelete),
  memory_add: forget(memoryAdd),
  memory_search: forget(memorySearch),
};
export const operations: ReadonlyMap<string, Operation<unknown>> = new Map(Object.entries(table));

/** The operations as tools: hookline.runs and so on. */
export const createOperations = (context: OperationContext): Omit<Tools, "close"> & { name: string } => ({
  name: ownModule,
  ...toolsOf(operations, context),
  within: (project) => toolsOf(operationsWithin(operations, project), context),
});

function toolsOf(table: OperationTable, context: OperationContext): Pick<Tools, "call" | "list"> {
  const served = serveOperations(table, context);
  return {
    async call(name, input, signal, event, key) {
      const answer = await served.call(name.slice(ownModule.length + 1), input, { signal, event, key });
      if (answer.is === "done") return { ok: true, output: answer.result };
      if (answer.is === "unknown") throw unknownTool(name, answer.near);
      throw failed(name, answer.message, "cause" in answer ? answer.cause : undefined);
    },
    list: async () => served.list().map(info),
  };
}

const info = ({ name, summary, input, readOnly }: Described): ToolInfo => ({
  name: `${ownModule}.${name}`,
  description: summary,
  input,
  readOnly,
});

const unknownTool = (name: string, near: string | undefined): HooklineError =>
  new HooklineError("tool_unknown", {
    name,
    where: `module ${ownModule}`,
    advice: `it has: ${[...operations.keys()].join(", ")}`,
    ...(near === undefined ? {} : { near: `${ownModule}.${near}` }),
  });

const failed = (name: string, reason: string, cause?: unknown): HooklineError =>
  new HooklineError("tool_failed", { name, reason, where: `module ${ownModule}` }, { cause });
