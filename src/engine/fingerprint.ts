/** Names made of content: fingerprints of texts, and the ids of what people name. */
/** 128 bits as 32 hexadecimal digits: four lanes over the same text, each with its own start and factor, mixed at the end. */
export function fingerprint(text: string): string {
  let first = 0x9e3779b1 ^ text.length;
  let second = 0x85ebca77;
  let third = 0xc2b2ae3d;
  let fourth = 0x27d4eb2f;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    first = Math.imul(first ^ unit, 597399067);
    second = Math.imul(second ^ (unit + first), 2869860233);
    third = Math.imul(third ^ (unit ^ (second >>> 7)), 951274213);
    fourth = Math.imul(fourth ^ (unit + (third >>> 11)), 2716044179);
  }
  return [first ^ fourth, second ^ first, third ^ second, fourth ^ third].map(mixed).join("");
}

/** Spreads the last characters over all bits. */
function mixed(half: number): string {
  let value = half ^ (half >>> 16);
  value = Math.imul(value, 0x7feb352d);
  value ^= value >>> 15;
  value = Math.imul(value, 0x846ca68b);
  value ^= value >>> 16;
  return (value >>> 0).toString(16).padStart(8, "0");
}

const longestSlug = 60;

/** The name in small letters, with hyphens for all that is neither letter nor digit; "" where nothing is left. */
export const slugOf = (name: string): string =>
  name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .normalize("NFC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .slice(0, longestSlug)
    .replace(/^-+|-+$/g, "");

/** What a folder's project is called where another folder's is called so already: the same in every process. */
export const slugBeside = (taken: string, folder: string): string => `${taken}-${fingerprint(folder).slice(0, 6)}`;

/** What an id may be: it stands in other ids, behind and before a slash, and people type it. */
export const isId = (id: string): boolean => /^[\p{L}\p{N}_][\p{L}\p{N}._-]{0,99}$/u.test(id);
