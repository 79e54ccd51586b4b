/**
 * Values that a program is given as variables (R18): what they are called, which are refused, and where lines that hold
 * placeholders are read. Apart from the reader, because that loads the parser.
 */
import { HooklineError } from "../engine/error.ts";
import type { Json, MaybePromise } from "../engine/event.ts";
import type { Scope, ShellTemplate, TemplateFault } from "../engine/ports.ts";
import { compileTemplateParts, printValue, type TemplatePart } from "../engine/template.ts";

export interface Values {
  [variable: string]: string;
}

export type Placeholder = Extract<TemplatePart, { is: "value" }>;

interface Variable {
  placeholder: Placeholder;
  name: string;
}

/** One variable for each different placeholder. */
export function nameValues(placeholders: readonly Placeholder[]): {
  variables: Variable[];
  nameOf(written: string): string;
} {
  const byText = new Map<string, Variable>();
  for (const placeholder of placeholders)
    if (!byText.has(placeholder.written))
      byText.set(placeholder.written, { placeholder, name: `HOOKLINE_VALUE_${byText.size + 1}` });
  return { variables: [...byText.values()], nameOf: (text) => byText.get(text)?.name ?? "" };
}

/** Systems take arguments and variables of 128 kB, and about 2 MB of all together. */
const mostBytes = 100_000;
const mostBytesTogether = 1_000_000;

export function readValues(variables: readonly Variable[], scope: Scope): Values {
  const values: Values = {};
  let together = 0;
  for (const { placeholder, name } of variables) {
    const value = textOf(placeholder, scope);
    values[name] = value;
    together += Buffer.byteLength(value);
  }
  if (together > mostBytesTogether)
    throw refusal("the placeholders", `at most ${mostBytesTogether} bytes`, `${together} bytes`);
  return values;
}

function textOf({ written: placeholder, read }: Placeholder, scope: Scope): string {
  const value = printValue(read(scope));
  if (value.includes("\0")) throw refusal(placeholder, "text that a program can be given", "a NUL character");
  const size = Buffer.byteLength(value);
  if (size > mostBytes) throw refusal(placeholder, `at most ${mostBytes} bytes`, `${size} bytes`);
  return value;
}

/** @param names the variables that an argument begins with; an empty one leaves the beginning to the next */
export function checkBeginning(names: readonly string[], values: Values, variables: readonly Variable[]): void {
  for (const name of names) {
    const value = values[name] ?? "";
    if (value === "") continue;
    if (!value.startsWith("-")) return;
    throw beginsAnOption(variables.find((one) => one.name === name)?.placeholder.written ?? name, value);
  }
}

const beginsAnOption = (placeholder: string, value: string): HooklineError =>
  refusal(
    placeholder,
    'no "-" at its beginning, where a program takes it for an option (write -- before it)',
    kind(value),
  );
const kind = (value: string): string => JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);

const refusal = (name: string, expected: string, found: string): HooklineError =>
  new HooklineError("parameters_invalid", { name, expected, found, where: "a value in a command" });

/**
 * Arguments of a program that runs without a shell: each stays one, whatever its values hold. The values are given as
 * variables too, since `${HOOKLINE_…}` in an argument is filled in, and in a value it is not.
 */
export function compileArguments(args: readonly string[]): { args: string[]; values(scope: Scope): Values } {
  const parts = args.map(compileTemplateParts);
  const { variables, nameOf } = nameValues(parts.flat().filter((part): part is Placeholder => part.is === "value"));
  const literal = args.indexOf("--");
  const begins = parts.slice(0, literal < 0 ? args.length : literal).map((own) => {
    const end = own.findIndex((part) => part.is === "text");
    const leading = own.slice(0, end < 0 ? own.length : end);
    return leading.flatMap((part) => (part.is === "value" ? nameOf(part.written) : []));
  });
  return {
    args: parts.map((own) =>
      own.map((part) => (part.is === "text" ? part.text : `\${${nameOf(part.written)}}`)).join(""),
    ),
    values(scope) {
      const values = readValues(variables, scope);
      for (const names of begins) checkBeginning(names, values, variables);
      return values;
    },
  };
}

/** The type of a value does not matter to a program: it is given text. */
export const isTemplate = (value: Json): boolean =>
  typeof value === "string" && compileTemplateParts(value).some(({ is }) => is === "value");

/** undefined: there is nothing to fill in. */
export type ReadLine = ShellTemplate | TemplateFault[] | undefined;

/** Hooks and automations have few lines, and their values do not stand in them. */
const remembered = 500;

export function createLineReader(): (line: string) => MaybePromise<ReadLine> {
  const known = new Map<string, ReadLine>();
  return (line) => {
    if (known.has(line)) return known.get(line);
    return isTemplate(line) ? read(line) : undefined;
  };

  async function read(line: string): Promise<ReadLine> {
    const { compileShellTemplate } = await import("./template.ts");
    if (known.size >= remembered) known.clear();
    const template = compileShellTemplate(line);
    known.set(line, template);
    return template;
  }
}
