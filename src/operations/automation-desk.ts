/** What the operations on automations share: where automations are kept, which one a person means, and how one is shown. */
import { pauseOf } from "../core/admit.ts";
import type { AutomationRecords } from "../core/automation-records.ts";
import type { Fields, HookId, Instant, Json } from "../core/event.ts";
import { nameOf } from "../core/explain.ts";
import type { Hook, HookSet, Origin } from "../core/hook.ts";
import { nearest } from "../core/nearest.ts";
import type { CompiledAutomation } from "../dialects/automation.ts";
import { type Automation, hookIdOf } from "../dialects/automation-fields.ts";
import type { CompiledAutomations } from "../dialects/automation-file.ts";
import type { AutomationFinding } from "../dialects/automation-findings.ts";
import { brokenTag } from "../dialects/automation-hook.ts";
import { storeIsMissing } from "../projects/without-store.ts";
import type { StoredHook, StoredHooks } from "../sources/automations.ts";
import { automationOf } from "./automation-run.ts";
import { folderOf } from "./board.ts";
import type { Asked } from "./operation.ts";

/** Whose it is, and whether it is being made. */
export interface Making {
  project?: string;
  /** The folder of its project. */
  workspace?: string;
  /** It is made now: its moment has to lie ahead. */
  now?: Instant;
}
export interface AutomationDesk {
  records: AutomationRecords;
  /** Those of the store, as they are now. */
  stored(): StoredHooks;
  /** Never throws. */
  compile(written: Json, making: Making): CompiledAutomation;
  /** Never throws. */
  compileFile(text: string, origin: Origin, making: Making): Promise<CompiledAutomations>;
  textOf(automations: readonly Automation[]): Promise<string>;
}

/** @throws HooklineError store_unusable */
export async function deskOf({ automations }: Pick<Asked, "automations">): Promise<AutomationDesk> {
  const found = await automations?.();
  if (!found) throw storeIsMissing();
  return found;
}

/** One that a person means: kept in the store, or written in a file. */
export type Known = { project: string; id: string; hook?: Hook } & ({ stored: StoredHook } | { file: string });

/** Those of the store and of the files, the latter first: they are the ones in force. */
export async function knownAutomations(asked: Asked): Promise<Known[]> {
  const { stored } = (await deskOf(asked)).stored();
  const set: HookSet = await asked.hooks(asked.event);
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
const keyOf = ({ project, id }: Pick<Known, "project" | "id">): string => `${project}/${id}`;
export const hookOf = ({ project, id }: Pick<Known, "project" | "id">): HookId => hookIdOf({ project_id: project, id });

/**
 * The one that is meant by ID, PROJECT/ID or the id of its hook. An id alone means the one of the folder's project.
 *
 * @throws Error where none is, or more than one
 */
export async function findAutomation(written: string, project: string | undefined, asked: Asked): Promise<Known> {
  const all = await knownAutomations(asked);
  const own = project === undefined ? all : all.filter((one) => one.project === project);
  const named = own.filter((one) => [one.id, keyOf(one), hookOf(one)].includes(written));
  const [first, ...others] = named;
  if (first && others.length === 0) return first;
  if (first) {
    const here = await projectHere(asked);
    const near = named.find((one) => one.project === here);
    if (near) return near;
    throw new Error(`${named.length} automations are called "${written}"; say which: ${named.map(keyOf).join(" or ")}`);
  }
  const near = nearest(
    written,
    own.flatMap((one) => [one.id, keyOf(one)]),
  );
  throw new Error(`Hook '${written}' not found${near === undefined ? "" : `; did you mean "${near}"?`}`);
}

async function projectHere(asked: Asked): Promise<string | undefined> {
  const board = await asked.board?.();
  return (await board?.projects.at(folderOf(asked)))?.id;
}

/** The same, for what changes it: what lies in a file is changed there. */
export async function findStored(
  written: string,
  project: string | undefined,
  asked: Asked,
): Promise<Known & { stored: StoredHook }> {
  const found = await findAutomation(written, project, asked);
  if ("stored" in found) return found;
  throw new Error(`the automation ${keyOf(found)} lies in a file: change it there (${found.file})`);
}

/** What a list tells of it. */
export interface Standing {
  fired: ReadonlyMap<HookId, Instant>;
  paused: ReadonlySet<string>;
}
export const standingOf = async ({ store }: Pick<Asked, "store">): Promise<Standing> => ({
  fired: await store.lastFired(),
  paused: await store.paused(),
});

export function automationRow(known: Known, { fired, paused }: Standing): Fields {
  const { project, id, hook } = known;
  const last = fired.get(hookOf(known));
  const row = "stored" in known ? known.stored.row : undefined;
  return {
    id,
    project_id: project,
    name: hook?.name ?? row?.name ?? id,
    enabled: hook?.enabled ?? (row && "enabled" in row ? row.enabled : false),
    paused: hook !== undefined && pauseOf(hook, paused) !== undefined,
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
function faultOf(known: Known): string | null {
  const told =
    "stored" in known ? known.stored.findings.find(({ severity }) => severity === "error")?.message : undefined;
  const { reason } = known.hook?.tags.includes(brokenTag) ? (known.hook.steps[0]?.with ?? {}) : {};
  return told ?? (typeof reason === "string" ? reason : null);
}

export const automationView = (known: Known, standing: Standing): Fields => {
  const automation = "stored" in known ? known.stored.automation : undefined;
  const { on: _on, tools: _tools, ...row } = automationRow(known, standing);
  return {
    ...row,
    ...(automation ? fieldsOf(automation) : hookView(known.hook)),
    hook: hookOf(known),
    findings: "stored" in known ? known.stored.findings.map(sayFinding) : [],
  };
};

const fieldsOf = (automation: Automation): Fields => JSON.parse(JSON.stringify(automation)); // plain JSON, which its type does not say

/** Of one that lies in a file, what became of it. */
const hookView = (hook: Hook | undefined): Fields =>
  hook ? { trigger: JSON.parse(JSON.stringify(hook.on)), steps: JSON.parse(JSON.stringify(hook.steps)) } : {};

export const sayFinding = ({ severity, message, suggestion, path }: AutomationFinding): string =>
  `${severity}: ${path.length > 0 ? `${path.join(".")}: ` : ""}${message}${suggestion ? ` (${suggestion})` : ""}`;

/** @throws Error with all of them, where there are errors */
export function refuseErrors({ findings }: Pick<CompiledAutomation, "findings">): void {
  const errors = findings.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return;
  throw new Error(
    errors.map(({ message, suggestion }) => `${message}${suggestion ? ` (${suggestion})` : ""}`).join("; "),
  );
}

export const warningsOf = ({ findings }: Pick<CompiledAutomation, "findings">): string[] =>
  findings.filter(({ severity }) => severity !== "error").map(sayFinding);
