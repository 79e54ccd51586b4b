/** Objects of JSON that have a key twice: a parser takes the last, while a refusal may stand in the first. */
import { isRecord } from "../../../engine/schema.ts";
import { parseJson } from "./find-answer.ts";

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
