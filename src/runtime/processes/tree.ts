/** Everything that a program started: how it is found, and how it is ended. Apart because this is the dangerous part. */
import type { Seconds } from "../../engine/event.ts";
import type { Command } from "../../engine/program.ts";
import { environmentHolds, livingSince, type ProcessEntry, readEntry, standardPipes } from "./process-table.ts";

export interface Tree {
  /** Those alive now that can be seen: group, session, descendants, and processes that carry the tag or hold its pipes. */
  find(): ProcessEntry[];
  /** Cheap while nothing was found: asks only whether the group is empty. */
  isGone(): boolean;
  /** Sends TERM to each that has not had it yet, and wakes it to obey. */
  terminate(): void;
  /** Stops all of them first, so that none can start another while the tree is walked. */
  kill(): void;
}

/** What is known of a root, without looking at it in the process table. */
interface Birth {
  /** Nothing of the tree is older, in the table's unit. */
  notBefore: number;
  /** As standardPipes names them. */
  pipes: readonly string[];
  /** Whether it has ended: then another process may have its number. */
  hasEnded(): boolean;
}

/**
 * The tree of a process that was started as leader of its own session. Where there is no process table it is the
 * group alone. What it cannot see: a process that left the session, lost its parent, emptied its environment and closed its streams.
 *
 * @param root absent: it is not known any more; the tree is the processes that carry the tag, and what those have started
 * @param birth absent: it is read from the process table now
 */
export function createTree(root: number | undefined, tag: string, birth?: Birth): Tree {
  const startedAt = birth?.notBefore ?? (root === undefined ? 0 : readEntry(root)?.startedAt);
  const pipes = new Set(birth?.pipes ?? (root === undefined ? [] : standardPipes(root)));
  let rootSince = birth ? undefined : startedAt;
  const known = new Map<number, number>();
  const signalled = new Set<number>();

  function find(): ProcessEntry[] {
    if (startedAt === undefined) return [];
    if (rootSince === undefined && root !== undefined && !birth?.hasEnded()) rootSince = readEntry(root)?.startedAt;
    const living = livingSince(startedAt).filter((entry) => entry.pid !== process.pid);
    const isReused = living.some((entry) => entry.pid === root && entry.startedAt !== rootSince);
    const belongs = (entry: ProcessEntry): boolean =>
      (!isReused && (entry.group === root || entry.session === root)) ||
      known.get(entry.pid) === entry.startedAt ||
      environmentHolds(entry.pid, tag) ||
      (pipes.size > 0 && standardPipes(entry.pid).some((name) => pipes.has(name)));
    const members = withDescendants(living.filter(belongs), living);
    for (const member of members) known.set(member.pid, member.startedAt);
    return members;
  }

  function isGone(): boolean {
    for (const [pid, since] of known) {
      const entry = readEntry(pid);
      if (entry?.startedAt === since && !entry.isZombie) return false;
      known.delete(pid);
    }
    if (root !== undefined && !exists(-root)) return true;
    return startedAt !== undefined && find().length === 0; // what is left of the group has ended and waits for its parent
  }

  function terminate(): void {
    const fresh = find().filter(({ pid }) => !signalled.has(pid));
    const isFirst = signalled.size === 0;
    if (isFirst && root !== undefined) sendBoth(-root);
    if (root !== undefined) signalled.add(root);
    for (const { pid, group } of fresh) {
      if (!isFirst || group !== root) sendBoth(pid);
      signalled.add(pid);
    }
  }

  function kill(): void {
    const stopped = new Set<number>();
    for (let round = 0; round < 20; round++) {
      const fresh = find().filter((member) => !stopped.has(member.pid));
      if (fresh.length === 0) break;
      for (const { pid } of fresh) {
        send(pid, "SIGSTOP");
        stopped.add(pid);
      }
    }
    if (root !== undefined) send(-root, "SIGKILL");
    for (const pid of stopped) send(pid, "SIGKILL");
  }

  return { find, isGone, terminate, kill };
}

function withDescendants(members: ProcessEntry[], living: readonly ProcessEntry[]): ProcessEntry[] {
  const pids = new Set(members.map((member) => member.pid));
  const all = [...members];
  for (let grown = true; grown; ) {
    const children = living.filter((entry) => !pids.has(entry.pid) && pids.has(entry.parent));
    for (const child of children) pids.add(child.pid);
    all.push(...children);
    grown = children.length > 0;
  }
  return all;
}

/**
 * Ends the tree: TERM, and KILL after the grace; no grace means KILL at once. Answers how many would not go.
 * Settles at most half a second after the grace. Never rejects.
 */
export async function endTree(tree: Tree, grace: Seconds): Promise<number> {
  for (let left = grace; left > 0; left -= 0.25) {
    tree.terminate(); // again: a child may have been started in the moment that its parent got it
    if (await vanishes(tree, Math.min(left, 0.25))) return 0;
  }
  for (let round = 0; round < 5; round++) {
    tree.kill();
    if ((await vanishes(tree, 0.1)) && tree.find().length === 0) return 0;
  }
  return Math.max(1, tree.find().length);
}

/** Ends what a process started with this tag that is gone itself; false: something of it is alive, or it is us. Never rejects. */
export async function endTagged(tag: string, grace: Seconds = 2): Promise<boolean> {
  if (carriesTag(tag)) return false;
  const tree = createTree(undefined, tag);
  return tree.find().length === 0 || (await endTree(tree, grace)) === 0;
}

/** Whether the tree is gone within this time. */
export async function vanishes(tree: Tree, within: Seconds): Promise<boolean> {
  const end = performance.now() + within * 1000;
  while (!tree.isGone()) {
    if (performance.now() >= end) return false;
    await pause(0.01);
  }
  return true;
}

export const pause = (time: Seconds): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, time * 1000);
  });

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // it is gone, or we may not signal it
  }
}

/** Who is stopped cannot obey. */
function sendBoth(pid: number): void {
  send(pid, "SIGTERM");
  send(pid, "SIGCONT");
}

function send(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // it went by itself, or it belongs to someone else: the count of survivors says so
  }
}

/** The process tag: everything that a program starts carries it in its environment, wherever it goes (R14). */
const tagVariable = "HOOKLINE_RUN_COOKIE";

/** Unique is enough: a program that copies it is ended, too. */
export const createProcessTag = (): string =>
  `${process.pid}-${process.hrtime.bigint().toString(36)}-${Math.random().toString(36).slice(2)}`;

let ofProcess: string | undefined;

/** From now on everything that this process starts carries this tag, so that it is found when this process was killed. */
export function tagAll(tag: string): void {
  ofProcess = tag;
}

/**
 * A run inside a run carries both tags, so that ending the outer one finds the inner one's strays.
 *
 * @param leftovers keep: what it leaves behind may go on without this process
 */
export const withProcessTag = (
  { environment, mark }: Pick<Command, "environment" | "mark">,
  tag: string,
  leftovers: "end" | "keep" = "end",
): Record<string, string> => ({
  ...environment,
  [tagVariable]: [environment[tagVariable], leftovers === "keep" ? undefined : ofProcess, mark, tag]
    .filter(Boolean)
    .join(":"),
});

/** Whether this process is itself of the tree with this tag. */
const carriesTag = (tag: string): boolean => process.env[tagVariable]?.includes(tag) ?? false;
