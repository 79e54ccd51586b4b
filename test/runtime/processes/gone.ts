// Whether a process has ended: one that nobody has reaped yet (an orphan's parent may be slow) has ended as well.
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

export function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return /^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return true;
  }
}

/** Ends it, if it has not ended by then. */
export function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // it has ended
  }
}

/** Whether it ends within this many milliseconds. */
export async function goes(pid: number, within = 600_000): Promise<boolean> {
  for (const end = performance.now() + within; performance.now() < end; await pause(25)) if (isGone(pid)) return true;
  return isGone(pid);
}

/** Whether the process was started by this one, or by one that this one has started. Reads /proc. */
export function isOf(ancestor: number | undefined, pid: number): boolean {
  for (let one = pid; one > 1; ) {
    if (one === ancestor) return true;
    const [, parent = "0"] = /^PPid:\s+(\d+)/m.exec(statusOf(one)) ?? [];
    one = Number(parent);
  }
  return false;
}

function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return "";
  }
}
