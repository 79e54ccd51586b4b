/** Values of placeholders that a shell line puts into variables: where those are run or evaluated, so would the values be. */
import { assign, type Judging, refuse } from "./shell-judging.ts";
import { dangerousVariable } from "./shell-programs.ts";
import { mark, type ShellWord } from "./shell-reading.ts";

/** Of ${…} only these run something: an indirect name, a prompt, a subscript, an offset. */
export function judgeExpansion({ sums }: Judging, raw: string): void {
  if (/^\$\{!|@[A-Za-z]\}$/.test(raw)) sums.push(raw);
  const subscript = /^\$\{[#!]?\w+(\[.*?\])/.exec(raw)?.[1];
  const offset = /^\$\{\w+(?:\[[^\]]*\])?:(?![-=?+])(.*)\}$/s.exec(raw)?.[1];
  for (const text of [subscript, offset]) if (text !== undefined) sums.push(text);
}

export function judgeAssignment(judging: Judging, { raw, marks, ...word }: ShellWord): void {
  const [, name = "", subscript = ""] = /^([A-Za-z_]\w*)(\[[^\]]*\])?\+?=/.exec(raw) ?? [];
  if (subscript.includes(mark)) refuse(judging, marks, "in an array's subscript");
  if (subscript !== "") judging.sums.push(subscript);
  if (dangerousVariable.test(name)) refuse(judging, marks, `as the value of ${name}`);
  assign(judging, [name], [{ ...word, raw, marks }]);
}

/** Where the name of a variable is asked for: what a value would put there is run, and so is what its subscript names. */
export function noteName({ codes, sums }: Judging, raw: string): void {
  codes.push(raw);
  if (raw.includes("[")) sums.push(raw);
}

/** The arguments of a function, or of `set`. */
export const positional: readonly string[] = "123456789@*".split("");

/** A variable that holds a value is no code and no number either. */
export function judgeVariables(judging: Judging): void {
  const tainted = new Map<string, readonly number[]>();
  const marks = [...judging.quotes.keys()];
  const given = judging.functions.length > 0 ? positional : [];
  for (const name of [...given, ...judging.filled]) if (/^(?:\w+|[@*])$/.test(name)) tainted.set(name, marks);
  for (let size = -1; size !== tainted.size; ) {
    size = tainted.size;
    for (const { names, raw, marks: own } of judging.assigned) {
      const from = own.length > 0 ? own : [...tainted].find(([name]) => mentions(raw, name))?.[1];
      if (from) for (const name of names) if (!tainted.has(name)) tainted.set(name, from);
    }
  }
  const codes = [...judging.codes, ...(judging.inputs.length > 0 ? judging.documents : [])];
  for (const [name, from] of tainted) {
    if (codes.some((raw) => mentions(raw, name))) refuse(judging, from, `in $${name}, which the line runs`);
    if (judging.sums.some((raw) => isNamed(raw, name))) refuse(judging, from, `in $${name}, which the line evaluates`);
  }
}

const escaped = (name: string): string => name.replace(/[*@]/g, "\\$&");
/** Not between single quotes: what stands there is not filled in now. */
const mentions = (raw: string, name: string): boolean =>
  new RegExp(`\\$\\{?[#!]?${escaped(name)}(?!\\w)`).test(raw.replace(/^'[^']*'$/, ""));
const isNamed = (raw: string, name: string): boolean =>
  mentions(raw, name) || (/^[A-Za-z_]/.test(name) && new RegExp(`(?<!\\w)${name}(?!\\w)`).test(raw));
