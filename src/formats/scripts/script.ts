/**
 * Workspace scripts (specification 004): an executable with a front matter becomes a Hook. Pure; never throws: what looks
 * like a hook and cannot be one is a problem (R33).
 */

import type { Hook, Origin, Problem } from "../../engine/hook.ts";
import type { Patterns } from "../../engine/ports.ts";
import { word } from "../../engine/program.ts";
import { joined } from "../../engine/words.ts";
import { createLocator, type Report } from "../reading/tree.ts";
import { ofProject } from "../reading/unique-names.ts";
import {
  knownFields,
  nearestType,
  type ScriptFields,
  type ScriptType,
  scriptFieldNames,
  scriptTypes,
  textOf,
} from "./fields.ts";
import { type FrontMatter, type Head, readFieldLines, readHead } from "./front-matter.ts";
import { hookOf } from "./hook.ts";

/** As much of a script as is read: a front matter is far smaller. */
export const scriptHeadInBytes: number = 64 * 1024;

export interface ScriptFacts {
  /** Absent: this system has no such bit, and runs scripts without. */
  isExecutable?: boolean | undefined;
  /** There is more of the file than the text. */
  isCut?: boolean;
}
export interface ScriptOptions {
  /** How ids name the file: relative to its root, never a path of one machine. */
  label: string;
  /** Whose folder it lies in; decides where its output goes and how its messages begin (R42, R68). */
  family: "hookline" | "discobot";
  /** Given, a pattern that cannot be compiled is found now. */
  patterns?: Patterns;
}
export interface CompiledScript {
  /** One, or none. */
  hooks: Hook[];
  problems: Problem[];
  /** Neither a hook nor meant to be one. */
  isOther: boolean;
}

/** What the parts of one script share. */
export interface WrittenScript {
  /** Its file's name alone. */
  fileName: string;
  id: string;
  origin: Origin;
  options: ScriptOptions;
  report: Report;
}
type Tell = (offset: number, finding: Omit<Problem, "file" | "line" | "column">) => void;

/**
 * @param text the file's beginning, at most scriptHeadInBytes
 * @param origin layer, file and root; dialect, line and column are set here
 */
export function compileScript(
  text: string,
  facts: ScriptFacts,
  origin: Origin,
  options: ScriptOptions,
): CompiledScript {
  const file = origin.file ?? "";
  const locate = createLocator(text);
  const problems: Problem[] = [];
  const tell: Tell = (offset, finding) => void problems.push({ ...finding, file, ...locate(offset) });
  const script: WrittenScript = {
    fileName: file.slice(Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")) + 1),
    id: idOf(options.label, origin.root),
    origin: { ...origin, dialect: "script", line: 1, column: 1 },
    options,
    report: tell,
  };
  const head = readHead(text);
  const hook = head.frontMatter
    ? compileFrontMatter(head, head.frontMatter, { text, facts, script, tell })
    : withoutFrontMatter(head, { text, facts, script, tell });
  problems.sort((left, right) => left.line - right.line || left.column - right.column);
  return { hooks: hook ? [hook] : [], problems, isOther: !hook && problems.length === 0 };
}

/** One project's script is not another's: records and pending checks are kept under its id. */
const idOf = (label: string, root: string | undefined): string => `script:${label}${ofProject(root)}`;

interface Reading {
  text: string;
  facts: ScriptFacts;
  script: WrittenScript;
  tell: Tell;
}

function compileFrontMatter(head: Head, frontMatter: FrontMatter, reading: Reading): Hook | undefined {
  const { facts, script, tell } = reading;
  const { fields, strange } = readFieldLines(frontMatter.lines, scriptFieldNames);
  if (isData(head, facts) && !fields.some(({ key }) => key === "type")) return undefined;
  for (const { text, offset } of strange) tell(offset, strangeLine(text));
  const known = knownFields(fields, script.report);
  const canStart = tellOfStart(head, reading);
  const { fault } = frontMatter;
  if (fault) {
    const suggestion = facts.isCut ? `${fault.suggestion}, within the first 64 kB` : fault.suggestion;
    tell(fault.offset, { severity: "error", code: "syntax", message: fault.message, suggestion, ...losing(canStart) });
    return undefined;
  }
  const type = readType(known, frontMatter, canStart, reading);
  return type === undefined || !canStart ? undefined : hookOf(type, known, script);
}

/** It has nothing of a script, such as a page of documentation, which may have a front matter of its own. */
const isData = ({ shebang }: Head, { isExecutable }: ScriptFacts): boolean =>
  shebang === "absent" && isExecutable !== true;

/** A guard may be behind it (R76); a script that cannot start is none, whatever its text says. */
const losing = (canStart: boolean): { loses?: true } => (canStart ? { loses: true } : {});

const strangeLine = (text: string): Omit<Problem, "file" | "line" | "column"> => ({
  severity: "warning",
  code: "syntax",
  message: `"${text.trim().slice(0, 40)}" is no field, and nothing reads it`,
  suggestion: /^\s*[\w-]+:\S/.test(text)
    ? "write a blank behind the colon"
    : 'write "name: value", or # before a remark',
});

/** Whether the system can start it, which decides whether it is a hook at all. */
function tellOfStart({ shebang, hasCarriageReturn }: Head, { facts, script, tell }: Reading): boolean {
  const error = (message: string, suggestion: string): void =>
    tell(0, { severity: "error", code: "not-executable", message, suggestion });
  const isOwnWay = facts.isExecutable === undefined;
  if (shebang === "absent") error("it has no #! line, so it is no hook", "begin it with #!/usr/bin/env bash, say");
  if (shebang === "hidden")
    error("a byte order mark stands before its #! line, so it is no hook", "save it as UTF-8 without one");
  if (facts.isExecutable === false)
    error("it is not executable, so it is no hook", `chmod +x ${word(script.options.label)}`);
  if (hasCarriageReturn && !isOwnWay)
    error("its #! line ends as on Windows, so the program of that name is not found", "save it with LF line ends");
  return shebang === "there" && facts.isExecutable !== false;
}

/** Undefined: it has none, so it may be a guard. */
function readType(
  fields: ScriptFields,
  { offset }: FrontMatter,
  canStart: boolean,
  reading: Reading,
): ScriptType | undefined {
  const written = textOf(fields, "type");
  const type = scriptTypes.find((one) => one === written);
  if (type) return type;
  const at = fields.get("type")?.valueAt ?? offset;
  const message =
    written === undefined ? 'a script needs a "type"' : `no type of script is called "${written.slice(0, 40)}"`;
  const near = written === undefined ? undefined : nearestType(written);
  const advice = `write type: ${joined(scriptTypes, "or")}`;
  reading.tell(at, {
    severity: "error",
    code: written === undefined ? "missing-field" : "unknown-type",
    message,
    suggestion: near ? `did you mean "${near}"?` : advice,
    ...losing(canStart),
  });
  return undefined;
}

function withoutFrontMatter(head: Head, reading: Reading): Hook | undefined {
  const { text, facts, tell } = reading;
  if (head.fault && !isData(head, facts)) {
    const { offset, message, suggestion } = head.fault;
    const canStart = tellOfStart(head, reading);
    tell(offset, { severity: "error", code: "syntax", message, suggestion, ...losing(canStart) });
    return undefined;
  }
  const isScript = head.shebang === "there";
  if (isScript && facts.isExecutable !== false) tell(0, { severity: "warning", ...noFrontMatter(text) });
  else if (isScript || facts.isExecutable === true)
    tell(0, {
      severity: "note",
      code: "missing-field",
      message: isScript
        ? "it has no front matter and is not executable, so it is no hook"
        : "it has no #! line and no front matter, so it is no hook",
      suggestion: "helpers are better off in another folder",
    });
  return undefined;
}

const slashes = /^#!.*\b(node|deno|bun|php|tsx)\b/;

function noFrontMatter(text: string): Pick<Problem, "code" | "message" | "suggestion"> {
  const sign = slashes.test(text) ? "//" : "#";
  return {
    code: "missing-field",
    message: "it has no front matter, so it never runs",
    suggestion: `write ${sign}---, ${sign} type: session, file or pre-commit, and ${sign}---, below its first line`,
  };
}
