/** Payloads in a few words: what an ability was given, and what came of it. Hosts may say it themselves. */
import { type Fields, type Json, textField } from "../../../engine/event.ts";

export const longestSummary = 500;
/** Of one value among several, so that each gets its turn. */
const longestValue = 200;
/** What lies deeper says little in one line. */
const deepest = 3;

/** Cut between words where there are any; says that it was cut. */
export function cutText(text: string, longest: number = longestSummary): string {
  if (text.length <= longest) return text;
  const kept = text.slice(0, longest - 1);
  const space = kept.search(/\s\S*$/);
  const end = space > longest / 2 ? space : kept.length;
  return `${withoutHalf(kept.slice(0, end))}…`;
}

/** A character of two halves is kept whole or not at all. */
const withoutHalf = (text: string): string => text.replace(/[\uD800-\uDBFF]$/, "");

/** A text as it is; one value of a map by itself, several with their names. */
export const summaryOf = (value: Json): string => cutText(wordsOf(value, 0));

/** Undefined: nothing is known of it. */
export function inputSummary(data: Fields): string | undefined {
  const told = textField(data, "planned_input_summary") ?? textField(data, "input_summary");
  if (told !== undefined) return cutText(told);
  return meaningful(data.tool_input);
}

export function outputSummary(data: Fields): string | undefined {
  const told = textField(data, "output_summary") ?? textField(data, "error");
  return told === undefined ? meaningful(withoutFigures(data.tool_response)) : cutText(told);
}

/** Of what a tool answers these say what came of it; the rest are figures. */
const telling = ["stdout", "stderr", "text", "content", "result", "error", "message"];

function withoutFigures(response: Json | undefined): Json | undefined {
  if (typeof response !== "object" || response === null || Array.isArray(response)) return response;
  const told = telling.flatMap((key) => (response[key] ? [[key, response[key]] as const] : []));
  return told.length > 0 ? Object.fromEntries(told) : response;
}

const meaningful = (value: Json | undefined): string | undefined => {
  const words = value === undefined ? "" : summaryOf(value);
  return words === "" ? undefined : words;
};

function wordsOf(value: Json, depth: number): string {
  if (typeof value !== "object" || value === null) return value === null ? "" : String(value);
  if (depth > deepest) return "…";
  if (Array.isArray(value)) {
    return value
      .map((one) => wordsOf(one, depth + 1))
      .filter((one) => one !== "")
      .join(", ");
  }
  if (value.type === "text" && typeof value.text === "string") return value.text; // a block of an answer
  const parts = Object.entries(value)
    .map(([key, one]) => ({ key, words: wordsOf(one, depth + 1) }))
    .filter(({ words }) => words !== "" && words !== "false");
  const [only, ...others] = parts;
  if (only && others.length === 0) return only.words;
  return parts.map(({ key, words }) => `${key}: ${cutText(words, longestValue)}`).join("; ");
}
