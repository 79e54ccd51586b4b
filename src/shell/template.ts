/**
 * {{placeholders}} in a shell line (R18): a value never becomes text of the line. It becomes an environment variable,
 * quoted for the place where it stands; where that cannot be done safely, the line has a fault that says why.
 */
import type { ShellTemplate, TemplateFault } from "../engine/ports.ts";
import { compileTemplateParts } from "../engine/template.ts";
import { judgeLine, type Places } from "./judge.ts";
import { mark, type Quote, refusalOf, refuse } from "./judge-reading.ts";
import { checkBeginning, nameValues, type Placeholder, readValues } from "./values.ts";

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
    const places = judgeLine(source);
    const lost = offsets.filter((at) => !places.quotes.has(at));
    if (lost.length > 0) refuse("in a comment, or where no value can stand", lost);
    return templateOf(source, placeholders, { offsets, places });
  } catch (error) {
    const { why, at } = refusalOf(error);
    const { written: placeholder } = placeholders[offsets.indexOf(at ?? -1)] ?? first;
    const advice = why.endsWith(")") ? "" : ` (a script of its own takes any value: ./script.sh ${placeholder})`;
    return [{ placeholder, where: why + advice }];
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
