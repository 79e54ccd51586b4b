/** What stands in the place of a rule that is a guard and invalid: a hook that fails, so that its policy answers (R46). */

import { fingerprint } from "../core/fingerprint.ts";
import { type Condition, type Hook, lostTextTag, type Origin, type Step } from "../core/hook.ts";
import { nearest } from "../core/nearest.ts";
import type { Registry } from "../core/ports.ts";
import { brokenGuard } from "./broken-guard.ts";
import type { Node } from "./json-tree.ts";
import { actionNames, guardNames } from "./rules-actions.ts";
import { type Events, type Fields, fieldOf } from "./rules-entry.ts";
import { defaultEvent, readEvent } from "./rules-events.ts";
import { defaultPriority } from "./rules-fields.ts";
import type { RuleContext } from "./rules-hook.ts";
import type { YamlFile } from "./yaml-file.ts";

/** What of a rule could be read. */
export interface Written {
  node: Node;
  fields: Fields;
  events: Events;
  when: Condition | undefined;
  origin: Origin;
}
/** Why it cannot be in force; isBroken: its very text. */
export interface Fault {
  reason: string;
  isBroken: boolean;
}

/** What is left of a rule that is no YAML may still say that it was one. */
export function readsAsGuard({ offset, length }: Node, file: YamlFile, registry: Registry): boolean {
  return gatesIn(file.text.slice(offset, offset + length), registry).length > 0;
}

/** Where in a text the types of guards stand, a little misspelt in an action; remarks say nothing. */
export function gatesIn(text: string, registry: Registry): number[] {
  const guards = guardNames(registry);
  if (guards.length === 0 || /\ballow["']?\s*:\s*true\b/.test(text)) return [];
  const known = actionNames(registry);
  return [...text.matchAll(/\bt(?:ype|pye|yep|ytpe)["']?\s*:\s*["']?([\w-]+)/g)].flatMap(({ index, 1: type = "" }) => {
    if (/^[ \t]*#/.test(text.slice(text.lastIndexOf("\n", index) + 1, index))) return [];
    const isMisspelt = !known.includes(type) && /action["']?\s*:[\s{]*$/.test(text.slice(0, index).slice(-200));
    const meant = isMisspelt ? nearest(type, known) : type;
    return meant !== undefined && guards.includes(meant) ? [index] : [];
  });
}

/** Where nothing tells for which event it was, it fails before tool calls, where most guards are. */
export function invalidGuard(
  { node, fields, events, when, origin }: Written,
  { reason: fault, isBroken }: Fault,
  { file, idOf, isLost }: RuleContext,
): Hook {
  const isUnread = isBroken && (!fields.has("on") || events.events.length === 0);
  const named = isUnread ? eventsInText(node, file) : events;
  const isTold = named.events.length + named.meant.length > 0;
  const found = isTold ? named : namesRead(["tool_start"]);
  const where = isTold ? "" : " on tool_start, because nothing tells for which event it was";
  file.report(node.offset, {
    severity: "error",
    code: "guard-invalid",
    message: brokenGuard("block", fault, where),
    suggestion: isLost ? "correct what is around it" : "correct the rule",
  });
  const id = fieldOf(fields, "id", "").trim();
  const step: Step = {
    uses: "invalid",
    with: { reason: `the rule of this guard is invalid: ${fault}` },
    timeout: 1,
    onError: "stop",
  };
  return {
    id: idOf(id || `invalid-${fingerprint(file.text.slice(node.offset, node.offset + node.length)).slice(0, 8)}`, node),
    name: id || `invalid guard (${found.written.join(", ")})`,
    on: { event: [...new Set([...found.events, ...found.meant])], as: found.written },
    ...(when ? { when } : {}),
    steps: [step],
    limits: { overlap: "coalesce" },
    mode: "sync",
    role: "guard",
    onFailure: "block",
    priority: fieldOf(fields, "priority", defaultPriority),
    enabled: fieldOf(fields, "enabled", true),
    tags: isLost && id === "" ? [lostTextTag] : [],
    origin,
  };
}

const eventsInText = ({ offset, length }: Node, { text }: YamlFile): Events =>
  namesRead(namesBehindOn(text.slice(offset, offset + length))[0] ?? [defaultEvent]);

/** All that a text of one or more rules names as events; what it most likely meant, or this one, if that is none. */
export function eventsNamedIn(text: string, otherwise: string): Events {
  const found = namesRead([...new Set(namesBehindOn(text).flat())]);
  return found.events.length + found.meant.length > 0 ? found : namesRead([otherwise]);
}

/** What stands behind each `on:`, one name or several, with commas or below it. */
const namesBehindOn = (text: string): string[][] =>
  [
    ...text.matchAll(
      /(?:^|[\s{,"'-])on["']?[ \t]*:((?:[ \t]*\[[^\]]{0,500})|[^\n#},]*(?:\n[ \t]*-[ \t]+[\w."']+[ \t]*$)*)/gm,
    ),
  ].map(([, behind = ""]) => behind.match(/[\w.]+/g) ?? []);

function namesRead(names: string[]): Events {
  const found: Events = { written: names, events: [], meant: [] };
  for (const name of names) {
    const read = readEvent(name);
    if (Array.isArray(read)) found.events.push(...read);
    else found.meant.push(...read.meant);
  }
  return found;
}
