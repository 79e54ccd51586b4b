/** How often a repository is asked about in the background: it rests in proportion to what the last question took. */

/** Between two questions to git in the background: a moment, or so many times what the last one took. */
const restInMilliseconds = 50;
const restPerWork = 10;
const longestRestInMilliseconds = 1_000;

export interface Pace {
  /** Catches up in the background, once. */
  soon(): void;
  /** Catches up with what is known to have happened when it begins. */
  now(): Promise<void>;
  isRunning(): boolean;
  /** Nothing more is begun in the background. */
  close(): void;
}

export function createPace(work: () => Promise<void>): Pace {
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let rest = restInMilliseconds;
  let isClosed = false;

  function now(): Promise<void> {
    running ??= timed().finally(() => {
      running = undefined;
    });
    return running;
  }
  async function timed(): Promise<void> {
    const begun = performance.now();
    await work();
    const long = restPerWork * (performance.now() - begun);
    rest = Math.min(longestRestInMilliseconds, Math.max(restInMilliseconds, long));
  }
  return {
    soon() {
      if (timer || isClosed) return;
      timer = setTimeout(() => {
        timer = undefined;
        now().catch(() => {}); // the next question meets the same, and says so
      }, rest);
      timer.unref();
    },
    now,
    isRunning: () => running !== undefined,
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
