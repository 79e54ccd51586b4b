/** One process of a resident program, from its start to its end: questions under way, and answers by their ids. */
import type { Companion } from "../core/program.ts";
import type { Failure } from "../core/record.ts";
import {
  longestLineInBytes,
  type Question,
  questionLine,
  quote,
  type Reply,
  readAnswerLine,
  unsaid,
} from "../core/resident.ts";
import { createLineReader } from "../files/lines.ts";

/** A question from the moment that it was asked. */
export interface Job {
  question: Question;
  /** Milliseconds, as `performance.now()` tells them. */
  askedAt: number;
  /** How many were before it. */
  behind: number;
  settle(reply: Reply): void;
  /** Its line went out under this id, and then; undefined: it waits. */
  id: string | undefined;
  sentAt: number | undefined;
}

export interface ResidentProcess {
  readonly pid: number;
  readonly startedAt: number;
  asked(): number;
  underWay(): number;
  /** @param now as `performance.now()` tells it */
  send(job: Job, now: number): void;
  holds(job: Job): boolean;
  /** Ends it at once; what is under way fails with this reason. @param because whose fault it is, where it is of one */
  fail(failure: Failure, reason: string, because?: Job): void;
  /** Ends it as soon as it has answered what is under way. */
  retire(reason: string): void;
}

export interface ProcessEnd {
  /** It was told to, with nothing wrong; or it went by itself with nothing under way and exit code 0. */
  isClean: boolean;
  reason: string;
  answered: number;
  startedAt: number;
}

export interface ProcessOptions {
  companion: Companion;
  environment: Readonly<Record<string, string>>;
  /** A question has its answer, so there is room for another. */
  answered(): void;
  /** It takes no more questions and is to be ended: called once, as soon as that is known. */
  ended(end: ProcessEnd): void;
}

export function followProcess({ companion, environment, answered, ended }: ProcessOptions): ResidentProcess {
  const startedAt = performance.now();
  /** In their order, which is mostly that of the answers; a map would be made anew for each of them when it gets empty. */
  const underWay: Job[] = [];
  const readOutput = createLineReader(longestLineInBytes, hear);
  let asked = 0;
  let told = 0;
  let retired: string | undefined;
  let isOver = false;
  let lastEnvironment: { said: Question["environment"]; text: string | undefined } | undefined;

  function environmentOf({ environment: said }: Question): string | undefined {
    if (lastEnvironment?.said !== said) lastEnvironment = { said, text: unsaid(said, environment) };
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
      const reason = typeof answer === "string" ? answer : `it answered what nobody asked: ${quote(line)}`;
      finish("output", reason, false);
      return false;
    }
    told += 1;
    job.settle({ is: "answer", fields: answer.fields, line, notes: notesOf(job) });
    if (retired !== undefined && underWay.length === 0) finish("cancelled", retired, true);
    else answered();
    return !isOver;
  }

  function finish(failure: Failure, reason: string, isClean: boolean, because?: Job): void {
    if (isOver) return;
    isOver = true;
    const jobs = underWay.splice(0);
    ended({ isClean: isClean && jobs.length === 0, reason, answered: told, startedAt });
    for (const job of jobs) {
      const own = because === undefined || because === job;
      const why = own
        ? { failure, reason }
        : { failure: "error" as const, reason: `it was ended: ${reason} to another event` };
      job.settle({ is: "failure", ...why, notes: notesOf(job), ...complaintsOf(companion) });
    }
  }

  companion.onOutput((chunk) => {
    if (!isOver && !readOutput(chunk))
      finish("output", `it wrote a line of more than ${longestLineInBytes} bytes`, false);
  });
  void companion.ended.then((how) => {
    const isQuiet = underWay.length === 0;
    finish("exit", isQuiet ? how : `${how} before it answered`, isQuiet && how === "it ended with exit code 0");
  });

  return {
    pid: companion.pid,
    startedAt,
    asked: () => asked,
    underWay: () => underWay.length,
    send(job, now) {
      asked += 1;
      const id = String(asked);
      job.id = id;
      job.sentAt = now;
      underWay.push(job);
      companion.write(questionLine(id, job.question, environmentOf(job.question)));
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

function complaintsOf(companion: Companion): { stderr?: string } {
  const stderr = companion.complaints();
  return stderr === "" ? {} : { stderr };
}
