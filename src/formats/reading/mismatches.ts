/** What a schema has found wrong, as findings in a person's words, the same in every format; and where in a file each belongs. */
import { didYouMean, meantOrKnown, nearest } from "../../engine/nearest.ts";
import { isRecord, type Mismatch, type Schema, text } from "../../engine/schema.ts";
import { secondsIn } from "./durations.ts";
import { type Finding, jsonOf, type Member, membersOf, type Node, type Report } from "./tree.ts";

export type Path = readonly (string | number)[];

/** What was checked. */
export interface Subject {
  /** In a person's words, such as: the trigger. */
  name: string;
  value: unknown;
  /** Words of other formats for its fields. */
  elsewhere?: { readonly [word: string]: string };
  /** What to write where one of these fields is missing or empty. */
  examples?: { readonly [field: string]: string };
  /** Where an unknown word of the outermost level belongs. */
  belongs?(key: string): string | undefined;
}
export interface MismatchFinding extends Omit<Finding, "severity"> {
  path: Path;
  /** It is about the key, not about what stands behind it. */
  ofKey?: true;
}

/** Where a name is misspelt, what was meant is not missing. */
export function findingsOf(mismatches: readonly Mismatch[], subject: Subject): MismatchFinding[] {
  const swapped = swappedIn(mismatches, subject);
  const meant = new Set(mismatches.flatMap((one) => (one.unknown ? (meantBy(one, subject) ?? []) : [])));
  return mismatches.flatMap((mismatch): MismatchFinding[] => {
    const { path } = mismatch;
    const field = path.join(".");
    if (mismatch === swapped?.missing) return [];
    if (mismatch.unknown) {
      const instead = mismatch === swapped?.unknown ? { suggestion: insteadOf(swapped.missing) } : {};
      return [{ ...unknownField(mismatch, subject), ...instead, path, ofKey: true }];
    }
    const value = valueAt(subject.value, path);
    const isMissing = value === undefined || (value === null && Object.hasOwn(subject.examples ?? {}, field));
    if (path.length === 0 || !isMissing) return [{ ...wrongType(mismatch, subject), path }];
    return meant.has(field) ? [] : [{ ...missingField(mismatch, subject), path, ofKey: true }];
  });
}

interface Swapped {
  unknown: Mismatch;
  missing: Mismatch;
}

/** The one field that is missing stands there under a name of its author's own: that is one mistake. */
function swappedIn(mismatches: readonly Mismatch[], subject: Subject): Swapped | undefined {
  const [one, other] = mismatches;
  if (!one || !other || mismatches.length > 2 || one.unknown === other.unknown) return undefined;
  const [unknown, missing] = one.unknown ? [one, other] : [other, one];
  const isIn =
    unknown.path.length === missing.path.length &&
    unknown.path.slice(0, -1).join() === missing.path.slice(0, -1).join();
  const isMissing = missing.path.length > 0 && valueAt(subject.value, missing.path) === undefined;
  const isOwn = meantBy(unknown, subject) === undefined && subject.belongs?.(String(unknown.path[0])) === undefined;
  return isIn && isMissing && isOwn ? { unknown, missing } : undefined;
}

const insteadOf = ({ path, expected }: Mismatch): string => `write "${path.at(-1)}": ${expected}`;

const elsewhereFor = (key: string, { elsewhere = {} }: Subject): string | undefined =>
  Object.hasOwn(elsewhere, key) ? elsewhere[key] : undefined;

function meantBy({ path, known = [] }: Mismatch, subject: Subject): string | undefined {
  const key = String(path.at(-1));
  const name = elsewhereFor(key, subject) ?? nearest(key, known);
  return name && [...path.slice(0, -1), name].join(".");
}

/** Of a key that no reader knows, where that may be a remark or a word for another tool. */
export const unread = (key: string, known: readonly string[]): Said => ({
  code: "unknown-field",
  message: `nothing reads "${key}"`,
  ...suggested(known.length <= mostListed ? meantOrKnown(key, known) : didYouMean(key, known)),
});
/** A longer list is no advice. */
const mostListed = 20;
const suggested = (suggestion: string | undefined): Pick<Said, "suggestion"> =>
  suggestion === undefined ? {} : { suggestion };

/** Of a name that means nothing. @param what such as: no action is called */
export const unnamed = (what: string, name: string, known: readonly string[]): Said => ({
  code: "unknown-type",
  message: `${what} "${name}"`,
  suggestion: meantOrKnown(name, known),
});

type Said = Pick<MismatchFinding, "code" | "message" | "suggestion">;

function unknownField({ path, known = [] }: Mismatch, subject: Subject): Said {
  const key = String(path.at(-1));
  const other = elsewhereFor(key, subject);
  const suggestion = other === undefined ? didYouMean(key, known) : `write "${other}"`;
  const otherwise = known.length === 0 ? "it takes no parameters" : `known: ${known.join(", ")}`;
  const belongs = path.length === 1 ? subject.belongs?.(key) : undefined;
  const message = `${subject.name} has no "${path.join(".")}"`;
  return { code: "unknown-field", message, suggestion: suggestion ?? belongs ?? otherwise };
}

function missingField({ path, expected }: Mismatch, { name, examples = {} }: Subject): Said {
  const field = path.join(".");
  const suggestion = Object.hasOwn(examples, field) ? `write ${examples[field]}` : `it is: ${expected}`;
  return { code: "missing-field", message: `${name} needs "${field}"`, suggestion };
}

function wrongType({ path, expected, found }: Mismatch, { name }: Subject): Said {
  const what = path.length === 0 ? name : `"${path.join(".")}" of ${name}`;
  const suggestion = adviceOn(expected, found, String(path.at(-1) ?? ""));
  const message = `${what} needs ${expected} but is ${found === "null" ? "empty" : found}`;
  return { code: "wrong-type", message, ...suggested(suggestion) };
}

const words: { readonly [word: string]: boolean } = {
  yes: true,
  on: true,
  true: true,
  no: false,
  off: false,
  false: false,
};

/** What to write instead, where what was found shows it. */
export function adviceOn(expected: string, found: string, field = ""): string | undefined {
  if (/^"?\{\{[^{}]*\}\}"?$/.test(found)) return "write the value itself: no placeholder can stand here";
  if (/^"[-+]?\.(inf|nan)"$/i.test(found)) return "write a finite number";
  if (/^(text|a name)$/.test(expected) && /^(-?\d[\d.e+-]*|true|false)$/.test(found))
    return `put quotes around it: "${found}"`;
  const [, written = ""] = /^"(.*)"$/.exec(found) ?? [];
  const address = addressInstead(expected, written);
  if (address) return `write ${address}`;
  if (expected === "a list" && written !== "") return `write [${written}]`;
  if (/number|seconds/.test(expected)) return numberAdvice(expected, written, field);
  return expected === "true or false" && Object.hasOwn(words, written) ? `write ${words[written]}` : undefined;
}

/** 5m are 300 where seconds are counted; nothing is made of a unit that the field does not count. */
function numberAdvice(expected: string, written: string, field: string): string | undefined {
  const seconds = secondsIn(written);
  if (seconds !== undefined && /milli/.test(expected + field)) return `write ${seconds * 1000}`;
  if (seconds !== undefined && (/seconds/.test(expected) || countsSeconds.test(field))) return `write ${seconds}`;
  return /^\d+(\.\d+)?$/.test(written.trim()) ? `write ${Number(written)}` : undefined;
}
const countsSeconds = /seconds|timeout|cooldown|interval|delay|limit$|^(?:after|age|idle|every)$/i;

function valueAt(value: unknown, path: Path): unknown {
  let at = value;
  for (const key of path)
    at = Array.isArray(at) ? at[Number(key)] : isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  return at;
}

/** A node of a file, and the members that were checked, which need not all stand in it. */
export interface Checked {
  node: Node;
  members?: ReadonlyMap<string, Member>;
}

/** How far the tree goes along the path: the offset of the value, of its key, or of what it should stand in. */
export function offsetAt({ node, members }: Checked, path: Path, part: "key" | "value"): number {
  let [offset, at] = [node.offset, node];
  for (const [index, key] of path.entries()) {
    const member = index === 0 && members ? members.get(String(key)) : memberOf(at, key);
    if (!member) return offset;
    at = member.value;
    offset = part === "key" && index === path.length - 1 ? member.at : at.offset;
  }
  return offset;
}

function memberOf(node: Node, key: string | number): Pick<Member, "at" | "value"> | undefined {
  if (node.type === "object") return membersOf(node).findLast((member) => member.key === key);
  const item = node.type === "array" && typeof key === "number" ? node.children?.[key] : undefined;
  return item && { at: item.offset, value: item };
}

/** Reports every mismatch where it stands. */
export function reportWrong(
  mismatches: readonly Mismatch[],
  { node, members, ...subject }: Required<Checked> & Omit<Subject, "value">,
  report: Report,
): void {
  if (mismatches.length === 0) return;
  const value = Object.fromEntries([...members].map(([key, member]) => [key, jsonOf(member.value)]));
  for (const { path, ofKey, ...finding } of findingsOf(mismatches, { ...subject, value }))
    report(offsetAt({ node, members }, path, ofKey ? "key" : "value"), { severity: "error", ...finding });
}

/** Why a text is no address that a request can be sent to, and what to write. */
interface AddressFault {
  /** Stands behind the address. */
  reason: string;
  example: string;
}

const lastPort = 65_535;
const local = /^(?:localhost|127\.|0\.0\.0\.0|\[::1\])/i;

/** Variables in an address are filled in when it is used. */
export function addressFault(url: string): AddressFault | undefined {
  const schemed = /^https?:\/\//i.test(url);
  if (schemed && (url.includes("$") || URL.canParse(url))) return undefined;
  const [, before = "", port = ""] = /^(https?:\/\/[^/:]+):(\d+)/i.exec(url) ?? [];
  if (Number(port) > lastPort)
    return {
      reason: `has the port ${port}, and ports end at ${lastPort}`,
      example: `"${before}:8080…", with the real port`,
    };
  const host = /^[\w.-]+(?::\d+)?(?:\/.*)?$/.test(url) && /[.:]|^localhost/.test(url);
  const example = host ? `"${local.test(url) ? "http" : "https"}://${url}"` : '"https://…"';
  return { reason: "is no http or https address", example };
}

const anAddress = "an http or https address";

/** Variables may stand for all of it. */
export const address = (description: string): Schema<string> => {
  const { json, check } = text(description);
  return {
    json,
    check(value, path = []) {
      const isWrong = typeof value === "string" && !value.includes("$") && addressFault(value) !== undefined;
      return isWrong ? [{ path, expected: anAddress, found: JSON.stringify(value) }] : check(value, path);
    },
  };
};

/** What to write in the place of such a text. */
function addressInstead(expected: string, written: string): string | undefined {
  return expected === anAddress ? addressFault(written)?.example : undefined;
}
