/** Operations between files and the store: apply and export. */
import { resolve } from "node:path";
import { messageOf } from "../../engine/error.ts";
import type { Fields, Instant, Json } from "../../engine/event.ts";
import type { Problem } from "../../engine/hook.ts";
import type { StoredAutomation } from "../../engine/journal.ts";
import { isRecord, object, text } from "../../engine/schema.ts";
import { readRegularFile } from "../../files/regular-file.ts";
import type { CompiledAutomations } from "../../formats/automations/file.ts";
import { delayOf, momentOf, storedForm, withMoment } from "../../loading/automations.ts";
import { formatOf } from "../../loading/places.ts";
import type { Placed } from "../../services/projects/projects.ts";
import type { ProjectRecord } from "../../services/projects/records.ts";
import { type Asked, folderOf, type Operation, refusal } from "../operation.ts";
import {
  madeLines,
  madeNote,
  projectFor,
  projectForeseen,
  projectMeant,
  projectParam,
  projectServiceOf,
  rowsOf,
} from "../project-service.ts";
import { largestFileInBytes } from "./actions.ts";
import { checked } from "./edit.ts";
import {
  type AutomationService,
  automationServiceOf,
  faultIn,
  findInStore,
  keyOf,
  knownAutomations,
  type Making,
  waitsForDaemon,
} from "./stored.ts";

export const automationApply: Operation<{ file: string; project?: string }> = {
  summary:
    "Writes the automations of a YAML file to the store: all of them, or none where one has a mistake. A file in .hookline/automations/ is active already, so it is only checked.",
  params: object({ file: text("the file's path") }, { project: projectParam }),
  readOnly: false,
  for: "person",
  words: ["file"],
  example: "hookline automation apply automations.yaml",
  show: (result) => [...madeLines(result), ...appliedLines(result)],
  needsDaemon: waitsForDaemon,
  async run({ file, project: written }, asked) {
    const path = resolve(folderOf(asked), file);
    const source = await readText(path);
    const isLive = formatOf(path) === "automation";
    const service = await automationServiceOf(asked);
    const readFor = async (project: ProjectRecord | undefined): Promise<CompiledAutomations> => {
      const read = await service.compileFile(
        source,
        { dialect: "automation", layer: "project", file: path },
        {
          project: project?.id ?? "project",
          ...(project?.workspace === undefined ? {} : { workspace: project.workspace }),
          ...(isLive ? {} : { now: asked.now(), momentBefore: momentIn(service) }),
        },
      );
      refuseProblems(read, file);
      return read;
    };
    const summary = ({ automations, problems }: CompiledAutomations): Fields => ({
      file: path,
      live: isLive,
      automations: automations.length,
      needs_daemon: automations.some(({ automation }) => waitsForDaemon(automation)),
      warnings: problems.map((one) => say(one, file)),
    });
    if (isLive) return { ...summary(await readFor(await projectMeant(asked, written))), applied: [] };
    const foreseen = await projectForeseen(asked, written);
    const first = await readFor(foreseen.project);
    await allKept(first, { placed: foreseen, file }, asked); // what is refused leaves no project behind
    const isForFolder = first.automations.some(({ hook }) => hook?.project === foreseen.project.id);
    if (!foreseen.made || !isForFolder)
      return { ...summary(first), applied: await applyAll(first, { placed: foreseen, file }, service, asked) };
    const placed = await projectFor(asked, written);
    const read = await readFor(placed.project);
    const applied = await applyAll(read, { placed, file }, service, asked);
    return { ...summary(read), applied, project_id: placed.project.id, ...madeNote(placed) };
  },
};

/** The moments that one-shots of the store have already. */
const momentIn =
  ({ records }: AutomationService): NonNullable<Making["momentBefore"]> =>
  ({ project_id, id }) => {
    const before = records.get(project_id, id);
    return before && !("broken" in before) ? momentOf(before.fields.trigger) : undefined;
  };

function refuseProblems({ problems }: CompiledAutomations, file: string): void {
  const errors = problems.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return;
  const sentences = errors.map(
    ({ line, column, message, suggestion = "correct it" }) =>
      refusal(message, `${file}:${line}:${column}`, suggestion).message,
  );
  throw new Error(`nothing was applied: ${sentences.join("; ")}`);
}

const say = ({ line, column, message, suggestion }: Problem, file: string): string =>
  `${file}:${line}:${column} ${message}${suggestion ? ` (${suggestion})` : ""}`;

/** @throws Error also for a pipe, which would be waited for */
async function readText(path: string): Promise<string> {
  const unreadable = (reason: string): Error =>
    refusal(`the file cannot be read: ${reason}`, path, "name a YAML file of automations");
  const read = await readRegularFile(path, largestFileInBytes).catch((error: unknown) => {
    throw unreadable(messageOf(error));
  });
  if ("text" in read) return read.text;
  throw unreadable(read.refused);
}

interface Goal {
  placed: Placed;
  /** As it was written. */
  file: string;
}

/** Every one is looked at before the first is written. */
async function allKept(
  { automations }: CompiledAutomations,
  { placed: { project: own, made }, file }: Goal,
  asked: Asked,
): Promise<StoredAutomation[]> {
  const { projects } = await projectServiceOf(asked);
  const beside = await knownAutomations(asked);
  const now = asked.now() / 1000;
  const all: StoredAutomation[] = [];
  for (const one of automations) {
    const where = `${file}:${one.place.line}:${one.place.column}`;
    const automation = checked(one, asked, where);
    const { project_id: project, id } = automation;
    const inFile = beside.find((other) => other.project === project && other.id === id && "file" in other);
    if (inFile && "file" in inFile)
      throw refusal(
        `nothing was applied: the file ${inFile.file} defines the automation ${keyOf(inFile)}, and is active`,
        where,
        "edit that file, or use another id",
      );
    if (!made || project !== own.id)
      await projects.known(project).catch((error: unknown) => {
        throw refusal(`nothing was applied: ${messageOf(error)}`, where, "`hookline project list` shows all projects");
      });
    all.push(storedForm({ ...automation, created_at: now, updated_at: now }, one.delay));
  }
  return all;
}

async function applyAll(
  read: CompiledAutomations,
  goal: Goal,
  service: AutomationService,
  asked: Asked,
): Promise<Fields[]> {
  const all = await allKept(read, goal, asked);
  const now = asked.now();
  return service.records.write(() => all.map((stored) => apply(stored, now, service)));
}

function apply(written: StoredAutomation, now: Instant, { records }: AutomationService): Fields {
  const { project, id } = written;
  const before = records.get(project, id);
  const known = before && !("broken" in before) ? before : undefined;
  const stored = known ? asItWas(written, known, now) : written;
  const isSame = known && contentOf(known) === contentOf(stored);
  if (!isSame && !records.replace(stored)) records.add(stored);
  return { id, project_id: project, was: isSame ? "the same" : before ? "changed" : "made" };
}

/** A one-shot that is over stays over, and the same delay is the same moment, whatever else is new. */
function asItWas(written: StoredAutomation, known: StoredAutomation, now: Instant): StoredAutomation {
  const moment = momentOf(known.fields.trigger);
  const delay = delayOf(written);
  const isSame = delay === undefined ? momentOf(written.fields.trigger) === moment : delay === delayOf(known);
  if (moment === undefined || !isSame) return written;
  const enabled = written.enabled && (moment > now || known.enabled);
  return withMoment({ ...written, enabled }, known);
}

/** Without the times, which every writing changes. */
const contentOf = (stored: StoredAutomation): string => {
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
  const lines = Array.isArray(warnings) ? warnings.map(String) : [];
  if (live === true)
    return [...lines, `${file} is active already, so it was only checked: ${automations} automations, no errors`];
  return [
    ...lines,
    ...rowsOf(applied).map(({ project_id: project, id, was }) => `${project}/${id} ${verbs[String(was)]}`),
  ];
}

const verbs: { readonly [was: string]: string } = {
  made: "is created",
  changed: "is changed",
  "the same": "is unchanged",
};

export const automationExport: Operation<{ id?: string; project?: string }> = {
  summary: "Prints automations of the store as YAML, which `apply` reads back: one, or all of a project.",
  params: object(
    {},
    { id: text("the automation's id, or PROJECT/ID; default: all of the project"), project: projectParam },
  ),
  readOnly: true,
  words: ["id"],
  example: "hookline automation export > automations.yaml",
  show: (result) => (isRecord(result) && typeof result.yaml === "string" ? result.yaml.trimEnd().split("\n") : []),
  showsText: true,
  lacks: (result) =>
    rowsOf(isRecord(result) ? ((result as Fields).broken ?? null) : null).map(
      ({ project_id: project, id, fault }) =>
        refusal(
          `it cannot be exported: ${fault}`,
          `the automation ${project}/${id}`,
          "fix it with `hookline automation edit`, or delete it",
        ).message,
    ),
  async run({ id, project: written }, asked) {
    const service = await automationServiceOf(asked);
    const { stored } = service.stored();
    const one = id === undefined ? undefined : await findInStore(id, written, asked);
    const project = one ? undefined : (await projectMeant(asked, written))?.id;
    const meant = one
      ? stored.filter(({ row }) => row.project === one.project && row.id === one.id)
      : stored.filter(({ row }) => project === undefined || row.project === project);
    const yaml = await service.textOf(meant.flatMap(({ automation }) => automation ?? []));
    const broken = meant.flatMap(({ automation, row, findings }) =>
      automation ? [] : { id: row.id, project_id: row.project, fault: faultIn(findings) ?? null },
    );
    return { yaml, ...(broken.length > 0 ? { broken } : {}) };
  },
};
