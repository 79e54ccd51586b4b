/** What kind of error a text tells of (DT31), for events that do not say it themselves. */

export const errorClasses = [
  "rate_limit",
  "billing",
  "context_overflow",
  "timeout",
  "auth",
  "network",
  "internal",
] as const;
export type ErrorClass = (typeof errorClasses)[number];

/** The first that fits. Billing stands before auth and network, whose words such errors also hold. */
const rows: readonly { is: ErrorClass; words: RegExp }[] = [
  { is: "rate_limit", words: /\b429\b|rate[ _-]?limit|too many requests|overloaded/i },
  {
    is: "billing",
    words: /\b402\b|billing|insufficient (?:balance|quota|funds|credit)|out of credit|payment required/i,
  },
  {
    is: "context_overflow",
    words: /context[ _-]?(?:overflow|length|window)|prompt is too long|too many tokens|maximum context/i,
  },
  { is: "timeout", words: /\b(?:408|504)\b|time[ _-]?d?[ _-]?out|deadline exceeded|ETIMEDOUT/i },
  {
    is: "auth",
    words: /\b(?:401|403)\b|unauthori[sz]ed|authenticat|forbidden|permission denied|invalid (?:api[ _-]?)?key/i,
  },
  {
    is: "network",
    words: /connection|network|unreachable|socket hang up|fetch failed|ECONN[A-Z]+|ENOTFOUND|EAI_AGAIN|\bdns\b/i,
  },
];

export const errorClassOf = (text: string): ErrorClass => rows.find(({ words }) => words.test(text))?.is ?? "internal";
