/** The file that an event is about, as rules name it: a field of the event, or what agents call the same thing. */
import { isAbsolute, resolve } from "node:path";
import type { Fields, Json } from "../../engine/event.ts";
import type { Scope } from "../../engine/ports.ts";
import { isRecord, type Mismatch } from "../../engine/schema.ts";
import { compileTemplate } from "../../engine/template.ts";
import { classOf } from "../../engine/tools.ts";

/** Parameters of a tool that hold the same thing under other names, in the order in which they are looked for. */
const sameMeaning: { readonly [field: string]: readonly string[] } = {
  "tool.params.path": ["file_path", "notebook_path", "path", "filePath", "filename"],
  "tool.params.content": ["content", "file_text", "contents", "text"],
};

export const usualPathField = "tool.params.path";
export const usualContentField = "tool.params.content";

/** A field is named, not filled: a template in its place would be the path or the text already. */
export const inspectFields = (params: Fields, names: readonly string[]): Mismatch[] =>
  names.flatMap((name) => {
    const written = params[name];
    const isTemplate = typeof written === "string" && written.includes("{{");
    return isTemplate ? [{ path: [name], expected: "the name of a field, without braces", found: written }] : [];
  });

/** The value of a dotted field (`tool.params.path`) or of a parameter (`path`); text only. */
function textAt(field: string, scope: Scope): string | undefined {
  const dotted = field.includes(".") ? field : `tool.params.${field}`;
  const value = compileTemplate(`{{${dotted}}}`)(scope);
  if (typeof value === "string" && value !== "" && !value.startsWith("{{")) return value;
  const parameters = scope.event.data.tool_input;
  const names = Object.hasOwn(sameMeaning, dotted) ? (sameMeaning[dotted] ?? []) : [];
  const found = names.map((name) => own(parameters, name)).find((one) => typeof one === "string" && one !== "");
  return typeof found === "string" ? found : undefined;
}

const own = (fields: Json | undefined, name: string): Json | undefined =>
  isRecord(fields) && Object.hasOwn(fields, name) ? fields[name] : undefined;

/** The file that the field names, as an absolute path; relative ones start from the event's folder. */
export function fileAt(field: string, scope: Scope): string | undefined {
  const path = textAt(field, scope);
  if (path === undefined) return undefined;
  return isAbsolute(path) ? path : resolve(scope.event.cwd, path);
}

/** The text that the field holds. */
export const contentAt = (field: string, scope: Scope): string | undefined => textAt(field, scope);

/** Whether the tool wrote a part of the file, so that its whole text is nowhere but on the disk. */
export const wroteAPart = ({ event }: Scope): boolean => {
  const tool = event.data.tool_name;
  return typeof tool === "string" && classOf(tool) === "write";
};
