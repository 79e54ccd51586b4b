/** Text from elsewhere, for models and people: nothing in it moves, turns or hides what stands around it, is secret or without end. */

/** Of a name, a path or a reason. */
const longestLine = 200;

/**
 * Control characters and invisible ones, which may turn, hide or carry words, are shown as what they are; lines, tabs and what
 * gives an emoji its colour stay. The escapes are those of JSON: a text of JSON means the same afterwards.
 */
export const visible = (text: string): string =>
  !unusual.test(text)
    ? text
    : text.replaceAll("\r\n", "\n").replaceAll(hidden, (one) => (one === "\n" || one === "\t" ? one : escaped(one)));
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800](?<!\p{Emoji}\ufe0f)/gu;
/** Most texts are: they cost one look. */
const unusual = /[^\t\n -~]/;

const escaped = (character: string): string =>
  character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");

/** Says that it was cut; a character of two halves is kept whole or not at all. */
export const shortened = (text: string, longest: number): string =>
  text.length <= longest ? text : `${text.slice(0, Math.max(0, longest - 1)).replace(/[\uD800-\uDBFF]$/, "")}…`;

/**
 * Both ends, and between them where it was cut and by how much: the beginning says what it is, the end what became of it. So many
 * characters of it are kept, and what stands between them is not among them.
 *
 * @param shown how the ends are shown; they may grow by it, and then less of them fits
 */
export function bothEnds(text: string, room: number, shown: (end: string) => string = (end) => end): string {
  const half = Math.ceil(room / 2);
  const head = shown(text.slice(0, half))
    .slice(0, half)
    .replace(/[\uD800-\uDBFF]$/, "");
  const tail = lastOf(shown(lastOf(text, room - half)), room - half).replace(/^[\uDC00-\uDFFF]/, "");
  return `${head}${cutMark(text.length - half - (room - half), text.length)}${tail}`;
}
const lastOf = (text: string, count: number): string => text.slice(Math.max(0, text.length - count));

const cutMark = (left: number, all: number): string =>
  left > 0
    ? `\n[cut: ${left} of ${all} characters are left out here]\n`
    : `\n[cut: characters that are written out took the place of some of ${all}]\n`;
/** The longest mark. */
export const cutMarkAtMost = 80;

export const oneLine = (text: string, longest: number = longestLine): string =>
  shortened(visible(shortened(text, 2 * longest).replaceAll(/[\t-\r\u2028\u2029]+/g, " ")).trim(), longest);

/**
 * `https://user:token@host/…` holds a secret; the user of `git@host:…` is none. Where the secret makes the address one that
 * no library reads (`https://user:a/b@host`), all before the last @ goes: rather too much than a part of a secret.
 */
export function withoutCredentials(address: string): string {
  const [, scheme = ""] = /^([a-z][\w+.-]*:\/\/).*@/is.exec(address) ?? [];
  if (scheme === "") return address;
  if (!URL.canParse(address)) return scheme + address.slice(address.lastIndexOf("@") + 1);
  const url = new URL(address);
  if (url.password === "" && (url.username === "" || url.protocol === "ssh:")) return address;
  url.username = "";
  url.password = "";
  return url.href;
}
