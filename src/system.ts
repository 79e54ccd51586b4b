/** The real clock, ids and process identity: what the composition roots hand to the engine as ports. */
import { readFileSync } from "node:fs";
import type { Instant } from "./core/event.ts";
import { handedOverUntil } from "./core/owner.ts";
import type { Ports } from "./core/ports.ts";

const digits = "0123456789abcdefghjkmnpqrstvwxyz";
const randomDigits = 16;

/**
 * Ids of 26 characters [0-9a-z] that sort by time, also within one millisecond and when the clock steps back. They are
 * unique, not secret: Node's generator is seeded per process by the system, and its cryptographic one takes 8 ms to load.
 */
export function createIds(now: () => Instant): () => string {
  let last = 0;
  let prefix = "";
  let tail: number[] = [];
  return () => {
    const time = now();
    if (time > last) {
      last = time;
      prefix = encodeTime(time);
      tail = Array.from({ length: randomDigits }, () => Math.floor(Math.random() * 32));
    } else increment(tail);
    let text = prefix;
    for (const digit of tail) text += digits[digit];
    return text;
  };
}

function encodeTime(time: Instant): string {
  let rest = time;
  let text = "";
  for (let position = 0; position < 10; position++) {
    text = `${digits[rest % 32]}${text}`;
    rest = Math.floor(rest / 32);
  }
  return text;
}

function increment(tail: number[]): void {
  for (let index = tail.length - 1; index >= 0; index--) {
    const digit = tail[index] ?? 0;
    tail[index] = (digit + 1) % 32;
    if (digit < 31) return;
  }
}

/** Keeps the process alive until it has called back or was undone. */
export function after(milliseconds: number, callback: () => void): () => void {
  const timer = setTimeout(callback, milliseconds);
  return () => clearTimeout(timer);
}

/** Names this process so that a later one can tell whether it still lives: pid, and its start time where /proc tells. */
export const ownerOf = (pid: number): string => `${pid}:${startTime(pid) ?? ""}`;

/** Whether the process that this name was given to still lives. */
export function isAlive(owner: string): boolean {
  const until = handedOverUntil(owner);
  if (until !== undefined) return Date.now() < until;
  const [pid = "", started = ""] = owner.split(":");
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EPERM")) return false;
  }
  return started === "" || startTime(Number(pid)) === started;
}

/** Clock ticks since boot at which the process started; undefined where there is no /proc. */
function startTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined; // no /proc, or the process has gone: the caller falls back on the pid alone
  }
}

export function systemPorts(): Pick<Ports, "now" | "id" | "after" | "owner"> {
  return { now: Date.now, id: createIds(Date.now), after, owner: ownerOf(process.pid) };
}
