/**
 * The automations of the store as hooks, compiled once for each change of them, and put together with those of a folder's
 * files. Here also file and store meet: one id in both is the file's, and a file's automations learn which project is theirs.
 */

import { realpathSync } from "node:fs";
import { basename, isAbsolute, relative, sep } from "node:path";
import type { Fields, HookEvent, Instant, Json } from "../engine/event.ts";
import { slugBeside, slugOf } from "../engine/fingerprint.ts";
import { type Condition, type Hook, type HookSet, type Origin, type Problem, placeOfHook } from "../engine/hook.ts";
import type { AutomationRecords, BrokenRow, StoredAutomation } from "../engine/journal.ts";
import { fieldsIn, isRecord } from "../engine/schema.ts";
import type { CompiledAutomation } from "../formats/automations/automation.ts";
import { type Automation, hookIdOf } from "../formats/automations/fields.ts";
import { hookSetOf } from "./order.ts";

/** One row of the store, and what came of it. */
export interface StoredHook extends CompiledAutomation {
  row: StoredAutomation | BrokenRow;
}
export interface StoredHooks {
  stored: readonly StoredHook[];
  hooks: readonly Hook[];
  problems: readonly Problem[];
  workspaces: Workspaces;
}
export interface AutomationSource {
  /** All of the store's, as they are now: the same object until one has changed. May throw what the store throws. */
  stored(): StoredHooks;
  /** Only those that these events may concern: for a process that lives for them alone. */
  heardAt(events: readonly Pick<HookEvent, "name">[]): StoredHooks;
  /** A folder's hooks and these; the same set for the same two. */
  combine(set: HookSet, stored: StoredHooks): HookSet;
  /** What is wrong in a folder: with the rows that it is concerned with, and with its files beside what the store knows. */
  problemsAt(folder: string, set: HookSet, stored: StoredHooks): Problem[];
}
export interface AutomationSourceOptions {
  records: Pick<AutomationRecords, "list" | "listening" | "version" | "workspaces">;
  /** Never throws. @param workspace the folder of the automation's project */
  compile(written: Json, origin: Origin, workspace: string | undefined): CompiledAutomation;
}

export function createAutomationSource({ records, compile }: AutomationSourceOptions): AutomationSource {
  const combined = new WeakMap<HookSet, { stored: StoredHooks; set: HookSet }>();
  const compiled = new Map<string, { key: string; hook: StoredHook }>();
  let last: { version: string; stored: StoredHooks } | undefined;

  function read(row: StoredAutomation | BrokenRow, workspace: string | undefined): StoredHook {
    const id = hookIdOf({ project_id: row.project, id: row.id });
    const key = JSON.stringify([row, workspace]);
    const known = compiled.get(id);
    if (known?.key === key) return known.hook;
    const hook = { ...compileRow(row, workspace, compile), row };
    compiled.set(id, { key, hook });
    return hook;
  }

  function hooksOf(rows: readonly (StoredAutomation | BrokenRow)[]): StoredHooks {
    const workspaces = records.workspaces();
    const stored = rows.map((row) => read(row, workspaces.get(row.project) ?? undefined));
    return {
      stored,
      hooks: stored.flatMap(({ hook }) => hook ?? []),
      problems: stored.flatMap(problemsOf),
      workspaces,
    };
  }

  return {
    stored() {
      const version = records.version();
      if (last?.version === version) return last.stored;
      const rows = records.list();
      const stored = hooksOf(rows);
      if (compiled.size > 2 * rows.length) dropOthers(compiled, stored);
      last = { version, stored };
      return stored;
    },
    heardAt: (events) => hooksOf(records.listening(events.map(({ name }) => name))),
    problemsAt: (folder, set, stored) => [...ofRowsAt(folder, stored), ...ofFiles(set, stored)],
    combine(set, stored) {
      const known = combined.get(set);
      if (known?.stored === stored) return known.set;
      const made = together(set, stored);
      combined.set(set, { stored, set: made });
      return made;
    },
  };
}

function dropOthers(compiled: Map<string, unknown>, { stored }: StoredHooks): void {
  const ids = new Set(stored.map(({ row }) => hookIdOf({ project_id: row.project, id: row.id })));
  for (const id of compiled.keys()) if (!ids.has(id)) compiled.delete(id);
}

const isBroken = (row: StoredAutomation | BrokenRow): row is BrokenRow => "broken" in row;

function compileRow(
  row: StoredAutomation | BrokenRow,
  workspace: string | undefined,
  compile: AutomationSourceOptions["compile"],
): CompiledAutomation {
  if (isBroken(row)) {
    const finding = {
      severity: "error",
      code: "unreadable",
      path: [],
      message: `its row cannot be read: ${row.broken}`,
    } as const;
    return { findings: [finding] };
  }
  const origin: Origin = {
    dialect: "automation",
    layer: "user",
    ...(workspace === undefined ? {} : { root: workspace }),
  };
  return compile(writtenFields(row), origin, workspace);
}

/** The row as its author would have written it, and a moment for a delay. */
export function writtenFields({ project, id, name, enabled, fields, created, updated }: StoredAutomation): Fields {
  const { delay: _delay, ...own } = fields;
  return { ...own, id, project_id: project, name, enabled, created_at: created, updated_at: updated };
}

/** Of a one-shot that is kept. */
export const momentOf = (trigger: unknown): Instant | undefined =>
  isRecord(trigger) && typeof trigger.at === "string" ? Date.parse(trigger.at) : undefined;

/** The delay that its moment was written as. */
export const delayOf = ({ fields }: StoredAutomation): string | undefined =>
  typeof fields.delay === "string" ? fields.delay : undefined;

/** With the moment that another one has, and the delay that this was written as. */
export function withMoment(stored: StoredAutomation, { fields: from }: StoredAutomation): StoredAutomation {
  const { delay: _delay, trigger, ...fields } = stored.fields;
  const [after, before] = [fieldsIn(trigger), fieldsIn(from.trigger)];
  const moment = before?.at === undefined ? {} : { at: before.at };
  const delay = from.delay === undefined ? {} : { delay: from.delay };
  return { ...stored, fields: { ...fields, trigger: { ...after, ...moment }, ...delay } };
}

/** As the store keeps it. @param delay what its moment was written as: the same again means the same moment (AT45) */
export function storedForm(automation: Automation, delay: string | undefined): StoredAutomation {
  const { id, project_id, name, enabled, created_at, updated_at, ...fields } = automation;
  const { trigger } = fields;
  const listens = trigger.type === "event" && !trigger.watch ? { listens: trigger.event_type.trim() } : {};
  return {
    project: project_id,
    id,
    name,
    enabled,
    ...listens,
    fields: JSON.parse(JSON.stringify({ ...fields, delay })), // plain JSON, which its type does not say
    created: created_at,
    updated: updated_at,
  };
}

/** What has no place in a file stands under the automation's own name. */
const problemsOf = ({ row, findings }: StoredHook): Problem[] =>
  findings.map(({ path: _path, ofKey: _ofKey, isBearable: _isBearable, ...finding }) => ({
    ...finding,
    file: hookIdOf({ project_id: row.project, id: row.id }),
    line: 1,
    column: 1,
  }));

function together(set: HookSet, { hooks, workspaces }: StoredHooks): HookSet {
  const own = set.hooks.map((hook) => placeHook(hook, workspaces));
  const taken = new Set(own.map(({ id }) => id));
  const others = hooks.filter(({ id }) => !taken.has(id));
  const isSame = others.length === 0 && own.every((hook, index) => hook === set.hooks[index]);
  return isSame ? set : hookSetOf([...own, ...others], set.workspace, set.shell);
}

function ofRowsAt(folder: string, { stored, workspaces }: StoredHooks): Problem[] {
  const isConcerned = concernsFolder(folder, workspaces);
  return stored.filter(({ row }) => isConcerned(row.project)).flatMap(problemsOf);
}

/** What no file shows by itself: a project that is not its folder's, and ids that the store has, too (R58). */
const ofFiles = (set: HookSet, stored: StoredHooks): Problem[] => [
  ...set.hooks.flatMap((hook) => foreignProject(hook, stored.workspaces) ?? []),
  ...takenByFiles(set, stored),
];

function takenByFiles(set: HookSet, { stored, workspaces }: StoredHooks): Problem[] {
  const files = new Map(
    set.hooks.flatMap((hook) => (hook.origin.file ? [[placeHook(hook, workspaces).id, hook] as const] : [])),
  );
  return stored.flatMap(({ row }): Problem[] => {
    const hook = files.get(hookIdOf({ project_id: row.project, id: row.id }));
    if (!hook?.durable) return [];
    return [
      {
        severity: "error",
        code: "duplicate-key",
        message: `the automation ${row.project}/${row.id} is in the store, too; the one of this file is active`,
        suggestion: `remove one: hookline automation delete ${row.project}/${row.id}, or take it out of the file`,
        ...placeOfHook(hook),
      },
    ];
  });
}

/** The store's projects and their folders; null: it has none. */
type Workspaces = ReadonlyMap<string, string | null>;

/** The project of a folder that no project in the store has: called after the folder. */
export const projectOfFolder = (folder: string): string => slugOf(basename(folder)) || "project";

/**
 * The project of the files in a folder. What it is called never makes it one that the store has for another place: a folder
 * may come from anybody.
 */
function ownProject(root: string, workspaces: Workspaces): string {
  if (workspaces.size === 0) return projectOfFolder(root);
  const real = realOf(root);
  const [known] = [...workspaces].find(([, workspace]) => workspace === root || workspace === real) ?? [];
  if (known !== undefined) return known;
  const name = projectOfFolder(root);
  return workspaces.has(name) ? slugBeside(name, real) : name;
}

/** Files of the user may name any project; those in a project's folder are that one's. Never throws. */
export function placeHook(hook: Hook, workspaces: Workspaces): Hook {
  const { project, origin } = hook;
  if (!hook.durable || project === undefined || origin.file === undefined) return hook;
  if (origin.root !== undefined) {
    const own = ownProject(origin.root, workspaces);
    return own === project ? hook : ofProject(hook, own, origin.root);
  }
  const workspace = workspaces.get(project);
  return workspace ? ofProject(hook, project, workspace) : hook;
}

/** Undefined: it names no project but that of its folder. */
export function foreignProject(hook: Hook, workspaces: Workspaces): Problem | undefined {
  const { durable, project, origin } = hook;
  const { root, file } = origin;
  if (!durable || project === undefined || file === undefined || root === undefined) return undefined;
  const own = ownProject(root, workspaces);
  if (project === own || project === projectOfFolder(root)) return undefined;
  return {
    severity: "error",
    code: "setting-refused",
    message: `"project_id" is "${project}", and an automation in a project's folder belongs to that project: it runs as ${own}'s`,
    suggestion: "remove project_id, or keep the automation among your own, in ~/.config/hookline/automations/",
    ...placeOfHook(hook),
  };
}

/** Whether the store's rows of a project are looked at from a folder: it is the folder's own, or has no place of its own. */
function concernsFolder(folder: string, workspaces: Workspaces): (project: string) => boolean {
  const real = realOf(folder);
  const holding = [...workspaces].filter(([, workspace]) => workspace && isWithin(real, workspace));
  const [own] = holding.sort(([, left], [, right]) => (right?.length ?? 0) - (left?.length ?? 0))[0] ?? [];
  return (project) => project === own || !workspaces.get(project);
}

export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder; // it is gone: whatever is known of it stands under the name that it had
  }
}

function ofProject(hook: Hook, project: string, root: string): Hook {
  const id = hook.id.slice(hook.id.indexOf("/") + 1);
  const concerns: Condition = { is: "of_project", with: { project, workspace: root } };
  return {
    ...hook,
    id: hookIdOf({ project_id: project, id }),
    project,
    ...(hook.when ? { when: concerns } : {}),
    origin: { ...hook.origin, root },
  };
}
