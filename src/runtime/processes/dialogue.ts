/**
 * A dialogue with a process that stays, from its start to its end: each question gets a number, the answer says it again, and
 * whatever ends the process fails what is under way. The programs and the modules of hooks differ in what a line says.
 */
import type { Seconds } from "../../engine/event.ts";
import { longestLineInBytes } from "../../engine/persistent-program.ts";
import type { PipedProcess } from "../../engine/program.ts";
import type { Failure } from "../../engine/record.ts";
import { quote } from "../../engine/words.ts";
import { createLineReader } from "../../files/lines.ts";

export type Settled<A> =
  | { is: "answer"; answer: A; line: string }
  | { is: "failure"; failure: Failure; reason: string; stderr?: string };

/** A question whose answer is waited for. */
export interface Asker<A> {
  /** The number of its question, once it was sent. */
  id?: string;
  settle(settled: Settled<A>): void;
}

export interface DialogueOptions<A> {
  child: PipedProcess;
  /** An answer with its number; undefined: the line was something else, and is dealt with; a text: why it is none, which ends the process. */
  read(line: string): { id: string; answer: A } | string | undefined;
  /** An answer that no asker waits for: a fault of the process, or too late since its asker was forgotten. */
  stray: "ends it" | "is dropped";
  /** After so long without a question it is ended. */
  idle: Seconds;
  /** There is room for another question. */
  answered?(): void;
  /** It takes no more questions, and its process is being ended: called once. */
  ended(end: DialogueEnd): void;
}

export interface DialogueEnd {
  /** It was asked to, with nothing wrong; or it went by itself with nothing under way and exit code 0. */
  isClean: boolean;
  reason: string;
  answered: number;
  /** Resolves when nothing of its process is left. */
  gone: Promise<void>;
}

export interface Dialogue<A, Q extends Asker<A>> {
  readonly pid: number;
  /** Milliseconds of `performance.now()`. */
  readonly startedAt: number;
  asked(): number;
  underWay(): number;
  isOver(): boolean;
  /** @param write the question's line, with its line break */
  send(asker: Q, write: (id: string) => string): void;
  /** Says what is no question. */
  say(line: string): void;
  /** Who waits for this answer. */
  asker(id: string): Q | undefined;
  holds(asker: Q): boolean;
  /** Its answer is not waited for any more. */
  forget(asker: Q): void;
  /** Ends it at once; what is under way fails with this reason. @param because whose fault it is, where it is of one */
  end(failure: Failure, reason: string, because?: Q): void;
  /** Ends it as soon as it has answered what is under way. */
  retire(reason: string): void;
}

export function createDialogue<A, Q extends Asker<A>>(options: DialogueOptions<A>): Dialogue<A, Q> {
  const { child, read, stray, idle, answered, ended } = options;
  const startedAt = performance.now();
  const underWay = new Map<string, Q>();
  const resting = whenIdle(
    idle,
    () => underWay.size > 0,
    () => finish("cancelled", `no event used it for ${idle} s`, true),
  );
  let asked = 0;
  let answers = 0;
  let retired: string | undefined;
  let over: string | undefined;

  function hear(line: string): boolean {
    if (over !== undefined) return false;
    const heard = read(line);
    if (typeof heard === "string") finish("output", heard, false);
    else if (heard) settle(heard, line);
    return over === undefined;
  }

  function settle({ id, answer }: { id: string; answer: A }, line: string): void {
    const asker = underWay.get(id);
    if (asker) {
      underWay.delete(id);
      answers += 1;
      asker.settle({ is: "answer", answer, line });
      settled();
    } else if (stray === "ends it")
      finish("output", `it answered a question that was not asked: ${quote(line)}`, false);
  }

  function settled(): void {
    if (underWay.size === 0) resting.begin();
    if (retired !== undefined && underWay.size === 0) finish("cancelled", retired, true);
    else answered?.();
  }

  function finish(failure: Failure, reason: string, isClean: boolean, because?: Q): void {
    if (over !== undefined) return;
    over = reason;
    resting.stop();
    const askers = [...underWay.values()];
    underWay.clear();
    ended({ isClean: isClean && askers.length === 0, reason, answered: answers, gone: child.end() });
    const stderr = child.complaints();
    for (const asker of askers) {
      const isOwn = because === undefined || because === asker;
      asker.settle({
        is: "failure",
        failure: isOwn ? failure : "error",
        reason: isOwn ? reason : `it was ended: ${reason} to another event`,
        ...(stderr === "" ? {} : { stderr }),
      });
    }
  }

  const readOutput = createLineReader(longestLineInBytes, hear);
  child.onOutput((chunk) => {
    if (over === undefined && !readOutput(chunk))
      finish("output", `it wrote a line of more than ${longestLineInBytes} bytes`, false);
  });
  void child.ended.then((how) => {
    const isQuiet = underWay.size === 0;
    finish("exit", isQuiet ? how : `${how} before it answered`, isQuiet && how === "it ended with exit code 0");
  });

  return {
    pid: child.pid,
    startedAt,
    asked: () => asked,
    underWay: () => underWay.size,
    isOver: () => over !== undefined,
    send(asker, write) {
      if (over !== undefined) {
        asker.settle({ is: "failure", failure: "exit", reason: over });
        return;
      }
      asked += 1;
      const id = String(asked);
      asker.id = id;
      underWay.set(id, asker);
      child.write(write(id));
    },
    say(line) {
      if (over === undefined) child.write(line);
    },
    asker: (id) => underWay.get(id),
    holds: (asker) => underWay.get(asker.id ?? "") === asker,
    forget(asker) {
      if (underWay.delete(asker.id ?? "")) settled();
    },
    end: (failure, reason, because) => finish(failure, reason, false, because),
    retire(reason) {
      retired = reason;
      if (underWay.size === 0) finish("cancelled", reason, true);
    },
  };
}

const longestTimer = 2 ** 31 - 1;

/** Calls back once it was not busy for so long. One timer for many beginnings: it looks at the clock when it fires. */
function whenIdle(idle: Seconds, isBusy: () => boolean, over: () => void): { begin(): void; stop(): void } {
  let since = performance.now();
  let timer = wait(idle * 1000);

  function wait(milliseconds: number): NodeJS.Timeout {
    return setTimeout(look, Math.min(Math.ceil(milliseconds), longestTimer)).unref();
  }

  function look(): void {
    const left = isBusy() ? idle * 1000 : since + idle * 1000 - performance.now();
    if (left > 0) timer = wait(left);
    else over();
  }

  return {
    begin() {
      since = performance.now();
    },
    stop: () => clearTimeout(timer),
  };
}

/** In each window of time; the rest is counted. */
const printedAtMost = { characters: 64 << 10, milliseconds: 10_000, ofLine: 4_000 } as const;

/** What a program prints beside its answers, as lines for the log; of a flood, the beginning. `flush` gives a last line without a line break. */
export function createPrinted(log: (line: string) => void): { hear(said: string): void; flush(): void } {
  let rest = "";
  let since = performance.now();
  let said = 0;
  let dropped = 0;

  function report(): void {
    if (dropped > 0) log(`${dropped} more lines on its stderr were not kept`);
    dropped = said = 0;
    since = performance.now();
  }

  function write(line: string): void {
    if (line.trim() === "") return;
    if (performance.now() - since > printedAtMost.milliseconds) report();
    said += line.length;
    if (said > printedAtMost.characters) dropped += 1;
    else log(line.slice(0, printedAtMost.ofLine));
  }

  return {
    hear(chunk) {
      const lines = (rest + chunk).split("\n");
      rest = (lines.pop() ?? "").slice(0, printedAtMost.ofLine);
      for (const line of lines) write(line);
    },
    flush() {
      write(rest);
      rest = "";
      report();
    },
  };
}
