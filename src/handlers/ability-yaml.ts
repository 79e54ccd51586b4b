/** Front matter and registries as plain values. It imports a library, so it is itself loaded when such a file is there. */
import { parse } from "yaml";
import { isRecord } from "../core/schema.ts";

export interface Described {
  fields: Record<string, unknown>;
  body: string;
}

/** Each use of an anchor may multiply the document. */
const options = { maxAliasCount: 100, logLevel: "error", prettyErrors: true } as const;

/** A file without front matter is all body. Never throws: agents take front matter that is not quite YAML, so this does. */
export function readFrontMatter(text: string): Described {
  const found = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)^---[ \t]*(?:\r?\n|$)/m.exec(text);
  if (found?.index !== 0) return { fields: {}, body: text };
  const written = found[1] ?? "";
  const body = text.slice(found[0].length);
  try {
    return { fields: fieldsOf(written), body };
  } catch {
    return { fields: lineByLine(written), body };
  }
}

/** `description: Use when: somebody asks` */
const lineByLine = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/^([A-Za-z][\w-]*):[ \t]+(.*)$/gm)].map(([, key = "", value = ""]) => [key, value.trim()]),
  );

/** A list by itself is one under a name. Throws where it is no YAML. */
export const readDocument = (text: string): Described => ({ fields: fieldsOf(text), body: "" });

function fieldsOf(text: string): Record<string, unknown> {
  const value: unknown = parse(text, options);
  return Array.isArray(value) ? { abilities: value } : isRecord(value) ? value : {};
}
