/** The fields of a script (specification 004) in one table, and each as the type that it has; mistakes are reported where they stand. */
import type { Fields } from "../../engine/event.ts";
import { didYouMean, nearest } from "../../engine/nearest.ts";
import { secondsIn } from "../reading/durations.ts";
import type { Finding, Report } from "../reading/tree.ts";
import type { Field } from "./front-matter.ts";

export type ScriptType = "session" | "file" | "pre-commit";
export const scriptTypes: readonly ScriptType[] = ["session", "file", "pre-commit"];

/** Seconds; beyond a day a number is no time limit. */
const longestLimit = 86_400;
const shortestLimit = 0.1;

interface ScriptField {
  /** The types of scripts that it says something to; absent: all. */
  of?: readonly ScriptType[];
  /** One sentence, for the documentation, and so is the next. */
  says: string;
  /** What holds where it is left out. */
  otherwise: string;
  /** What is written there, for editors. */
  json: Fields;
}
export type ScriptFieldName =
  | "name"
  | "type"
  | "description"
  | "timeout"
  | "run_as"
  | "blocking"
  | "pattern"
  | "notify_llm";

export const scriptFields: { readonly [N in ScriptFieldName]: ScriptField } = {
  name: { says: "what lists and messages call it", otherwise: "the file's name", json: { type: "string" } },
  type: {
    says: "when it runs: `session`, `file` or `pre-commit`",
    otherwise: "required",
    json: { enum: [...scriptTypes] },
  },
  description: { says: "what it is for", otherwise: "", json: { type: "string" } },
  timeout: {
    says: "seconds that it may take, or a duration such as `5m`; `0.1` to `86400`",
    otherwise: "`300`",
    json: { type: "number", minimum: shortestLimit, maximum: longestLimit },
  },
  run_as: {
    of: ["session"],
    says: "`root`, which keeps the rights of a Hookline that runs as root, or `user`",
    otherwise: "`user`",
    json: { enum: ["user", "root"] },
  },
  blocking: {
    of: ["session"],
    says: "`false`: the session begins without waiting for it",
    otherwise: "`true`",
    json: { type: "boolean" },
  },
  pattern: {
    of: ["file", "pre-commit"],
    says: "the files that it is about; without one a pre-commit script runs at every commit",
    otherwise: "required for `file`",
    json: { type: "string", minLength: 1 },
  },
  notify_llm: {
    of: ["file", "pre-commit"],
    says: "`false`: the model does not learn that it failed; git shows a `pre-commit` script's failure in any case",
    otherwise: "`true`",
    json: { type: "boolean" },
  },
};
export const scriptFieldNames: readonly string[] = Object.keys(scriptFields);
const isFieldName = (name: string): name is ScriptFieldName => Object.hasOwn(scriptFields, name);

export type ScriptFields = ReadonlyMap<ScriptFieldName, Field>;

/** Those that the table knows; of one that stands twice, the last. */
export function knownFields(fields: readonly Field[], report: Report): ScriptFields {
  const known = new Map<ScriptFieldName, Field>();
  for (const field of fields) {
    const { key, at } = field;
    if (!isFieldName(key)) {
      const suggestion = didYouMean(key, scriptFieldNames) ?? `known: ${scriptFieldNames.join(", ")}`;
      report(at, { severity: "warning", code: "unknown-field", message: `nothing reads "${key}"`, suggestion });
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

function tellOfText({ key, value, valueAt, isLiteral, isList }: Field, report: Report): void {
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
