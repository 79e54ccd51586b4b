/** Ends a daemon that nobody needs: told of nothing for a while, with no clock, no watch, no run of its own and no agent that tells it over HTTP. */
import type { Seconds } from "../core/event.ts";
import type { Ports } from "../core/ports.ts";

export interface IdleExitOptions extends Pick<Ports, "after"> {
  idle: Seconds;
  quietFor(): number;
  /** Something is to be done without anybody's telling. May throw what the store throws. */
  isNeeded(): boolean;
  end(): void;
}

/** One timer, set to the moment at which it could be over. Returns its undo. */
export function endWhenIdle({ idle, quietFor, isNeeded, after, end }: IdleExitOptions): () => void {
  const limit = idle * 1000;
  let undo = after(limit, look);
  function look(): void {
    const left = limit - quietFor();
    if (left <= 0 && !isBusy()) end();
    else undo = after(left > 0 ? left : limit, look);
  }
  /** A store that says nothing now may say that runs wait. */
  function isBusy(): boolean {
    try {
      return isNeeded();
    } catch {
      return true;
    }
  }
  return () => undo();
}
