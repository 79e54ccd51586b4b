/** The real clock, ids, process identity and state folder: what the composition roots hand to the engine as ports. */
import { availableParallelism, loadavg } from "node:os";
import type { Instant } from "../engine/event.ts";
import type { Ports } from "../engine/ports.ts";
import { inTransitUntil } from "../engine/queue.ts";
import { readEntry } from "./processes/process-table.ts";

const digits = "0123456789abcdefghjkmnpqrstvwxyz";
/** What differs between ids of one millisecond: before the random digits, so that a person need not type those. */
const counted = 32 ** 3;
const randomDigits = 13;

/**
 * Ids of 26 characters [0-9a-z] that sort by time, also within one millisecond and when the clock steps back. They are
 * unique, not secret: Node's generator is seeded per process by the system, and its cryptographic one takes 8 ms to load.
 * Those of one process differ in their first 13 characters.
 *
 * @param newest an id of an earlier process, behind which these go on although the clock was set back since
 */
export function createIds(now: () => Instant, newest?: string): () => string {
  const earliest = newest === undefined ? 0 : timeIn(newest) + 1;
  let last = 0;
  let count = counted;
  let start = "";
  let tail = "";
  return () => {
    const time = Math.max(now(), earliest);
    count += 1;
    if (time > last || count >= counted) {
      last = Math.max(time, last + 1);
      count = Math.floor((Math.random() * counted) / 2);
      start = inDigits(last, 10);
      tail = "";
      for (let place = 0; place < randomDigits; place++) tail += digits[Math.floor(Math.random() * 32)];
    }
    return start + inDigits(count, 3) + tail;
  };
}

function inDigits(number: number, places: number): string {
  let rest = number;
  let text = "";
  for (let place = 0; place < places; place++) {
    text = `${digits[rest % 32]}${text}`;
    rest = Math.floor(rest / 32);
  }
  return text;
}

/** -1 for an id that is none of these. */
const timeIn = (id: string): Instant =>
  /^[0-9a-hjkmnp-tv-z]{26}$/.test(id)
    ? Array.from(id.slice(0, 10)).reduce((time, digit) => time * 32 + digits.indexOf(digit), 0)
    : -1;

/**
 * How long to wait for an answer of another process on this machine: longer by as many times as more programs want to run than it
 * has cores. A daemon is late on a busy machine, and a person who waits is told less that is false.
 */
export const patience = (milliseconds: number, load: number = loadavg()[0] ?? 0): number =>
  Math.ceil(milliseconds * Math.max(1, load / availableParallelism()));

/** Timers hold 31 bits of milliseconds; beyond that they fire at once. */
const longestTimer = 2 ** 31 - 1;

/** Keeps the process alive until it has called back or was undone. A wait that no timer can hold is waited for in pieces. */
export function after(milliseconds: number, callback: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const wait = (left: number): void => {
    timer =
      left > longestTimer ? setTimeout(() => wait(left - longestTimer), longestTimer) : setTimeout(callback, left);
  };
  wait(milliseconds);
  return () => clearTimeout(timer);
}

/** After what the event loop has to do now, so that long work holds nothing else up. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Whole milliseconds on a monotonic clock, from a moment that is the same for all processes of the machine. */
export const uptime = (): number => Number(process.hrtime.bigint() / 1_000_000n);

/** Names a process so that a later one can tell whether it still lives: pid, and its start time where the system tells. */
export const ownerOf = (pid: number): string => `${pid}:${readEntry(pid)?.startedAt ?? ""}`;

/** Whether the process that this name was given to still lives. One that has ended and was not reaped does not. */
export function isAlive(owner: string): boolean {
  const until = inTransitUntil(owner);
  if (until !== undefined) return Date.now() < until;
  const [pid = "", started = ""] = owner.split(":");
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EPERM")) return false;
  }
  const now = readEntry(Number(pid));
  if (started === "" || now === undefined) return started === "";
  return String(now.startedAt) === started && !now.isZombie;
}

/**
 * @param clock stands in for the system's; durations go by it as well
 * @param newest the newest id in the store that the new ones come into
 */
export function systemPorts({
  clock,
  newest,
}: {
  clock?: Pick<Ports, "now" | "after" | "elapsed"> | undefined;
  newest?: string | undefined;
} = {}): Pick<Ports, "now" | "elapsed" | "id" | "after" | "owner" | "isAlive"> {
  const time = clock ?? { now: Date.now, elapsed: uptime, after }; // `performance` takes 2 ms to load
  return { ...time, id: createIds(Date.now, newest), owner: ownerOf(process.pid), isAlive };
}

export { stateFolderOf } from "../files/paths.ts";
