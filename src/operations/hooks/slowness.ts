/** `hookline list --slow`: how long hooks and whole decisions took, the share of their budgets, and the cost per session. */
import type { Instant } from "../../engine/event.ts";
import type { Hook } from "../../engine/hook.ts";
import type { Budgets } from "../../formats/config/config.ts";
import { budgetFor, budgetOfEvent, endsAfter } from "../../loading/budgets.ts";
import type { ActiveHooks, EventTiming, HookTiming, Timings } from "../operation.ts";
import type { Shown } from "../shown.ts";

interface DecisionFields {
  event: string;
  count: number;
  p50Ms: number;
  p95Ms: number;
  budgetMs: number;
}

export interface Slowness {
  slowestFirst(hooks: readonly Hook[]): Hook[];
  /** For JSON. Null: it has not run in that time, or it has no budget, as no agent waits for it. */
  fieldsOf(hook: Hook): HookFields & { decisions: DecisionFields[] };
  titles: readonly string[];
  cellsOf(hook: Hook): string[];
  /** Of the decisions as a whole, whatever hooks they asked. */
  decisionTable(): Shown[];
}

const days = 30;
const day = 86_400_000;
/** From this part of its own limit on, a hook is marked: before long it will be ended instead of answering. */
const nearly = 0.5;

export function slownessOf(took: Timings, { set, config }: ActiveHooks, now: Instant): Slowness {
  const since = now - days * day;
  const budgets: Budgets = config?.budgets ?? {};
  const timings = took.hooks(
    set.hooks.map(({ id }) => id),
    since,
  );
  const decisions = took.events(since).map((one) => ({ ...one, budget: budgetOfEvent(one.event, budgets) }));
  const p95 = ({ id }: Hook): number => timings.get(id)?.p95 ?? -1;
  return {
    slowestFirst: (hooks) => hooks.toSorted((left, right) => p95(right) - p95(left)),
    fieldsOf(hook) {
      const events: readonly string[] = "event" in hook.on ? hook.on.event : [];
      return {
        ...fieldsOf(timings.get(hook.id), hook, budgetFor(hook, budgets)),
        decisions: decisions.filter(({ event }) => events.includes(event)).map(decisionFields),
      };
    },
    titles: ["runs", "p50", "p95", "of budget", "a session"],
    cellsOf: (hook) => cellsOf(timings.get(hook.id), hook, budgetFor(hook, budgets)),
    decisionTable: () =>
      decisions.length === 0
        ? []
        : ["", { titles: ["event", "decisions", "p50", "p95", "of budget"], rows: decisions.map(decisionCells) }],
  };
}

interface HookFields {
  timed: number;
  p50Ms: number | null;
  p95Ms: number | null;
  budgetMs: number | null;
  shareOfBudget: number | null;
  perSessionMs: number | null;
  nearlyTooSlow: boolean;
}

const fieldsOf = (timing: HookTiming | undefined, hook: Hook, budget: number | undefined): HookFields => ({
  timed: timing?.count ?? 0,
  p50Ms: timing ? rounded(timing.p50) : null,
  p95Ms: timing ? rounded(timing.p95) : null,
  budgetMs: budget ?? null,
  shareOfBudget: timing && budget !== undefined ? rounded(timing.p95 / budget) : null,
  perSessionMs: timing?.perSession === undefined ? null : rounded(timing.perSession),
  nearlyTooSlow: timing !== undefined && isNearlyTooSlow(timing, hook),
});

const decisionFields = ({ event, count, p50, p95, budget }: EventTiming & { budget: number }): DecisionFields => ({
  event,
  count,
  p50Ms: rounded(p50),
  p95Ms: rounded(p95),
  budgetMs: budget,
});

const isNearlyTooSlow = ({ p95 }: HookTiming, hook: Hook): boolean =>
  hook.mode === "sync" && p95 >= endsAfter(hook) * 1000 * nearly;

function cellsOf(timing: HookTiming | undefined, hook: Hook, budget: number | undefined): string[] {
  if (!timing) return ["", "", "", "", ""];
  const { count, p50, p95, perSession } = timing;
  const share = budget === undefined ? "" : partOf(p95, budget);
  const mark = isNearlyTooSlow(timing, hook) ? ` (times out after ${endsAfter(hook)} s)` : "";
  return [String(count), shown(p50), `${shown(p95)}${mark}`, share, perSession === undefined ? "" : shown(perSession)];
}

const decisionCells = ({ event, count, p50, p95, budget }: EventTiming & { budget: number }): string[] => [
  ...[event, String(count), shown(p50), shown(p95), partOf(p95, budget)],
];

const partOf = (p95: number, budget: number): string => `${Math.round((p95 / budget) * 100)} %`;
const rounded = (value: number): number => Number(value.toPrecision(3));
const shown = (ms: number): string => (ms >= 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${rounded(ms)} ms`);
