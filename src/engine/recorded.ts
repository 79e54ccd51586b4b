/** Sending for who has to be sure: an event counts as taken only once it, and all that it set off, is written down (SAFETY F10). */
import type { Engine } from "./engine.ts";
import type { HookEvent } from "./event.ts";
import type { Outcome } from "./outcome.ts";
import type { Caller } from "./ports.ts";

/** Throws what the store failed with: the event has not been taken then, and may be sent again. */
export async function emitRecorded(
  engine: Pick<Engine, "emit" | "committed">,
  event: HookEvent,
  caller: Omit<Caller, "unrecorded">,
): Promise<Outcome> {
  const failures: unknown[] = [];
  const outcome = await engine.emit(event, { ...caller, unrecorded: (because) => failures.push(because) });
  await engine.committed();
  if (failures.length > 0) throw failures[0];
  return outcome;
}
