/** What a parameter expansion makes of a value that is known: `${PWD%/*}`, `${x/a/b}`, `${x,,}`, `${x:2}`. Apart, because it is about texts alone. */
import type { ParameterOperation, Word } from "unbash";

/** Longer ones are no path that a person means, and each pattern is tried at each end. */
const longest = 1000;

/** @returns undefined: only the shell will know */
export function changed(value: string, operation: ParameterOperation): string | undefined {
  if (value.length > longest || value.includes("\0")) return undefined;
  switch (operation.type) {
    case "Remove":
      return removed(value, operation.operator, literalOf(operation.operand));
    case "Replace":
      return replaced(value, operation.operator, literalOf(operation.pattern), literalOf(operation.replacement));
    case "Slice":
      return sliced(value, literalOf(operation.offset), operation.length && literalOf(operation.length));
    case "CaseModification":
      return operation.operand === undefined && !/[^ -~]/.test(value) ? recased(value, operation.operator) : undefined;
    default:
      return undefined;
  }
}

/** As written, where the shell changes nothing of it but stars and question marks. */
const literalOf = ({ text }: Word): string | undefined =>
  /^[^$`\\'"[\](){}|~]*$/.test(text) && text.split("*").length <= mostStars ? text : undefined;
/** Time grows with their number. */
const mostStars = 4;

function removed(value: string, operator: string, pattern: string | undefined): string | undefined {
  if (pattern === undefined) return undefined;
  const fits = wildcard(pattern);
  const isStart = operator.startsWith("#");
  const lengths = Array.from({ length: value.length + 1 }, (_, length) => length);
  const inOrder = operator.length === 2 ? lengths.reverse() : lengths; // the longest first
  for (const length of inOrder) {
    const part = isStart ? value.slice(0, length) : value.slice(value.length - length);
    if (fits.test(part)) return isStart ? value.slice(length) : value.slice(0, value.length - length);
  }
  return value;
}

const wildcard = (pattern: string): RegExp =>
  new RegExp(`^${pattern.replace(/[.+^]/g, "\\$&").replaceAll(/\*+/g, "[\\s\\S]*").replaceAll("?", "[\\s\\S]")}$`);

function replaced(
  value: string,
  operator: string,
  pattern: string | undefined,
  text: string | undefined,
): string | undefined {
  if (pattern === undefined || text === undefined || /[*?&]/.test(`${pattern}${text}`)) return undefined;
  if (pattern === "") return value;
  if (operator === "//") return value.replaceAll(pattern, () => text);
  if (operator === "/#") return value.startsWith(pattern) ? `${text}${value.slice(pattern.length)}` : value;
  if (operator === "/%") return value.endsWith(pattern) ? `${value.slice(0, -pattern.length)}${text}` : value;
  return value.replace(pattern, () => text);
}

/** Of plain letters, by plain numbers: the shell reads `010` as eight, and counts other letters in its own way. */
function sliced(value: string, offset: string | undefined, length: string | undefined): string | undefined {
  const [from, count] = [offset, length].map((one) => (one === undefined ? undefined : plainNumber(one)));
  if (from === undefined || /[^ -~]/.test(value)) return undefined;
  if (from < -value.length) return "";
  const rest = from < 0 ? value.slice(from) : value.slice(from);
  if (length === undefined) return offset === undefined ? undefined : rest;
  if (count === undefined) return undefined;
  return count < 0 ? rest.slice(0, count) : rest.slice(0, count);
}

const plainNumber = (text: string): number | undefined =>
  /^ ?(?:0|-?[1-9]\d{0,3})$/.test(text) ? Number(text) : undefined;

function recased(value: string, operator: string): string {
  const change = (text: string): string => (operator.startsWith("^") ? text.toUpperCase() : text.toLowerCase());
  return operator.length === 2 ? change(value) : `${change(value.slice(0, 1))}${value.slice(1)}`;
}
