/**
 * {{placeholders}} in a shell line (R18): a value never becomes text of the line. It becomes an environment variable,
 * quoted for the place where it stands; where that cannot be done safely, the line has a fault that says why.
 */
import { HooklineError } from "../core/error.ts";
import type { Json } from "../core/event.ts";
import type { Scope } from "../core/ports.ts";
import { compileTemplateParts, printValue, type TemplatePart } from "../core/template.ts";
import { type Places, readShellLine } from "./shell-commands.ts";
import { mark, type Quote, refusalOf, refuse } from "./shell-reading.ts";

export interface Values {
  [variable: string]: string;
}

export interface ShellTemplate {
  /** The line with variables in the place of placeholders. */
  line: string;
  /** What the variables hold. Throws HooklineError parameters_invalid where a value may not be given to a program. */
  values(scope: Scope): Values;
}

export interface TemplateFault {
  /** The placeholder as it was written. */
  placeholder: string;
  /** Where it stands, or why nobody can tell. */
  where: string;
}

type Placeholder = Extract<TemplatePart, { is: "value" }>;

/** How a variable is written where it stands: the quotes around it go on behind it. */
const written: { readonly [Q in Quote]: (name: string) => string } = {
  plain: (name) => `"$${name}"`,
  double: (name) => `\${${name}}`,
  single: (name) => `'"\${${name}}"'`,
  ansi: (name) => `'"\${${name}}"$'`,
};

/**
 * Reads a line for bash or sh once, for all its runs. Never throws.
 *
 * @returns undefined if it holds no placeholders; its fault where a value could become more than an argument, or where that is not certain
 * @example compileShellTemplate("cat {{tool.params.path}}") // { line: 'cat "$HOOKLINE_VALUE_1"', values }
 */
export function compileShellTemplate(text: string): ShellTemplate | TemplateFault[] | undefined {
  const parts = compileTemplateParts(text);
  const placeholders = parts.filter((part): part is Placeholder => part.is === "value");
  const [first] = placeholders;
  if (!first) return undefined;
  const source = parts.map((part) => (part.is === "text" ? part.text : mark)).join("");
  if (text.includes(mark)) return [{ placeholder: first.written, where: "in a line that holds a NUL character" }];
  const offsets = offsetsOf(source);
  try {
    const places = readShellLine(source);
    const lost = offsets.filter((at) => !places.quotes.has(at));
    if (lost.length > 0) refuse("where no value can stand", lost);
    return templateOf(source, placeholders, { offsets, places });
  } catch (error) {
    const refusal = refusalOf(error);
    if (!refusal || !(error instanceof Error)) throw error;
    const { written: placeholder } = placeholders[offsets.indexOf(refusal.at ?? -1)] ?? first;
    const advice = error.message.endsWith(")")
      ? ""
      : ` (a script of its own takes any value: ./script.sh ${placeholder})`;
    return [{ placeholder, where: error.message + advice }];
  }
}

function offsetsOf(source: string): number[] {
  const offsets: number[] = [];
  for (let at = source.indexOf(mark); at >= 0; at = source.indexOf(mark, at + 1)) offsets.push(at);
  return offsets;
}

function templateOf(
  source: string,
  placeholders: readonly Placeholder[],
  { offsets, places }: { offsets: readonly number[]; places: Places },
): ShellTemplate {
  const { variables, nameOf } = nameValues(placeholders);
  const names = new Map(offsets.map((at, index) => [at, nameOf(placeholders[index]?.written ?? "")]));
  const pieces = source.split(mark);
  const line = pieces.map((piece, index) => {
    const at = offsets[index];
    if (at === undefined) return piece;
    return piece + written[places.quotes.get(at) ?? "plain"](names.get(at) ?? "");
  });
  return {
    line: line.join(""),
    values(scope) {
      const values = readValues(variables, scope);
      for (const word of places.begins) checkBeginning(word, { names, values, variables });
      return values;
    },
  };
}

interface Variable {
  placeholder: Placeholder;
  name: string;
}

/** One variable for each different placeholder. */
function nameValues(placeholders: readonly Placeholder[]): { variables: Variable[]; nameOf(written: string): string } {
  const byText = new Map<string, Variable>();
  for (const placeholder of placeholders)
    if (!byText.has(placeholder.written))
      byText.set(placeholder.written, { placeholder, name: `HOOKLINE_VALUE_${byText.size + 1}` });
  return { variables: [...byText.values()], nameOf: (text) => byText.get(text)?.name ?? "" };
}

/** Systems take arguments and variables of 128 kB, and about 2 MB of all together. */
const mostBytes = 100_000;
const mostBytesTogether = 1_000_000;

function readValues(variables: readonly Variable[], scope: Scope): Values {
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

function checkBeginning(
  marks: readonly number[],
  { names, values, variables }: { names: ReadonlyMap<number, string>; values: Values; variables: readonly Variable[] },
): void {
  for (const at of marks) {
    const name = names.get(at) ?? "";
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
  const names = new Map(variables.map(({ name }, index) => [index, name]));
  const literal = args.indexOf("--");
  const begins = parts.slice(0, literal < 0 ? args.length : literal).map((own) => {
    const end = own.findIndex((part) => part.is === "text");
    const leading = own.slice(0, end < 0 ? own.length : end);
    return leading.flatMap((part) =>
      part.is === "value" ? variables.findIndex(({ name }) => name === nameOf(part.written)) : [],
    );
  });
  return {
    args: parts.map((own) =>
      own.map((part) => (part.is === "text" ? part.text : `\${${nameOf(part.written)}}`)).join(""),
    ),
    values(scope) {
      const values = readValues(variables, scope);
      for (const word of begins) checkBeginning(word, { names, values, variables });
      return values;
    },
  };
}

/** The type of a value does not matter to a program: it is given text. */
export const isTemplate = (value: Json): boolean =>
  typeof value === "string" && compileTemplateParts(value).some(({ is }) => is === "value");
