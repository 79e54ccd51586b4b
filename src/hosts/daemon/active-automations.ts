/** The active automations of a daemon: those of the store and of the files of all its folders, as they are now. */
import { isOfStore } from "../../engine/error.ts";
import type { Fields, HookId } from "../../engine/event.ts";
import type { Hook, HookSet, Problem } from "../../engine/hook.ts";
import { type AutomationSource, foreignProject, placeHook, type StoredHooks } from "../../loading/automations.ts";
import type { HookSource } from "../../loading/live.ts";
import type { Loaded } from "../../loading/loading.ts";
import { asSettingsSay } from "../../loading/order.ts";

interface ActiveAutomationsOptions {
  /** Folders whose files count, beside those of the projects in the store. */
  folders: readonly string[];
  source: Pick<HookSource<Loaded>, "at" | "known" | "isHeard"> | undefined;
  automations: AutomationSource;
  /** While it is the same number, the automations of the store are unchanged. Absent, undefined: they may change at any time. */
  standing?(): number | undefined;
}

export interface ActiveAutomations {
  /**
   * Looks whether something has changed: in the store, and in folders of which something was heard or would not be.
   *
   * @param isThorough also at some of the others
   * @returns whether folders are left for the next time
   */
  refresh(isThorough: boolean): Promise<boolean>;
  /** The files of a folder were read just now, for an event: it is active at once. */
  saw(folder: string): void;
  /** Counts the changes that were seen. */
  version(): number;
  /** All of them. */
  hooks(): readonly Hook[];
  /**
   * A folder's hooks, and all automations: the same set as long as nothing has changed.
   *
   * @param isOn false: the automations do not run, and say so
   */
  combine(set: HookSet | undefined, isOn: boolean): HookSet;
  /** Where their files lie. */
  folders(): readonly string[];
  /** Folders with automations that are no project of the store: only their names differ. */
  placeless(): string[];
  /** The folder of a project, if it has one. */
  workspaceOf(project: string): string | undefined;
  facts(): Fields;
}

/** Folders that are looked at in one go: of more, each has its turn. */
const foldersAtOnce = 50;

export function createActiveAutomations({
  folders: given,
  source,
  automations,
  standing,
}: ActiveAutomationsOptions): ActiveAutomations {
  const files = createFolderFiles(source);
  let stored = automations.stored();
  let all: StoredHooks = stored;
  let parts: readonly unknown[] = [stored];
  let sameIds: Problem[] = [];
  let version = 0;
  let sets = new WeakMap<HookSet, HookSet>();
  let isOnNow = true;
  let lookedAt: number | undefined;

  const folders = (): string[] => [
    ...new Set([...given, ...[...stored.workspaces.values()].filter((folder) => folder !== null)]),
  ];

  /** While the store cannot be read, what it said last goes on; the failed write says why. */
  function storedNow(): StoredHooks {
    try {
      return automations.stored();
    } catch (error) {
      if (isOfStore(error)) return stored;
      throw error;
    }
  }

  /** Compiled anew only where a part is another one than before. */
  function update(): void {
    stored = storedNow();
    const next = [stored, ...files.loaded().map(({ set }) => set)];
    if (next.length === parts.length && next.every((part, index) => part === parts[index])) return;
    parts = next;
    ({ all, sameIds } = together(stored, files.loaded()));
    sets = new WeakMap();
    version += 1;
  }

  /** Of many events right behind one another, one looks for what other processes have changed. */
  function updateOnce(): void {
    const now = standing?.();
    if (now !== undefined && now === lookedAt) return;
    lookedAt = now;
    update();
  }

  function combine(set: HookSet, isOn: boolean): HookSet {
    updateOnce();
    if (isOn !== isOnNow) sets = new WeakMap();
    isOnNow = isOn;
    const known = sets.get(set);
    if (known) return known;
    const made = asSettingsSay(automations.combine(set, all), { enabled: isOn });
    sets.set(set, made);
    return made;
  }

  return {
    async refresh(isThorough) {
      const isLeft = await files.look(folders(), isThorough);
      update();
      return isLeft;
    },
    saw: files.saw,
    version: () => version,
    hooks: () => all.hooks,
    combine: (set = nothing, isOn) => combine(set, isOn),
    folders,
    placeless() {
      const { workspaces } = stored;
      const roots = all.hooks.flatMap(({ project, origin: { file, root } }) =>
        file !== undefined && root !== undefined && !workspaces.has(project ?? "") ? root : [],
      );
      return [...new Set(roots)];
    },
    workspaceOf: (project) => stored.workspaces.get(project) ?? undefined,
    facts() {
      const broken = new Map(
        errorsIn(stored, files.loaded(), sameIds).map((problem) => [
          `${problem.file}:${problem.line} ${problem.message}`,
          problem,
        ]),
      );
      return {
        active: all.hooks.length,
        enabled: all.hooks.filter(({ enabled }) => enabled).length,
        broken: [...broken.values()].map(({ file, line, message }) => ({ file, line, message })),
      };
    },
  };
}

/** The files of the folders, as they were last seen. */
function createFolderFiles(source: ActiveAutomationsOptions["source"]) {
  const files = new Map<string, Loaded>();
  let turn = 0;
  function take(folder: string): void {
    const loaded = source?.known(folder); // an event may have seen the change before
    if (loaded) files.set(folder, loaded);
  }
  return {
    loaded: (): Loaded[] => [...files.values()],
    saw(folder: string): void {
      if (files.has(folder)) take(folder);
    },
    /** Looks at those of which something was heard or would not be. Gives whether folders are left for the next time. */
    async look(named: readonly string[], isThorough: boolean): Promise<boolean> {
      const isNamed = new Set(named);
      for (const known of files.keys()) if (!isNamed.has(known)) files.delete(known);
      const isDue = (folder: string): boolean => isThorough || !files.has(folder) || source?.isHeard(folder) !== true;
      const due = named.filter(isDue);
      const first = turn < due.length ? turn : 0;
      turn = first + foldersAtOnce;
      for (const folder of due.slice(first, turn)) await source?.at(folder);
      for (const folder of named) take(folder);
      return !isThorough && due.length > foldersAtOnce;
    },
  };
}

/** Those of files first: of one id in both, the file's is active (R58). */
function together(stored: StoredHooks, files: readonly Loaded[]): { all: StoredHooks; sameIds: Problem[] } {
  const { workspaces } = stored;
  const hooks = new Map<HookId, Hook>();
  const sameIds: Problem[] = [];
  for (const { set } of files)
    for (const hook of set.hooks)
      if (hook.durable) {
        const placed = placeHook(hook, workspaces);
        const known = hooks.get(placed.id);
        if (!known) hooks.set(placed.id, placed);
        else if (known.origin.file !== placed.origin.file) sameIds.push(alsoIn(known, placed));
      }
  for (const hook of stored.hooks) if (!hooks.has(hook.id)) hooks.set(hook.id, hook);
  return { all: { ...stored, hooks: [...hooks.values()] }, sameIds };
}

function errorsIn(stored: StoredHooks, files: readonly Loaded[], sameIds: readonly Problem[]): Problem[] {
  const found = files.flatMap(({ problems, set }) => [
    ...problems,
    ...set.hooks.flatMap((hook) => foreignProject(hook, stored.workspaces) ?? []),
  ]);
  return [...stored.problems, ...found, ...sameIds].filter(({ severity }) => severity === "error");
}

/** Of two with the same id, in folders that are no projects, one can be active. */
const alsoIn = (known: Hook, { id, origin }: Hook): Problem => ({
  severity: "error",
  code: "duplicate-key",
  message: `${id} is also in ${known.origin.file}, which is the active one`,
  suggestion: "give each folder a project of its own: hookline project create NAME --workspace FOLDER",
  file: origin.file ?? "",
  line: origin.line ?? 1,
  column: origin.column ?? 1,
});

const nothing: HookSet = { id: "empty", hooks: [] };
