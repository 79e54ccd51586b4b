/** The processes of one persistent program: one takes its questions, and is replaced when it has to be; those before it answer what they have. */
import { messageOf } from "../../engine/error.ts";
import type { Fields } from "../../engine/event.ts";
import { type Question, questionLine, readAnswerLine, unsaid } from "../../engine/persistent-program.ts";
import type { Command, StartPipedProcess } from "../../engine/program.ts";
import { type Asker, createDialogue, createPrinted, type Dialogue, type DialogueEnd } from "./dialogue.ts";
import { residentMemory } from "./process-table.ts";
import { filesOf, type ProgramFiles } from "./program-files.ts";

/** A question from the moment that it was asked. */
export interface Job extends Asker<Fields> {
  question: Question;
  /** Milliseconds of `performance.now()`. */
  askedAt: number;
  sentAt: number | undefined;
  /** How many were before it. */
  behind: number;
}

export interface ProgramProcess extends Pick<Dialogue<Fields, Job>, "pid" | "underWay" | "holds" | "end"> {
  send(job: Job): void;
}

interface ProcessesOptions extends Pick<Question, "limits" | "called"> {
  start: StartPipedProcess;
  tell(level: "info" | "warn", message: string): void;
  /** Milliseconds between two looks at the memory of a program that works. */
  looksEvery: number;
  /** A process takes a question, or one has to be started. */
  news(): void;
  /** There is none, and none is started for what waits. */
  refuse(reason: string): void;
}

export interface Processes {
  /** The one that takes a question now, if it does. */
  free(): ProgramProcess | undefined;
  current(): ProgramProcess | undefined;
  all(): ReadonlySet<ProgramProcess>;
  /** Starts one where there is none. */
  begin(command: Question["command"]): void;
  /** The next question begins another process; this one answers what it has. */
  replace(reason: string): void;
  facts(): { folder?: string; starts: number; ended?: string };
  /** Nothing of them is left. */
  areOver(): boolean;
  close(reason: string): Promise<void>;
}

/** A longer delay is not waited for: questions fail until it is over. */
const waitedFor = 500;
/** A process that has lived so long has not failed at its start. */
const livesWell = 10_000;

export function createProcesses(options: ProcessesOptions): Processes {
  const { limits, called, start, tell, news, refuse } = options;
  const all = new Set<RunningProcess>();
  /** Of processes that are over, while something of them may still be alive. */
  const endings = new Set<Promise<void>>();
  let current: RunningProcess | undefined;
  /** Of the last start, be it that it failed. */
  let files: ProgramFiles | undefined;
  let starting: Promise<void> | undefined;
  let delayed: NodeJS.Timeout | undefined;
  const failures = createFailures();
  let isClosed = false;
  const facts: ReturnType<Processes["facts"]> = { starts: 0 };

  function replace(reason: string): void {
    const process = current;
    current = undefined;
    process?.retire(reason);
  }

  function begin(command: Question["command"]): void {
    if (current || starting || delayed || isClosed) return;
    const left = failures.left();
    const again = (): void => {
      starting = delayed = undefined;
      news();
    };
    if (left <= 0) starting = startOne(command()).finally(again);
    else if (left <= waitedFor) delayed = setTimeout(again, left);
    else {
      const seconds = Math.ceil(left / 1000);
      refuse(`it failed ${failures.inARow()} times in a row and is started again in ${seconds} s: ${facts.ended}`);
    }
  }

  async function startOne(command: Omit<Command, "input"> | string): Promise<void> {
    try {
      if (typeof command === "string") throw new Error(command);
      facts.folder = command.cwd;
      files = filesOf(command);
      const child = await start(command);
      if (isClosed) return await child.end();
      facts.starts += 1;
      const process = runProcess(child, command, options, over);
      all.add(process);
      current = process;
    } catch (error) {
      facts.ended = messageOf(error);
      failures.failed();
      refuse(facts.ended);
    }
  }

  function over(process: RunningProcess, { isClean, reason, answered, gone }: DialogueEnd): void {
    all.delete(process);
    if (current === process) current = undefined;
    const ending = gone.finally(() => endings.delete(ending));
    endings.add(ending);
    if (isClosed) return;
    facts.ended = reason;
    if (answered > 0 && (isClean || performance.now() - process.startedAt >= livesWell)) failures.worked();
    if (!isClean) {
      failures.failed();
      tell("warn", `the persistent program ${called} was ended or went: ${reason}`);
    }
    queueMicrotask(news); // after those who were under way have been told
  }

  const watch = watchMemory({ ...options, all, isCurrent: (process) => process === current, replace });

  return {
    free() {
      if (current?.isWornOut()) replace("it had lived or answered enough");
      const changed = starting ? undefined : files?.changed();
      if (changed !== undefined) {
        files = undefined;
        failures.worked(); // it may be mended
        replace(`${changed} has changed`); // without a process that stays, the next event would be judged by what is there now
      }
      if (!current || current.underWay() >= limits.concurrency) return undefined;
      watch.begin();
      return current;
    },
    current: () => current,
    all: () => all,
    begin,
    replace,
    facts: () => facts,
    areOver: () => all.size + endings.size === 0 && !starting,
    async close(reason) {
      isClosed = true;
      clearTimeout(delayed);
      watch.stop();
      for (const process of all) process.end("error", reason);
      await starting;
      await Promise.all(endings);
    },
  };
}

interface RunningProcess extends ProgramProcess, Pick<Dialogue<Fields, Job>, "startedAt" | "retire"> {
  isWornOut(): boolean;
}

/** The dialogue with one process, in the lines of persistent programs. */
function runProcess(
  child: Awaited<ReturnType<StartPipedProcess>>,
  { environment }: Pick<Command, "environment">,
  { limits, tell, news }: ProcessesOptions,
  over: (process: RunningProcess, end: DialogueEnd) => void,
): RunningProcess {
  const printed = createPrinted((line) => tell("info", line));
  child.onComplaint(printed.hear);
  const dialogue = createDialogue<Fields, Job>({
    child,
    idle: limits.idle,
    stray: "ends it",
    read(line) {
      const said = readAnswerLine(line);
      return typeof said === "string" ? said : { id: said.id, answer: said.fields };
    },
    answered: news,
    ended(end) {
      printed.flush();
      over(process, end);
    },
  });
  let last: { given: Question["environment"]; text: string | undefined } | undefined;
  /** Questions of one sender share their environment. */
  const environmentOf = ({ environment: given }: Question): string | undefined => {
    if (last?.given !== given) last = { given, text: unsaid(given, environment) };
    return last.text;
  };
  const process: RunningProcess = {
    ...dialogue,
    send(job) {
      job.sentAt = performance.now();
      dialogue.send(job, (id) => questionLine(id, job.question, environmentOf(job.question)));
    },
    /** One that was never asked is as good as new, else none would ever be. */
    isWornOut: () =>
      dialogue.asked() > 0 &&
      (dialogue.asked() >= limits.events || performance.now() - dialogue.startedAt >= limits.age * 1000),
  };
  return process;
}

/** What processes hold in memory is looked at now and then, as long as they work. */
function watchMemory({
  limits,
  called,
  tell,
  looksEvery,
  all,
  isCurrent,
  replace,
}: ProcessesOptions & {
  all: ReadonlySet<RunningProcess>;
  isCurrent(process: RunningProcess): boolean;
  replace(reason: string): void;
}): { begin(): void; stop(): void } {
  const most = limits.memory * 1_000_000;
  let looking: NodeJS.Timeout | undefined;
  const begin = (): void => {
    looking ??= setTimeout(look, looksEvery).unref();
  };

  function look(): void {
    looking = undefined;
    for (const process of all) {
      const held = residentMemory(process.pid) ?? 0;
      if (held <= most || (!isCurrent(process) && held <= 2 * most)) continue;
      const said = `it held ${Math.round(held / 1_000_000)} MB in memory, above its limit of ${limits.memory} MB`;
      tell("warn", `the persistent program ${called} is started anew: ${said}`);
      if (held > 2 * most) process.end("error", said);
      else replace(said);
    }
    if ([...all].some((process) => process.underWay() > 0)) begin();
  }

  return { begin, stop: () => clearTimeout(looking) };
}

/** Milliseconds before the next start, by the number of failures in a row. The first may have been an accident. */
const delays: readonly number[] = [0, 0, 100, 500, 2_000, 10_000, 30_000];

/** Failures in a row, and how long the next start has to wait for them: 0 or less, it may begin now. */
function createFailures() {
  let count = 0;
  let notBefore = 0;
  return {
    failed() {
      count += 1;
      notBefore = performance.now() + (delays[Math.min(count, delays.length - 1)] ?? 0);
    },
    worked() {
      count = notBefore = 0;
    },
    inARow: () => count,
    left: () => notBefore - performance.now(),
  };
}
