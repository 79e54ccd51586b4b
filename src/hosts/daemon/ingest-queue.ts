/**
 * The queue of what others send: it is worked in slices of a millisecond, one in each turn of the event loop, so that an
 * agent that waits for a guard is never behind a backlog. What it holds is bounded; who sends more is not read (SAFETY F14).
 */
/** A sender, with what was read and is not taken yet. */
export interface Source {
  /** Takes the next event, and answers true; false: none is left, or none may be taken now. A promise: hooks are being waited for. Never throws or rejects. */
  next(): boolean | Promise<unknown>;
}

interface Bounds {
  /** Milliseconds in each turn of the loop; one event more may be begun in it. */
  slice: number;
  /** Events that were read and have no answer yet. */
  events: number;
  bytes: number;
  /** Events whose hooks are being waited for. */
  undecided: number;
}

/** A longer slice saves nothing: what is under way in it lives long enough to grow old, and is copied by the garbage collector. */
export const usualBounds: Bounds = { slice: 1, events: 20_000, bytes: 32 * 1024 * 1024, undecided: 64 };

interface IngestQueueOptions {
  bounds?: Bounds;
  /** Milliseconds on a monotonic clock. */
  elapsed?(): number;
  /** Calls back in the next turn of the event loop. */
  nextTurn?(callback: () => void): void;
}

export interface IngestQueue {
  /** The source has something to take. Where this turn has time left and no other source waits, it is taken at once. */
  wake(source: Source): void;
  /** Whether its turn is still to come. */
  isWaiting(source: Source): boolean;
  /** What was read is held until it is answered. */
  hold(events: number, bytes: number): void;
  release(events: number, bytes: number): void;
  isFull(): boolean;
  /** Calls back once, when half of it is free. */
  whenFree(callback: () => void): void;
  held(): { events: number; bytes: number; undecided: number };
}

/** So many events of one sender, before the next sender's. */
const inARow = 32;

export function createIngestQueue({
  bounds = usualBounds,
  elapsed = () => performance.now(),
  nextTurn = setImmediate,
}: IngestQueueOptions = {}): IngestQueue {
  const sources = new Set<Source>(); // in the order of their turns
  const waiting = new Set<() => void>();
  let heldEvents = 0;
  let heldBytes = 0;
  let undecided = 0;
  let left = bounds.slice; // of this turn
  let isScheduled = false;
  let isWorking = false;

  const mayTake = (): boolean => sources.size > 0 && undecided < bounds.undecided;

  function work(): void {
    if (!isWorking && left > 0)
      for (let began = elapsed(); mayTake() && left > 0; began = elapsed()) {
        const [source] = sources;
        if (!source) break;
        sources.delete(source);
        takeTurn(source, began);
      }
    schedule();
  }

  /** A source's turn; then it goes behind the others, if it has more. */
  function takeTurn(source: Source, began: number): void {
    isWorking = true;
    try {
      for (let count = 0; count < inARow; count++) {
        const taken = source.next();
        if (taken === false) return;
        if (taken !== true) waitFor(taken);
        if (undecided >= bounds.undecided || elapsed() - began >= left) break;
      }
      sources.add(source);
    } finally {
      isWorking = false;
      left -= Math.max(elapsed() - began, 0.001);
    }
  }

  function waitFor(deciding: Promise<unknown>): void {
    undecided += 1;
    const ended = (): void => {
      undecided -= 1;
      schedule();
    };
    deciding.then(ended, ended);
  }

  /** The next turn begins with a slice of its own. */
  function schedule(): void {
    if (isScheduled || (left === bounds.slice && !mayTake())) return;
    isScheduled = true;
    nextTurn(() => {
      isScheduled = false;
      left = bounds.slice;
      work();
    });
  }

  return {
    wake(source) {
      const isAlone = sources.size === 0;
      if (isAlone && !isWorking && left > 0 && undecided < bounds.undecided) {
        takeTurn(source, elapsed());
        work();
        return;
      }
      sources.add(source);
      if (isAlone) work();
      else schedule();
    },
    isWaiting: (source) => sources.has(source),
    hold(events, bytes) {
      heldEvents += events;
      heldBytes += bytes;
    },
    release(events, bytes) {
      heldEvents -= events;
      heldBytes -= bytes;
      if (waiting.size === 0 || heldEvents > bounds.events / 2 || heldBytes > bounds.bytes / 2) return;
      const callbacks = [...waiting];
      waiting.clear();
      for (const callback of callbacks) callback();
    },
    isFull: () => heldEvents >= bounds.events || heldBytes >= bounds.bytes,
    whenFree: (callback) => void waiting.add(callback),
    held: () => ({ events: heldEvents, bytes: heldBytes, undecided }),
  };
}
