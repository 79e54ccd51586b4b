/** Reads Linux's process table. Apart because it is all that we know of processes that are not our own children. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export interface ProcessEntry {
  pid: number;
  parent: number;
  group: number;
  session: number;
  /** Clock ticks since boot: with the pid it names one process for ever. */
  startedAt: number;
  /** It has ended, and only its parent has not noticed yet. */
  isZombie: boolean;
  /** A signal or a debugger holds it. */
  isStopped: boolean;
}

/** Undefined if there is no such process, or no such table on this system. Never throws. */
export function readEntry(pid: number): ProcessEntry | undefined {
  const fields = statFields(pid);
  if (!fields) return undefined;
  const [state = "", parent, group, session] = fields;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startedAt: Number(fields[19]),
    isZombie: ended.has(state),
    isStopped: stopped.has(state),
  };
}

const ended: ReadonlySet<string> = new Set(["Z", "X"]);
const stopped: ReadonlySet<string> = new Set(["T", "t"]);

/** What stands behind the name, which is in brackets and may itself hold blanks and brackets. */
function statFields(pid: number): string[] | undefined {
  const line = read(`/proc/${pid}/stat`);
  return line?.slice(line.lastIndexOf(")") + 2).split(" ");
}

/** The living processes that are not older than this; none where there is no table. */
export function livingSince(startedAt: number): ProcessEntry[] {
  return processIds()
    .map(readEntry)
    .filter((entry) => entry !== undefined)
    .filter((entry) => !entry.isZombie && entry.startedAt >= startedAt);
}

/** Whether the process was started with this text in its environment. False for processes of other users. */
export const environmentHolds = (pid: number, text: string): boolean =>
  read(`/proc/${pid}/environ`)?.includes(text) ?? false;

/** Names of the pipes that the process has as stdin, stdout and stderr; none for processes of other users. */
export const standardPipes = (pid: number): string[] =>
  ["0", "1", "2"]
    .map((descriptor) => readLink(`/proc/${pid}/fd/${descriptor}`))
    .filter((name) => /^(socket|pipe):/.test(name));

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
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`) ?? "")?.[1];
  return line === undefined ? undefined : Number(line) * 1024;
}

/** Those that its first thread has started: others are rare, and the walk over all processes costs a hundred times more. */
const childrenOf = (pid: number): number[] =>
  (read(`/proc/${pid}/task/${pid}/children`) ?? "").split(" ").filter(Boolean).map(Number);

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ""; // closed, ended meanwhile, or someone else's
  }
}

function processIds(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return []; // not Linux
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined; // it has ended meanwhile, or belongs to someone else
  }
}
