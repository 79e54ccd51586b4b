/** Takes secrets out of what is written down, by value and by shape (SAFETY D12). It finds many, and never claims all. */
import { dropOldest } from "../../engine/drop-oldest.ts";

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

/** One expression for all of them takes a millisecond to make: a process that writes a few texts and ends has no use for it. */
const looksBefore = 200;
/** Of so few, looking for each is quicker in a long text. */
const few = 20;
const short = 128;
/** An expression of many more would be too large for V8. */
const charactersAtMost = 50_000;

/** Whether a text holds any of many others: how to look depends on how many they are, and on how often one looks. */
export function createFindAny(wanted: readonly string[]): (text: string) => boolean {
  const characters = wanted.reduce((sum, { length }) => sum + length, 0);
  const mayCompile = characters > 0 && characters <= charactersAtMost;
  let looks = 0;
  let any: RegExp | undefined;
  return (text) => {
    if (mayCompile && looks++ === looksBefore) any = new RegExp(wanted.map(escaped).join("|"));
    return any !== undefined && (text.length <= short || wanted.length > few)
      ? any.test(text)
      : wanted.some((one) => text.includes(one));
  };
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

/** A shorter value is too likely a part of ordinary text. */
const shortestSecret = 8;

/** Most names hold none of these, and there are many names. */
const mayBeSecret = /KEY|TOKEN|SECRET|PASS|PWD|CREDENTIAL|AUTH|COOKIE|JWT|BEARER|PAT/i;
const secretWords =
  /^(KEYS?|TOKENS?|SECRETS?|PASS|PASSWORDS?|PASSWD|PWD|PASSPHRASE|CREDENTIALS?|AUTH|AUTHORIZATION|COOKIE|JWT|BEARER|APIKEY|PAT)$/;
const secretEnding = /(PASSWORD|PASSWD|TOKEN|SECRET|APIKEY|ACCESSKEY|SECRETKEY|PRIVATEKEY)$/;
/** SSH_AUTH_SOCK and the like: the value says where or how, and names something that is not secret. */
const placeWords = /^(FILE|DIR|PATH|SOCK|SOCKET|HOME|METHOD|MODE|NAME|TYPE|COMMAND|PROGRAM|HELPER)$/;

/** Whether a variable of this name holds a secret. PWD and OLDPWD hold a folder. */
export function isSecretName(name: string): boolean {
  if (!mayBeSecret.test(name) || /^(OLD)?PWD$/.test(name)) return false;
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .toUpperCase()
    .split(/[^A-Z0-9]+/);
  if (placeWords.test(words.at(-1) ?? "")) return false;
  return words.some((word) => secretWords.test(word) || secretEnding.test(word));
}

/** The secret values of an environment, and those that were configured. */
export function secretValues(
  environment: Readonly<Record<string, string | undefined>>,
  configured: readonly string[],
): string[] {
  const named = Object.entries(environment).flatMap(([name, value]) =>
    value && isSecretName(name) ? [value, value.trim()] : [],
  );
  return [...new Set([...named, ...configured])].filter((value) => value.length >= shortestSecret);
}

/** The value itself, and as it stands inside JSON (also quoted JSON, up to three times), URLs and base64. */
function formsOf(value: string): string[] {
  const inJson = jsonEscaped(value);
  const once = [value, inJson, inJson.replaceAll("/", "\\/"), ...urlForms(value), ...base64Forms(value)];
  const twice = once.map(jsonEscaped);
  return [...new Set([...once, ...twice, ...twice.map(jsonEscaped)])].filter((form) => form.length >= shortestSecret);
}

const jsonEscaped = (text: string): string => JSON.stringify(text).slice(1, -1);

function urlForms(value: string): string[] {
  if (!value.isWellFormed()) return []; // it has no URL form
  const plain = encodeURIComponent(value);
  const strict = plain.replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  return [plain, strict].flatMap((form) => [
    form,
    form.replaceAll("%20", "+"),
    form.replaceAll(/%../g, (code) => code.toLowerCase()),
  ]);
}

/** Inside a longer encoded text the value begins at one of three places of a base64 group; its ends are shared with its neighbours. */
function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value);
  const inside = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    return encoded.slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + bytes.length) * 4) / 3));
  });
  const standard = [bytes.toString("base64"), ...inside];
  return [...standard, ...standard.map((form) => form.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", ""))];
}

/** What looks like a secret whatever its name: keys with the prefixes of clouds and forges, tokens, headers, URLs with passwords. */

interface Shape {
  /** How it begins, if possible up to a sign that is rare in texts. What stands before may be one of JSON's escapes. */
  hint: string;
  pattern: RegExp;
  replace(found: string, kept: string, rest: string): string;
}

const redacted = "[redacted]";
const entirely = (): string => redacted;
const exceptItsBeginning = (_found: string, kept: string): string => kept + redacted;

/** Before a token stands no part of a longer word, unless it is the letter of an escape such as \n in quoted JSON. */
const start = String.raw`(?:(?<![A-Za-z0-9_-])|(?<=\\[bfnrt]))`;
const token = (source: string, hint: string): Shape => ({
  hint,
  pattern: new RegExp(`${start}(?:${source})`, "g"),
  replace: entirely,
});

// Every pattern takes linear time: each starts at a literal, and no two of its parts can share a run of characters.
// Every run has a limit: without one, V8 runs out of stack on a text of millions of equal characters.
const shapes: readonly Shape[] = [
  // private keys: up to the end of the block, or of the text if it was cut
  {
    hint: "-----",
    pattern:
      /-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|$)/g,
    replace: entirely,
  },
  token("(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])", "A(?:KI|SI|BI|CC)A"),
  token("gh[opsur]_[A-Za-z0-9]{30,512}", "gh[opsur]_"),
  token("github_pat_[A-Za-z0-9_]{22,512}", "github_pat_"),
  token(
    "gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|oas)-[A-Za-z0-9_.-]{20,512}",
    "gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|oas)-",
  ),
  token("xox[abeoprs]-[A-Za-z0-9-]{10,512}", "xox[abeoprs]-"),
  token("xapp-[A-Za-z0-9-]{20,512}", "xapp-"),
  token("AIza[A-Za-z0-9_-]{35}", "AIz"),
  token(String.raw`ya29\.[A-Za-z0-9_-]{20,512}`, "ya29\\."),
  token("GOCSPX-[A-Za-z0-9_-]{20,512}", "GOCSPX-"),
  token("sk-[A-Za-z0-9_-]{20,512}", "sk-"),
  token("[rs]k_(?:live|test)_[A-Za-z0-9]{16,512}", "[rs]k_(?:live|test)_"),
  token("whsec_[A-Za-z0-9+/]{20,512}", "whsec_"),
  token("npm_[A-Za-z0-9]{36}", "npm_"),
  token("pypi-[A-Za-z0-9_-]{50,512}", "pypi-"),
  token("hf_[A-Za-z0-9]{30,512}", "hf_"),
  token("do[opr]_v1_[a-f0-9]{64}", "do[opr]_v1_"),
  token("dckr_pat_[A-Za-z0-9_-]{20,512}", "dckr_pat_"),
  token(String.raw`hv[sbr]\.[A-Za-z0-9_-]{20,512}`, "hv[sbr]\\."),
  token("shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}", "shp(?:at|ca|pa|ss)_"),
  token(String.raw`SG\.[A-Za-z0-9_-]{16,512}\.[A-Za-z0-9_-]{16,512}`, "SG\\."),
  token("AGE-SECRET-KEY-1[A-Z0-9]{50,512}", "AGE-"),
  token(String.raw`eyJ[A-Za-z0-9_-]{8,8192}\.eyJ[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{0,8192}`, "eyJ"),
  // webhooks, whose address is the secret
  {
    hint: "hooks\\.|discord(?:app)?\\.",
    pattern: /((?:hooks\.slack\.com\/services|discord(?:app)?\.com\/api\/webhooks)\/)[A-Za-z0-9/_-]{1,512}/g,
    replace: exceptItsBeginning,
  },
  {
    hint: "AccountKey=",
    pattern: /(AccountKey=)[A-Za-z0-9+/]{20,512}={0,2}/g,
    replace: exceptItsBeginning,
  },
  // the scheme of a header may stay, what follows it may not
  {
    hint: "[Aa]uthoriz|AUTHORIZ",
    pattern:
      /((?:[Aa]uthorization|AUTHORIZATION)\\{0,8}["']?\s{0,8}[:=]\s{0,8}\\{0,8}["']?(?:[A-Za-z][A-Za-z0-9-]{0,20} {1,8})?)[^\s"'\\,;]{1,8192}/g,
    replace: exceptItsBeginning,
  },
  {
    hint: "[Bb]earer|BEARER",
    pattern: new RegExp(String.raw`(${start}(?:[Bb]earer|BEARER)\s{1,8})[A-Za-z0-9._~+/-]{16,8192}={0,2}`, "g"),
    replace: exceptItsBeginning,
  },
  {
    hint: "[Bb]asic|BASIC",
    pattern: new RegExp(String.raw`(${start}(?:[Bb]asic|BASIC)\s{1,8})([A-Za-z0-9+/]{8,8192}={0,2})`, "g"),
    replace: (found, kept, rest) => (isUserAndPassword(rest) ? kept + redacted : found),
  },
  // user:password@ in a URL
  {
    hint: "://[^/@]{0,9999}@",
    pattern: /(:\/\/)[^\s/@:"'\\]{0,512}:[^\s/@"']{1,8192}@/g,
    replace: (_found, kept) => `${kept}${redacted}@`,
  },
];

/** Distinguishes "Basic dXNlcjpwYXNzd29yZA==" from "basic authentication". */
function isUserAndPassword(encoded: string): boolean {
  return Buffer.from(encoded, "base64").includes(":");
}

// Rare signs are looked for first, and what stands before them only then: a tenth of the time of looking for each beginning.
const rare = "[-_@=.AJZz]";
const hints = shapes.map(({ hint }) => hint);
const endsRarely = (hint: string): boolean => new RegExp(`${rare}$`).test(hint);
const anyHint: RegExp = new RegExp(
  `${rare}(?<=${hints.filter(endsRarely).join("|")})|${hints.filter((hint) => !endsRarely(hint)).join("|")}`,
);

/** Redaction in a process that works for others, and learns the secrets of the environments that it is shown. */
export interface LearningRedaction {
  /** As createRedaction's, with all that was learned by now. */
  redact(text: string): string;
  /** To be called before anything is written down that came with this environment. */
  learn(environment: RedactionOptions["environment"]): void;
}

/** Those that were learned last: a session's are a handful. */
const learnedAtMost = 2_000;

export function createLearningRedaction({ environment, secrets = [] }: RedactionOptions): LearningRedaction {
  let seen = new WeakSet<object>(); // whose secrets are all among those learned
  const own = new Set(secretValues(environment, secrets));
  const learned = new Set<string>();
  let redact = createRedaction({ environment, secrets });
  return {
    redact: (text) => redact(text),
    learn(given) {
      if (seen.has(given)) return;
      const fresh = secretValues(given, []).filter((value) => !own.has(value) && !learned.has(value));
      for (const value of fresh) learned.add(value);
      if (learned.size > learnedAtMost) seen = new WeakSet();
      dropOldest(learned, learnedAtMost);
      seen.add(given);
      if (fresh.length === 0) return;
      redact = createRedaction({ environment, secrets: [...secrets, ...learned] });
    },
  };
}
