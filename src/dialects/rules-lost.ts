/**
 * Rules that a typing error around them takes away, such as a misspelt "hooks". What can be told to have been a guard fails
 * in its place, as an invalid rule does: read as if the error were not there, and never put in force so (R46).
 */
import { fingerprint } from "../core/fingerprint.ts";
import { type Hook, lostTextTag } from "../core/hook.ts";
import { nearest } from "../core/nearest.ts";
import { brokenGuard } from "./broken-guard.ts";
import type { Node } from "./json-tree.ts";
import { defaultPriority } from "./rules-fields.ts";
import { eventsNamedIn, gatesIn } from "./rules-guard.ts";
import type { RuleContext } from "./rules-hook.ts";
import { membersOf } from "./yaml-values.ts";

/** Of a map that stands where none is expected. */
const isRule = (node: Node): boolean =>
  membersOf(node).some(({ key }) => nearest(key, ["action", "condition"]) !== undefined);

/** A map of this kind stands in the place of the whole file. */
export function isRuleAtRoot(root: Node): boolean {
  const keys = new Set(membersOf(root).map(({ key }) => key));
  return keys.has("action") || keys.has("condition") || ((keys.has("id") || keys.has("on")) && isRule(root));
}

/** Whatever is a rule in here, however it is put; what an alias repeats is found once. */
export function rulesWithin(node: Node, seen: Set<Node> = new Set()): Node[] {
  if (seen.has(node)) return [];
  seen.add(node);
  if (node.type === "array") return (node.children ?? []).flatMap((item) => rulesWithin(item, seen));
  if (isRule(node)) return [node];
  return membersOf(node).flatMap(({ value }) => rulesWithin(value, seen));
}

interface Piece {
  start: number;
  text: string;
}

/** Where the entries of a list that nothing reads as one begin. */
const entry = /^[ \t]*-[ \t]+(?=\{?[ \t]*["']?(?:id|on)["']?[ \t]*:)/gm;

function piecesOf(text: string): Piece[] {
  const starts = [0, ...[...text.matchAll(entry)].map(({ index }) => index)];
  return starts.map((start, at) => ({ start, text: text.slice(start, starts[at + 1]) }));
}

type Span = Pick<Node, "offset" | "length">;

const holds = ({ offset, length }: Span, at: number): boolean => offset <= at && at < offset + length;

/** Guards in what of a broken file no list gave. @param read what was read as rules, or is free to hold anything */
export function guardsInLostText(read: readonly Span[], context: RuleContext): Hook[] {
  const { text } = context.file;
  return piecesOf(text).flatMap((piece) => {
    const found = gatesIn(piece.text, context.registry).map((at) => at + piece.start);
    const lost = found.filter((at) => !read.some((span) => holds(span, at)));
    return lost[0] === undefined ? [] : guardFor(piece, lost[0], context);
  });
}

function guardFor({ start, text }: Piece, at: number, { file, idOf }: RuleContext): Hook {
  const { events, meant, written } = eventsNamedIn(text, "tool_start");
  const ids = [...text.matchAll(/(?:^|[\s{,"'-])id["']?[ \t]*:[ \t]*["']?([\w.-]+)/g)].map(([, id = ""]) => id);
  const id = ids.length === 1 ? ids[0] : undefined;
  const place = { type: "null", value: null, offset: start, length: text.length } as const;
  const reason = "the text around it cannot be read";
  file.report(at, {
    severity: "error",
    code: "guard-invalid",
    message: brokenGuard("block", reason),
    suggestion: "correct the file",
  });
  return {
    id: idOf(id ?? `invalid-${fingerprint(text).slice(0, 8)}`, place),
    name: id ?? `invalid guard (${written.join(", ")})`,
    on: { event: [...new Set([...events, ...meant])], as: written },
    steps: [{ uses: "invalid", with: { reason: `the guard is lost: ${reason}` }, timeout: 1, onError: "stop" }],
    limits: { overlap: "coalesce" },
    mode: "sync",
    role: "guard",
    onFailure: "block",
    priority: defaultPriority,
    enabled: true,
    tags: id === undefined ? [lostTextTag] : [],
    origin: { ...file.origin, ...file.locate(at) },
  };
}
