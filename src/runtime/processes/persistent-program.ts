/** A persistent program: questions in their order, and a process for them, started anew when it has to be. */
import { messageOf } from "../../engine/error.ts";
import type { PersistentProgramFacts, Question, Reply } from "../../engine/persistent-program.ts";
import type { Command, StartPipedProcess } from "../../engine/program.ts";
import type { Failure } from "../../engine/record.ts";
import {
  type Complaints,
  createComplaints,
  createFailures,
  followProcess,
  type Job,
  notesOf,
  type PersistentProcess,
  type ProcessEnd,
} from "./persistent-process.ts";
import { residentMemory } from "./process-table.ts";
import { filesOf, type ProgramFiles } from "./program-files.ts";

export interface ProgramOptions {
  start: StartPipedProcess;
  /** Called with what a person should know of it. */
  tell(level: "info" | "warn", message: string, hook: string): void;
  /** Milliseconds between two looks at the memory of a program that works. */
  looksEvery: number;
}

export interface PersistentProgram {
  /** Folders whose hooks ask it. */
  readonly folders: Set<string>;
  readonly content: string;
  lastAsked(): number;
  ask(question: Question): Promise<Reply>;
  /** Answers what it was asked, and ends. */
  drain(): void;
  facts(): PersistentProgramFacts;
  /** Nothing of it is left, and no event waits for it. */
  isOver(): boolean;
  close(): Promise<void>;
}

/** A longer delay is not waited for: questions fail until it is over. */
const waitedFor = 500;
/** Who has lived so long has not failed at its start. */
const livesWell = 10_000;
/** Waiting for their turn; more fail at once, as our memory is no mailbox. */
const waitingAtMost = 20_000;

export function createPersistentProgram(first: Question, options: ProgramOptions): PersistentProgram {
  const { start, tell, looksEvery } = options;
  const { limits, content, called } = first;
  const waiting = new Set<Job>();
  const processes = new Set<PersistentProcess>();
  /** Of processes that are over, while something of them may still be alive. */
  const endings = new Set<Promise<void>>();
  let current: PersistentProcess | undefined;
  /** Of the last start, be it that it failed. */
  let files: ProgramFiles | undefined;
  let complaints: Complaints | undefined;
  let starting: Promise<void> | undefined;
  let delayed: NodeJS.Timeout | undefined;
  let looking: NodeJS.Timeout | undefined;
  let resting: NodeJS.Timeout | undefined;
  const failures = createFailures();
  let starts = 0;
  let events = 0;
  let lastAsked = 0;
  let lastHook = first.hook;
  let lastEnd: string | undefined;
  let isDraining = false;
  let isClosed = false;
  let folder = first.folder;

  function ask(question: Question): Promise<Reply> {
    lastAsked = performance.now();
    lastHook = question.hook;
    if (isClosed) return refused("launch", "it was closed");
    if (question.signal.aborted) return refused("cancelled", "the caller gave up");
    if (waiting.size >= waitingAtMost) return refused("error", `${waiting.size} events wait for it already`);
    return new Promise((resolve) => {
      const { signal } = question;
      const abort = (): void => giveUp(job);
      const job: Job = {
        question,
        askedAt: lastAsked,
        behind: waiting.size + (current?.underWay() ?? 0),
        settle(reply) {
          signal.removeEventListener("abort", abort);
          resolve(reply);
        },
        id: undefined,
        sentAt: undefined,
      };
      const free = waiting.size === 0 ? freeProcess(lastAsked) : undefined;
      if (free) give(free, job, lastAsked); // first of all, as it works while we go on
      signal.addEventListener("abort", abort);
      if (free) return;
      waiting.add(job);
      pump();
    });
  }

  /** Gives the process as many questions as it may have. */
  function pump(): void {
    while (waiting.size > 0) {
      const now = performance.now();
      const free = freeProcess(now);
      const [job] = waiting;
      if (!free || !job) {
        if (!current) begin();
        return;
      }
      waiting.delete(job);
      give(free, job, now);
    }
    if (isDraining) current?.retire(unwanted);
  }

  /** The one that takes a question now, if it does. */
  function freeProcess(now: number): PersistentProcess | undefined {
    if (current && isWornOut(current, now)) replace(current, "it had lived or answered enough");
    const changed = starting ? undefined : files?.changed();
    if (changed !== undefined) filesChanged(changed);
    return current && current.underWay() < limits.concurrency ? current : undefined;
  }

  function give(process: PersistentProcess, job: Job, now: number): void {
    events += 1;
    process.send(job, now);
    looking ??= setTimeout(look, looksEvery).unref();
  }

  /** One that was never asked is as good as new, else none would ever be. */
  const isWornOut = ({ startedAt, asked }: PersistentProcess, now: number): boolean =>
    asked() > 0 && (asked() >= limits.events || now - startedAt >= limits.age * 1000);

  /** Without a process that stays, the next event would be judged by what is there now. */
  function filesChanged(path: string): void {
    files = undefined;
    failures.worked(); // it may be mended
    if (current) replace(current, `${path} has changed`);
  }

  /** The next question begins another process; this one answers what it has. */
  function replace(process: PersistentProcess, reason: string): void {
    if (current === process) current = undefined;
    process.retire(reason);
  }

  function begin(): void {
    if (starting || delayed || isClosed) return;
    const left = failures.left();
    if (left <= 0) {
      starting = startOne().finally(() => {
        starting = undefined;
        pump();
      });
    } else if (left <= waitedFor) {
      delayed = setTimeout(() => {
        delayed = undefined;
        pump();
      }, left);
    } else {
      const seconds = Math.ceil(left / 1000);
      failWaiting(
        "launch",
        `it failed ${failures.inARow()} times in a row and is started again in ${seconds} s: ${lastEnd}`,
      );
    }
  }

  async function startOne(): Promise<void> {
    const [job] = waiting;
    const command = (job?.question ?? first).command();
    if (typeof command === "string") return notStarted(command);
    folder = command.cwd;
    files = filesOf(command);
    try {
      const child = await start(command);
      if (isClosed) return await child.end();
      starts += 1;
      complaints = createComplaints((message) => tell("info", message, lastHook));
      child.onComplaint(complaints.hear);
      current = processOf(child, command);
      restLater(limits.idle * 1000);
    } catch (error) {
      notStarted(messageOf(error));
    }
  }

  function processOf(
    child: Awaited<ReturnType<StartPipedProcess>>,
    command: Omit<Command, "input">,
  ): PersistentProcess {
    const process = followProcess({
      child,
      environment: command.environment,
      answered: pump,
      ended(end) {
        processes.delete(process);
        if (current === process) current = undefined;
        const ending = child.end().finally(() => endings.delete(ending));
        endings.add(ending);
        over(end);
      },
    });
    processes.add(process);
    return process;
  }

  function notStarted(reason: string): void {
    lastEnd = reason;
    failures.failed();
    failWaiting("launch", reason);
  }

  function over({ isClean, reason, answered, startedAt }: ProcessEnd): void {
    complaints?.flush();
    if (isClosed) return;
    lastEnd = reason;
    const works = answered > 0 && (isClean || performance.now() - startedAt >= livesWell);
    if (works) failures.worked();
    if (!isClean) {
      failures.failed();
      tell("warn", `the persistent program ${called} was ended or went: ${reason}`, lastHook);
    }
    queueMicrotask(pump); // after those who were under way have been told
  }

  function failWaiting(failure: Failure, reason: string): void {
    const jobs = [...waiting];
    waiting.clear();
    for (const job of jobs) job.settle({ is: "failure", failure, reason, notes: notesOf(job) });
  }

  /** Its time is over, or its caller went. */
  function giveUp(job: Job): void {
    const { question, askedAt } = job;
    if (waiting.delete(job)) {
      const reason = `its turn did not come within ${question.timeout} s: ${job.behind} were before it`;
      job.settle({ is: "failure", failure: "timeout", reason, notes: [reason] });
      return;
    }
    const process = [...processes].find((one) => one.holds(job));
    const left = askedAt + question.timeout * 1000 - performance.now();
    if (left <= nearEnough) {
      process?.fail("timeout", `it did not answer within ${question.timeout} s`, job);
      return;
    }
    job.settle({ is: "failure", failure: "cancelled", reason: "the caller gave up", notes: [] });
    setTimeout(() => {
      if (process?.holds(job)) process.fail("timeout", `it did not answer within ${question.timeout} s`, job);
    }, left).unref();
  }

  /** While it works: what it holds in memory. */
  function look(): void {
    looking = undefined;
    const most = limits.memory * 1_000_000;
    for (const process of processes) {
      const held = residentMemory(process.pid) ?? 0;
      if (held <= most || (process !== current && held <= 2 * most)) continue;
      const said = `it held ${Math.round(held / 1_000_000)} MB in memory, above its limit of ${limits.memory} MB`;
      tell("warn", `the persistent program ${called} is started anew: ${said}`, lastHook);
      if (held > 2 * most) process.fail("error", said);
      else replace(process, said);
    }
    if ([...processes].some((process) => process.underWay() > 0)) looking ??= setTimeout(look, looksEvery).unref();
  }

  function restLater(milliseconds: number): void {
    clearTimeout(resting);
    resting = setTimeout(rest, Math.min(milliseconds, longestTimer)).unref();
  }

  /** Ends it when nothing was asked for long; an event may take longer than that. */
  function rest(): void {
    if (!current) return;
    const left = lastAsked + limits.idle * 1000 - performance.now();
    const works = waiting.size > 0 || current.underWay() > 0;
    if (left > 0 || works) restLater(works ? limits.idle * 1000 : left);
    else replace(current, `no event used it for ${limits.idle} s`);
  }

  return {
    folders: new Set([first.folder]),
    content,
    lastAsked: () => lastAsked,
    ask,
    drain() {
      isDraining = true;
      if (waiting.size === 0) current?.retire(unwanted);
    },
    facts() {
      const memory = current && residentMemory(current.pid);
      return {
        ...{ command: called, folder, events, restarts: Math.max(0, starts - 1), waiting: waiting.size },
        underWay: [...processes].reduce((sum, process) => sum + process.underWay(), 0),
        ...(current ? { pid: current.pid } : {}),
        ...(memory === undefined ? {} : { memoryInBytes: memory }),
        ...(lastEnd === undefined ? {} : { ended: lastEnd }),
      };
    },
    isOver: () => waiting.size + processes.size + endings.size === 0 && !starting,
    async close() {
      isClosed = true;
      for (const timer of [delayed, looking, resting]) clearTimeout(timer);
      failWaiting("error", stopped);
      for (const process of processes) process.fail("error", stopped);
      await starting;
      await Promise.all(endings);
    },
  };
}

const unwanted = "no hook asks it any more";
/** No caller has given up: what it was asked about is decided as its hook decides without an answer. */
const stopped = "Hookline was stopped before it answered";
/** Timers fire a little early, and limits are told in whole milliseconds. */
const nearEnough = 20;
const longestTimer = 2 ** 31 - 1;

export const refused = async (failure: Failure, reason: string): Promise<Reply> => ({
  is: "failure",
  failure,
  reason,
  notes: [],
});
