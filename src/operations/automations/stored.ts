/** What the operations on automations share: where automations are stored, which one is meant, and how one is shown. */
import { pauseOf } from "../../engine/admit.ts";
import type { Fields, HookId, Instant, Json } from "../../engine/event.ts";
import { nameOf } from "../../engine/explain.ts";
import type { Hook, Origin } from "../../engine/hook.ts";
import type { AutomationRecords } from "../../engine/journal.ts";
import { nearest } from "../../engine/nearest.ts";
import type { Paused } from "../../engine/record.ts";
import { isRecord, object, type Schema, text } from "../../engine/schema.ts";
import type { CompiledAutomation } from "../../formats/automations/automation.ts";
import { type Automation, automationOf, hookIdOf } from "../../formats/automations/fields.ts";
import type { CompiledAutomations } from "../../formats/automations/file.ts";
import type { AutomationFinding } from "../../formats/automations/findings.ts";
import { brokenTag } from "../../formats/automations/steps.ts";
import { isWithin, type StoredHook, type StoredHooks, writtenFields } from "../../loading/automations.ts";
import { storeIsMissing } from "../../services/projects/records.ts";
import { type Asked, folderOf, plain, refusal } from "../operation.ts";
import { projectParam } from "../project-service.ts";

/** Whose it is, and whether it is being made. */
export interface Making {
  project?: string;
  /** The folder of its project. */
  workspace?: string;
  /** It is made now: its moment has to lie ahead, unless it is the one that it has. */
  now?: Instant;
  momentBefore?(automation: Pick<Automation, "project_id" | "id">): Instant | undefined;
}
export interface AutomationService {
  records: AutomationRecords;
  /** Those of the store, as they are now. */
  stored(): StoredHooks;
  /** Never throws. */
  compile(written: Json, making: Making): CompiledAutomation;
  /** Never throws. */
  compileFile(text: string, origin: Origin, making: Making): Promise<CompiledAutomations>;
  textOf(automations: readonly Automation[]): Promise<string>;
}

export const idOrName: Schema<string> = text("the automation's id, or PROJECT/ID");
/** What an operation on one automation takes. */
export const oneParams: Schema<{ id: string; project?: string }> = object({ id: idOrName }, { project: projectParam });

/** @throws HooklineError store_unusable */
export async function automationServiceOf({ automations }: Pick<Asked, "automations">): Promise<AutomationService> {
  const found = await automations?.();
  if (!found) throw storeIsMissing();
  return found;
}

/** One that a person means: kept in the store, or written in a file. */
export type Known = { project: string; id: string } & (
  | { stored: StoredHook; hook?: Hook }
  | { file: string; hook: Hook }
);

/** Those of the store and of the files, the latter first: they are the active ones. */
export async function knownAutomations(asked: Asked): Promise<Known[]> {
  return knownWith((await automationServiceOf(asked)).stored().stored, asked);
}

async function knownWith(stored: readonly StoredHook[], asked: Asked): Promise<Known[]> {
  const { set } = await asked.active(folderOf(asked));
  const files = set.hooks.flatMap((hook): Known[] => {
    const named = automationOf(hook.id);
    return named && hook.durable && hook.origin.file !== undefined ? [{ ...named, hook, file: placeOf(hook) }] : [];
  });
  const taken = new Set(files.map(keyOf));
  const own = stored.map(
    (one): Known => ({
      project: one.row.project,
      id: one.row.id,
      stored: one,
      ...(one.hook ? { hook: one.hook } : {}),
    }),
  );
  return [...files, ...own.filter((one) => !taken.has(keyOf(one)))];
}

const placeOf = ({ origin }: Hook): string => `${origin.file}${origin.line === undefined ? "" : `:${origin.line}`}`;
export const keyOf = ({ project, id }: Pick<Known, "project" | "id">): string => `${project}/${id}`;
export const hookOf = ({ project, id }: Pick<Known, "project" | "id">): HookId => hookIdOf({ project_id: project, id });

type Named = Pick<Known, "project" | "id">;

/** Where nothing keeps any, those of the files. */
export async function knownAnywhere(asked: Asked): Promise<Known[]> {
  const service = await asked.automations?.();
  return knownWith(service?.stored().stored ?? [], asked);
}

/**
 * The one that is meant by ID, PROJECT/ID or the id of its hook. An id alone means the one of the folder's project.
 *
 * @throws Error where none is, or more than one
 */
export async function findAutomation(written: string, project: string | undefined, asked: Asked): Promise<Known> {
  const all = await knownAutomations(asked);
  const found = await chooseNamed(all, { id: written, project }, asked);
  if (found) return found;
  const own = all.filter((one) => project === undefined || one.project === project);
  throw notFound(
    written,
    own.flatMap((one) => [one.id, keyOf(one)]),
  );
}

/** Undefined: none is called so. @throws Error where more than one is, and none of them is the folder's */
export async function chooseNamed<T extends Named & { hook?: Hook }>(
  all: readonly T[],
  { id, project }: { id: string; project?: string | undefined },
  asked: Asked,
): Promise<T | undefined> {
  const own = project === undefined ? all : all.filter((one) => one.project === project);
  const named = own.filter((one) => [one.id, keyOf(one), hookOf(one)].includes(id));
  if (named.length < 2) return named[0];
  const here = await projectHere(asked);
  const near = named.find((one) => one.project === here) ?? innermost(named, folderOf(asked));
  if (near) return near;
  throw refusal(
    `${named.length} automations are called "${id}"`,
    "more than one project",
    `use ${named.map(keyOf).join(" or ")}`,
  );
}

export function notFound(written: string, known: readonly string[] = []): Error {
  const near = nearest(written, known);
  const advice = near === undefined ? "`hookline automation list` shows all automations" : `did you mean "${near}"?`;
  return refusal(`Hook '${written}' not found`, "the store and the files of this folder", advice);
}

async function projectHere(asked: Asked): Promise<string | undefined> {
  const board = await asked.board?.();
  return (await board?.projects.at(folderOf(asked)))?.id;
}

/** Of a folder that has no project in the store, what its files say is its own. */
function innermost<T extends { hook?: Hook }>(named: readonly T[], folder: string): T | undefined {
  const rootOf = ({ hook }: T): string => hook?.origin.root ?? "";
  const holding = named.filter((one) => rootOf(one) !== "" && isWithin(folder, rootOf(one)));
  return holding.sort((left, right) => rootOf(right).length - rootOf(left).length)[0];
}

/** What lies in the store of one that a person means. */
interface InStore extends Named {
  stored: StoredHook;
  /** The file that has one of the same id, which is active. */
  file?: string;
}

/** The same, for what is done to what lies in the store. @throws Error also for one that lies in a file alone */
export async function findInStore(written: string, project: string | undefined, asked: Asked): Promise<InStore> {
  const found = await findAutomation(written, project, asked);
  if ("stored" in found) return found;
  const { file, id } = found;
  const stored = (await automationServiceOf(asked))
    .stored()
    .stored.find(({ row }) => row.project === found.project && row.id === id);
  if (stored) return { project: found.project, id, stored, file };
  throw refusal(`a file defines the automation ${keyOf(found)}`, file, "edit the file");
}

/** The same, for what changes it: what lies in a file is changed there. */
export async function findStored(
  written: string,
  project: string | undefined,
  asked: Asked,
): Promise<Known & { stored: StoredHook }> {
  const { file, ...found } = await findInStore(written, project, asked);
  if (file === undefined) return { ...found, ...(found.stored.hook ? { hook: found.stored.hook } : {}) };
  const advice = `edit the file; \`hookline automation delete ${keyOf(found)}\` deletes the copy in the store`;
  throw refusal(
    `a file defines the automation ${keyOf(found)}, and the file is active, not the copy in the store`,
    file,
    advice,
  );
}

/** What a list shows of it beside its own fields. */
interface AutomationStatus {
  fired: ReadonlyMap<HookId, Instant>;
  paused: Paused;
  now: Instant;
}
export const automationStatusOf = async ({ store, now }: Pick<Asked, "store" | "now">): Promise<AutomationStatus> => ({
  fired: await store.lastFired(),
  paused: await store.paused(),
  now: now(),
});

export function automationRow(known: Known, { fired, paused, now }: AutomationStatus): Fields {
  const { project, id, hook } = known;
  const last = fired.get(hookOf(known));
  const row = "stored" in known ? known.stored.row : undefined;
  return {
    id,
    project_id: project,
    name: hook?.name ?? row?.name ?? id,
    enabled: hook?.enabled ?? (row && "enabled" in row ? row.enabled : false),
    paused: hook !== undefined && pauseOf(hook, paused, { now }) !== undefined,
    on: hook ? nameOf(hook.on) : null,
    tools: toolsOf(hook),
    in: "file" in known ? known.file : "store",
    last_run: last === undefined ? null : new Date(last).toISOString(),
    fault: faultOf(known),
  };
}

/** What the model may call (R28); null where none is asked. */
function toolsOf(hook: Hook | undefined): Json {
  const step = hook?.steps.find(({ uses }) => uses === "ask_model");
  if (!step) return null;
  const { tools } = step.with;
  return tools === undefined ? "read-only" : tools;
}

/** Why it cannot run as it stands. */
export function faultOf(known: Known): string | null {
  const found = "stored" in known ? faultIn(known.stored.findings) : undefined;
  const { reason } = known.hook?.tags.includes(brokenTag) ? (known.hook.steps[0]?.with ?? {}) : {};
  return found ?? (typeof reason === "string" ? reason : null);
}

export const faultIn = (findings: readonly AutomationFinding[]): string | undefined =>
  findings.find(({ severity }) => severity === "error")?.message;

/** A clock or a watch sets it off, which only the daemon has. */
export const waitsForDaemon = (result: unknown): boolean =>
  isRecord(result) && (result.needs_daemon === true || isTriggeredByDaemon(result));

const isTriggeredByDaemon = (result: Record<string, unknown>): boolean =>
  result.enabled === true &&
  isRecord(result.trigger) &&
  (result.trigger.type !== "event" || isRecord(result.trigger.watch));

/** Why it cannot run, behind what was said of it. */
export const faultLines = (result: unknown): string[] =>
  isRecord(result) && typeof result.fault === "string" ? [`it cannot run: ${result.fault}`] : [];

/** The same fields wherever it lies. */
export const automationView = (
  known: Known,
  { automation, findings }: Pick<CompiledAutomation, "automation" | "findings">,
  status: AutomationStatus,
): Fields => {
  const { on: _on, tools: _tools, ...row } = automationRow(known, status);
  return {
    ...row,
    ...(automation ? (plain(automation) as Fields) : rowFields(known)), // an object stays one
    hook: hookOf(known),
    findings: findings.map(sayFinding),
  };
};

/** Of a row that is no automation, what it holds all the same. */
const rowFields = (known: Known): Fields =>
  "stored" in known && !("broken" in known.stored.row) ? writtenFields(known.stored.row) : {};

const sayFinding = ({ severity, message, suggestion, path }: AutomationFinding): string =>
  `${severity}: ${path.length > 0 ? `${path.join(".")}: ` : ""}${message}${suggestion ? ` (${suggestion})` : ""}`;

/** @param where which automation it is. @throws Error with all of them, where there are errors */
export function refuseErrors({ findings }: Pick<CompiledAutomation, "findings">, where: string): void {
  const errors = findings.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new Error(errors.map((one) => refusalOf(one, where).message).join("; "));
}

const refusalOf = ({ message, path, suggestion }: AutomationFinding, where: string): Error =>
  refusal(message, path.length > 0 ? `${path.join(".")} of ${where}` : where, suggestion ?? "use another value");

export const warningsOf = ({ findings }: Pick<CompiledAutomation, "findings">): string[] =>
  findings.filter(({ severity }) => severity !== "error").map(sayFinding);
