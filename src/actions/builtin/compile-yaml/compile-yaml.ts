/** Compiles the YAML document that an event names against a JSON Schema, and writes what it means as JSON (specification 003). */

import { basename, extname, join } from "node:path";
import { messageOf } from "../../../engine/error.ts";
import type { Fields, Json } from "../../../engine/event.ts";
import type { Handler, StepContext, StepResult } from "../../../engine/ports.ts";
import { anything, either, flag, mapOf, object, say, text } from "../../../engine/schema.ts";
import { leadsOut, pathInside } from "../../../files/paths.ts";
import { readRegularFile } from "../../../files/regular-file.ts";
import { writeWhole } from "../../../files/write.ts";
import {
  contentAt,
  fileAt,
  inspectFields,
  placeFor,
  placeToWrite,
  realPath,
  usualContentField,
  usualPathField,
} from "../../repository.ts";
import { failed, handler } from "../../step.ts";
import type { Mistake } from "./document.ts";

interface CompileYamlParams {
  path?: string;
  path_field?: string;
  schema?: string | Fields;
  output?: string;
  inject?: boolean;
}

const extensions = [".yaml", ".yml"];
const largestInBytes = 2 << 20;

export const compileYaml: Handler = handler({
  action: {
    summary:
      "Compiles a YAML document against a JSON Schema and writes it as JSON; mistakes go to the model with their places.",
    role: () => "observe",
  },
  params: object(
    {},
    {
      path: say(text(), "the document; without it path_field says which"),
      path_field: say(
        text(),
        "where the event names the document: a dotted field, or a parameter of the tool",
        usualPathField,
      ),
      schema: say(
        either(text(), mapOf(anything)),
        "a JSON Schema: the path of its file, from the project's folder, or the schema itself; without it only the YAML is checked",
      ),
      output: say(
        text(),
        "where in the project the JSON is written (default: .hookline/state/, then the document's path and .json)",
      ),
      inject: say(flag, "sends mistakes to the model", true),
    },
  ),
  inspect: (params) => inspectFields(params, ["path_field"]),
  async run(params, context) {
    let file: string | undefined;
    try {
      file = documentOf(params, context);
    } catch (error) {
      return failed("error", messageOf(error));
    }
    if (file === undefined) return skipped(`the event names no file (${params.path_field ?? usualPathField})`);
    if (!extensions.includes(extname(file).toLowerCase())) return skipped(`${basename(file)} is no YAML file`);
    if (params.path === undefined && leadsOut(projectOf(context), file))
      return skipped(`${file} lies outside of the project`);
    const source = await sourceOf(params, file, context);
    if ("skipped" in source) return skipped(`${file} was not read: ${source.skipped}`);
    if ("reason" in source) return failed("error", source.reason, { file });
    const { compileDocument } = await import("./document.ts");
    try {
      const compiled = compileDocument(source.text, await schemaOf(params, context));
      if ("mistakes" in compiled) return refused(compiled.mistakes, file, params, context);
      const output = write(targetOf(params, file, context), `${JSON.stringify(compiled.value, null, 2)}\n`, context);
      return { ok: true, output: { file, valid: true, output } };
    } catch (error) {
      return failed("error", messageOf(error), { file });
    }
  },
});

const skipped = (reason: string): StepResult => ({
  ok: true,
  output: { skipped: reason },
  notes: [`nothing was compiled: ${reason}`],
});

const projectOf = ({ hook, event }: StepContext): string => hook.origin.root ?? event.cwd;

const documentOf = ({ path, path_field: field = usualPathField }: CompileYamlParams, context: StepContext) =>
  path === undefined ? fileAt(field, context.scope) : placeFor(path, context);

/** From the project's folder. */
function targetOf({ output }: CompileYamlParams, file: string, context: StepContext): string {
  const project = projectOf(context);
  if (output !== undefined) return pathInside(project, output) ?? output;
  const below = pathInside(project, file) ?? pathInside(realPath(project), file) ?? basename(file);
  return join(".hookline", "state", `${below}.json`);
}

/** What the tool is given to write, where it is given all of it; else what lies on the disk. */
async function sourceOf(
  { path }: CompileYamlParams,
  file: string,
  { scope }: StepContext,
): Promise<{ text: string } | { reason: string } | { skipped: string }> {
  const given = path === undefined ? contentAt(usualContentField, scope) : undefined;
  if (given !== undefined) return { text: given };
  try {
    const read = await readRegularFile(file, largestInBytes);
    if ("text" in read) return read;
    return read.because === "large" ? { reason: `${file} is ${read.refused}` } : { skipped: read.refused };
  } catch (error) {
    return { reason: `the document cannot be read: ${messageOf(error)}` };
  }
}

async function schemaOf({ schema }: CompileYamlParams, context: StepContext): Promise<Json | undefined> {
  if (typeof schema !== "string") return schema;
  const path = placeFor(schema, context);
  const { readSchema } = await import("./document.ts");
  try {
    const read = await readRegularFile(path, largestInBytes);
    if ("refused" in read) throw new Error(read.refused);
    return await readSchema(read.text);
  } catch (error) {
    throw new Error(`the schema ${path} cannot be read: ${messageOf(error)}`);
  }
}

/** What was compiled before stays as it is. */
function refused(
  mistakes: Mistake[],
  file: string,
  { inject = true }: CompileYamlParams,
  context: StepContext,
): StepResult {
  const name = pathInside(context.event.cwd, file) ?? file;
  const lines = mistakes.map(
    ({ line, column, at, message }) => `${name}:${line}:${column} ${at ? `${at}: ` : ""}${message}`,
  );
  const errors = mistakes.map((one) => ({ ...one }));
  const more = mistakes.length > 1 ? ` (and ${mistakes.length - 1} more)` : "";
  const message = [`${name} does not compile:`, ...lines.map((line) => `- ${line}`)].join("\n");
  return {
    ...failed("error", `${lines[0]}${more}`, { file, valid: false, errors }),
    ...(inject ? { outcome: { messages: [{ to: "model", role: "user", text: message }] } } : {}),
  };
}

/** In the project alone, wherever links lead; gives the file. */
function write(path: string, content: string, context: StepContext): string {
  try {
    const place = placeToWrite(projectOf(context), path);
    writeWhole(place, content);
    return place;
  } catch (error) {
    throw new Error(`the output cannot be written: ${messageOf(error)}`);
  }
}
