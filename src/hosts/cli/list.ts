/** hookline list: the hooks in force here, in running order. */

import { relative } from "node:path";
import { conditions } from "../../conditions/index.ts";
import { pauseOf } from "../../engine/admit.ts";
import { HooklineError } from "../../engine/error.ts";
import type { HookId, Instant } from "../../engine/event.ts";
import { eventNames, resolveEvent } from "../../engine/events.ts";
import { nameOf } from "../../engine/explain.ts";
import { type Condition, complaintAbout, type Hook } from "../../engine/hook.ts";
import { nearest } from "../../engine/nearest.ts";
import { listensTo } from "../../engine/plan.ts";
import type { ConditionKind } from "../../engine/ports.ts";
import type { LoadedHooks } from "../../loading/load.ts";
import { hookRow } from "../../operations/hooks.ts";
import { type ExitCode, type Invocation, textFlag } from "./command.ts";
import { loadInForce } from "./loaded.ts";
import { decisionLines, type Slowness, slownessOf, slowTitles } from "./slow.ts";
import { openStoreToRead } from "./store.ts";
import { safeText, table } from "./terminal.ts";

export async function list(invocation: Invocation): Promise<ExitCode> {
  const store = await openStoreToRead(invocation);
  const loaded = await loadInForce(invocation, store);
  const complaint = complaintAbout(loaded, (path) => shortPath(path, invocation.cwd, invocation.home));
  if (complaint) invocation.terminal.error(`hookline: ${complaint}`);
  const fired = await store.lastFired();
  const paused = await store.paused();
  const slow = invocation.flags.slow === true ? slownessOf(store.database, loaded, Date.now()) : undefined;
  store.close();
  let hooks = loaded.set.hooks.filter((hook) => listensToWritten(hook, textFlag(invocation.flags, "event")));
  if (slow) hooks = slow.slowestFirst(hooks);
  if (invocation.json)
    invocation.terminal.print(
      JSON.stringify(hooks.map((hook) => ({ ...row(hook, fired, slow), paused: isPaused(hook, paused) }))),
    );
  else print(invocation, loaded, hooks, { fired, slow, paused });
  if (slow && !invocation.json)
    for (const line of decisionLines(slow, invocation.terminal)) invocation.terminal.print(line);
  return 0;
}

function listensToWritten(hook: Hook, written: string | undefined): boolean {
  if (written === undefined) return true;
  const names = resolveEvent(written);
  if (!names)
    throw new HooklineError("event_unknown", { name: written, where: "--event", near: nearest(written, eventNames) });
  return names.some((name) => listensTo(hook, name));
}

const row = (hook: Hook, fired: ReadonlyMap<HookId, Instant>, slow: Slowness | undefined): object => {
  const last = fired.get(hook.id);
  return {
    ...hookRow(hook),
    when: whenOf(hook),
    trusted: "not checked",
    lastFired: last === undefined ? null : new Date(last).toISOString(),
    ...slow?.fieldsOf(hook),
  };
};

/** The hook's condition on one line. */
export const whenOf = (hook: Hook): string => (hook.when ? describe(hook.when) : "always");

function describe(condition: Condition): string {
  if ("all" in condition) return condition.all.map(describe).join(" and ") || "always";
  if ("any" in condition) return `(${condition.any.map(describe).join(" or ")})`;
  if ("not" in condition) return `not ${describe(condition.not)}`;
  const kind: ConditionKind | undefined = conditions.get(condition.is);
  return kind?.describe?.(condition.with ?? null) ?? condition.is;
}

/** What the store knows of the hooks. */
interface Standing {
  fired: ReadonlyMap<HookId, Instant>;
  slow: Slowness | undefined;
  paused: ReadonlySet<string>;
}

const isPaused = (hook: Hook, paused: ReadonlySet<string>): boolean => pauseOf(hook, paused) !== undefined;

function print(
  invocation: Invocation,
  loaded: LoadedHooks,
  hooks: readonly Hook[],
  { fired, slow, paused }: Standing,
): void {
  const { terminal, cwd, home } = invocation;
  if (hooks.length === 0) {
    terminal.print("no hook is in force here. Looked at:");
    for (const path of loaded.watched) terminal.print(`  ${shortPath(path, cwd, home)}`);
    return;
  }
  const columns = [
    { title: "hook", fills: true as const },
    { title: "on" },
    { title: "when", fills: true as const },
    { title: "layer" },
    { title: "mode" },
    ...(slow ? slowTitles : [{ title: "last fired" }]),
    { title: "where" },
  ];
  const rows = hooks.map((hook) => [
    `${hook.name}${hook.enabled ? "" : " (disabled)"}${isPaused(hook, paused) ? " (paused)" : ""}`,
    nameOf(hook.on),
    whenOf(hook),
    hook.origin.layer,
    hook.mode === "sync" ? "" : hook.mode,
    ...(slow ? slow.cellsOf(hook) : [ago(fired.get(hook.id))]),
    `${shortPath(hook.origin.file ?? "", cwd, home)}${hook.origin.line ? `:${hook.origin.line}` : ""}`,
  ]);
  for (const line of table(terminal, columns, rows)) terminal.print(line);
}

/** A path as a person would say it: relative inside the folder, ~ for the home. */
export function shortPath(path: string, cwd: string, home: string): string {
  const inside = relative(cwd, path);
  if (path !== "" && !inside.startsWith("..")) return safeText(inside) || ".";
  return safeText(home && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path);
}

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const;

/** How long ago, in one unit. */
export function ago(at: Instant | undefined, now: Instant = Date.now()): string {
  if (at === undefined) return "never";
  const unit = units.find(([, size]) => now - at >= size);
  return unit ? `${Math.floor((now - at) / unit[1])} ${unit[0]} ago` : "just now";
}
