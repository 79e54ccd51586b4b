/** The fields of entries: what every entry may say, in one table, and what one says, with its places. */
import type { Json } from "../../engine/event.ts";
import type { PersistentProgramLimits } from "../../engine/persistent-program.ts";
import { either, flag, integer, listOf, number, object, oneOf, type Schema, say, text } from "../../engine/schema.ts";
import { jsonOf, type Member, type Report } from "../reading/tree.ts";

export interface Field {
  value: Json;
  /** Offset of its key. */
  at: number;
  /** Written around the handler, for all handlers of its group. */
  ofGroup: boolean;
}

export const isComment = (key: string): boolean => /^(\/\/|[_$#])/.test(key) || key === "comment" || key === "comments";

/** These belong to the list around the handlers. */
const structure: ReadonlySet<string> = new Set(["hooks", "event"]);

export function fieldsOf(members: readonly Member[], ofGroup: boolean): Map<string, Field> {
  const fields = new Map<string, Field>();
  for (const { key, at, value } of members) {
    if (!structure.has(key) && !isComment(key)) fields.set(key, { value: jsonOf(value), at, ofGroup });
  }
  return fields;
}

export const shape = (report: Report, at: number, message: string, example: string): void =>
  report(at, { severity: "error", code: "shape", message, suggestion: `write ${example}` });

export const roles = ["guard", "transform", "observe", "undeclared"] as const;
export const policies = ["continue", "ask", "block"] as const;

const patternList: Schema<string | string[]> = either(text(), listOf(text()));

/** What each limit of a program that stays counts. */
const limits: { readonly [L in keyof PersistentProgramLimits]: Schema<number> } = {
  memory: integer("megabytes that it and its children may use", 1),
  age: number("seconds after which it is restarted, between two events", 1),
  idle: number("seconds without an event after which it is ended; the next event starts it", 1),
  concurrency: integer("events that it gets before it has answered the first of them", 1),
  events: integer("number of events after which it is restarted", 1),
};
const resident: Schema<boolean | object> = either(flag, object({}, limits));

const seconds: Schema<number> = number(undefined, 0);
type Texts = "matcher" | "statusMessage" | "description" | "name" | "id";
type Flags = "blocking" | "failClosed" | "once" | "async" | "asyncRewake" | "enabled" | "replaces" | "report";
type Numbers = "timeout" | "timeoutSec" | "priority" | "textLimit";
interface CommonValues extends Record<Texts, string>, Record<Flags, boolean>, Record<Numbers, number> {
  if: string | string[];
  not: string | string[];
  role: (typeof roles)[number];
  onFailure: (typeof policies)[number];
  tags: string[];
  resident: boolean | object;
}
export type CommonKey = keyof CommonValues;

/** What every hook may say, whatever it runs. */
export const commonFields: { readonly [K in CommonKey]: Schema<CommonValues[K]> } = {
  matcher: say(text(), "which match values: names (Write|Edit), a tool pattern, or a regular expression; absent: all"),
  if: say(patternList, "tool patterns such as Bash(git push *), of which one must match"),
  not: say(patternList, "tool patterns that are exceptions to if"),
  timeout: say(seconds, "seconds"),
  timeoutSec: say(seconds, "the same as timeout"),
  role: say(oneOf(...roles), "a guard is evaluated again after a rewrite, and blocks if it fails", "undeclared"),
  onFailure: say(oneOf(...policies), "what counts when it fails, times out or cannot start"),
  blocking: say(flag, "true is onFailure: block", false),
  failClosed: say(flag, "true is onFailure: block", false),
  statusMessage: say(text(), "shown while it runs"),
  once: say(flag, "at most once in a session", false),
  async: say(flag, "in the background: its verdict counts nowhere", false),
  asyncRewake: say(flag, "in the background: if it blocks, the model gets a notice later", false),
  description: say(text(), "what people see, where there is no name"),
  name: say(text(), "what people see"),
  id: say(text(), "records and limits are kept under it"),
  priority: say(number(), "lower runs first", 100),
  enabled: say(flag, "false: it stays listed and does not run", true),
  tags: say(listOf(text()), "words to find it by"),
  replaces: say(
    flag,
    "true: its rewrite makes the call safe, and guards of its own and of lower layers judge only what will run",
    false,
  ),
  report: say(flag, "true: it is evaluated and recorded, and changes nothing", false),
  resident: say(resident, "the program starts once and answers one line of JSON for each event"),
  textLimit: say(integer(undefined, 1), "characters of all that it says in one answer"),
};
export type CommonValue<K extends CommonKey> = CommonValues[K];
export const isCommon = (key: string): key is CommonKey => Object.hasOwn(commonFields, key);

/** What an entry of a list of verdicts may say beside that. */
export const listedFields: { readonly [key: string]: Schema<unknown> } = {
  reason: say(text(), "why, in words for the model and the person"),
  suggestion: say(text(), "what to do instead"),
};
