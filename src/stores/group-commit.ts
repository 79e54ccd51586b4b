/**
 * Group commit: writes that come right behind one another as one transaction, and the promise that tells when they are on disk.
 * Where what a turn wrote can be kept beside the store, that is on disk at the turn's end, and the transaction begins when the group ends:
 * other writers wait for no more than it takes to write it.
 */

export interface Groups {
  /**
   * Opens the group, unless it is open. May throw what `begin` throws, and throws once something of this turn was lost: what an
   * event sets off is not written down where the event could not be.
   */
  join(): void;
  /** Begins the open group's transaction, if that has not begun: this turn is over when it is committed. Throws what `begin` throws. */
  begin(): void;
  /** To be called after each write of the group: one that has become large or old is committed. */
  wrote(): void;
  /** Commits what is open. Never throws: those who wait for it hear of a failure. */
  end(): void;
  /** The transaction is gone, and what was written in it. Nothing, where none is open. */
  lose(because: unknown): void;
  isOpen(): boolean;
  /** Its transaction. */
  isBegun(): boolean;
  /** The last one was lost. */
  isLosing(): boolean;
  /** Resolves once all that was written so far is on disk, whichever way; rejects with the reason if any of it is not. */
  committed(): Promise<void>;
  /** What was lost lay in a file that is replaced: the turn goes on in the new one. */
  mended(): void;
  /** Ends the turn at once. */
  close(): void;
}

/** What has become of all that was written so far: it lies beside the store, it is in the store, or it is lost but for what lies beside the store. */
export type Fate = "kept" | "written" | "lost";

export interface GroupOptions {
  /** Where it throws, nothing is begun. */
  begin(): void;
  /** Also of a group that has not begun its transaction, where something waits. */
  commit(): void;
  /** Must not throw. */
  rollback(): void;
  /** Keeps what was written since it was asked before where it outlasts this process. False: it could not. Absent: it never can. Must not throw. */
  keep?(): boolean;
  /** Called when a group has ended: it was written, or it was lost, and why. Must not throw. */
  ended(lost?: { because: unknown }): void;
  /** Puts a failure into words. */
  worded(error: unknown): unknown;
  /** Told of a group that was lost, once until one is written again. */
  onLoss(because: unknown): void;
  /** Milliseconds. */
  now?(): number;
}

/** Other processes wait for a group, so none is longer: writes, and milliseconds between its first and its last. */
const writesAtMost = 1_000;
const longest = 20;
/** Who has written waits, too: after so many milliseconds a group ends, although every turn of the event loop brings more. */
const gathersFor = 2;
/** Nobody waits for what is kept, but who looks from another process: after so many milliseconds, or writes, that is in the store. */
const keptFor = 5;
const keptAtMost = 150;

/** From its first write to the first turn of the event loop that brings nothing more: one or several transactions. */
interface Turn {
  /** Why something of it was not written. */
  failure?: { because: unknown };
  /** Nothing more of it is written. */
  isLost?: boolean;
  needsCommit?: boolean;
  waiting?: { promise: Promise<void>; resolve(): void; reject(because: unknown): void };
  /** Its end is due. */
  due: NodeJS.Immediate;
}

export function createGroups(options: GroupOptions): Groups {
  const { begin, commit, rollback, keep, ended, worded, onLoss, now = Date.now } = options;
  let turn: Turn | undefined;
  let ending: NodeJS.Timeout | undefined; // of a group whose turns are over
  let isOpen = false;
  let isBegun = false; // its transaction
  let isLosing = false;
  let writes = 0;
  let seen = 0; // of the writes, at the end of the last turn
  let begun = 0;

  function lose(because: unknown): void {
    if (!isOpen) return;
    const reason = worded(because);
    close({ because: reason });
    if (turn) {
      turn.failure ??= { because: reason };
      turn.isLost = true;
    }
    if (!isLosing) onLoss(reason);
    isLosing = true;
  }

  function beginNow(): void {
    if (turn) turn.needsCommit = true;
    if (isBegun) return;
    begin();
    isBegun = true;
  }

  function close(lost?: { because: unknown }): void {
    isOpen = false;
    isBegun = false;
    clearTimeout(ending);
    ending = undefined;
    ended(lost);
  }

  function end(): void {
    if (!isOpen) return;
    try {
      commit();
      isLosing = false;
      close();
    } catch (error) {
      rollback();
      lose(error);
    }
  }

  function turnIsOver(): void {
    const kept = turn && isOpen && !turn.needsCommit && !turn.failure && !isLosing && keep?.() ? turn : undefined;
    if (kept) turnIsKept(kept);
    else endUnlessMore();
  }

  function turnIsKept({ waiting }: Turn): void {
    turn = undefined;
    waiting?.resolve();
    if (writes >= keptAtMost) behindAnswers(end);
    else ending ??= setTimeout(end, keptFor);
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
        isOpen = true;
        writes = 0;
        seen = 0;
        begun = now();
      }
      turn ??= { due: setImmediate(turnIsOver) };
      if (!keep || isBegun) beginNow(); // a transaction that has begun is all or nothing, whatever was kept before it
    },
    begin: beginNow,
    wrote() {
      writes += 1;
      if (isOpen && (writes >= writesAtMost || now() - begun >= longest)) end();
    },
    end,
    lose,
    isOpen: () => isOpen,
    isBegun: () => isBegun,
    isLosing: () => isLosing,
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

/** Behind everything that waits for what has just settled: answers go out first. */
export const behindAnswers = (work: () => void): void => queueMicrotask(() => process.nextTick(work));
