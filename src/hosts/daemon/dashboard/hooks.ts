/** The page of hooks: how each stands, what it has done, and why it did not run; and its switch. */

import { whenOf } from "../../../conditions/index.ts";
import { pauseOf } from "../../../engine/admit.ts";
import type { EventName } from "../../../engine/event.ts";
import { type Explanation, nameOf } from "../../../engine/explain.ts";
import { type Hook, isBuiltIn, isWrittenAsGuard } from "../../../engine/hook.ts";
import type { StoredEvent } from "../../../engine/record.ts";
import { object } from "../../../engine/schema.ts";
import { isUntrusted } from "../../../loading/trust/untrusted.ts";
import { stateOf, whyNotPaused } from "../../../operations/guards.ts";
import { eachHook, type Pausing } from "../../../operations/hooks/hook-counts.ts";
import type { Operation } from "../../../operations/operation.ts";
import { failuresOf, hookTimings } from "../../../storage/sqlite/statistics.ts";
import type { Daemon } from "../daemon.ts";
import { eventsLooked, type Projects, placeIn, projectParam, shownAs } from "./events.ts";
import type { HookShown, Hooks } from "./shown.ts";

const days = 30;
const day = 86_400_000;

export function hookPages(
  { store, source, context }: Pick<Daemon, "store" | "source" | "context">,
  { projectAt, hooksAt, rootOf }: Projects,
): Readonly<Record<string, Operation<unknown>>> {
  const hookList: Operation<{ project?: string }> = {
    summary: "Lists the active hooks of a project, with how each stands and what it has done.",
    params: object({}, { project: projectParam }),
    readOnly: true,
    async run({ project: written }, asked) {
      const root = rootOf(written);
      const inOrder = eachHook((await hooksAt(root)).hooks);
      const hooks = [...inOrder.filter((hook) => !isBuiltIn(hook)), ...inOrder.filter(isBuiltIn)];
      const pausing: Pausing = { paused: await store.paused(), now: asked.now(), root };
      const timings = hookTimings(
        store.database,
        hooks.map(({ id }) => id),
        asked.now() - days * day,
      );
      const fired = await store.lastFired();
      const said = await explained(hooks, root);
      const shown: Hooks = {
        project: projectAt(root),
        hooks: await Promise.all(
          hooks.map(async (hook): Promise<HookShown> => {
            const timing = timings.get(hook.id);
            const [newest] = await store.runs({ hook: hook.id, limit: 1 });
            return {
              ...placeIn({ id: "", hooks }, hook.id),
              on: nameOf(hook.on),
              when: whenOf(hook),
              format: hook.origin.dialect,
              role: hook.role,
              summary: hook.summary ?? null,
              state: stateOf(hook, pausing),
              isTrusted: !isUntrusted(hook),
              isGuard: isWrittenAsGuard(hook),
              isPaused: pauseOf(hook, pausing.paused, pausing) !== undefined,
              stays: whyNotPaused(hook) ?? null,
              last: fired.get(hook.id) ?? null,
              lastRun: newest?.id ?? null,
              p95: timing?.p95 ?? null,
              runs: timing?.count ?? 0,
              failures: failuresOf(store.database, hook.id),
              notFired: said.get(hook.id) ?? null,
            };
          }),
        ),
        problems: [...(source?.known(root)?.problems ?? [])],
      };
      return shownAs(shown);
    },
  };

  /** Why each hook did not run on the newest event that it listens to; those that ran are left out. */
  async function explained(hooks: readonly Hook[], root: string): Promise<Map<string, HookShown["notFired"]>> {
    const newest = new Map<EventName, StoredEvent>();
    for (const stored of await store.events(eventsLooked))
      if (projectAt(stored.event.cwd).root === root && !newest.has(stored.event.name))
        newest.set(stored.event.name, stored);
    const explanations = new Map<EventName, Explanation[]>();
    const said = new Map<string, HookShown["notFired"]>();
    for (const hook of hooks) {
      if (!("event" in hook.on)) continue;
      const heard = hook.on.event.flatMap((name) => newest.get(name) ?? []);
      const last = heard.toSorted((one, other) => other.event.at - one.event.at)[0];
      if (!last) continue;
      const { id, name, at } = last.event;
      const run = (await store.runs({ eventId: id, hook: hook.id }))[0];
      if (run && run.asked > 0) continue;
      if (!explanations.has(name)) explanations.set(name, await context.engine.explain(last.event));
      const because = run?.reason ?? explanations.get(name)?.find((one) => one.hook === hook.id)?.because;
      if (because !== undefined) said.set(hook.id, { event: name, at, because });
    }
    return said;
  }

  return { hook_list: hookList };
}
