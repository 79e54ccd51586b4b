/** How long hooks may take: what an event allows, what one hook is given, and what its agent waits for at all. */
import { answersWithin } from "../agents/request.ts";
import type { AgentEventName, Seconds } from "../engine/event.ts";
import type { Hook, Problem } from "../engine/hook.ts";
import type { Budgets } from "../formats/config/config.ts";

/** Milliseconds that a person hardly notices, or expects to wait: for a tool call far less than at the end of a turn. */
const usual: Readonly<Partial<Record<AgentEventName, number>>> = {
  PreToolUse: 500,
  PreSkillShellCommand: 500,
  PostToolUse: 500,
  PostToolUseFailure: 500,
  PermissionRequest: 500,
  UserPromptSubmit: 1_000,
  SessionStart: 5_000,
  SessionEnd: 5_000,
  Stop: 30_000,
  SubagentStop: 30_000,
};
const otherwise = 2_000;

/** Milliseconds for the hooks of an event together. */
export const budgetOfEvent = (event: string, { events = {} }: Budgets): number =>
  (Object.hasOwn(events, event) ? events[event] : usual[event as AgentEventName]) ?? otherwise; // a name that is none of them has no entry

/** Milliseconds for one hook: its own, else what the event allows for all. */
export function budgetOfHook(hook: Pick<Hook, "id" | "name">, event: string, budgets: Budgets): number {
  const { hooks = {} } = budgets;
  const own = [hook.id, hook.name].find((name) => Object.hasOwn(hooks, name));
  return (own === undefined ? undefined : hooks[own]) ?? budgetOfEvent(event, budgets);
}

/** The strictest of the budgets that hold for a hook; undefined where no agent waits for the hook. */
export function budgetFor(hook: Hook, budgets: Budgets): number | undefined {
  if (hook.mode !== "sync" || !("event" in hook.on)) return undefined;
  return Math.min(...hook.on.event.map((event) => budgetOfHook(hook, event, budgets)));
}

/** What an agent waits for; then it goes on without the answer. */
const agentWaits: Seconds = answersWithin / 1000;

/** Seconds until a hook is ended: by its own limits, or because its agent does not wait any longer. */
export function endsAfter({ steps, limits }: Pick<Hook, "steps" | "limits">): Seconds {
  const all = steps.reduce((sum, { timeout }) => sum + timeout, 0);
  return Math.min(all, limits.timeout ?? Number.POSITIVE_INFINITY, agentWaits);
}

/** Hooks that may take longer than their agent waits: a late answer is lost. */
export function lateHooks(hooks: readonly Hook[]): Problem[] {
  return hooks.filter(isLate).map(({ name, origin, steps }) => ({
    file: origin.file ?? "",
    line: origin.line ?? 1,
    column: origin.column ?? 1,
    severity: "warning",
    code: "late-timeout",
    message: `"${name}" may take ${Math.max(...steps.map(({ timeout }) => timeout))} s, and its agent waits ${agentWaits} s`,
    suggestion: `lower its timeout to at most ${agentWaits}, or let it run in the background with async`,
  }));
}

const isLate = ({ mode, on, steps, limits }: Hook): boolean =>
  mode === "sync" &&
  "event" in on &&
  Math.min(Math.max(...steps.map(({ timeout }) => timeout)), limits.timeout ?? Number.POSITIVE_INFINITY) > agentWaits;
