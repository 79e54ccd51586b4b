/** What a model reads when a file script fails, word for word as specification 004 has it (E40-E43). */
import { readableName } from "../files/names.ts";
import { onOneLine, plainText } from "./plain-text.ts";

export interface ScriptFailure {
  family: "hookline" | "discobot";
  name: string;
  pattern: string;
  /** Those that were handed over, and those that nobody could open. */
  there: readonly string[];
  gone: readonly string[];
  exitCode: number;
  printed: string;
  /** Where all of the output lies, as a person writes it; absent: it could not be kept. */
  log?: string;
  attempt: number;
  attempts: number;
}

/** Files of other products' scripts are told of under that product's name (R42). */
const titles = { hookline: "Hookline", discobot: "Discobot" } as const;

const namesAtMost = 20;
const small = { lines: 200, bytes: 5_120 } as const;

export function failureMessage(failure: ScriptFailure): string {
  const { family, name, pattern, exitCode, attempt, attempts } = failure;
  const parts = [
    `[${titles[family]} Hook Failed] "${onOneLine(name)}" (pattern: ${onOneLine(pattern)})`,
    `Files: ${filesOf(failure)}\nExit code: ${exitCode}`,
    ...outputOf(failure),
  ];
  const count = `(Attempt ${attempt}/${attempts})`;
  const ask = isSmall(textOf(failure))
    ? "Please fix the issues and ensure the hook passes."
    : failure.log === undefined
      ? "Please address the issues and ensure the hook passes."
      : "Please read the file to see the full output and address the issues.";
  return [...parts, ...(attempt > attempts ? [] : [`${ask} ${count}`])].join("\n\n");
}

function filesOf({ there, gone }: ScriptFailure): string {
  const shown = (name: string): string => onOneLine(readableName(name));
  const names = [...there.map(shown), ...gone.map((name) => `${shown(name)} (deleted)`)];
  const more = names.length - namesAtMost;
  return names.slice(0, namesAtMost).join(", ") + (more > 0 ? `, and ${more} more` : "");
}

const textOf = ({ printed }: ScriptFailure): string => plainText(printed).trim();
const linesOf = (text: string): number => text.split("\n").length;
const isSmall = (text: string): boolean => linesOf(text) <= small.lines && Buffer.byteLength(text) <= small.bytes;

function outputOf(failure: ScriptFailure): string[] {
  const text = textOf(failure);
  if (isSmall(text)) return [`Output:\n${text === "" ? "(none)" : text}`];
  const large = `Output is large (${linesOf(text)} lines).`;
  if (failure.log !== undefined) return [`${large} Full output saved to:\n  ${failure.log}`];
  const half = small.bytes / 4; // in characters, of which one may take two bytes without this growing out of hand
  return [
    `${large} It could not be saved; its beginning and its end:\n${text.slice(0, half)}\n[…]\n${text.slice(-half)}`,
  ];
}
