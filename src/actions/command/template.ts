/** {{placeholders}} of a command: in a shell line its values become variables, in `args` each stays one argument (R18). */
import { HooklineError } from "../../engine/error.ts";
import type { Fields, Json, MaybePromise } from "../../engine/event.ts";
import { isThenable } from "../../engine/flow.ts";
import type { Patterns, TemplateFault } from "../../engine/handler.ts";
import type { Scope } from "../../engine/ports.ts";
import { isRecord, type Mismatch } from "../../engine/schema.ts";
import { compileTemplate, printValue } from "../../engine/template.ts";
import { compileArguments, createLineReader, isTemplate, type ReadLine, type Values } from "../../shell/values.ts";

/** What does not depend on the line. */
interface Compiled {
  /** The other parameters, filled. */
  rest(scope: Scope): Fields;
  /** Of a program that runs without a shell. */
  program?: ReturnType<typeof compileArguments>;
}

export interface CommandTemplates {
  /** Fills the placeholders; the values of a shell line go into `env`. Throws HooklineError parameters_invalid. */
  render(params: Fields, scope: Scope): MaybePromise<Fields>;
  inspect(params: Fields, patterns?: Patterns): Mismatch[];
}

/** Each command is read once. */
export function createCommandTemplates(): CommandTemplates {
  const read = createLineReader();
  const known = new WeakMap<Fields, Compiled>();
  const compiled = (params: Fields): Compiled => {
    const made = known.get(params) ?? compile(params);
    known.set(params, made);
    return made;
  };
  return {
    render(params, scope) {
      const line = isShellLine(params) ? read(lineOf(params)) : undefined;
      const fill = (made: ReadLine): Fields => render(params, scope, { line: made, ...compiled(params) });
      return isThenable(line) ? line.then(fill) : fill(line);
    },
    inspect: (params, patterns) =>
      faultsOf(params, patterns?.shellTemplate?.(lineOf(params))).map((fault) => ({
        path: ["command"],
        ...mismatchOf(fault),
      })),
  };
}

function render(params: Fields, scope: Scope, { line, program, rest }: Compiled & { line: ReadLine }): Fields {
  const [fault] = faultsOf(params, line);
  if (fault)
    throw new HooklineError("parameters_invalid", { name: "command", ...mismatchOf(fault), where: "a command" });
  const filled = rest(scope);
  const template = Array.isArray(line) ? undefined : line;
  const env = { ...textsOf(filled.env), ...template?.values(scope), ...program?.values(scope) };
  return {
    ...filled,
    command: template?.line ?? params.command ?? "",
    ...(program ? { args: program.args } : {}),
    ...(Object.keys(env).length > 0 ? { env } : {}),
  };
}

function compile({ command: _readApart, args, ...others }: Fields): Compiled {
  const rest = compileTemplate(others) as (scope: Scope) => Fields; // a template keeps the shape of what it fills
  return Array.isArray(args) ? { rest, program: compileArguments(args.map(String)) } : { rest };
}

/** Variables are text, whatever the placeholder that is the whole of one holds. */
const textsOf = (env: Json | undefined): Values =>
  isRecord(env)
    ? Object.fromEntries(Object.entries(env as Fields).map(([name, value]) => [name, printValue(value)])) // parameters are JSON
    : {};

const mismatchOf = ({ placeholder, where }: TemplateFault): { expected: string; found: string } => ({
  expected: `each value to stay one argument (where it cannot, write a program with args: ["${placeholder}"])`,
  found: `${placeholder} ${where}`,
});

const lineOf = ({ command = "" }: Fields): string => String(command);
const isShellLine = ({ args, shell }: Fields): boolean => !Array.isArray(args) && shell !== "powershell";

function faultsOf(params: Fields, line: ReadLine): TemplateFault[] {
  if (isShellLine(params)) return Array.isArray(line) ? line : [];
  const placeholder = lineOf(params);
  const where = Array.isArray(params.args) ? "as the program itself" : "in a line for PowerShell";
  return isTemplate(placeholder) ? [{ placeholder, where }] : [];
}

/** A line that is always one for a shell, as context steps and rules have it. */
export interface ShellLines {
  /** What is wrong with a line. */
  inspect(line: unknown, patterns: Patterns | undefined): Mismatch[];
  /** The line with variables in the place of its placeholders. Rejects with HooklineError parameters_invalid. */
  fill(line: string, scope: Scope): Promise<{ line: string; values?: Values }>;
}

/** @param place how an error names the line */
export function createShellLines(place: { name: string; where: string }): ShellLines {
  const read = createLineReader();
  return {
    inspect(line, patterns) {
      const template = patterns?.shellTemplate?.(String(line ?? ""));
      return Array.isArray(template) ? template.map((fault) => ({ path: ["command"], ...lineMismatch(fault) })) : [];
    },
    async fill(line, scope) {
      const template = await read(line);
      if (template === undefined) return { line };
      if (!Array.isArray(template)) return { line: template.line, values: template.values(scope) };
      const [fault] = template;
      throw new HooklineError("parameters_invalid", { ...place, ...(fault && lineMismatch(fault)) });
    },
  };
}

const lineMismatch = ({ placeholder, where }: TemplateFault): { expected: string; found: string } => ({
  expected: "each value to stay one argument of a program that the line names",
  found: `${placeholder} ${where}`,
});
