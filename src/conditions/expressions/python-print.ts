/** How Python prints values: str() and repr(). Apart because its floats and quotes have rules of their own. */
import { checkLength, type Frame, fault, spend, spendText } from "./frame.ts";
import { isFloatBox, isTuple, itemsOf, type Value } from "./python-value.ts";

const deepest = 100;

/** str(): a text as it is. */
export function printText(frame: Frame, value: Value): string {
  return typeof value === "string" ? value : represent(frame, value);
}

/** repr(): a text in quotes. */
export function represent(frame: Frame, value: Value): string {
  let length = 0;
  const text = print(value, 0, (part) => {
    spend(frame, 1);
    spendText(frame, part.length);
    length += part.length;
    checkLength(frame, length);
    return part;
  });
  return text ?? fault(frame, "it is nested too deep to be printed");
}

type Keep = (part: string) => string;

function print(value: Value, depth: number, keep: Keep): string | undefined {
  if (depth > deepest) return undefined;
  const items = itemsOf(value);
  if (items) {
    const printed = printAll(items, depth, keep);
    if (printed === undefined) return undefined;
    return isTuple(value) ? `(${printed}${items.length === 1 ? "," : ""})` : `[${printed}]`;
  }
  if (typeof value === "string") return keep(quoted(value));
  if (typeof value === "boolean") return keep(value ? "True" : "False");
  if (typeof value === "number") return keep(Number.isSafeInteger(value) ? String(value + 0) : printFloat(value));
  if (typeof value !== "object" || value === null) return keep("None");
  if (isFloatBox(value)) return keep(printFloat(value.value));
  const entries: string[] = [];
  for (const [key, one] of Object.entries(value)) {
    const printed = print(one, depth + 1, keep);
    if (printed === undefined) return undefined;
    entries.push(`${keep(quoted(key))}: ${printed}`);
  }
  return `{${entries.join(", ")}}`;
}

function printAll(items: readonly Value[], depth: number, keep: Keep): string | undefined {
  const parts: string[] = [];
  for (const item of items) {
    const printed = print(item, depth + 1, keep);
    if (printed === undefined) return undefined;
    parts.push(printed);
  }
  return parts.join(", ");
}

/** The shortest digits that read back as the same number; an exponent below 1e-4 and from 1e16 on. */
export function printFloat(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const [mantissa = "", power = "0"] = Math.abs(value).toExponential().split("e");
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 16) {
    const size = String(Math.abs(exponent)).padStart(2, "0");
    return `${sign}${mantissa}e${exponent < 0 ? "-" : "+"}${size}`;
  }
  const digits = mantissa.replace(".", "");
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  return `${sign}${whole}.${digits.slice(exponent + 1) || "0"}`;
}

const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Single quotes, unless the text holds these alone. */
function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inner = text.replace(/[\\'\p{C}\p{Z}]/gu, (sign) => {
    if (sign === " ") return sign;
    if (sign === "'") return quote === "'" ? "\\'" : sign;
    return escapes[sign] ?? escapeCode(sign.codePointAt(0) ?? 0);
  });
  return `${quote}${inner}${quote}`;
}

function escapeCode(code: number): string {
  const digits = code.toString(16);
  if (code < 0x100) return `\\x${digits.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${digits.padStart(4, "0")}` : `\\U${digits.padStart(8, "0")}`;
}
