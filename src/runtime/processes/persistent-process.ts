/** One process of a persistent program, from its start to its end: questions under way, and answers by their ids. */

import {
  longestLineInBytes,
  type Question,
  questionLine,
  quote,
  type Reply,
  readAnswerLine,
  unsaid,
} from "../../engine/persistent-program.ts";
import type { PipedProcess } from "../../engine/program.ts";
import type { Failure } from "../../engine/record.ts";
import { createLineReader } from "../../files/lines.ts";

/** A question from the moment that it was asked. */
export interface Job {
  question: Question;
  /** Milliseconds of `performance.now()`. */
  askedAt: number;
  /** How many were before it. */
  behind: number;
  settle(reply: Reply): void;
  /** Its line went out under this id, and then; undefined: it waits. */
  id: string | undefined;
  sentAt: number | undefined;
}

export interface PersistentProcess {
  readonly pid: number;
  readonly startedAt: number;
  asked(): number;
  underWay(): number;
  /** @param now of `performance.now()` */
  send(job: Job, now: number): void;
  holds(job: Job): boolean;
  /** Ends it at once; what is under way fails with this reason. @param because whose fault it is, where it is of one */
  fail(failure: Failure, reason: string, because?: Job): void;
  /** Ends it as soon as it has answered what is under way. */
  retire(reason: string): void;
}

export interface ProcessEnd {
  /** It was asked to, with nothing wrong; or it went by itself with nothing under way and exit code 0. */
  isClean: boolean;
  reason: string;
  answered: number;
  startedAt: number;
}

interface ProcessOptions {
  child: PipedProcess;
  environment: Readonly<Record<string, string>>;
  /** A question has its answer, so there is room for another. */
  answered(): void;
  /** It takes no more questions and is to be ended: called once, as soon as that is known. */
  ended(end: ProcessEnd): void;
}

export function followProcess({ child, environment, answered, ended }: ProcessOptions): PersistentProcess {
  const startedAt = performance.now();
  /** In their order, which is mostly that of the answers; a map would be made anew for each of them when it gets empty. */
  const underWay: Job[] = [];
  const readOutput = createLineReader(longestLineInBytes, hear);
  let asked = 0;
  let answers = 0;
  let retired: string | undefined;
  let isOver = false;
  let lastEnvironment: { given: Question["environment"]; text: string | undefined } | undefined;

  function environmentOf({ environment: given }: Question): string | undefined {
    if (lastEnvironment?.given !== given) lastEnvironment = { given, text: unsaid(given, environment) };
    return lastEnvironment.text;
  }

  function take(id: string): Job | undefined {
    const [first] = underWay;
    if (first?.id === id) return underWay.shift();
    const at = underWay.findIndex((job) => job.id === id);
    return at < 0 ? undefined : underWay.splice(at, 1)[0];
  }

  function hear(line: string): boolean {
    if (isOver) return false;
    const answer = readAnswerLine(line);
    const job = typeof answer === "string" ? undefined : take(answer.id);
    if (typeof answer === "string" || !job) {
      const reason = typeof answer === "string" ? answer : `it answered a question that was not asked: ${quote(line)}`;
      finish("output", reason, false);
      return false;
    }
    answers += 1;
    job.settle({ is: "answer", fields: answer.fields, line, notes: notesOf(job) });
    if (retired !== undefined && underWay.length === 0) finish("cancelled", retired, true);
    else answered();
    return !isOver;
  }

  function finish(failure: Failure, reason: string, isClean: boolean, because?: Job): void {
    if (isOver) return;
    isOver = true;
    const jobs = underWay.splice(0);
    ended({ isClean: isClean && jobs.length === 0, reason, answered: answers, startedAt });
    for (const job of jobs) {
      const own = because === undefined || because === job;
      const why = own
        ? { failure, reason }
        : { failure: "error" as const, reason: `it was ended: ${reason} to another event` };
      job.settle({ is: "failure", ...why, notes: notesOf(job), ...complaintsOf(child) });
    }
  }

  child.onOutput((chunk) => {
    if (!isOver && !readOutput(chunk))
      finish("output", `it wrote a line of more than ${longestLineInBytes} bytes`, false);
  });
  void child.ended.then((how) => {
    const isQuiet = underWay.length === 0;
    finish("exit", isQuiet ? how : `${how} before it answered`, isQuiet && how === "it ended with exit code 0");
  });

  return {
    pid: child.pid,
    startedAt,
    asked: () => asked,
    underWay: () => underWay.length,
    send(job, now) {
      asked += 1;
      const id = String(asked);
      job.id = id;
      job.sentAt = now;
      underWay.push(job);
      child.write(questionLine(id, job.question, environmentOf(job.question)));
    },
    holds: (job) => underWay.includes(job),
    fail: (failure, reason, because) => finish(failure, reason, false, because),
    retire(reason) {
      retired = reason;
      if (underWay.length === 0) finish("cancelled", reason, true);
    },
  };
}

/** Sooner is no wait. */
const worthNoting = 50;

export function notesOf({ askedAt, sentAt = performance.now(), behind }: Job): string[] {
  const waited = sentAt - askedAt;
  if (behind === 0 || waited < worthNoting) return [];
  return [`it waited ${Math.round(waited)} ms for its turn, behind ${behind} other event${behind === 1 ? "" : "s"}`];
}

function complaintsOf(child: PipedProcess): { stderr?: string } {
  const stderr = child.complaints();
  return stderr === "" ? {} : { stderr };
}

/** What a program says on stderr, as lines for the log; of a flood, the beginning. */
export interface Complaints {
  hear(said: string): void;
  /** It has ended: a last line may have no line break. */
  flush(): void;
}

/** In each window; the rest is counted. */
const charactersAtMost = 64 << 10;
const windowInMilliseconds = 10_000;
const longestLine = 4_000;

export function createComplaints(log: (line: string) => void): Complaints {
  let rest = "";
  let since = performance.now();
  let said = 0;
  let dropped = 0;

  function write(line: string): void {
    if (line.trim() === "") return;
    const now = performance.now();
    if (now - since > windowInMilliseconds) {
      reportDropped();
      since = now;
      said = 0;
    }
    said += line.length;
    if (said > charactersAtMost) dropped += 1;
    else log(line);
  }

  function reportDropped(): void {
    if (dropped > 0) log(`${dropped} more lines on its stderr were not kept`);
    dropped = 0;
  }

  return {
    hear(chunk) {
      const lines = (rest + chunk).split("\n");
      rest = (lines.pop() ?? "").slice(0, longestLine);
      for (const line of lines) write(line.slice(0, longestLine));
    },
    flush() {
      write(rest);
      rest = "";
      reportDropped();
    },
  };
}

/** Failures of a program, and how long its next start has to wait for them. */
interface Failures {
  failed(): void;
  /** It has worked, so that its next failure is a first one again. */
  worked(): void;
  inARow(): number;
  /** Milliseconds until it may be started; 0 or less: now. */
  left(): number;
}

/** Milliseconds before the next start, by the number of failures in a row. The first may have been an accident. */
const delays: readonly number[] = [0, 0, 100, 500, 2_000, 10_000, 30_000];

export function createFailures(): Failures {
  let count = 0;
  let notBefore = 0;
  return {
    failed() {
      count += 1;
      notBefore = performance.now() + (delays[Math.min(count, delays.length - 1)] ?? 0);
    },
    worked() {
      count = 0;
      notBefore = 0;
    },
    inARow: () => count,
    left: () => notBefore - performance.now(),
  };
}
