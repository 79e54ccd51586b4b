/** The engine's own operations. One line each, and its name in engine/named.ts; hooks and models call them as tools of the module `hookline`. */
import { HooklineError } from "../engine/error.ts";
import type { ToolInfo, Tools } from "../engine/external-services.ts";
import { type OperationName, ownModule } from "../engine/named.ts";
import { appeal } from "./appeals.ts";
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
import { coverage } from "./coverage/coverage.ts";
import { emit } from "./emit.ts";
import { guardList, guardStats } from "./guards.ts";
import { explain } from "./hooks/explain.ts";
import { hooks } from "./hooks/hooks.ts";
import { pause, resume } from "./hooks/pause.ts";
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
import { automationRuns } from "./runs/automation-runs.ts";
import { followUps } from "./runs/follow-ups.ts";
import { run, runs } from "./runs/runs.ts";
import { type Described, type OperationTable, operationsWithin, serveOperations } from "./serve.ts";
import { status } from "./status.ts";
import { taskComplete, taskCreate, taskFail, taskList, taskShow, taskStart } from "./tasks.ts";
import { why } from "./why/why.ts";

export type { Operation, OperationContext } from "./operation.ts";
export { commandOf } from "./serve.ts";

/** Each checks its parameters against its own schema, so the table need not know their type. */
const table: { readonly [N in OperationName]: Operation<unknown, unknown> } = {
  hooks,
  explain,
  runs,
  run,
  why,
  follow_ups: followUps,
  status,
  coverage,
  emit,
  pause,
  resume,
  guard_list: guardList,
  guard_stats: guardStats,
  appeal,
  automation_list: automationList,
  automation_show: automationShow,
  automation_create: automationCreate,
  automation_edit: automationEdit,
  automation_delete: automationDelete,
  automation_enable: automationEnable,
  automation_disable: automationDisable,
  automation_fire: automationFire,
  automation_pause: automationPause,
  automation_resume: automationResume,
  automation_apply: automationApply,
  automation_export: automationExport,
  automation_runs: automationRuns,
  project_list: projectList,
  project_show: projectShow,
  project_create: projectCreate,
  project_edit: projectEdit,
  project_delete: projectDelete,
  project_pause: projectPause,
  project_resume: projectResume,
  task_list: taskList,
  task_show: taskShow,
  task_create: taskCreate,
  task_start: taskStart,
  task_complete: taskComplete,
  task_fail: taskFail,
  note_list: noteList,
  note_show: noteShow,
  note_write: noteWrite,
  note_delete: noteDelete,
  memory_add: memoryAdd,
  memory_search: memorySearch,
};
export const operations: ReadonlyMap<string, Operation<unknown, unknown>> = new Map(Object.entries(table));

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
