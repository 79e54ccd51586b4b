/** Stands where a store could not be opened: every use of it fails, so that the failure policies answer. */
import type { Store } from "../core/ports.ts";

export function unusableStore(error: unknown): Store {
  const refuse = (): never => {
    throw error;
  };
  return {
    record: refuse,
    answered: refuse,
    claim: refuse,
    peek: refuse,
    spend: refuse,
    owe: refuse,
    paid: refuse,
    post: refuse,
    collect: refuse,
    saveRun: refuse,
    run: refuse,
    runs: refuse,
    event: refuse,
    events: refuse,
    hookSet: refuse,
    lastFired: refuse,
    repair: refuse,
    purge: refuse,
    close() {},
  };
}
