/** Waiting for another report's answer: where two registrations report one tool call at once, its hooks run once (R36). */
import { createBriefMap } from "./drop-oldest.ts";
import type { Outcome } from "./outcome.ts";
import type { Passage } from "./passage.ts";
import { type Caller, elapsed, type Ports } from "./ports.ts";

/** Of one engine. */
export interface FirstReports {
  /** Others may wait for this decision until it has ended. It never rejects. One whose sender has left meanwhile is nobody else's: its hooks were ended. */
  deciding(event: string, outcome: Promise<Outcome>, caller: Caller): void;
  /** The first report's answer, waited for within the time of the one that repeats it. Undefined: there is none in time, or there will be none. May reject with what the store throws. */
  answerOf(first: string, repeating: Passage): Promise<Outcome | undefined>;
}

/** Milliseconds between two looks for an answer of another process. */
const looksEvery = 25;
/** A process that works on its event runs a hook of it, but for so long at most: one that does not has ended. */
const betweenHooks = 2_000;

export function createFirstReports(ports: Ports): FirstReports {
  const underWay = createBriefMap<string, Promise<Outcome | undefined>>();

  /** Whether somebody still waits for the one that repeats. */
  function hasTime({ caller, occasion: { ends } }: Passage): boolean {
    return !hasLeft(caller) && (ends === undefined || elapsed(ports) < ends);
  }

  function fromHere(
    deciding: Promise<Outcome | undefined>,
    { caller: { signal }, occasion: { ends } }: Passage,
  ): Promise<Outcome | undefined> {
    return new Promise((resolve) => {
      const undo = ends === undefined ? undefined : ports.after(Math.max(0, ends - elapsed(ports)), () => give());
      const give = (outcome?: Outcome): void => {
        undo?.();
        signal?.removeEventListener("abort", leave);
        resolve(outcome);
      };
      const leave = (): void => give();
      signal?.addEventListener("abort", leave);
      void deciding.then(give);
    });
  }

  async function fromElsewhere(first: string, repeating: Passage): Promise<Outcome | undefined> {
    let seen = elapsed(ports);
    while (hasTime(repeating)) {
      const outcome = (await ports.store.event(first))?.outcome;
      if (outcome) return outcome;
      const running = await ports.store.runs({ eventId: first, status: "running" });
      if (running.some(({ owner }) => owner !== undefined && ports.isAlive?.(owner) === true)) seen = elapsed(ports);
      else if (running.length > 0 || elapsed(ports) - seen > betweenHooks) return undefined;
      await new Promise<void>((resolve) => void ports.after(looksEvery, resolve));
    }
    return undefined;
  }

  return {
    deciding(event, outcome, caller) {
      const answer = outcome.then((given) => (hasLeft(caller) ? undefined : given));
      underWay.set(event, answer);
      void answer.then(() => underWay.delete(event));
    },
    async answerOf(first, repeating) {
      const deciding = underWay.get(first);
      const outcome = await (deciding ? fromHere(deciding, repeating) : fromElsewhere(first, repeating));
      return outcome && repeatable(outcome);
    },
  };
}

const hasLeft = ({ hasLeft: asked, signal }: Caller): boolean => asked?.() ?? signal?.aborted === true;

/** All that a repeat is given of the first answer (R36). */
export const repeatable = ({ verdict, stop }: Outcome): Outcome => ({
  ...(verdict && { verdict }),
  ...(stop && { stop }),
});
