/** JSON in what a program or a model has said: all of a text, or objects between banners and other noise. */
import { isRecord } from "../../../engine/schema.ts";

/** Undefined: it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface Candidate {
  value: Record<string, unknown>;
  start: number;
  end: number;
}
export interface Found {
  /** The complete objects, in order. */
  objects: Candidate[];
  /** Complete objects inside or behind something broken, which may be parts of it: no answers by themselves. */
  inside: Candidate[];
  /** What follows the last of them, from a line that begins like an object and does not end like one. */
  broken?: string;
}

/** Deeper answers would overflow the stack when they are written down. */
export const deepest = 200;

export const isTooDeep = (value: unknown, depth = 1): boolean =>
  typeof value === "object" &&
  value !== null &&
  (depth > deepest || Object.values(value).some((one) => isTooDeep(one, depth + 1)));

/** Never throws; looks at each character a bounded number of times, whatever the noise. */
export function findObjects(text: string): Found {
  const objects: Candidate[] = [];
  const inside: Candidate[] = [];
  let brokenAt = -1;
  let budget = 4 * text.length + 4096;
  let budgetInside = text.length + 4096;
  for (let start = text.indexOf("{"); start >= 0 && budget > 0; ) {
    const atLineStart = start === 0 || text[start - 1] === "\n";
    // What lies inside something broken is no answer: only what begins a line may follow it.
    const isInside = brokenAt >= 0 && !atLineStart;
    const object = isInside && budgetInside <= 0 ? { readTo: start } : readObject(text, start);
    const cost = object.readTo - start + 1;
    if (isInside) budgetInside -= cost;
    budget -= isInside ? 1 : cost;
    if (object.value) {
      (isInside ? inside : objects).push({ value: object.value, start, end: object.readTo });
      if (!isInside) brokenAt = -1;
    } else if (atLineStart && brokenAt < 0) brokenAt = start;
    start = text.indexOf("{", object.value && !isInside ? object.readTo : start + 1);
  }
  return { objects, inside, ...(brokenAt < 0 ? {} : { broken: text.slice(brokenAt) }) };
}

interface Read {
  value?: Record<string, unknown>;
  /** The index behind the object, or behind what was looked at. */
  readTo: number;
}

function readObject(text: string, start: number): Read {
  const end = endOfObject(text, start);
  const value = end.depth > 0 ? undefined : parseJson(text.slice(start, end.index));
  return { readTo: end.index, ...(isRecord(value) ? { value } : {}) };
}

/** Depth 0: the object ends before the index. Else nothing that begins here can be JSON. */
function endOfObject(text: string, start: number): { index: number; depth: number } {
  let depth = 0;
  let inString = false;
  if (!/^\{\s*["}]/.test(text.slice(start, start + 200))) return { index: start + 1, depth: 1 };
  for (let index = start; index < text.length; index++) {
    const character = text[index];
    if (inString) {
      if (character === "\\") index++;
      else if (character === '"') inString = false;
      else if (character === "\n") return { index, depth }; // JSON has no line break inside a string
    } else if (character === '"') inString = true;
    else if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") depth--;
    if (depth === 0) return { index: index + 1, depth };
    if (depth > deepest) return { index, depth };
  }
  return { index: text.length, depth };
}
