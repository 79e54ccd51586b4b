/**
 * Refusals that a reader of an answer would miss: in a form that no agent defines, or in the first of two keys of one name. Their author
 * meant to refuse, so the program fails and its call does not pass.
 */
import type { Fields, Json } from "../../../engine/event.ts";
import { isFields, isRecord } from "../../../engine/schema.ts";
import { parseJson } from "./find-answer.ts";

const plain = (name: string): string => name.replaceAll(/[_\s-]/g, "").toLowerCase();
const deciding = /^(?:decision|permissiondecision|permission|behaviou?r|verdict)$/;
const refusing = /^(?:deny|denied|block|blocked|ask|reject|rejected|refuse|refused|forbid|forbidden)$/;
/** Words of many programs' own output: they refuse where nothing but a reason stands beside them. */
const ambiguous =
  /^(?:action|block|blocked|deny|denied|reject|rejected|refuse|refused|allow|allowed|approve|approved)$/;
const reasons = /^(?:reason|message|why|explanation|error)$/;
const saysYes = /^(?:allow|approve)/;

interface Refusal {
  /** As a person finds it in the answer. */
  key: string;
  value: Json;
}

/** Undefined: nothing there refuses. */
export function refusalIn(answer: Fields): Refusal | undefined {
  return (
    among(answer, "") ??
    Object.entries(answer)
      .map(inside)
      .find((found) => found !== undefined)
  );
}

const inside = ([name, value]: [string, Json]): Refusal | undefined =>
  plain(name) === "hookspecificoutput" && isFields(value) ? among(value, `${name}.`) : undefined;

function among(fields: Fields, before: string): Refusal | undefined {
  const names = Object.keys(fields).filter((name) => !reasons.test(plain(name)));
  for (const [name, value] of Object.entries(fields)) {
    const key = plain(name);
    const isAlone = ambiguous.test(key) && names.length === 1;
    if (!deciding.test(key) && !isAlone) continue;
    const isRefusing =
      typeof value === "string" ? refusing.test(plain(value)) : isAlone && value === !saysYes.test(key);
    if (isRefusing) return { key: before + name, value };
    const deeper = isFields(value) ? among(value, `${before}${name}.`) : undefined;
    if (deeper) return deeper;
  }
  return undefined;
}

/** What to write instead. */
export const rightForm = (value: Json): string =>
  value === "ask"
    ? '{"permissionDecision": "ask", "permissionDecisionReason": "…"}'
    : '{"decision": "block", "reason": "…"}';

// An object of JSON may have a key twice: a parser takes the last, while a refusal may stand in the first.

/** A text, with the colon that makes it a key, or a bracket. */
const tokens = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\]]/gs;
/** So often is a key looked for. */
const readingsAtMost = 32;
const leftOut = "\u0001left out:";

interface Key {
  start: number;
  end: number;
  /** How often it stood in its object by then. */
  occurrence: number;
  /** How often it stands there. */
  of: { total: number };
}

/** What else the object may mean: each time with another one of the values that a repeated key has. None: no key is repeated. */
export function otherReadings(text: string): Record<string, unknown>[] {
  const keys = keysIn(text);
  const most = Math.min(readingsAtMost, Math.max(0, ...keys.map(({ of }) => of.total)));
  return Array.from({ length: Math.max(0, most - 1) }, (_, index) => reading(text, keys, index + 1)).flatMap((value) =>
    isRecord(value) ? [value] : [],
  );
}

function keysIn(text: string): Key[] {
  const keys: Key[] = [];
  const around: Map<string, { total: number }>[] = [];
  for (const { 0: token, 1: string, 2: colon, index } of text.matchAll(tokens)) {
    if (token === "{" || token === "[") around.push(new Map());
    else if (token === "}" || token === "]") around.pop();
    else if (string !== undefined && colon !== undefined) {
      const name = String(parseJson(string));
      const known = around.at(-1)?.get(name) ?? { total: 0 };
      known.total += 1;
      around.at(-1)?.set(name, known);
      keys.push({ start: index, end: index + string.length, occurrence: known.total, of: known });
    }
  }
  return keys.filter(({ of }) => of.total > 1);
}

/** With that occurrence of each repeated key, or its last. */
function reading(text: string, keys: readonly Key[], occurrence: number): unknown {
  let made = "";
  let from = 0;
  for (const [index, key] of keys.entries()) {
    if (key.occurrence === Math.min(occurrence, key.of.total)) continue;
    made += text.slice(from, key.start) + JSON.stringify(`${leftOut}${index}`);
    from = key.end;
  }
  const value = parseJson(made + text.slice(from));
  return JSON.parse(JSON.stringify(value ?? null), (name, one: unknown) =>
    name.startsWith(leftOut) ? undefined : one,
  );
}
