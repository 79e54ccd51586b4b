/** Durable runs: written down when they are added, performed by any worker, and begun again by another where one dies (R56). */
import type { Instant, Seconds } from "../../engine/event.ts";
import type { Journal, Uptime } from "../../engine/journal.ts";
import type { Caller, Ports, Queue } from "../../engine/ports.ts";
import { ended, giveBack, idle, isIdle, nudge, resolveIfIdle, trying, type Worker } from "./durable-worker.ts";

export interface DurableQueueOptions {
  journal: Journal;
  now(): Instant;
  /** What leases hold by. */
  uptime(): Uptime;
  after: Ports["after"];
  /** This process, as `isAlive` knows it. */
  owner: string;
  /** Whether a process still lives that a run in progress names. */
  isAlive(owner: string): boolean;
  /** Ends what carries this mark; false: something of it is still alive. Never rejects. */
  endTagged(mark: string): Promise<boolean>;
  /** Runs at once, over all processes; asked each time. */
  cap(): number;
  /** A worker that has not been heard of for so long has lost its runs; default: 30. */
  lease?: Seconds;
  /** How often it looks for what others have added, cancelled or left behind; default: 0.2. */
  poll?: Seconds;
  /** The same while it performs nothing; default: `poll`. A caller that hears of such changes calls `look`. */
  idlePoll?: Seconds;
  /** Performs only what was added here, and close() waits for that, whichever process performs it (R48). */
  own?: true;
  /** Of its own: whether it only waits for them, as another process of this store has them performed elsewhere; asked each time. */
  onlyWaits?(): boolean;
  /** What runs inherit, whichever process added them (R44). */
  environment?: Caller["environment"];
  /** Aborts: what runs is given back at once, and close() waits for nothing more. */
  stop?: AbortSignal;
  /** Called with why the journal could not be worked on; it is tried again. */
  complain?(reason: string): void;
}

export interface DurableQueue extends Queue {
  readonly own: boolean;
  /** Others may have added or cancelled something: looks soon. */
  look(): void;
  /** Nothing is left to do: of what was added here, or, for a worker of all, of what waits. */
  isIdle(): boolean;
  /** Resolves once nothing is left to do, or the queue is stopped. */
  idle(): Promise<void>;
  /** Of its own: waits for them. Else for what runs, at most so long (default: 10); then it is given back (A50). */
  close(within?: Seconds): Promise<void>;
}

/** What a run that was asked to stop may take to end its programs. */
const endsWithin: Seconds = 3;

export function createDurableQueue(options: DurableQueueOptions): DurableQueue {
  const { journal, now, stop, lease = 30, poll = 0.2, idlePoll = poll } = options;
  const own = options.own ? new Set<string>() : undefined;
  const worker: Worker = {
    ...{ ...options, own, lease, poll, idlePoll },
    name: `${options.owner}:${crypto.randomUUID().slice(0, 8)}`, // one process may have several
    ...{ attempts: new Set(), performing: new Set(), recovering: new Map(), stubborn: new Set(), waiting: new Set() },
    ...{ queueOwner: undefined, state: "open", next: undefined, isNudged: false, renewed: 0, closing: undefined },
  };
  const { recovering } = worker;
  return {
    own: own !== undefined,
    start(given) {
      worker.queueOwner = given;
      if (stop?.aborted) worker.state = "stopped";
      else stop?.addEventListener("abort", () => end(worker), { once: true });
      if (!own) nudge(worker);
    },
    add(item) {
      const added = journal.add(item, now());
      if (added.is === "skipped") return added;
      own?.add(item.run.id);
      for (const one of added.ended) ended(worker, one);
      if (worker.queueOwner) nudge(worker);
      return { is: "queued" };
    },
    cancel(run) {
      const done = journal.cancel(run, now());
      if (done) ended(worker, done);
      nudge(worker);
    },
    look: () => nudge(worker),
    isIdle: () => isIdle(worker),
    idle: () => idle(worker),
    async close(within = 10) {
      if (own && !worker.closing) await idle(worker);
      else worker.closing ??= endAll(worker, within);
      await worker.closing;
      await Promise.all(recovering.values()); // a few seconds at most
      trying(worker, journal.tidy);
    },
  };
}

/** Whether all that runs has ended by then. */
function endedWithin(worker: Worker, limit: Seconds): Promise<boolean> {
  const { after, performing } = worker;
  return new Promise((resolve) => {
    const undo = after(limit * 1000, () => resolve(false));
    void Promise.all(performing).then(() => {
      undo();
      resolve(true);
    });
  });
}

/** What still runs is asked to stop, and goes back to where any worker takes it up. */
async function letGo(worker: Worker, limit: Seconds): Promise<void> {
  const { attempts } = worker;
  const left = [...attempts].filter((attempt) => !attempt.hasEnded() && !attempt.isLost());
  worker.state = "stopped";
  worker.next?.();
  for (const attempt of left) attempt.lose();
  await endedWithin(worker, limit);
  for (const { item } of left) giveBack(worker, item.run.id);
  resolveIfIdle(worker);
}

function end(worker: Worker): void {
  worker.closing = letGo(worker, endsWithin);
}

async function endAll(worker: Worker, within: Seconds): Promise<void> {
  worker.state = "closing";
  const reserve = Math.min(endsWithin, within / 2);
  const areOver = await endedWithin(worker, within - reserve);
  if (areOver) worker.state = "stopped";
  else await letGo(worker, reserve);
}
