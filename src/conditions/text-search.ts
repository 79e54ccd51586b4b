/** Finding a text in a text in linear time. Apart because the language's own search takes the product for long, repetitive texts. */

/** Shorter ones cost the built-in search little, whatever they hold. */
const short = 32;

/** Where the needle stands first, at or after `from`; -1: nowhere. */
export function find(text: string, needle: string, from = 0): number {
  return needle.length <= short ? text.indexOf(needle, from) : findLong(text, needle, from);
}

export const holdsText = (text: string, needle: string): boolean => find(text, needle) >= 0;

/** Knuth, Morris and Pratt. */
function findLong(text: string, needle: string, from: number): number {
  const borders = bordersOf(needle);
  let matched = 0;
  for (let at = from; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    while (matched > 0 && needle.charCodeAt(matched) !== sign) matched = borders[matched - 1] ?? 0;
    if (needle.charCodeAt(matched) === sign) matched++;
    if (matched === needle.length) return at - matched + 1;
  }
  return -1;
}

/** For each prefix, how long the longest text is that it both begins and ends with. */
function bordersOf(needle: string): Uint32Array {
  const borders = new Uint32Array(needle.length);
  let length = 0;
  for (let at = 1; at < needle.length; at++) {
    while (length > 0 && needle.charCodeAt(at) !== needle.charCodeAt(length)) length = borders[length - 1] ?? 0;
    if (needle.charCodeAt(at) === needle.charCodeAt(length)) length++;
    borders[at] = length;
  }
  return borders;
}
