/** Texts as Python sees them: counted in characters, not in halves of them, and with its own idea of a blank. */
import { find } from "../text-search.ts";

const halves = /[\ud800-\udfff]/;

export const charactersOf = (text: string): string[] => (halves.test(text) ? Array.from(text) : text.split(""));
export const lengthOf = (text: string): number => (halves.test(text) ? Array.from(text).length : text.length);
/** Where this unit of the text stands, counted in characters. */
export const placeOf = (text: string, unit: number): number => (unit <= 0 ? unit : lengthOf(text.slice(0, unit)));

const blanks =
  "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000";
/** One character. */
export const isBlank = (sign: string): boolean => blanks.includes(sign);

/** One character; undefined: there are not so many. */
export function characterAt(text: string, place: number): string | undefined {
  const signs = halves.test(text) ? Array.from(text) : text;
  return signs[place < 0 ? signs.length + place : place];
}

/** Without the signs at both ends that are to go. */
export function strip(text: string, goes: (sign: string) => boolean): string {
  let [start, end] = [0, text.length];
  for (let sign = text.codePointAt(start); sign !== undefined && start < end; sign = text.codePointAt(start)) {
    const written = String.fromCodePoint(sign);
    if (!goes(written)) break;
    start += written.length;
  }
  while (end > start) {
    const width = isPair(text, end - 2) && end - 2 >= start ? 2 : 1;
    if (!goes(text.slice(end - width, end))) break;
    end -= width;
  }
  return text.slice(start, end);
}

const isPair = (text: string, at: number): boolean => (text.codePointAt(at) ?? 0) > 0xffff;

/** At each run of blanks; the last part keeps those at its end if there may be no more. */
export function splitAtBlanks(text: string, most: number): string[] {
  const parts: string[] = [];
  for (let at = 0; ; ) {
    while (at < text.length && isBlank(text[at] ?? "")) at++;
    if (at === text.length) return parts;
    if (parts.length === most) return [...parts, text.slice(at)];
    const start = at;
    while (at < text.length && !isBlank(text[at] ?? "")) at++;
    parts.push(text.slice(start, at));
  }
}

export function splitAt(text: string, separator: string, most: number): string[] {
  const parts: string[] = [];
  let start = 0;
  while (parts.length < most) {
    const end = find(text, separator, start);
    if (end < 0) break;
    parts.push(text.slice(start, end));
    start = end + separator.length;
  }
  return [...parts, text.slice(start)];
}

/** An empty text stands before each character and at the end. */
export const countIn = (text: string, part: string): number =>
  part === "" ? lengthOf(text) + 1 : splitAt(text, part, Number.POSITIVE_INFINITY).length - 1;

export function replaceIn(text: string, old: string, by: string, most: number): string {
  if (old !== "") return splitAt(text, old, most).join(by);
  const signs = charactersOf(text);
  const places = Math.min(most, signs.length + 1);
  return `${signs.map((sign, index) => (index < places ? by + sign : sign)).join("")}${places > signs.length ? by : ""}`;
}
