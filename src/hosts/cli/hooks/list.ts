/** hookline list: the active hooks in running order, or with --slow by how long they took. */

import { whenOf } from "../../../conditions/when.ts";
import { pauseOf } from "../../../engine/admit.ts";
import { HooklineError } from "../../../engine/error.ts";
import type { HookId, Instant } from "../../../engine/event.ts";
import { eventNames, resolveEvent } from "../../../engine/events.ts";
import { nameOf } from "../../../engine/explain.ts";
import { type Hook, isBuiltIn } from "../../../engine/hook.ts";
import { nearest } from "../../../engine/nearest.ts";
import { listensTo } from "../../../engine/plan.ts";
import type { Budgets } from "../../../formats/config/config.ts";
import type { LoadedHooks } from "../../../loading/load.ts";
import { offUntil, stateOf } from "../../../operations/guards.ts";
import { eachHook, type Pausing, untrustedWords } from "../../../operations/hook-counts.ts";
import { hookRow } from "../../../operations/hooks.ts";
import type { Database } from "../../../storage/sqlite/database.ts";
import { type EventTiming, eventTimings, type HookTiming, hookTimings } from "../../../storage/sqlite/statistics.ts";
import { budgetFor, budgetOfEvent, endsAfter } from "../../compose/budgets.ts";
import { type ExitCode, type Invocation, textFlag } from "../command.ts";
import { seeDoctor, unserved, unservedWords, waitingForDaemon } from "../daemon/served.ts";
import { daemonHere } from "../daemon/status.ts";
import { loadActive } from "../loaded.ts";
import { isOfProject, projectFolders } from "../project.ts";
import { openStoreToRead } from "../store.ts";
import { table } from "../table.ts";
import { ago, oneLine, placeIn, reportProblems, shortPath, type Terminal } from "../terminal.ts";
import { gathered, whereAll } from "./crowds.ts";

export async function list(invocation: Invocation): Promise<ExitCode> {
  const store = openStoreToRead(invocation);
  const loaded = await loadActive(invocation, store);
  reportProblems(loaded, invocation);
  const fired = await store.lastFired();
  const pausing: Pausing = { paused: await store.paused(), now: Date.now(), root: loaded.root };
  const slow = invocation.flags.slow === true ? slownessOf(store.database, loaded, Date.now()) : undefined;
  store.close();
  const folders = projectFolders(invocation);
  const all = eachHook(loaded.set.hooks);
  const own = all.filter((hook) => invocation.flags.all === true || isOfProject(hook, folders));
  const left = all.length - own.length;
  let hooks = own.filter((hook) => listensToWritten(hook, textFlag(invocation.flags, "event")));
  if (slow) hooks = slow.slowestFirst(hooks);
  if (invocation.json)
    invocation.terminal.print(
      JSON.stringify(hooks.map((hook) => ({ ...row(hook, fired, slow), ...pauseFields(hook, pausing) }))),
    );
  else print(invocation, loaded, hooks, { fired, slow, pausing });
  if (!invocation.json && waitingForDaemon(hooks).length > 0) {
    const left = unservedWords(unserved(hooks, await daemonHere(store.path)));
    if (left !== undefined) invocation.terminal.print(oneLine(`Hookline: ${seeDoctor(left)}`));
  }
  if (slow && !invocation.json)
    for (const line of decisionLines(slow, invocation.terminal)) invocation.terminal.print(line);
  if (left > 0 && !invocation.json)
    invocation.terminal.print(
      `${left} automation${left === 1 ? "" : "s"} of other projects ${left === 1 ? "is" : "are"} left out: --all lists them`,
    );
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
    lastFired: last === undefined ? null : new Date(last).toISOString(),
    ...slow?.fieldsOf(hook),
  };
};

/** What the store knows of the hooks. */
interface Standing {
  fired: ReadonlyMap<HookId, Instant>;
  slow: Slowness | undefined;
  pausing: Pausing;
}

const pauseFields = (hook: Hook, pausing: Pausing): object => {
  const off = offUntil(hook, pausing);
  return {
    paused: pauseOf(hook, pausing.paused, pausing) !== undefined,
    offUntil: off === undefined ? null : new Date(off).toISOString(),
  };
};

function print(
  invocation: Invocation,
  loaded: LoadedHooks,
  hooks: readonly Hook[],
  { fired, slow, pausing }: Standing,
): void {
  const { terminal, cwd, home, flags } = invocation;
  if (hooks.every(isBuiltIn)) {
    const what = flags.event === undefined ? "no hook is active here" : "no hook that is active here listens to it";
    terminal.print(`${what}${hooks.length > 0 ? " but what is built in" : ""}. Next:`);
    for (const line of nextSteps) terminal.print(line);
    if (flags.verbose === true)
      for (const path of loaded.watched) terminal.print(`  looked at: ${shortPath(path, cwd, home)}`);
    if (hooks.length === 0) return;
    terminal.print("");
  }
  const columns = [
    { title: "hook", fills: true as const },
    { title: "state", ifAny: true as const },
    { title: "on" },
    { title: "when", fills: true as const, ifWide: true as const },
    { title: "layer" },
    { title: "mode", ifAny: true as const },
    ...(slow ? slowTitles : [{ title: "fired" }]),
    { title: "where", fills: true as const },
  ];
  const cellsOfOne = (hook: Hook): string[] => [
    hook.name,
    stateOf(hook, pausing),
    nameOf(hook.on),
    whenOf(hook),
    hook.origin.layer,
    hook.mode === "sync" ? "" : hook.mode,
    ...(slow ? slow.cellsOf(hook) : [ago(fired.get(hook.id))]),
    isBuiltIn(hook) ? "built in" : placeIn(hook.origin, { cwd, home }),
  ];
  const shown = slow ? hooks.map((one) => ({ one })) : gathered(hooks, ({ origin }) => origin.file, invocation);
  const rows = shown.map((one) => {
    if ("one" in one) return cellsOfOne(one.one);
    const last = Math.max(...one.all.map(({ id }) => fired.get(id) ?? 0));
    const [layer, where] = [one.all[0]?.origin.layer ?? "", whereAll(one.file, invocation)];
    const states = Map.groupBy(one.all, (hook) => stateOf(hook, pausing));
    states.delete("");
    const inState = [...states].map(([state, { length }]) => (length < one.all.length ? `${length} ${state}` : state));
    const [names, on] = [`${one.all.length} hooks`, [...new Set(one.all.map((hook) => nameOf(hook.on)))].join(", ")];
    return [names, inState.join("; "), on, "", layer, "", ago(last === 0 ? undefined : last), where];
  });
  for (const line of table(terminal, columns, rows)) terminal.print(line);
  const asking = untrustedWords(loaded);
  if (asking !== undefined) terminal.print(`\nHookline: ${asking}`);
}

const nextSteps: readonly string[] = [
  "  hookline init            sets up this project: a guard, recipes, and the agents that are here",
  "  hookline add guard       adds rules that ask before what is hard to undo",
  "  hookline list --verbose  shows every place that Hookline looked at",
];

// --slow: how long hooks and whole decisions took, the share of their budgets, and the cost per session.

interface Slowness {
  slowestFirst(hooks: readonly Hook[]): Hook[];
  /** For JSON. Null: it has not run in that time, or it has no budget, as no agent waits for it. */
  fieldsOf(hook: Hook): object;
  cellsOf(hook: Hook): string[];
  decisions: readonly (EventTiming & { budget: number })[];
}

const days = 30;
const day = 86_400_000;
/** From this part of its own limit on, a hook is marked: before long it will be ended instead of answering. */
const nearly = 0.5;

function slownessOf(database: Database, { set, config }: Pick<LoadedHooks, "set" | "config">, now: number): Slowness {
  const since = now - days * day;
  const budgets: Budgets = config.budgets;
  const ids = set.hooks.map(({ id }) => id);
  const timings = hookTimings(database, ids, since);
  const decisions = eventTimings(database, since).map((one) => ({ ...one, budget: budgetOfEvent(one.event, budgets) }));
  const p95 = ({ id }: Hook): number => timings.get(id)?.p95 ?? -1;
  return {
    decisions,
    slowestFirst: (hooks) => hooks.toSorted((left, right) => p95(right) - p95(left)),
    fieldsOf(hook) {
      const budget = budgetFor(hook, budgets);
      const events = "event" in hook.on ? hook.on.event : [];
      return {
        ...fieldsOf(timings.get(hook.id), hook, budget),
        decisions: decisions.filter(({ event }) => events.some((one) => one === event)).map(decisionFields),
      };
    },
    cellsOf: (hook) => cellsOf(timings.get(hook.id), hook, budgetFor(hook, budgets)),
  };
}

const fieldsOf = (timing: HookTiming | undefined, hook: Hook, budget: number | undefined): object => ({
  timed: timing?.count ?? 0,
  p50Ms: timing ? rounded(timing.p50) : null,
  p95Ms: timing ? rounded(timing.p95) : null,
  budgetMs: budget ?? null,
  shareOfBudget: timing && budget !== undefined ? rounded(timing.p95 / budget) : null,
  perSessionMs: timing?.perSession === undefined ? null : rounded(timing.perSession),
  nearlyTooSlow: timing !== undefined && isNearlyTooSlow(timing, hook),
});

const decisionFields = ({ event, count, p50, p95, budget }: EventTiming & { budget: number }): object => ({
  event,
  count,
  p50Ms: rounded(p50),
  p95Ms: rounded(p95),
  budgetMs: budget,
});

const isNearlyTooSlow = ({ p95 }: HookTiming, hook: Hook): boolean =>
  hook.mode === "sync" && p95 >= endsAfter(hook) * 1000 * nearly;

const slowTitles: readonly { title: string }[] = [
  { title: "runs" },
  { title: "p50" },
  { title: "p95" },
  { title: "of budget" },
  { title: "a session" },
];

function cellsOf(timing: HookTiming | undefined, hook: Hook, budget: number | undefined): string[] {
  if (!timing) return ["", "", "", "", ""];
  const { count, p50, p95, perSession } = timing;
  const share = budget === undefined ? "" : `${Math.round((p95 / budget) * 100)} %`;
  const mark = isNearlyTooSlow(timing, hook) ? ` (times out after ${endsAfter(hook)} s)` : "";
  return [String(count), shown(p50), `${shown(p95)}${mark}`, share, perSession === undefined ? "" : shown(perSession)];
}

/** Of the decisions as a whole, whatever hooks they asked. */
function decisionLines({ decisions }: Slowness, terminal: Terminal): string[] {
  if (decisions.length === 0) return [];
  const titles = ["event", "decisions", "p50", "p95", "of budget"].map((title) => ({ title }));
  const rows = decisions.map(({ event, count, p50, p95, budget }) => [
    event,
    String(count),
    shown(p50),
    shown(p95),
    `${Math.round((p95 / budget) * 100)} %`,
  ]);
  return ["", ...table(terminal, titles, rows)];
}

const rounded = (value: number): number => Number(value.toPrecision(3));
const shown = (ms: number): string => (ms >= 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${rounded(ms)} ms`);
