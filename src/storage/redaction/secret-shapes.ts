/** What looks like a secret whatever its name: keys with the prefixes of clouds and forges, tokens, headers, URLs with passwords. */

interface Shape {
  /** How it begins, if possible up to a sign that is rare in texts. What stands before may be one of JSON's escapes. */
  hint: string;
  pattern: RegExp;
  replace(found: string, kept: string, rest: string): string;
}

export const redacted = "[redacted]";
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
export const shapes: readonly Shape[] = [
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

/** Tells "Basic dXNlcjpwYXNzd29yZA==" from "basic authentication". */
function isUserAndPassword(encoded: string): boolean {
  return Buffer.from(encoded, "base64").includes(":");
}

// Rare signs are looked for first, and what stands before them only then: a tenth of the time of looking for each beginning.
const rare = "[-_@=.AJZz]";
const hints = shapes.map(({ hint }) => hint);
const endsRarely = (hint: string): boolean => new RegExp(`${rare}$`).test(hint);
export const anyHint: RegExp = new RegExp(
  `${rare}(?<=${hints.filter(endsRarely).join("|")})|${hints.filter((hint) => !endsRarely(hint)).join("|")}`,
);
