/** Operations between files and the store: a file's automations are put into it, and those in it are written as a file. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { messageOf } from "../core/error.ts";
import type { Fields, Json } from "../core/event.ts";
import type { Problem } from "../core/hook.ts";
import { isRecord, object, text } from "../core/schema.ts";
import type { WrittenAutomation } from "../dialects/automation-file.ts";
import type { writtenFields } from "../sources/automations.ts";
import { flavourOf } from "../sources/places.ts";
import { type AutomationDesk, deskOf, findAutomation } from "./automation-desk.ts";
import { checked } from "./automation-edit.ts";
import { projectParam } from "./automation-params.ts";
import { boardOf, folderOf, madeNote, projectFor, projectMeant } from "./board.ts";
import type { Asked, Operation } from "./operation.ts";
import { madeLines, rowsOf } from "./views.ts";

/** More than any person writes; the YAML library would take long. */
const largestFileInBytes = 4 * 1024 * 1024;

export const automationApply: Operation<{ file: string; project?: string }> = {
  summary:
    "Puts the automations of a YAML file into the store, new ones and changed ones. All or none: a mistake is told with its place. A file in .hookline/automations/ is in force already, and is only checked.",
  params: object({ file: text("the file's path") }, { project: projectParam }),
  readOnly: false,
  words: ["file"],
  example: "hookline automation apply automations.yaml",
  show: (result) => [...madeLines(result), ...appliedLines(result)],
  async run({ file, project: written }, asked) {
    const path = resolve(folderOf(asked), file);
    const source = readText(path);
    const isLive = flavourOf(path) === "automation";
    const placed = isLive ? undefined : await projectFor(asked, written);
    const project = placed?.project ?? (await projectMeant(asked, written));
    const desk = await deskOf(asked);
    const read = await desk.compileFile(
      source,
      { dialect: "automation", layer: "project", file: path },
      {
        project: project?.id ?? "project",
        ...(project?.workspace === undefined ? {} : { workspace: project.workspace }),
        ...(isLive ? {} : { now: asked.now() }),
      },
    );
    const errors = read.problems.filter(({ severity }) => severity === "error");
    if (errors.length > 0) throw new Error(`nothing was applied: ${errors.map((one) => say(one, file)).join("; ")}`);
    const applied = isLive ? [] : await applyAll(read.automations, desk, asked);
    return {
      file: path,
      live: isLive,
      automations: read.automations.length,
      applied,
      warnings: read.problems.map((one) => say(one, file)),
      ...(placed ? madeNote(placed) : {}),
    };
  },
};

const say = ({ line, column, message, suggestion }: Problem, file: string): string =>
  `${file}:${line}:${column} ${message}${suggestion ? ` (${suggestion})` : ""}`;

function readText(path: string): string {
  try {
    const text = readFileSync(path, "utf8");
    if (Buffer.byteLength(text) <= largestFileInBytes) return text;
  } catch (error) {
    throw new Error(`${path} cannot be read: ${messageOf(error)}`);
  }
  throw new Error(`${path} cannot be read: it is larger than ${largestFileInBytes / 1024 / 1024} MB`);
}

/** Every one is looked at before the first is written. */
async function applyAll(read: readonly WrittenAutomation[], desk: AutomationDesk, asked: Asked): Promise<Fields[]> {
  const { projects } = await boardOf(asked);
  const now = asked.now() / 1000;
  const all = read.map((one) => checked(one, asked, { created_at: now, updated_at: now }));
  for (const { project } of all) await projects.known(project);
  return all.map((stored) => {
    const { project, id } = stored;
    const before = desk.records.get(project, id);
    const isSame = before && !("broken" in before) && contentOf(before) === contentOf(stored);
    if (!isSame && !desk.records.replace(stored)) desk.records.add(stored);
    return { id, project_id: project, was: isSame ? "the same" : before ? "changed" : "made" };
  });
}

/** Without the times, which every writing changes. */
const contentOf = (stored: Parameters<typeof writtenFields>[0]): string => {
  const { created: _created, updated: _updated, ...content } = stored;
  return JSON.stringify(content, keysOf(content));
};

/** All keys in one order, however deep: what lies in the store may have been written in another. */
function keysOf(value: unknown, keys: Set<string> = new Set()): string[] {
  if (Array.isArray(value)) for (const one of value) keysOf(one, keys);
  else if (isRecord(value))
    for (const [key, one] of Object.entries(value)) {
      keys.add(key);
      keysOf(one, keys);
    }
  return [...keys].sort();
}

function appliedLines(result: Json): string[] {
  if (!isRecord(result)) return [];
  const { live, automations, applied = null, warnings, file } = result as Fields; // it is JSON
  const told = Array.isArray(warnings) ? warnings.map(String) : [];
  if (live === true)
    return [...told, `${file} is in force as it lies, and was only checked: ${automations} automations, no errors`];
  return [
    ...told,
    ...rowsOf(applied).map(({ project_id: project, id, was }) => `${project}/${id} ${verbs[String(was)]}`),
  ];
}

const verbs: { readonly [was: string]: string } = { made: "made", changed: "changed", "the same": "is as it was" };

export const automationExport: Operation<{ id?: string; project?: string }> = {
  summary: "Automations of the store as YAML that apply reads back to the same: one, or all of a project.",
  params: object(
    {},
    { id: text("the automation's id, or PROJECT/ID; all of the project unless said"), project: projectParam },
  ),
  readOnly: true,
  words: ["id"],
  example: "hookline automation export > automations.yaml",
  show: (result) => (isRecord(result) && typeof result.yaml === "string" ? result.yaml.trimEnd().split("\n") : []),
  async run({ id, project: written }, asked) {
    const desk = await deskOf(asked);
    const { stored } = desk.stored();
    const one = id === undefined ? undefined : await findAutomation(id, written, asked);
    const project = one ? undefined : (await projectMeant(asked, written))?.id;
    const meant = one
      ? stored.filter(({ row }) => row.project === one.project && row.id === one.id)
      : stored.filter(({ row }) => project === undefined || row.project === project);
    if (one && meant.length === 0) throw new Error(`the automation ${one.project}/${one.id} lies in a file already`);
    const broken = meant.filter(({ automation }) => !automation).map(({ row }) => `${row.project}/${row.id}`);
    if (broken.length > 0) throw new Error(`broken automations cannot be written: ${broken.join(", ")}`);
    return { yaml: await desk.textOf(meant.flatMap(({ automation }) => automation ?? [])) };
  },
};
