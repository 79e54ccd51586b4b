/** Takes secrets out of what is written down, by value and by shape (SAFETY D12). It finds many, and never claims all. */
import { createFindAny, escaped } from "./find-any.ts";
import { anyHint, redacted, shapes } from "./secret-shapes.ts";
import { formsOf, jsonEscaped, secretValues } from "./secret-values.ts";

export interface RedactionOptions {
  /** Values of at least 8 characters count, under names such as API_TOKEN or DB_PASSWORD. */
  environment: Readonly<Record<string, string | undefined>>;
  /** More values of at least 8 characters, as configured. */
  secrets?: readonly string[];
}

/**
 * A function that answers the same text with "[redacted]" in place of each secret. JSON text stays valid JSON: in it
 * only strings, keys and numbers are looked at, one by one. Takes linear time; a text without secrets is only looked
 * through. Never throws.
 *
 * @example createRedaction({ environment: { API_TOKEN: "a1b2c3d4e5" } })("curl -H 'X: a1b2c3d4e5'"); // curl -H 'X: [redacted]'
 */
export function createRedaction({ environment, secrets = [] }: RedactionOptions): (text: string) => string {
  const forms = [...new Set(secretValues(environment, secrets).flatMap(formsOf))].sort(
    (left, right) => right.length - left.length,
  );
  const anyForm = new RegExp(forms.map(escaped).join("|") || "(?!)", "g");
  const holdsForm = createFindAny([...new Set(forms.flatMap((form) => [form, jsonEscaped(form)]))]);
  const isSuspect = (text: string): boolean => holdsForm(text) || anyHint.test(text);

  function redact(text: string): string {
    let clean = text.replace(anyForm, redacted);
    for (const { pattern, replace } of shapes) clean = clean.replace(pattern, replace);
    return clean;
  }

  return (text) => {
    if (!isSuspect(text)) return text;
    return isJson(text) ? redactJson(text, redact) : redact(text);
  };
}

function isJson(text: string): boolean {
  if (!/^\s*[[{"]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // it only looked like JSON
  }
}

const authorization = /^(proxy-)?authorization$/i;
const header = "authorization: ";

/** Everything between the strings and numbers stays as it is, so the text stays the same JSON. */
function redactJson(json: string, redact: (text: string) => string): string {
  let clean = "";
  let before = "";
  let at = 0;
  for (let start = json.indexOf('"'); start !== -1; start = json.indexOf('"', at)) {
    clean += redactNumbers(json.slice(at, start), redact);
    at = endOfString(json, start);
    const found = json.slice(start, at);
    const text: string = JSON.parse(found); // one string of a text that is JSON as a whole
    const kept = authorization.test(before) ? redact(header + text).slice(header.length) : redact(text);
    clean += kept === text ? found : JSON.stringify(kept);
    before = text;
  }
  return clean + redactNumbers(json.slice(at), redact);
}

/** No regular expression: one that steps over a million escapes runs out of stack. */
function endOfString(json: string, start: number): number {
  let end = start;
  let backslashes: number;
  do {
    end = json.indexOf('"', end + 1);
    backslashes = 0;
    while (json[end - 1 - backslashes] === "\\") backslashes += 1;
  } while (backslashes % 2 === 1);
  return end + 1;
}

const redactNumbers = (gap: string, redact: (text: string) => string): string =>
  gap.length < 8
    ? gap
    : gap.replaceAll(/-?\d[\d.eE+-]*/g, (found) => (redact(found) === found ? found : JSON.stringify(redacted)));
