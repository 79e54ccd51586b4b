/** The JSON in what a model said: alone, in a fence, among words, or behind its thoughts. */

import { findObjects } from "../../actions/command/protocols/find-answer.ts";
import type { Fields } from "../../engine/event.ts";
import { isRecord } from "../../engine/schema.ts";

export interface AnswerText {
  /** JSON of the schema's kind; all that was said, where it holds more than one object and only the asker can tell which counts. */
  text: string;
  /** All that was said, where that is more than the text. */
  said?: string;
}

/** undefined: there is no such JSON in it. Never throws. */
export function answerText(said: string, schema: Fields): AnswerText | undefined {
  const text = said
    .replace(/^\uFEFF/, "")
    .replace(/^\s*<think>[\s\S]*?<\/think>/, "")
    .trim();
  if (fits(text, schema)) return { text };
  if (schema.type === "object") return amongWords(text);
  const fenced = [...text.matchAll(/```[\w-]*[ \t]*\n([\s\S]*?)\n[ \t]*```/g)].map(([, inside = ""]) => inside.trim());
  const [only, ...others] = fenced.filter((one) => fits(one, schema));
  return only === undefined ? undefined : others.length > 0 ? { text, said: text } : { text: only, said: text };
}

/** What a model quotes looks as its answer does, so none of several objects goes before the others. */
function amongWords(said: string): AnswerText | undefined {
  const { objects, broken } = findObjects(said);
  const [only, ...others] = objects;
  if (only === undefined) return undefined;
  const text = others.length > 0 || broken !== undefined ? said : said.slice(only.start, only.end);
  return { text, said };
}

function fits(text: string, { type }: Fields): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return type === "object" ? isRecord(value) : type === "array" ? Array.isArray(value) : true;
  } catch {
    return false; // no JSON
  }
}
