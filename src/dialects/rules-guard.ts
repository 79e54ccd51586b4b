/** What stands in the place of a rule that is a guard and invalid: a hook that fails, so that its policy answers (R46). */
import { fingerprint } from "../core/fingerprint.ts";
import type { Condition, Hook, Origin, Step } from "../core/hook.ts";
import type { Registry } from "../core/ports.ts";
import type { Node } from "./json-tree.ts";
import { guardNames } from "./rules-actions.ts";
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
  const text = file.text.slice(offset, offset + length);
  const names = guardNames(registry).join("|");
  if (names === "" || /\ballow["']?\s*:\s*true\b/.test(text)) return false;
  return new RegExp(`\\btype["']?\\s*:\\s*["']?(?:${names})\\b`).test(text);
}

/** undefined: nothing tells for which event it was, and only that could be told. */
export function invalidGuard(
  { node, fields, events, when, origin }: Written,
  { reason: fault, isBroken }: Fault,
  { file, idOf }: RuleContext,
): Hook | undefined {
  const isUnread = isBroken && (!fields.has("on") || events.events.length === 0);
  const found = isUnread ? eventsInText(node, file) : events;
  const heard = [...new Set([...found.events, ...found.meant])];
  file.report(node.offset, {
    severity: "error",
    code: "guard-invalid",
    message:
      heard.length > 0
        ? `this guard cannot run, so its failure policy (block) answers in its place: ${fault}`
        : `this guard cannot run, and nothing tells for which event: ${fault}`,
    suggestion: "correct the rule",
  });
  if (heard.length === 0) return undefined;
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
    on: { event: heard, as: found.written },
    ...(when ? { when } : {}),
    steps: [step],
    limits: { overlap: "coalesce" },
    mode: "sync",
    role: "guard",
    onFailure: "block",
    priority: fieldOf(fields, "priority", defaultPriority),
    enabled: fieldOf(fields, "enabled", true),
    tags: [],
    origin,
  };
}

/** What stands behind `on:`, one name or several; the default if nothing does. */
function eventsInText({ offset, length }: Node, { text }: YamlFile): Events {
  const behind = /(?:^|[\s{,"'-])on["']?[ \t]*:([^\n#}]*)/.exec(text.slice(offset, offset + length))?.[1];
  const names = behind === undefined ? [defaultEvent] : (behind.match(/[\w.]+/g) ?? []);
  const found: Events = { written: names, events: [], meant: [] };
  for (const name of names) {
    const read = readEvent(name);
    if (Array.isArray(read)) found.events.push(...read);
    else found.meant.push(...read.meant);
  }
  return found;
}
