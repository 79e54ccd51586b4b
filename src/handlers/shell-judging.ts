/** What the judge of a shell line's placeholders remembers while the line is read. */
import type { Quote, ShellWord } from "./shell-reading.ts";

export interface Judging {
  quotes: Map<number, Quote>;
  refused: Map<number, string>;
  begins: number[][];
  /** What is known of variables that get values: by name, the text that they get and its placeholders. */
  assigned: { names: readonly string[]; raw: string; marks: readonly number[] }[];
  /** Names that get what the line reads, wherever that comes from. */
  filled: string[];
  /** Texts that are run, and texts that are evaluated as arithmetic. */
  codes: string[];
  /** Here-documents: run if something in the line runs its input. */
  documents: string[];
  sums: string[];
  /** Commands that read their standard input as code. */
  inputs: number[];
  functions: { name: string; readsInput: boolean }[];
}

export function refuse({ refused }: Judging, marks: readonly number[], why: string): void {
  for (const at of marks) if (!refused.has(at)) refused.set(at, why);
}

export function assign({ assigned }: Judging, names: readonly string[], from: readonly ShellWord[]): void {
  for (const { raw, marks } of from) assigned.push({ names, raw, marks });
}

export function refuseAll(judging: Judging, words: readonly ShellWord[], why: string): void {
  for (const { marks } of words) refuse(judging, marks, why);
}

/** The name by which tables know it, as far as the line tells. */
export function nameOf({ text, raw }: ShellWord): string {
  const written = text ?? raw.replaceAll(/["']/g, "");
  const name = written.slice(written.lastIndexOf("/") + 1);
  return /[$`()]/.test(name) ? "" : name;
}
