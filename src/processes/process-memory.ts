/** How much memory a process and its descendants hold. Apart from the walk that ends trees: this is asked often, and is cheap. */
import { readFileSync } from "node:fs";

/** Bytes that are not swapped out; undefined if there is no such process, or no such table on this system. Never throws. */
export function residentMemory(pid: number): number | undefined {
  const own = ownMemory(pid);
  if (own === undefined) return undefined;
  let total = own;
  const pids = childrenOf(pid);
  for (let next = pids.pop(); next !== undefined; next = pids.pop()) {
    total += ownMemory(next) ?? 0;
    pids.push(...childrenOf(next));
  }
  return total;
}

function ownMemory(pid: number): number | undefined {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`))?.[1];
  return line === undefined ? undefined : Number(line) * 1024;
}

/** Those that its first thread has started: others are rare, and the walk over all processes costs a hundred times more. */
const childrenOf = (pid: number): number[] =>
  read(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return ""; // it has ended, or this is not Linux
  }
}
