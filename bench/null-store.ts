/** A store that keeps nothing and answers at once: what is left is the engine's own cost. */

import { firstTurn, type Turn } from "../src/engine/event.ts";
import type { Claim, Paused, Store } from "../src/engine/record.ts";

export function createNullStore(): Store {
  let turn: Turn = firstTurn;
  const paused: Paused = new Map();
  return {
    record(event, _set, advance) {
      turn = advance(event, turn);
      return { turn, paused };
    },
    answered: () => undefined,
    heard: () => [],
    receipts: () => [],
    turn: () => turn,
    claim: (): Claim | undefined => undefined,
    peek: (): Claim | undefined => undefined,
    spend: () => true,
    pendingChecks: (_session, added = new Map()) => added,
    checkPassed() {},
    baseline: () => undefined,
    setBaseline() {},
    pause: () => false,
    resume: () => false,
    paused: () => paused,
    post() {},
    collect: () => [],
    saveRun() {},
    run: () => undefined,
    runs: () => [],
    event: () => undefined,
    events: () => [],
    recentHookSets: () => [],
    hookSet: () => undefined,
    lastFired: () => new Map(),
    deliveriesFrom: () => [],
    lastReports: () => new Map(),
    transcripts: () => [],
    saveTranscript() {},
    repair: () => 0,
    purge: () => 0,
    committed: () => Promise.resolve(),
    close() {},
  };
}
