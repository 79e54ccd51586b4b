/** After a busy time a process that stays gives memory back to the system: V8 keeps what it held then, until it is asked. */
import type { Daemon } from "../daemon/daemon.ts";

/** A collection takes some 40 ms: only what has left much behind is worth it, and only when nobody waits. */
const worthItAfter = 1_000;
const quietForAtLeast = 3_000;

/** Starting is such a time, too. One timer, and none at rest. Returns its undo. */
export function giveBackAtRest({ listen, quietFor }: Pick<Daemon, "listen" | "quietFor">): () => void {
  let events = 0;
  let timer: NodeJS.Timeout | undefined;
  let collect: (() => void) | undefined;

  function look(): void {
    timer = undefined;
    const left = quietForAtLeast - quietFor();
    if (left > 0) {
      wait(left);
      return;
    }
    events = 0;
    collect ??= collector();
    collect();
  }
  function wait(milliseconds: number): void {
    timer = setTimeout(look, milliseconds);
    timer.unref();
  }

  const deafen = listen(({ is }) => {
    if (is !== "event") return;
    events += 1;
    if (events >= worthItAfter && !timer) wait(quietForAtLeast);
  });
  wait(quietForAtLeast);
  return () => {
    deafen();
    clearTimeout(timer);
  };
}

/** What V8 has for who is short of memory: it looks through all, and gives whole pages back. */
function collector(): () => void {
  const { setFlagsFromString } = process.getBuiltinModule("node:v8");
  const { runInNewContext } = process.getBuiltinModule("node:vm");
  setFlagsFromString("--expose-gc");
  const gc: unknown = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  return () => typeof gc === "function" && gc({ type: "major", flavor: "last-resort" });
}
