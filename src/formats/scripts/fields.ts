/** The fields of a script (specification 004) in one table, and each as the type that it has; mistakes are reported where they stand. */
import type { Fields } from "../../engine/event.ts";
import { didYouMean, nearest } from "../../engine/nearest.ts";
import { flag, numberWithin, oneOf, type Schema, text } from "../../engine/schema.ts";
import { secondsIn } from "../reading/durations.ts";
import { type Field, field, isNamed, schemaDocument, schemaOfTable, some, whether } from "../reading/fields.ts";
import { unread } from "../reading/mismatches.ts";
import type { Finding, Report } from "../reading/tree.ts";
import type { Field as WrittenField } from "./front-matter.ts";

export type ScriptType = "session" | "file" | "pre-commit";
export const scriptTypes: readonly ScriptType[] = ["session", "file", "pre-commit"];

/** Seconds; beyond a day a number is no time limit. */
const longestLimit = 86_400;
const shortestLimit = 0.1;

interface ScriptField extends Field {
  /** The types of scripts that it says something to; absent: all. */
  of?: readonly ScriptType[];
  /** What holds where it is left out, in words. */
  otherwise: string;
}
const scriptField = (
  schema: Schema<unknown>,
  says: string,
  otherwise: string,
  of?: readonly ScriptType[],
): ScriptField => ({
  ...field(schema, says, otherwise === "required" ? { required: true } : {}),
  otherwise,
  ...(of && { of }),
});
export type ScriptFieldName =
  | "name"
  | "type"
  | "description"
  | "timeout"
  | "run_as"
  | "blocking"
  | "pattern"
  | "notify_llm";

const ofFiles: readonly ScriptType[] = ["file", "pre-commit"];

export const scriptFields: { readonly [N in ScriptFieldName]: ScriptField } = {
  name: scriptField(text(), "what lists and messages call it", "the file's name"),
  type: scriptField(oneOf(...scriptTypes), "when it runs: `session`, `file` or `pre-commit`", "required"),
  description: scriptField(text(), "what it is for", ""),
  timeout: scriptField(
    numberWithin(shortestLimit, longestLimit),
    "seconds that it may take, or a duration such as `5m`; `0.1` to `86400`",
    "`300`",
  ),
  run_as: scriptField(
    oneOf("user", "root"),
    "`root`, which keeps the rights of a Hookline that runs as root, or `user`",
    "`user`",
    ["session"],
  ),
  blocking: scriptField(flag, "`false`: the session begins without waiting for it", "`true`", ["session"]),
  pattern: scriptField(
    some,
    "the files that it is about; without one a pre-commit script runs at every commit",
    "required for `file`",
    ofFiles,
  ),
  notify_llm: scriptField(
    flag,
    "`false`: the model does not learn that it failed; git shows a `pre-commit` script's failure in any case",
    "`true`",
    ofFiles,
  ),
};
export const scriptFieldNames: readonly string[] = Object.keys(scriptFields);
const isFieldName = (name: string): name is ScriptFieldName => Object.hasOwn(scriptFields, name);

export type ScriptFields = ReadonlyMap<ScriptFieldName, WrittenField>;

/** Those that the table knows; of one that stands twice, the last. */
export function knownFields(fields: readonly WrittenField[], report: Report): ScriptFields {
  const known = new Map<ScriptFieldName, WrittenField>();
  for (const field of fields) {
    const { key, at } = field;
    if (!isFieldName(key)) {
      report(at, { severity: "warning", ...unread(key, scriptFieldNames) });
      continue;
    }
    if (known.has(key)) report(at, twice(key));
    known.set(key, field);
  }
  for (const field of known.values()) tellOfText(field, report);
  return known;
}

const twice = (key: string): Finding => ({
  severity: "error",
  code: "duplicate-key",
  message: `"${key}" is written twice, and the last one counts`,
  suggestion: "make them one",
});

function tellOfText({ key, value, valueAt, isLiteral, isList }: WrittenField, report: Report): void {
  const suggestion = `write ${JSON.stringify(value)}`;
  if (isLiteral) {
    const message = `the text after "${key}" is not YAML without quotes and is read as it is written`;
    report(valueAt, { severity: "warning", code: "syntax", message, suggestion });
  } else if (isList) {
    const message = `"${key}" needs text but is a list or a map`;
    const advice = key === "pattern" ? 'write "{*.ts,*.js}" for one or the other' : suggestion;
    report(valueAt, { severity: "error", code: "wrong-type", message, suggestion: advice });
  }
}

/** Tells of fields that say nothing to this type of script. */
export function reportUseless(fields: ScriptFields, type: ScriptType, report: Report): void {
  for (const [name, { at }] of fields) {
    const { of } = scriptFields[name];
    if (!of || of.includes(type)) continue;
    report(at, {
      severity: "warning",
      code: "ignored-field",
      message: `"${name}" says nothing to a ${type} script`,
      suggestion: `it is for ${of.join(" and ")} scripts`,
    });
  }
}

/** What is written there; undefined where there is nothing, or a list. */
export function textOf(fields: ScriptFields, name: ScriptFieldName): string | undefined {
  const field = fields.get(name);
  const value = field?.isList ? "" : field?.value.trim();
  return value === "" ? undefined : value;
}

const noWords: readonly string[] = ["false", "no", "0"];
const yesWords: readonly string[] = ["true", "yes", "1"];

/** Only false, no and 0 say no, in any case (specification 004). */
export function saysNo(fields: ScriptFields, name: ScriptFieldName, report: Report): boolean {
  const written = textOf(fields, name);
  const word = written?.toLowerCase() ?? "true";
  if (noWords.includes(word)) return true;
  if (!yesWords.includes(word))
    report(fields.get(name)?.valueAt ?? 0, {
      severity: "warning",
      code: "wrong-type",
      message: `"${name}" is "${written}", which is neither true nor false, and counts as true`,
      suggestion: didYouMean(word, ["true", "false"]) ?? "write true or false",
    });
  return false;
}

/** Undefined: the default holds. */
export function secondsOf(fields: ScriptFields, name: ScriptFieldName, report: Report): number | undefined {
  const written = textOf(fields, name);
  if (written === undefined) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(written) ? Number(written) : (secondsIn(written) ?? 0);
  if (seconds >= shortestLimit && seconds <= longestLimit) return seconds;
  report(fields.get(name)?.valueAt ?? 0, {
    severity: "error",
    code: "wrong-type",
    message: `"${name}" needs seconds, from ${shortestLimit} to ${longestLimit}, but is "${written}", so the default holds`,
    suggestion: "write a number, or a duration such as 5m",
  });
  return undefined;
}

/** Anything but root is user (specification 004). */
export function isRoot(fields: ScriptFields, report: Report): boolean {
  const written = textOf(fields, "run_as");
  if (written === undefined || written === "user" || written === "root") return written === "root";
  report(fields.get("run_as")?.valueAt ?? 0, {
    severity: "error",
    code: "wrong-type",
    message: `"run_as" is "${written}", which is neither root nor user, so the script runs as user`,
    suggestion: didYouMean(written, ["root", "user"]) ?? "write root or user",
  });
  return false;
}

/** The type that was meant, where none is called so. */
export const nearestType = (word: string): ScriptType | undefined => {
  const plain = word
    .toLowerCase()
    .replace(/[\s_]/g, "-")
    .replace(/^precommit$/, "pre-commit");
  const near = nearest(plain, scriptTypes);
  return scriptTypes.find((type) => type === near);
};

/** For editors: the front matter of a script. */
export function scriptsSchema(): Fields {
  const said = ({ schema: { json }, of, otherwise }: (typeof scriptFields)[ScriptFieldName]): string =>
    [json.description, ...(of ? [`for ${of.join(" and ")} scripts`] : []), leftOut(otherwise)].join("; ");
  const ofTable = schemaOfTable(scriptFields, (name, json) => ({
    ...json,
    description: said(scriptFields[name as ScriptFieldName]), // a name of the table
  }));
  return schemaDocument("the front matter of a script", {
    ...ofTable,
    allOf: Object.entries(scriptFields).flatMap(([name, { otherwise }]) => {
      const [, type] = /^required for `(.+)`$/.exec(otherwise) ?? [];
      return type === undefined ? [] : [whether(isNamed("type", type), { required: [name] })];
    }),
  });
}

const leftOut = (otherwise: string): string =>
  otherwise.startsWith("required") ? otherwise : otherwise === "" ? "optional" : `default: ${otherwise}`;
