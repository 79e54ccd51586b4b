/** The tools of hooks that ask a model: an allow list (R28) over the project's files and over the tools that the project has. */

import { relative } from "node:path";
import { HooklineError } from "../../engine/error.ts";
import type { HookEvent } from "../../engine/event.ts";
import type { Hook } from "../../engine/hook.ts";
import { namesTool, ownModule } from "../../engine/named.ts";
import { nearest } from "../../engine/nearest.ts";
import type { StepContext } from "../../engine/ports.ts";
import type { ModelTool, ToolInfo, Tools } from "../../engine/reach.ts";
import { printValue } from "../../engine/template.ts";
import { fileTools } from "./files.ts";

/** @param allowed absent: those that read the project's files. Throws tool_unknown. */
export async function toolsFor(
  allowed: readonly string[] | "all" | undefined,
  context: StepContext,
): Promise<ModelTool[]> {
  const files = fileTools(projectFolder(context));
  return allowed === undefined ? files : toolsAmong(allowed, files, context);
}

/** Those of the files' tools and of the project's that the list names. Throws tool_unknown. */
export async function toolsAmong(
  allowed: readonly string[] | "all",
  files: readonly ModelTool[],
  context: StepContext,
): Promise<ModelTool[]> {
  const own = allowed === "all" ? files : files.filter(({ name }) => allowed.includes(name));
  const others = allowed === "all" ? ["*"] : allowed.filter((name) => !files.some((tool) => tool.name === name));
  if (others.length === 0 || (allowed === "all" && !context.ports.tools)) return [...own];
  return [...own, ...(await projectTools(others, files, context))];
}

/** Below what was written in a project, its folder; below what was written elsewhere, the session's. */
function projectFolder({ event, hook }: StepContext): string {
  const { layer, root } = hook.origin;
  const isInside = root !== undefined && !relative(root, event.cwd).startsWith("..");
  return (layer === "project" || layer === "local") && isInside ? root : event.cwd;
}

async function projectTools(
  names: readonly string[],
  files: readonly ModelTool[],
  context: StepContext,
): Promise<ModelTool[]> {
  const { event, hook, ports, signal } = context;
  const tools = await ports.tools?.(event, hook);
  const isOwn = names.every((name) => name.startsWith(`${ownModule}.`));
  const known = tools ? await tools.list(signal, isOwn ? ownModule : undefined) : [];
  const chosen = new Set<ToolInfo>();
  for (const name of names) {
    const found = known.filter((tool) => namesTool(name, tool.name));
    if (found.length === 0 && name !== "*") throw noTool(name, [...files, ...known], context);
    for (const tool of found) chosen.add(tool);
  }
  return tools ? [...chosen].map((tool) => asModelTool(tool, tools, placed(event, hook))) : [];
}

/** The engine's operations that change nothing, kept to the hook's own project; no server is started for it. */
export async function readingOperations({ event, hook, ports, signal }: StepContext): Promise<ModelTool[]> {
  const all = await ports.tools?.(event, hook);
  const tools = hook.project === undefined ? undefined : all?.within?.(hook.project);
  if (!tools) return [];
  const known = await tools.list(signal, ownModule);
  return known
    .filter(({ name, readOnly }) => readOnly && name.startsWith(`${ownModule}.`))
    .map((tool) => asModelTool(tool, tools, placed(event, hook)));
}

/** Hooks that belong to a project work there, wherever their events come from. */
const placed = (event: HookEvent, { project, origin }: Hook): HookEvent =>
  project !== undefined && origin.root !== undefined ? { ...event, cwd: origin.root } : event;

const asModelTool = (
  { name, description = name, input = { type: "object" } }: ToolInfo,
  tools: Pick<Tools, "call">,
  event: HookEvent,
): ModelTool => ({
  name,
  description,
  input,
  async call(given, signal, key) {
    const { ok, output } = await tools.call(name, given, signal, event, key);
    if (!ok) throw new Error(printValue(output));
    return output;
  },
});

function noTool(name: string, known: readonly { name: string }[], { hook }: StepContext): HooklineError {
  const names = known.map((tool) => tool.name);
  const near = nearest(name, names);
  return new HooklineError("tool_unknown", {
    name,
    where: `the hook ${hook.name}`,
    ...(near ? { near } : { advice: `known: ${names.join(", ")}` }),
  });
}

/** Throws tool_unknown, with what there is. */
export async function automationTools(
  allowed: readonly string[] | "all" | undefined,
  context: StepContext,
): Promise<ModelTool[]> {
  const files = fileTools(context.hook.origin.root ?? context.event.cwd);
  return allowed === undefined
    ? [...files, ...(await readingOperations(context))]
    : toolsAmong(allowed, files, context);
}
