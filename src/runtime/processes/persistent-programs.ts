/** The persistent programs of this process: which question goes to which of them, and when each gets its turn. */

import type { HookSet } from "../../engine/hook.ts";
import {
  contentOf,
  type PersistentProgramFacts,
  type PersistentPrograms,
  type Question,
  type Reply,
} from "../../engine/persistent-program.ts";
import type { StartPipedProcess } from "../../engine/program.ts";
import type { Failure } from "../../engine/record.ts";
import { counted } from "../../engine/words.ts";
import { residentMemory } from "./process-table.ts";
import { createProcesses, type Job, type Processes, type ProgramProcess } from "./program-processes.ts";

export interface PersistentProgramsOptions extends Partial<Pick<ProgramOptions, "tell" | "looksEvery">> {
  start: StartPipedProcess;
  /** They stay between events; otherwise each is ended once it has answered the event that it was started for. */
  stay: boolean;
  /** Programs at once; the one that was not asked for the longest goes first. */
  atMost?: number;
}

const usualAtMost = 32;
/** Folders whose hook sets are remembered; the check that this saves is cheap. */
const foldersAtMost = 1_000;

export function createPersistentPrograms({
  start,
  stay,
  tell,
  looksEvery,
  atMost = usualAtMost,
}: PersistentProgramsOptions): PersistentPrograms {
  const options: ProgramOptions = { start, tell: tell ?? (() => {}), looksEvery: looksEvery ?? 1_000 };
  const programs = new Map<string, PersistentProgram>();
  /** They answer what they were asked, and go. */
  const leaving = new Set<PersistentProgram>();
  const sets = new Map<string, string>();
  let isClosed = false;

  function letGo(key: string, program: PersistentProgram): void {
    programs.delete(key);
    leaving.add(program);
    program.drain();
    for (const one of leaving) if (one.isOver()) leaving.delete(one);
  }

  function makeRoom(): void {
    const [first, ...others] = programs;
    if (!first || programs.size <= atMost) return;
    const [key, program] = others.reduce(
      (oldest, one) => (one[1].lastAsked() < oldest[1].lastAsked() ? one : oldest),
      first,
    );
    letGo(key, program);
  }

  return {
    ask(question) {
      const { key, folder } = question;
      const known = programs.get(key);
      if (!known && isClosed) return refused("launch", "it was closed");
      const program = known ?? createPersistentProgram(question, options);
      if (!known) programs.set(key, program);
      program.folders.add(folder);
      const reply = program.ask(question);
      if (!stay) letGo(key, program);
      else if (programs.size > atMost) makeRoom();
      return reply;
    },
    follow(folder, set) {
      if (sets.get(folder) === set.id) return;
      if (sets.size >= foldersAtMost) sets.clear();
      sets.set(folder, set.id);
      if (programs.size === 0) return;
      const wanted = wantedBy(set);
      for (const [key, program] of programs) {
        if (wanted.has(program.content)) continue;
        program.folders.delete(folder);
        if (program.folders.size === 0) letGo(key, program);
      }
    },
    folders: () => [...new Set([...programs.values()].flatMap(({ folders }) => [...folders]))],
    facts: () => [...programs.values()].map((program) => program.facts()),
    async close() {
      isClosed = true;
      await Promise.all([...programs.values(), ...leaving].map((program) => program.close()));
    },
  };
}

const wantedBy = ({ hooks }: HookSet): Set<string> =>
  new Set(
    hooks
      .filter(({ enabled }) => enabled)
      .flatMap(({ steps }) => steps)
      .filter(({ uses, with: parameters }) => uses === "command" && parameters.resident !== undefined)
      .map(({ with: parameters }) => contentOf(parameters)),
  );

// One program: questions in their order, each within its time, for the process that takes them.

interface ProgramOptions {
  start: StartPipedProcess;
  /** Called with what a person should know of it. */
  tell(level: "info" | "warn", message: string, hook: string): void;
  /** Milliseconds between two looks at the memory of a program that works. */
  looksEvery: number;
}

interface PersistentProgram {
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

/** Waiting for their turn; more fail at once, as our memory is no mailbox. */
const waitingAtMost = 20_000;
const unwanted = "no hook asks it any more";
/** No caller has given up: what it was asked about is decided as its hook decides without an answer. */
const stopped = "Hookline was stopped before it answered";

function createPersistentProgram(first: Question, options: ProgramOptions): PersistentProgram {
  const { content, called, limits } = first;
  const waiting = new Set<Job>();
  let events = 0;
  let lastAsked = 0;
  let lastHook = first.hook;
  let isDraining = false;
  let isClosed = false;
  const processes = createProcesses({
    ...{ ...options, limits, called, news: pump },
    tell: (level, message) => options.tell(level, message, lastHook),
    refuse: (reason) => failWaiting("launch", reason),
  });

  function ask(question: Question): Promise<Reply> {
    lastAsked = performance.now();
    lastHook = question.hook;
    if (isClosed) return refused("launch", "it was closed");
    if (question.signal.aborted) return refused("cancelled", "the caller gave up");
    if (waiting.size >= waitingAtMost) return refused("error", `${waiting.size} events wait for it already`);
    return new Promise((resolve) => {
      const behind = waiting.size + (processes.current()?.underWay() ?? 0);
      const job = jobOf({ question, askedAt: lastAsked, behind }, () => giveUp(job), resolve);
      const free = waiting.size === 0 ? processes.free() : undefined;
      if (free) give(free, job);
      else {
        waiting.add(job);
        pump();
      }
    });
  }

  /** Gives the process as many questions as it may have. */
  function pump(): void {
    for (const job of waiting) {
      const free = processes.free();
      if (!free) {
        processes.begin(job.question.command);
        return;
      }
      waiting.delete(job);
      give(free, job);
    }
    if (isDraining) processes.replace(unwanted);
  }

  function give(process: ProgramProcess, job: Job): void {
    events += 1;
    process.send(job);
  }

  function failWaiting(failure: Failure, reason: string): void {
    const jobs = [...waiting];
    waiting.clear();
    for (const job of jobs) job.settle({ is: "failure", failure, reason });
  }

  /** Its time is over, or its caller went. */
  function giveUp(job: Job): void {
    const { timeout } = job.question;
    if (waiting.delete(job)) {
      const reason = `its turn did not come within ${timeout} s: ${job.behind} were before it`;
      job.settle({ is: "failure", failure: "timeout", reason });
      return;
    }
    const process = [...processes.all()].find((one) => one.holds(job));
    const late = (): void => {
      if (process?.holds(job)) process.end("timeout", `it did not answer within ${timeout} s`, job);
    };
    const left = job.askedAt + timeout * 1000 - performance.now();
    if (left <= nearEnough) late();
    else {
      job.settle({ is: "failure", failure: "cancelled", reason: "the caller gave up" });
      setTimeout(late, left).unref();
    }
  }

  return {
    folders: new Set([first.folder]),
    content,
    lastAsked: () => lastAsked,
    ask,
    drain() {
      isDraining = true;
      pump();
    },
    facts: () => ({
      ...{ command: called, folder: first.folder, events, waiting: waiting.size },
      ...factsOf(processes),
    }),
    isOver: () => waiting.size === 0 && processes.areOver(),
    close() {
      isClosed = true;
      failWaiting("error", stopped);
      return processes.close(stopped);
    },
  };
}

function factsOf(processes: Processes): Omit<PersistentProgramFacts, "command" | "folder" | "events" | "waiting"> {
  const { folder, starts, ended } = processes.facts();
  const { pid } = processes.current() ?? {};
  const memory = pid === undefined ? undefined : residentMemory(pid);
  return {
    ...(folder === undefined ? {} : { folder }),
    restarts: Math.max(0, starts - 1),
    underWay: [...processes.all()].reduce((sum, process) => sum + process.underWay(), 0),
    ...(pid === undefined ? {} : { pid }),
    ...(memory === undefined ? {} : { memoryInBytes: memory }),
    ...(ended === undefined ? {} : { ended }),
  };
}

/** Timers fire a little early, and limits are told in whole milliseconds. */
const nearEnough = 20;
/** Sooner is no wait. */
const worthNoting = 50;

function jobOf(
  given: Pick<Job, "question" | "askedAt" | "behind">,
  giveUp: () => void,
  resolve: (reply: Reply) => void,
): Job {
  const { question, askedAt, behind } = given;
  const job: Job = {
    ...given,
    sentAt: undefined,
    settle(settled) {
      question.signal.removeEventListener("abort", giveUp);
      const waited = (job.sentAt ?? performance.now()) - askedAt;
      const hasWaited = behind > 0 && waited >= worthNoting;
      const before = counted(behind, "other event");
      const notes = hasWaited ? [`it waited ${Math.round(waited)} ms for its turn, behind ${before}`] : [];
      if (settled.is === "failure") resolve({ ...settled, notes });
      else resolve({ is: "answer", fields: settled.answer, line: settled.line, notes });
    },
  };
  question.signal.addEventListener("abort", giveUp);
  return job;
}

const refused = async (failure: Failure, reason: string): Promise<Reply> => ({
  is: "failure",
  failure,
  reason,
  notes: [],
});
