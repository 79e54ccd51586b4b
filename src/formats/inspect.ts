/** Findings that need a look at scripts and commands, not only at the hook file. For `check`; never on the way of an event. */

import { statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { type Hook, isWrittenAsGuard, type Problem } from "../engine/hook.ts";
import { nearest } from "../engine/nearest.ts";
import { programName, type ScriptWord, scriptWord, word } from "../engine/program.ts";
import { textAt } from "../files/regular-file.ts";
import { programNames } from "../shell/programs.ts";
import type { Finding } from "./reading/tree.ts";

/** What a hook runs: its command line and, if it is a small text that can be found, its script. */
export interface Inspected {
  hook: Hook;
  command: string;
  script?: CommandScript;
  /** The script's text; undefined if there is none to read. */
  text?: string;
  mode?: number;
}
interface Inspecting extends Inspected {
  places: Places;
}
type Inspection = (inspected: Inspecting) => Finding | Finding[] | undefined;

/** Reads scripts, runs nothing, never throws. @param places where relative and `~` paths start */
export function inspectHooks(hooks: readonly Hook[], places: Places): Problem[] {
  return hooks.flatMap((hook) => {
    const { file = "", line = 1, column = 1 } = hook.origin;
    const found = inspected(hook, places);
    if (!found) return [];
    const wanted = hook.steps[0].uses === "script" ? [swallowedStatus, noProgram] : inspections;
    return wanted
      .flatMap((inspect) => inspect({ ...found, places }) ?? [])
      .map((finding) => ({ ...finding, file, line, column }));
  });
}

const largestScriptInBytes = 128 * 1024;

/** Undefined: its first step starts no program that its text names. Never throws. */
export function inspected(hook: Hook, places: PathPlaces): Inspected | undefined {
  const { uses, with: given } = hook.steps[0];
  const isScript = uses === "script" && typeof given.file === "string";
  const command = isScript ? "" : given.command;
  if ((uses !== "command" && !isScript) || typeof command !== "string") return undefined;
  const script = isScript ? { written: String(given.file), path: String(given.file) } : commandScriptOf(hook, places);
  if (!script) return { hook, command };
  try {
    const found = statSync(script.path);
    const text = textAt(script.path, largestScriptInBytes);
    return {
      hook,
      command,
      script,
      mode: found.mode,
      ...(text !== undefined && !text.includes("\0") ? { text } : {}),
    };
  } catch {
    return { hook, command, script }; // no mode: it is not there, or may not be looked at
  }
}

const inspections: readonly Inspection[] = [
  placeholders,
  missingScript,
  notExecutable,
  noProgram,
  unknownVariables,
  exitOne,
  bashUnderSh,
  alwaysAllows,
  swallowedStatus,
];

function placeholders({ command }: Inspected): Finding | undefined {
  const left = /__[A-Z][A-Z0-9_]*__|\/path\/to\/[^\s"']*|<[a-z]+(?:[-_][a-z]+)+>|\bYOUR_[A-Z_]+\b/.exec(command)?.[0];
  if (!left) return undefined;
  return {
    severity: "error",
    code: "placeholder",
    message: `"${left}" was left by a template`,
    suggestion: "put the real value in its place",
  };
}

function missingScript({ command, script, mode }: Inspected): Finding | undefined {
  if (!script || mode !== undefined || /\/path\/to\//.test(command)) return undefined;
  return {
    severity: "error",
    code: "missing-script",
    message: `there is no script "${script.written}"`,
    suggestion: `looked for ${script.path}`,
  };
}

const anyExecuteBit = 0o111;

function notExecutable({ script, mode }: Inspected): Finding | undefined {
  if (!script || mode === undefined || script.interpreter || (mode & anyExecuteBit) !== 0) return undefined;
  return {
    severity: "error",
    code: "not-executable",
    message: `"${script.written}" is not executable, so the hook cannot start (126)`,
    suggestion: `chmod +x ${word(script.path)}`,
  };
}

/** Such a line looks by itself whether a program is there, or does without it. */
const triesIt = /\|\||\b(?:command\s+-v|type|which|hash|if|test)\b/;

/** The program that the line begins with, or that the script's #! line names, where it is not there. */
export function missingProgram(
  { hook, command, script, text = "" }: Inspected,
  hasProgram: Places["hasProgram"],
): { name: string; isOfScript: boolean } | undefined {
  const { args, shell } = hook.steps[0].with;
  const named = programName(command, Array.isArray(args) ? args.map(String) : undefined);
  if (named !== undefined && shell !== "powershell" && !triesIt.test(command) && !hasProgram(named))
    return { name: named, isOfScript: false };
  if (!script || script.interpreter) return undefined;
  const [, path = "", rest = ""] = /^#![ \t]*(\S+)[ \t]*([^\r\n]*)/.exec(text) ?? [];
  const name = /(?:^|\/)env$/.test(path) ? /^(?:-\S+[ \t]+|\w+=\S*[ \t]+)*([^\s-]\S*)/.exec(rest)?.[1] : path;
  return name && !hasProgram(name) ? { name, isOfScript: true } : undefined;
}

/** An agent may have another PATH. */
function noProgram(one: Inspecting): Finding | undefined {
  const { hasProgram } = one.places;
  const missing = missingProgram(one, hasProgram);
  if (!missing) return undefined;
  const { name, isOfScript } = missing;
  const near = name.includes("/") ? undefined : nearest(name, programNames().filter(hasProgram));
  const file = one.script?.written.replace(/^.*\//, "") ?? "";
  return {
    severity: "warning",
    code: "missing-program",
    message: isOfScript
      ? `the #! line of ${file} names "${name}", which is not there`
      : `no program "${name}" is in PATH`,
    suggestion: near === undefined ? "install it, or correct its name" : `did you mean "${near}"?`,
  };
}

/** What begins as the variables of agents do, and is none of those that hooks are given, is a legend; and so are these. */
const legends = (prefixes: readonly string[]): RegExp =>
  new RegExp(`\\$\\{?((?:${prefixes.join("|")})_[A-Z_]+|TOOL_(?:NAME|INPUT|OUTPUT|ARGS)|FILE_PATHS?)\\b`, "g");
const fields: readonly [RegExp, string][] = [
  [/FILE/, ".tool_input.file_path"],
  [/COMMAND/, ".tool_input.command"],
  [/NAME/, ".tool_name"],
  [/OUTPUT|RESPONSE/, ".tool_response"],
];

function unknownVariables({ command, script, text = "", places: { variables } }: Inspecting): Finding[] {
  const all = `${command}\n${text}`;
  const names = new Set([...all.matchAll(legends(variables.prefixes()))].map(([, name = ""]) => name));
  return [...names]
    .filter((name) => !variables.isSet(name) && !isSet(name, all))
    .map((name) => {
      const field = fields.find(([words]) => words.test(name))?.[1] ?? ".tool_input";
      const where = command.includes(name) || !script ? "" : ` (in ${script.written})`;
      const message = `nothing sets ${name}${where}, so it is empty`;
      return { severity: "warning", code: "unknown-variable", message, suggestion: `read stdin: jq -r '${field}'` };
    });
}

const isSet = (name: string, text: string): boolean =>
  new RegExp(
    `(^|[\\s;&|("'])(export\\s+|local\\s+|declare\\s+|read\\s+(-\\w+\\s+)*)?${name}(=|\\s*$)|\\b(read|for)\\b[^\\n;]*\\b${name}\\b|\\$\\{${name}:[-=?]`,
    "m",
  ).test(text);

const says = /\b(echo|printf|print|console\.(error|log|warn)|stderr|cat)\b/;
const refuses =
  /\b(block(ed|ing|s)?|den(y|ied|ies)|forbidden|not allowed|refus(ed|ing|es)|reject(ed|ing|s)?|prohibited)\b/i;
const exitsOne = /\b(exit[\s(]+1|sys\.exit\(1|process\.exit\(1)\b/;
const exitsTwo = /\b(exit[\s(]+2|sys\.exit\(2|process\.exit\(2|process\.exitCode\s*=\s*2)\b/;
const exits = /\bexit\b/;
const linesBetween = 6;

/** By every agent's rules exit 1 is a failure that blocks nothing. A guard's failure does block, so guards are fine. */
function exitOne({ hook, command, script, text }: Inspected): Finding | undefined {
  if (isWrittenAsGuard(hook)) return undefined;
  const said = refusalThatExitsOne(command.split(/[;\n]|&&|\|\|/)) ?? refusalThatExitsOne(text?.split("\n") ?? []);
  if (said === undefined) return undefined;
  const where = script && text?.includes(said) ? ` in ${script.written}` : "";
  return {
    severity: "warning",
    code: "exit-1-blocks-nothing",
    message: `"${said.trim().slice(0, 60)}"${where} is followed by exit 1, which blocks nothing`,
    suggestion:
      hook.steps[0].with.protocol === "registry"
        ? 'print {"error": "blocked: …"}, or write blocking: true'
        : 'write exit 2 and the reason on stderr, or print a JSON answer that denies, or give the hook "role": "guard"',
  };
}

/** Such an answer counts whatever the exit code (R95). */
const decision = /["']?(?:permissionDecision|decision|permission|behavior)\\?["']?\s*:\s*\\?["'](?:deny|block|ask)/;
const ending = /["']?\bcontinue\\?["']?\s*:\s*(?:false|False)\b/;
/** `print({'decision': 'block'})` of Python prints no JSON. */
const noJson = /\bprint\(\s*\{\s*'/;
const decidesInJson = (line: string): boolean => (decision.test(line) || ending.test(line)) && !noJson.test(line);

function refusalThatExitsOne(lines: readonly string[]): string | undefined {
  return lines.find((line, index) => {
    if (!says.test(line) || !refuses.test(line)) return false;
    const after = lines.slice(index, index + linesBetween);
    const one = after.findIndex((next) => exitsOne.test(next));
    const two = after.findIndex((next) => exitsTwo.test(next));
    if (one === -1 || (two !== -1 && two <= one)) return false;
    const before = lines.slice(Math.max(0, index - linesBetween), index);
    const sinceExit = before.slice(before.findLastIndex((earlier) => exits.test(earlier)) + 1);
    return ![...sinceExit, ...after.slice(0, one + 1)].some(decidesInJson);
  });
}

const bashOnly: readonly [RegExp, string][] = [
  [/(^|[\s;&|(!])\[\[\s/m, "[["],
  [/<<</, "<<<"],
  [/[<>]\((?=\s*\w)/, "<( )"],
  [/&>>?/, "&>"],
  [/\$\{\w+(\^\^?|,,?)\}/, "${name^^}"],
  [/\$\{\w+\[/, "an array"],
  [/(^|[\s;])\w+=\(/m, "an array"],
  [/(^|[\s;])function\s+\w+/m, "function"],
  [/(^|[\s;&|])source\s/m, "source"],
];

function bashUnderSh({ hook, command, script, text }: Inspected): Finding | undefined {
  const runsSh =
    script &&
    text !== undefined &&
    (script.interpreter === "sh" || (!script.interpreter && /^#!.*\bsh\s*$/.test(text.split("\n")[0] ?? "")));
  const shown = [
    ...(hook.steps[0].with.shell === "sh" ? [command] : []),
    ...(runsSh && !/\bbash\b/.test(text.split("\n")[0] ?? "") ? [text] : []),
  ];
  const found = shown.map(withoutQuotes).flatMap((source) => bashOnly.find(([form]) => form.test(source)) ?? [])[1];
  if (found === undefined) return undefined;
  return {
    severity: "warning",
    code: "bash-syntax",
    message: `${String(found)} is bash; where sh is dash the line ends with exit 2 or does nothing`,
    suggestion: 'write "shell": "bash", or #!/usr/bin/env bash',
  };
}

/** Quoted text and remarks are no syntax. */
const withoutQuotes = (source: string): string => source.replace(/'[^']*'/g, "''").replace(/(^|\s)#.*$/gm, "$1");

const shells = /^#!.*\b(?:ba|da|k|z)?sh\b/;
const endsAtFailures = /^#!.*\bsh\s+-\w*e|^\s*set\s+-\w*e|^\s*set\s+-o\s+errexit/m;
/** `x=$(gofmt -l .)` by itself: where gofmt is missing the script goes on with nothing. */
const assigned = /^[ \t]*\w+=["']?(?:\$\((?!\()|`)(?!.*(?:\|\||&&))/m;
const always = /(?:\|\||;)[ \t]*(?:true|:)[ \t]*$/;

/** A check whose program is missing must not pass. For hooks that a turn, a commit or a call waits for. */
function swallowedStatus({ hook, command, text }: Inspected): Finding | undefined {
  const isCheck = hook.steps[0].uses === "script" || isWrittenAsGuard(hook);
  if (!isCheck) return undefined;
  const lines = (text ?? command).split("\n");
  const last = lines.findLast((line) => line.trim() !== "" && !line.trim().startsWith("#")) ?? "";
  const isShell = text === undefined || shells.test(lines[0] ?? "");
  const line = isShell && always.test(last) ? last : text !== undefined && isShell ? lostIn(text) : undefined;
  if (line === undefined) return undefined;
  const message = `"${line.trim().slice(0, 60)}" hides that its program failed or is missing, and the check passes`;
  return {
    severity: "warning",
    code: "status-ignored",
    message,
    suggestion: "write set -e at the beginning, or || exit 1 behind it",
  };
}

function lostIn(text: string): string | undefined {
  if (endsAtFailures.test(text)) return undefined;
  const found = assigned.exec(text);
  if (!found) return undefined;
  const [line = "", next = ""] = text.slice(found.index).replace(/^\n/, "").split("\n");
  return /\$\?/.test(next) ? undefined : line;
}

const allows = /"?permissionDecision"?\s*[:=]\s*["']allow["']|"?decision"?\s*[:=]\s*["']approve["']/;
const decides = /\b(if|case|elif|switch|grep|test|match|when|unless|deny|block|ask)\b|&&|\|\||\?|\[\s/;

function alwaysAllows({ hook, command, script, text }: Inspected): Finding | undefined {
  const source = (script ? text : command)?.replaceAll('\\"', '"') ?? "";
  const about =
    "event" in hook.on && hook.on.event.some((name) => name === "PreToolUse" || name === "PermissionRequest");
  if (!about || !allows.test(source) || decides.test(source)) return undefined;
  const message = "this hook allows every call that it sees, and so skips the agent's own questions";
  return {
    severity: "warning",
    code: "always-allows",
    message,
    suggestion: "print nothing if the hook has no decision",
  };
}

interface PathPlaces {
  cwd: string;
  home: string;
  variables: AgentVariables;
}
interface Places extends PathPlaces {
  /** By name, or by its absolute path. */
  hasProgram(name: string): boolean;
}
/** What programs of hooks find of agents' variables: how these begin, and which there are. */
interface AgentVariables {
  prefixes(): readonly string[];
  isSet(name: string): boolean;
}
interface CommandScript extends ScriptWord {
  path: string;
}

/** Undefined where the program is a plain command name, or the line is not clear without running it. */
function commandScriptOf(hook: Hook, places: PathPlaces): CommandScript | undefined {
  const { command, args } = hook.steps[0].with;
  if (typeof command !== "string") return undefined;
  const word = scriptWord(command, Array.isArray(args) ? args.map(String) : undefined);
  const path = word && resolvePath(word.written, hook, places);
  return word && path ? { ...word, path } : undefined;
}

function resolvePath(written: string, { origin }: Hook, { home, cwd, variables }: PathPlaces): string | undefined {
  const project = origin.root ?? cwd;
  const known: Readonly<Record<string, string | undefined>> = {
    HOOKLINE_PROJECT_DIR: project,
    ...Object.fromEntries(
      variables.prefixes().flatMap((prefix) => [
        [`${prefix}_PROJECT_DIR`, project],
        [`${prefix}_PLUGIN_ROOT`, origin.plugin],
      ]),
    ),
    HOME: home,
    PWD: project,
  };
  const filled = written
    .replace(/^~(?=\/)/, home)
    .replace(
      /\$\{([A-Za-z_]\w*)(?::-[^}]*)?\}|\$([A-Za-z_]\w*)/g,
      (all, braced, plain) => known[braced ?? plain] ?? all,
    );
  if (/[$*?`]/.test(filled)) return undefined;
  if (isAbsolute(filled)) return filled;
  return origin.root || origin.plugin ? join(origin.root ?? origin.plugin ?? cwd, filled) : undefined;
}
