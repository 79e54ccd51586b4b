/** The JSON in what a model said: alone, in a fence, or behind its thoughts. */
import type { Fields } from "../core/event.ts";
import { isRecord } from "../core/schema.ts";

/** The text that parses and has the schema's kind, or undefined. Never throws. */
export function jsonText(said: string, schema: Fields): string | undefined {
  const text = said
    .replace(/^\uFEFF/, "")
    .replace(/^\s*<think>[\s\S]*?<\/think>/, "")
    .trim();
  const fenced = /```[\w-]*[ \t]*\n([\s\S]*?)\n[ \t]*```/.exec(text)?.[1]?.trim();
  const embraced = text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1);
  return [text, fenced, embraced].find((one) => one !== undefined && fits(one, schema));
}

function fits(text: string, { type }: Fields): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return type === "object" ? isRecord(value) : type === "array" ? Array.isArray(value) : true;
  } catch {
    return false; // no JSON
  }
}
