/** Tells the person once in a session, and again after a change, that hooks of the workspace do not run because they are not trusted. */
import type { HookEvent, MaybePromise } from "../../engine/event.ts";
import { rowOf } from "../../engine/events.ts";
import { fingerprint } from "../../engine/fingerprint.ts";
import { isThenable } from "../../engine/flow.ts";
import { merge, type Outcome } from "../../engine/outcome.ts";
import type { Caller, Ports } from "../../engine/ports.ts";
import type { LoadedHooks } from "../../loading/load.ts";

type Emit = (event: HookEvent, caller?: Caller) => MaybePromise<Outcome>;

/** @param untrusted of the folder where the event happened */
export function noticing(
  emit: Emit,
  untrusted: (event: HookEvent) => LoadedHooks["untrusted"],
  { store, now }: Pick<Ports, "store" | "now">,
): Emit {
  return (event, caller) => {
    const outcome = emit(event, caller);
    if (event.session === undefined || !rowOf(event.name).accepts.includes("messages")) return outcome;
    return isThenable(outcome) ? Promise.resolve(outcome).then((one) => noticed(event, one)) : noticed(event, outcome);
  };

  function noticed(event: HookEvent, outcome: Outcome): MaybePromise<Outcome> {
    const items = untrusted(event);
    return items.length === 0 ? outcome : told(items, event, outcome);
  }

  async function told(items: LoadedHooks["untrusted"], event: HookEvent, outcome: Outcome): Promise<Outcome> {
    const key = `untrusted:${event.session}:${fingerprint(JSON.stringify(items)).slice(0, 16)}`;
    try {
      const refused = await store.claim([{ key, max: 1, refusal: "" }], now());
      return refused ? outcome : merge(outcome, { messages: [{ to: "person", text: untrustedNotice(items) }] });
    } catch {
      return outcome; // while the store counts nothing, it would be said at each event
    }
  }
}

export const untrustedNotice = (items: LoadedHooks["untrusted"]): string => `Hookline: ${untrustedWords(items.length)}`;

/** One line. The names are a stranger's, so they are not in it. */
export const untrustedWords = (count: number): string =>
  `${count === 1 ? "1 hook here does not run until you trust it" : `${count} hooks here do not run until you trust them`}: run \`hookline trust\``;
