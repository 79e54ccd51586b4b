/** The automations of the store on a command's line: loaded only where there are any that its events may concern. */

import { loadPatterns } from "../../conditions/patterns.ts";
import { messageOf } from "../../engine/error.ts";
import type { HookEvent, MaybePromise } from "../../engine/event.ts";
import type { HookSet, Problem } from "../../engine/hook.ts";
import { listensTo } from "../../engine/plan.ts";
import type { Registry } from "../../engine/ports.ts";
import type { Store } from "../../engine/record.ts";
import type { StoredHooks } from "../../loading/automations.ts";
import type { Loaded, Loading } from "../../loading/loading.ts";
import { anyListens, anyStored, databaseOf } from "../../storage/sqlite/automation-records.ts";
import type { Automations } from "../compose/automations.ts";
import type { Place } from "./place.ts";

interface StoredAutomationsOptions {
  place: Pick<Place, "environment">;
  store: Partial<Store>;
  loading: Pick<Loading, "wholeRegistry">;
  /** The files of the folder whose hooks these are put together with. */
  loaded: Pick<Loaded, "root" | "userConfig">;
  complain(reason: string): void;
  /** Nothing but these events happens: what listens to others is left where it is. */
  only?: readonly HookEvent[];
}
export interface StoredAutomations {
  /** A folder's hooks and the store's automations, as they are now. Never throws or rejects. */
  combine(set: HookSet): MaybePromise<HookSet>;
  /** What is wrong with those that were combined last, as far as it concerns the folder. */
  problems(): readonly Problem[];
  /** The registry that they were read with, if any was. */
  registry(): Registry | undefined;
  /** Undefined: the store keeps none. */
  open(): Promise<Automations | undefined>;
}

export function storedAutomations(options: StoredAutomationsOptions): StoredAutomations {
  const { place, store, loading, loaded, only, complain } = options;
  let opening: Promise<void> | undefined;
  let opened: { automations: Automations | undefined; registry: Registry } | undefined;
  let heard: StoredHooks | undefined;
  let problems: readonly Problem[] = [];

  async function open(): Promise<void> {
    const [{ openAutomations }, registry, patterns] = await Promise.all([
      import("../compose/automations.ts"),
      loading.wholeRegistry(),
      only ? undefined : loadPatterns(), // where one event happens nothing is made
    ]);
    const { environment } = place;
    const modelsIn = () => loaded.userConfig.models;
    const reading = { store, environment, registry, modelsIn, ...(patterns ? { patterns } : {}) };
    opened = { automations: openAutomations(reading), registry };
  }

  function isConcerned({ hooks }: HookSet): boolean {
    const database = databaseOf(store);
    if (!database) return false;
    const own = hooks.filter(({ durable }) => durable);
    if (!only) return own.length > 0 || anyStored(database);
    const names = only.map(({ name }) => name);
    return own.some((hook) => names.some((name) => listensTo(hook, name))) || anyListens(database, names);
  }

  function combined(set: HookSet, automations: Automations | undefined): HookSet {
    if (!automations) return set;
    heard = only ? (heard ?? automations.heardAt(only)) : automations.stored();
    problems = automations.problemsAt(loaded.root, set, heard);
    return automations.combine(set, heard);
  }

  /** What the store cannot tell is missing; the hooks of the files are asked all the same. */
  function orFiles(set: HookSet, error: unknown): HookSet {
    complain(`the automations in the store cannot be read: ${messageOf(error)}`);
    return set;
  }

  return {
    combine(set) {
      try {
        if (opened) return combined(set, opened.automations);
        if (!isConcerned(set)) return set;
        opening ??= open();
        return opening.then(() => combined(set, opened?.automations)).catch((error: unknown) => orFiles(set, error));
      } catch (error) {
        return orFiles(set, error);
      }
    },
    problems: () => problems,
    registry: () => opened?.registry,
    async open() {
      opening ??= open();
      await opening;
      return opened?.automations;
    },
  };
}
