/** Tells the person once in a session, and again after a change, that hooks of the workspace do not run because they are not trusted. */
import type { HookEvent, MaybePromise } from "../../engine/event.ts";
import { rowOf } from "../../engine/events.ts";
import { fingerprint } from "../../engine/fingerprint.ts";
import { isThenable } from "../../engine/flow.ts";
import { merge, type Outcome } from "../../engine/outcome.ts";
import type { Caller, Ports } from "../../engine/ports.ts";
import type { LoadedHooks } from "../../loading/load.ts";

type Asking = Pick<LoadedHooks, "set" | "untrusted">;
type Emit = (event: HookEvent, caller?: Caller) => MaybePromise<Outcome>;

/** @param loadedAt of the folder where the event happened */
export function noticing(
  emit: Emit,
  loadedAt: (event: HookEvent) => Asking | undefined,
  { store, now }: Pick<Ports, "store" | "now">,
): Emit {
  return (event, caller) => {
    const outcome = emit(event, caller);
    if (event.session === undefined || !rowOf(event.name).accepts.includes("messages")) return outcome;
    return isThenable(outcome) ? Promise.resolve(outcome).then((one) => noticed(event, one)) : noticed(event, outcome);
  };

  function noticed(event: HookEvent, outcome: Outcome): MaybePromise<Outcome> {
    const loaded = loadedAt(event);
    return loaded === undefined || loaded.untrusted.length === 0 ? outcome : told(loaded, event, outcome);
  }

  async function told(loaded: Asking, event: HookEvent, outcome: Outcome): Promise<Outcome> {
    const key = `untrusted:${event.session}:${fingerprint(JSON.stringify(loaded.untrusted)).slice(0, 16)}`;
    try {
      const { untrustedWords } = await import("../../operations/hooks/hook-counts.ts"); // few folders wait for trust
      const refused = await store.claim([{ key, max: 1, refusal: "" }], now());
      return refused
        ? outcome
        : merge(outcome, { messages: [{ to: "person", text: `Hookline: ${untrustedWords(loaded)}` }] });
    } catch {
      return outcome; // while the store counts nothing, it would be said at each event
    }
  }
}
