/** Names of files are bytes, and not all of them are UTF-8: texts that hold every name, so that none is lost or taken for another. */

/** What a character of more than one byte begins with, how long it is, and what its second byte may be (RFC 3629). */
const characters: readonly { first: [number, number]; length: number; second: [number, number] }[] = [
  { first: [0xc2, 0xdf], length: 2, second: [0x80, 0xbf] },
  { first: [0xe0, 0xe0], length: 3, second: [0xa0, 0xbf] },
  { first: [0xe1, 0xec], length: 3, second: [0x80, 0xbf] },
  { first: [0xed, 0xed], length: 3, second: [0x80, 0x9f] },
  { first: [0xee, 0xef], length: 3, second: [0x80, 0xbf] },
  { first: [0xf0, 0xf0], length: 4, second: [0x90, 0xbf] },
  { first: [0xf1, 0xf3], length: 4, second: [0x80, 0xbf] },
  { first: [0xf4, 0xf4], length: 4, second: [0x80, 0x8f] },
];

/** A byte that is no UTF-8 stands as half of a surrogate pair, which UTF-8 never holds (Python does the same). */
const firstEscape = 0xdc00;
const escaping = /([\udc80-\udcff])/u; // with `u` only those that are half of nothing

/** A name, or many with NUL between them. */
export function textOfNames(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  return text.includes("\ufffd") ? escaped(bytes) : text;
}

function escaped(bytes: Buffer): string {
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at);
    if (length === 0) {
      parts.push(bytes.toString("utf8", start, at), String.fromCharCode(firstEscape + (bytes[at] ?? 0)));
      start = at + 1;
    }
    at += length || 1;
  }
  return parts.join("") + bytes.toString("utf8", start);
}

/** 0: none begins here. */
function characterLength(bytes: Buffer, at: number): number {
  if ((bytes[at] ?? 0) < 0x80) return 1;
  const isIn = (index: number, [low, high]: [number, number]): boolean => {
    const byte = bytes[at + index];
    return byte !== undefined && byte >= low && byte <= high;
  };
  const found = characters.find(({ first }) => isIn(0, first));
  if (!found || !isIn(1, found.second)) return 0;
  for (let index = 2; index < found.length; index++) if (!isIn(index, [0x80, 0xbf])) return 0;
  return found.length;
}

/** The same bytes again. */
export function bytesOfNames(text: string): Buffer {
  const parts = text.split(escaping); // every second one is an escape
  return Buffer.concat(
    parts.map((part, index) => (index % 2 === 0 ? Buffer.from(part) : Buffer.of(part.charCodeAt(0) - firstEscape))),
  );
}

/** Whether words for a program, variables and messages can hold the name. */
export const isPlainText = (name: string): boolean => name.isWellFormed();

/** As the file system takes it. */
export const pathOf = (name: string): string | Buffer => (isPlainText(name) ? name : bytesOfNames(name));

/** For a reader: `caf\xE9.go`. */
export const readableName = (name: string): string =>
  isPlainText(name)
    ? name
    : name
        .split(escaping)
        .map((part, index) => (index % 2 === 0 ? part : hexOf(part)))
        .join("")
        .toWellFormed();

const hexOf = (one: string): string => `\\x${(one.charCodeAt(0) - firstEscape).toString(16).toUpperCase()}`;
