/** Hooks that are not to run for a while: one, or all of a project but its guards. Apart from the engine, which only asks. */
import type { Instant, MaybePromise } from "../../engine/event.ts";
import type { Hook } from "../../engine/hook.ts";
import type { Store } from "../../engine/record.ts";
import { findHook, projectOf } from "../../operations/hooks.ts";

export interface PausesOptions {
  store: Pick<Store, "pause" | "resume" | "paused">;
  now(): Instant;
  /** Where names and paths are looked up, and the project that is meant where no hook is named. */
  place(): Promise<{ hooks: readonly Hook[]; root: string; cwd: string }>;
  /** Told when something was let run again. */
  resumed(): Promise<void>;
}

export interface Pauses {
  /**
   * Pauses a hook, by its id, name, file or path, or all of the project but its guards; says whether it ran before.
   * Throws HooklineError hook_unknown.
   */
  pause(hook?: string): Promise<boolean>;
  /** Lets it run again; says whether it was paused. Throws HooklineError hook_unknown. */
  resume(hook?: string): Promise<boolean>;
  /** Ids of hooks and folders of projects. */
  paused(): MaybePromise<ReadonlySet<string>>;
}

export function createPauses({ store, now, place, resumed }: PausesOptions): Pauses {
  /** What is paused already may have gone from the files, and is let go by what it was called then. */
  async function meant(hook: string | undefined, where: string): Promise<string> {
    const { hooks, root, cwd } = await place();
    if (hook === undefined) return projectOf(hooks, root);
    return (await store.paused()).has(hook) ? hook : findHook(hooks, { name: hook, cwd, where }).id;
  }
  return {
    pause: async (hook) => store.pause(await meant(hook, "pause"), now()),
    async resume(hook) {
      const wasPaused = await store.resume(await meant(hook, "resume"));
      if (wasPaused) await resumed();
      return wasPaused;
    },
    paused: () => store.paused(),
  };
}
