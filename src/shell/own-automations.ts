/**
 * `hookline automation create` and its like: the steps that they are given run shell lines later, so these lines are read as if the line
 * itself ran them. Every rule about commands then judges them.
 */
import { isUnknown } from "./expand.ts";
import { type Call, noteRuns, readLine } from "./shell.ts";

const making = /^(?:create|edit|apply)$/;
/** What steps of automations call a line. */
const lineFields: ReadonlySet<string> = new Set(["command", "script", "cmd", "line"]);
const deepest = 20;

function linesIn(value: unknown, depth = 0): string[] {
  if (typeof value !== "object" || value === null || depth > deepest) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    typeof one === "string" ? (lineFields.has(name) ? one : []) : linesIn(one, depth + 1),
  );
}

function parsed(word: string): unknown {
  try {
    return JSON.parse(word);
  } catch {
    return undefined;
  }
}

export function readAutomation(words: readonly string[], call: Call): void {
  const at = words.indexOf("automation");
  if (at < 0 || !words.slice(at + 1).some((word) => making.test(word))) return;
  const texts = typeof call.input === "object" ? [...words, call.input.text] : words;
  for (const word of texts) {
    const value = word.replace(/^--[\w-]+=/, "");
    if (!/^\s*[[{]/.test(value)) continue;
    if (isUnknown(value)) noteRuns(call.reading, "cannot tell what the automation runs");
    else for (const line of linesIn(parsed(value))) readLine(line, { ...call, input: "inherited", from: [] });
  }
}
