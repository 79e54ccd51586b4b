/** What `list --slow` says: how long hooks and whole decisions took, what of their budgets that is, and what it costs a session. */

import type { Hook } from "../../engine/hook.ts";
import type { Budgets } from "../../formats/config/config.ts";
import type { LoadedHooks } from "../../loading/load.ts";
import type { Database } from "../../storage/sqlite/database.ts";
import { type EventTiming, eventTimings, type HookTiming, hookTimings } from "../../storage/sqlite/queries.ts";
import { budgetFor, budgetOfEvent, endsAfter } from "../compose/budgets.ts";
import { type Terminal, table } from "./terminal.ts";

export interface Slowness {
  slowestFirst(hooks: readonly Hook[]): Hook[];
  /** For JSON. Null: it has not run in that time, or it has no budget as nobody waits for it. */
  fieldsOf(hook: Hook): object;
  cellsOf(hook: Hook): string[];
  decisions: readonly (EventTiming & { budget: number })[];
}

const days = 30;
const day = 86_400_000;
/** From this part of its own limit on, a hook is marked: before long it will be ended instead of answering. */
const nearly = 0.5;

export function slownessOf(
  database: Database,
  { set, config }: Pick<LoadedHooks, "set" | "config">,
  now: number,
): Slowness {
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

export const slowTitles: readonly { title: string }[] = [
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
  const mark = isNearlyTooSlow(timing, hook) ? ` (it is ended after ${endsAfter(hook)} s)` : "";
  return [String(count), shown(p50), `${shown(p95)}${mark}`, share, perSession === undefined ? "" : shown(perSession)];
}

/** Of the decisions as a whole, whatever hooks they asked. */
export function decisionLines({ decisions }: Slowness, terminal: Terminal): string[] {
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
