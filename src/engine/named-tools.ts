/**
 * The tools that come with Hookline, by name, and how lists of tools are read. Apart from what does them, as who offers
 * tools, who asks for them and who checks what an author wrote read one alike.
 */

/** What a person, a hook or a model can ask of the engine. */
export const operationNames = [
  "hooks",
  "explain",
  "runs",
  "run",
  "status",
  "emit",
  "automation_list",
  "automation_show",
  "automation_create",
  "automation_edit",
  "automation_delete",
  "automation_enable",
  "automation_disable",
  "automation_fire",
  "automation_pause",
  "automation_resume",
  "automation_apply",
  "automation_export",
  "automation_runs",
  "project_list",
  "project_show",
  "project_create",
  "project_edit",
  "project_delete",
  "project_pause",
  "project_resume",
  "task_list",
  "task_show",
  "task_create",
  "task_start",
  "task_complete",
  "task_fail",
  "note_list",
  "note_show",
  "note_write",
  "note_delete",
  "memory_add",
  "memory_search",
] as const;
export type OperationName = (typeof operationNames)[number];

/** Of models: what reads the project's files. */
export const fileToolNames = ["read_file", "list_files", "search"] as const;

/** The operations, as tools, stand behind this name and a dot. Tools of servers hold a dot, too; others do not. */
export const ownModule = "hookline";

/** All that can be known without asking a server. */
const ownTools: readonly string[] = [...fileToolNames, ...operationNames.map((name) => `${ownModule}.${name}`)];

/** Whether a name in a list stands for this tool: its own, or the beginning of its own with a `*` behind. */
export const namesTool = (written: string, name: string): boolean =>
  written === name || (written.endsWith("*") && name.startsWith(written.slice(0, -1)));

/** The names that there can be in place of one that stands for no tool; undefined: it may stand for one. */
export function knownInPlaceOf(written: string): readonly string[] | undefined {
  const isForeign = written.includes(".") ? !written.startsWith(`${ownModule}.`) : written.endsWith("*");
  return isForeign || ownTools.some((name) => namesTool(written, name)) ? undefined : ownTools;
}
