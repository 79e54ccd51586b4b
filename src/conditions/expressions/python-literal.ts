/** Numbers and texts as Python writes them. Apart because both have small grammars of their own. */

export type Literal = { value: number; float: boolean } | { fault: string };

const whole = /^(?:0(?:_?0)*|[1-9](?:_?\d)*)$/;
const based = /^0(?:[xX](?:_?[\da-fA-F])+|[oO](?:_?[0-7])+|[bB](?:_?[01])+)$/;
const pointed = /^(?:\d(?:_?\d)*)?\.?(?:\d(?:_?\d)*)?(?:[eE][+-]?\d(?:_?\d)*)?$/;

export function readNumber(written: string): Literal {
  const bare = written.replaceAll("_", "");
  if (whole.test(written) || based.test(written)) {
    const value = Number(bare);
    return Number.isSafeInteger(value)
      ? { value, float: false }
      : { fault: "a whole number beyond 2**53 is too large" };
  }
  if (/^[\d_]+$/.test(written) || !/^[\d.]/.test(written) || !pointed.test(written))
    return { fault: `${written} is no number` };
  const value = Number(bare);
  return Number.isFinite(value) ? { value, float: true } : { fault: `${written} is too large` };
}

const simple: Readonly<Record<string, string>> = {
  "\\": "\\",
  "'": "'",
  '"': '"',
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};
const digitsAfter: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** One text with its quotes; undefined after `fault` has been told. */
export function readText(written: string, fault: (offset: number, reason: string) => never): string {
  const prefix = /^[A-Za-z]*/.exec(written)?.[0].toLowerCase() ?? "";
  if (prefix.includes("f")) return fault(0, "a text with f is not supported: join with +");
  if (prefix.includes("b")) return fault(0, "a text with b is not supported");
  const quote = /^('''|"""|'|")/.exec(written.slice(prefix.length))?.[0] ?? "";
  const start = prefix.length + quote.length;
  const inner = written.slice(start, written.length - quote.length);
  if (prefix.includes("r") || !inner.includes("\\")) return inner;
  let text = "";
  for (let at = 0; at < inner.length; ) {
    const next = inner.indexOf("\\", at);
    if (next < 0) return text + inner.slice(at);
    const { value, length } = readEscape(inner, next, (reason) => fault(start + next, reason));
    text += inner.slice(at, next) + value;
    at = next + length;
  }
  return text;
}

/** An escape that means nothing stays as it is written. */
function readEscape(inner: string, at: number, fault: (reason: string) => never): { value: string; length: number } {
  const sign = inner[at + 1] ?? "";
  const known = Object.hasOwn(simple, sign) ? simple[sign] : undefined;
  if (known !== undefined) return { value: known, length: 2 };
  if (sign === "\n") return { value: "", length: 2 };
  if (sign === "N") return fault("a character by name is not supported");
  const octal = /^[0-7]{1,3}/.exec(inner.slice(at + 1, at + 4))?.[0];
  if (octal) return { value: String.fromCodePoint(Number.parseInt(octal, 8)), length: 1 + octal.length };
  const count = Object.hasOwn(digitsAfter, sign) ? digitsAfter[sign] : undefined;
  if (count === undefined) return { value: `\\${sign}`, length: 1 + sign.length };
  const digits = inner.slice(at + 2, at + 2 + count);
  const code = /^[\da-fA-F]+$/.test(digits) && digits.length === count ? Number.parseInt(digits, 16) : Number.NaN;
  if (!(code <= 0x10ffff)) return fault(`\\${sign} needs ${count} digits of a character`);
  return { value: String.fromCodePoint(code), length: 2 + count };
}
