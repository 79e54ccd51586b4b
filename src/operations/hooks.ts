/** Operations that list and explain the active hooks, and the hook that a person means. */
import { basename, resolve } from "node:path";
import { HooklineError } from "../engine/error.ts";
import type { Fields } from "../engine/event.ts";
import { eventToEmit } from "../engine/events.ts";
import { nameOf } from "../engine/explain.ts";
import type { Hook } from "../engine/hook.ts";
import { nearest } from "../engine/nearest.ts";
import { listensTo } from "../engine/plan.ts";
import { anything, mapOf, object, say, text } from "../engine/schema.ts";
import { isUntrusted } from "../loading/trust/untrusted.ts";
import { eventOf, knownEvent } from "./event.ts";
import { eachHook } from "./hook-counts.ts";
import { type Operation, plain } from "./operation.ts";

export const hooks: Operation<{ event?: string }> = {
  summary: "Lists the active hooks, in running order.",
  params: object({}, { event: text("only hooks that listen to this event") }),
  readOnly: true,
  async run({ event: written }, { hooks: active, event }) {
    const set = await active(event);
    const name = written === undefined ? undefined : knownEvent(eventToEmit(written, {}), written);
    return eachHook(set.hooks)
      .filter((hook) => name === undefined || listensTo(hook, name))
      .map(hookRow);
  },
};

/** A hook in a list, for scripts. */
export const hookRow = (hook: Hook): Fields => ({
  id: hook.id,
  name: hook.name,
  on: nameOf(hook.on),
  uses: hook.steps.map(({ uses }) => uses),
  layer: hook.origin.layer,
  dialect: hook.origin.dialect,
  file: hook.origin.file ?? null,
  line: hook.origin.line ?? null,
  mode: hook.mode,
  role: hook.role,
  onFailure: hook.onFailure,
  priority: hook.priority,
  enabled: hook.enabled,
  report: hook.report === true,
  trusted: !isUntrusted(hook),
  tags: hook.tags,
});

export const explain: Operation<{ event: string; data?: Fields }> = {
  summary: "Shows for every hook whether it would run on such an event, and why. Nothing runs.",
  params: object(
    { event: text("the event's name") },
    { data: say(mapOf(anything), "its payload, as an agent would send it", {}) },
  ),
  readOnly: true,
  async run({ event: written, data = {} }, asked) {
    const name = knownEvent(eventToEmit(written, data), written);
    const explanations = await asked.engine.explain(eventOf(name, data, asked));
    return explanations.map(plain);
  },
};

// The hook or the project that a name means, for commands and for the library.

interface Written {
  /** As it was written. */
  name: string;
  /** Where paths start. */
  cwd: string;
  /** Who asks, for messages. */
  where: string;
}

/**
 * An id always means its hook; everything else has to mean one hook only.
 *
 * @throws HooklineError hook_unknown, with the nearest name, or with all hooks that were meant
 */
export function findHook(hooks: readonly Hook[], written: Written): Hook {
  const { name, cwd, where } = written;
  const [found, ...others] = hooksCalled(hooks, { name, cwd });
  if (found && others.length === 0) return found;
  if (!found) throw new HooklineError("hook_unknown", { name, where, near: nearest(name, hooks.flatMap(allNamesOf)) });
  const candidates = [found, ...others].map(({ id }) => id);
  throw new HooklineError("hook_unknown", {
    name,
    where,
    several: candidates.length,
    candidates: candidates.length > shownAtMost ? `${few(candidates)} or another of them` : candidates.join(" or "),
  });
}
const shownAtMost = 8;
const few = (candidates: readonly string[]): string => candidates.slice(0, shownAtMost).join(", ");

/** All that it may mean; an id means its hook and no other. */
export function hooksCalled(hooks: readonly Hook[], { name, cwd }: Omit<Written, "where">): readonly Hook[] {
  const known = hooks.find(({ id }) => id === name);
  if (known) return [known];
  const path = resolve(cwd, name);
  return hooks.filter((hook) => hook.origin.file === path || namesOf(hook).includes(name));
}

/** A script's id carries where it lies behind an @, which no person types. */
const namesOf = ({ id, name, origin, steps }: Hook): string[] => [
  name,
  ...(origin.dialect === "automation" ? [id.slice(id.indexOf(":") + 1), id.slice(id.indexOf("/") + 1)] : []),
  ...(id.includes("@") ? [id.slice(0, id.lastIndexOf("@"))] : []),
  ...(origin.file === undefined ? [] : [basename(origin.file)]),
  ...steps.flatMap((step) => (typeof step.with.slug === "string" ? [step.with.slug] : [])),
];

/** What a person may call it. */
export const allNamesOf = (hook: Hook): string[] => [hook.id, ...namesOf(hook)];

const ofProjects: ReadonlySet<Hook["origin"]["layer"]> = new Set<Hook["origin"]["layer"]>(["project", "local"]);

/**
 * The folder that the project's hooks belong to: its root, and where none lie there (in a worktree, say, that uses those
 * of the main one) the nearest that some do belong to.
 */
export function projectOf(hooks: readonly Hook[], root: string): string {
  const roots = hooks.flatMap(({ origin }) => (ofProjects.has(origin.layer) && origin.root ? [origin.root] : []));
  if (roots.length === 0 || roots.includes(root)) return root;
  return roots.reduce((nearest, one) => (one.length > nearest.length ? one : nearest));
}
