/** {{placeholders}} of a command: in a shell line its values become variables, in `args` each stays one argument (R18). */
import { HooklineError } from "../../core/error.ts";
import type { Fields, Json } from "../../core/event.ts";
import type { Scope } from "../../core/ports.ts";
import { isRecord, type Mismatch } from "../../core/schema.ts";
import { compileTemplate, printValue } from "../../core/template.ts";
import {
  compileArguments,
  compileShellTemplate,
  isTemplate,
  type TemplateFault,
  type Values,
} from "../shell-template.ts";

/** A command with variables in the place of its placeholders. */
interface Compiled {
  written: Fields;
  values(scope: Scope): Values;
  faults: TemplateFault[];
  /** The other parameters, filled. */
  rest(scope: Scope): Fields;
}

export interface CommandTemplates {
  /** Fills the placeholders; the values of a shell line go into `env`. Throws HooklineError parameters_invalid. */
  render(params: Fields, scope: Scope): Fields;
  inspect(params: Fields): Mismatch[];
}

/** Each command is read once. */
export function createCommandTemplates(): CommandTemplates {
  const known = new WeakMap<Fields, Compiled>();
  const compiled = (params: Fields): Compiled => {
    const made = known.get(params) ?? compile(params);
    known.set(params, made);
    return made;
  };
  return {
    render(params, scope) {
      const { written, values, faults, rest } = compiled(params);
      const [fault] = faults;
      if (fault) throw new HooklineError("parameters_invalid", { name: "command", ...told(fault), where: "a command" });
      const filled = rest(scope);
      const env = { ...textsOf(filled.env), ...values(scope) };
      return { ...filled, ...written, ...(Object.keys(env).length > 0 ? { env } : {}) };
    },
    inspect: (params) => compiled(params).faults.map((fault) => ({ path: ["command"], ...told(fault) })),
  };
}

/** Variables are text, whatever the placeholder that is the whole of one holds. */
const textsOf = (env: Json | undefined): Values =>
  isRecord(env)
    ? Object.fromEntries(Object.entries(env as Fields).map(([name, value]) => [name, printValue(value)])) // parameters are JSON
    : {};

const told = ({ placeholder, where }: TemplateFault): { expected: string; found: string } => ({
  expected: `each value to stay one argument (where it cannot, write a program with args: ["${placeholder}"])`,
  found: `${placeholder} ${where}`,
});

function compile({ command = "", args, ...others }: Fields): Compiled {
  const rest = compileTemplate(others) as (scope: Scope) => Fields; // a template keeps the shape of what it fills
  const line = String(command);
  if (Array.isArray(args)) {
    const { args: filled, values } = compileArguments(args.map(String));
    return { written: { command, args: filled }, values, rest, faults: faultsOfProgram(line) };
  }
  const template = others.shell === "powershell" ? faultsOfPowershell(line) : compileShellTemplate(line);
  const plain: Compiled = { written: { command }, values: () => ({}), rest, faults: [] };
  if (!template) return plain;
  return Array.isArray(template)
    ? { ...plain, faults: template }
    : { ...plain, written: { command: template.line }, values: template.values };
}

const faultsOfProgram = (program: string): TemplateFault[] =>
  isTemplate(program) ? [{ placeholder: program, where: "as the program itself" }] : [];

const faultsOfPowershell = (line: string): TemplateFault[] | undefined =>
  isTemplate(line) ? [{ placeholder: line, where: "in a line for PowerShell" }] : undefined;
