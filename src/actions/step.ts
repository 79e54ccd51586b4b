/** What handlers share: how a result is said, a limit of their own, and how texts of programs and files are cut and cleaned. */
import type { Fields, Seconds } from "../engine/event.ts";
import { bothEnds, cutMarkAtMost } from "../engine/one-line.ts";
import type { Handler, StepContext, StepResult } from "../engine/ports.ts";
import type { Failure } from "../engine/record.ts";

/** Parameters have the type of their schema. A handler checks them itself, so tables of handlers may forget it. */
export const handler = <P>(given: Handler<P>): Handler => given as unknown as Handler;

export const failed = (failure: Failure, reason: string, output: Fields = {}): Extract<StepResult, { ok: false }> => ({
  ok: false,
  output,
  failure,
  reason,
});

/** The field of a result, which is absent where there is nothing to note. */
export const noted = (notes: string[]): { notes?: string[] } => (notes.length > 0 ? { notes } : {});

export interface Limited {
  /** Aborts with the step, or when the limit is over. */
  signal: AbortSignal;
  isOver(): boolean;
  /** To be called when the work is done. */
  end(): void;
}

/** A limit shorter than the step's own. */
export function withinLimit({ ports, signal }: Pick<StepContext, "ports" | "signal">, limit: Seconds): Limited {
  const own = new AbortController();
  const end = ports.after(limit * 1000, () => own.abort());
  return { signal: AbortSignal.any([signal, own.signal]), isOver: () => own.signal.aborted, end };
}

const sizeInCharacters = 16 * 1024;

/** As evidence keeps it. */
export const shorten = (said: string): string =>
  said.length <= sizeInCharacters ? said : bothEnds(said, sizeInCharacters);

interface Fitted {
  text: string;
  /** Says that something is missing, where it is. */
  notes: string[];
}

/**
 * At most so many characters, with the mark that says where it was cut and by how much.
 *
 * @param name what the note calls it
 * @param goesOn it was not read to its end, so its end is not known
 */
export function fitted(
  text: string,
  most: number,
  { name, goesOn = false }: { name: string; goesOn?: boolean },
): Fitted {
  if (!goesOn && text.length <= most) return { text, notes: [] };
  const notes = [`${name} was cut at ${most} characters`];
  if (!goesOn) return { text: bothEnds(text, most - cutMarkAtMost), notes };
  const head = text.slice(0, most - cutMarkAtMost).replace(/[\uD800-\uDBFF]$/, "");
  return { text: `${head}\n[cut: what follows these ${head.length} characters was not read]`, notes };
}

/** One that is not ended is no reason to lose the lines behind it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const sequences = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b\n]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Without terminal sequences; of a line that was written over and over, as progress is, the last state. */
export const plainText = (printed: string): string =>
  printed.replace(sequences, "").replaceAll("\r\n", "\n").split("\n").map(lastState).join("\n").replace(controls, "");

function lastState(line: string): string {
  if (!line.includes("\r")) return line;
  return line.split("\r").findLast((state) => state !== "") ?? "";
}

/** A name that has to stay on its line. */
export const onOneLine = (name: string): string => (/[\p{Cc}\u2028\u2029]/u.test(name) ? JSON.stringify(name) : name);
