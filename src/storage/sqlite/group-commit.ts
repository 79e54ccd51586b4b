/** Group commit: writes that come right behind one another as one transaction, and the promise that tells when they are on disk. */

export interface Groups {
  /**
   * Opens the group, unless it is open. May throw what `begin` throws, and throws once something of this turn was lost: what an
   * event sets off is not written down where the event could not be.
   */
  join(): void;
  /** To be called after each write of the group: one that has become large or old is committed. */
  wrote(): void;
  /** Commits what is open. Never throws: those who wait for it hear of a failure. */
  end(): void;
  /** The transaction is gone, and what was written in it. Nothing, where none is open. */
  lose(because: unknown): void;
  isOpen(): boolean;
  /** Resolves once all that was written so far is on disk; rejects with the reason if any of it is not. */
  committed(): Promise<void>;
  /** What was lost lay in a file that is replaced: the turn goes on in the new one. */
  mended(): void;
  /** Ends the turn at once. */
  close(): void;
}

/** Why a group was lost. */
export interface Lost {
  because: unknown;
}

export interface GroupOptions {
  /** Where it throws, nothing is begun. */
  begin(): void;
  commit(): void;
  /** Must not throw. */
  rollback(): void;
  /** Called when a group has ended: it was written, or it was lost. Must not throw. */
  ended(lost?: Lost): void;
  /** Puts a failure into words. */
  worded(error: unknown): unknown;
  /** Milliseconds. */
  now?(): number;
}

/** Other processes wait for a group, so none is longer: writes, and milliseconds between its first and its last. */
const writesAtMost = 1_000;
const longest = 20;
/** Who has written waits, too: after so many milliseconds a group ends, although every turn of the event loop brings more. */
const gathersFor = 2;

/** From its first write to the first turn of the event loop that brings nothing more: one or several transactions. */
interface Turn {
  /** Why something of it was not written. */
  failure?: Lost;
  /** Nothing more of it is written. */
  isLost?: boolean;
  waiting?: PromiseWithResolvers<void>;
  /** Its end is due. */
  due: NodeJS.Immediate;
}

export function createGroups(options: GroupOptions): Groups {
  const { begin, commit, rollback, ended, worded, now = Date.now } = options;
  let turn: Turn | undefined;
  let isOpen = false;
  let writes = 0;
  let seen = 0; // of the writes, at the end of the last turn of the event loop
  let begun = 0;

  function lose(because: unknown): void {
    if (!isOpen) return;
    isOpen = false;
    const lost = { because: worded(because) };
    if (turn) {
      turn.failure ??= lost;
      turn.isLost = true;
    }
    ended(lost);
  }

  function end(): void {
    if (!isOpen) return;
    try {
      commit();
      isOpen = false;
      ended();
    } catch (error) {
      rollback();
      lose(error);
    }
  }

  /** Those who ask at once are read turn by turn, each of which would pay for a transaction of its own. */
  function endUnlessMore(): void {
    const isOver = !isOpen || writes === seen || now() - begun >= gathersFor;
    seen = writes;
    if (isOver || !turn) endTurn();
    else turn.due = setImmediate(endUnlessMore);
  }

  function endTurn(): void {
    end();
    const over = turn;
    turn = undefined;
    if (over?.failure) over.waiting?.reject(over.failure.because);
    else over?.waiting?.resolve();
  }

  return {
    join() {
      if (!isOpen) {
        if (turn?.isLost) throw turn.failure?.because;
        begin();
        isOpen = true;
        writes = 0;
        seen = 0;
        begun = now();
      }
      turn ??= { due: setImmediate(endUnlessMore) };
    },
    wrote() {
      writes += 1;
      if (isOpen && (writes >= writesAtMost || now() - begun >= longest)) end();
    },
    end,
    lose,
    isOpen: () => isOpen,
    mended() {
      if (turn) turn.isLost = false;
    },
    committed() {
      if (!turn) return written;
      if (!turn.waiting) {
        turn.waiting = Promise.withResolvers<void>();
        turn.waiting.promise.catch(() => {}); // who asked may have gone; who waits hears of it all the same
      }
      return turn.waiting.promise;
    },
    close() {
      if (turn) clearImmediate(turn.due);
      endTurn();
    },
  };
}

/** Nothing is on its way. */
export const written: Promise<void> = Promise.resolve();
