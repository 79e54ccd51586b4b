/**
 * What stands in the place of a guard whose entry is invalid, in every format: a hook that fails, so that its failure policy
 * answers. Where the guard had a good form, loading puts that in its place (R46).
 */
import type { EventName } from "../engine/event.ts";
import { guardableEvents } from "../engine/events.ts";
import type { Condition, FailurePolicy, Hook, Origin, Problem, Role } from "../engine/hook.ts";

export interface InvalidGuard {
  id: string;
  /** As its author named it. */
  name?: string | undefined;
  /** None: nothing says for which events it was, so it fails on all that a guard can deny. */
  events: readonly EventName[];
  written: readonly string[];
  when?: Condition | undefined;
  role: Role;
  onFailure: FailurePolicy;
  priority?: number;
  enabled: boolean;
  reason: string;
  origin: Origin;
}

export function invalidGuard(guard: InvalidGuard): Hook {
  const { id, name, events, written, when, role, onFailure, priority = 100, enabled, reason, origin } = guard;
  const event = events.length > 0 ? [...new Set(events)] : [...guardableEvents];
  const as = written.length > 0 ? [...written] : event;
  return {
    id,
    name: name || (written.length > 0 ? `invalid guard (${written.join(", ")})` : "invalid guard"),
    on: { event, as },
    ...(when ? { when } : {}),
    steps: [
      {
        uses: "invalid",
        with: { reason: `the entry of this guard is invalid: ${reason}` },
        timeout: 1,
        onError: "stop",
      },
    ],
    limits: { overlap: "coalesce" },
    mode: "sync",
    role,
    onFailure,
    priority,
    enabled,
    tags: [],
    origin,
  };
}

/** Which form of it answers only a store can tell, and files are read without one. */
export const guardInvalid = (
  { onFailure, reason }: Pick<InvalidGuard, "onFailure" | "reason">,
  part: "entry" | "rule" | "hook",
): Omit<Problem, "file" | "line" | "column"> => ({
  severity: "error",
  code: "guard-invalid",
  message: `this guard cannot run, so its last good form stays active, or, where it never had one, its failure policy (${onFailure}) answers: ${reason}`,
  suggestion: `correct the ${part}`,
});
