/** What stands in the place of a repository hook that is blocking and invalid: a hook that fails, so that it blocks (R46). */

import type { Fields } from "../core/event.ts";
import { resolveEvent } from "../core/events.ts";
import { fingerprint } from "../core/fingerprint.ts";
import { type Condition, type Hook, lostTextTag } from "../core/hook.ts";
import { asksFor, nearest } from "../core/nearest.ts";
import type { Registry } from "../core/ports.ts";
import { isRecord } from "../core/schema.ts";
import { lastValidOr } from "./broken-guard.ts";
import type { Member, Node } from "./json-tree.ts";
import type { Events, Members } from "./registry-entry.ts";
import { fieldNames, handlerFields } from "./registry-fields.ts";
import type { EntryContext } from "./registry-hook.ts";
import { jsonOf, membersOf } from "./yaml-values.ts";

/** What an invalid hook would be if it were valid, where that is a guard: its author asks for it, or its built-in handler is one. */
export function guardMeant(members: Members, { handlers }: Registry): Meant | undefined {
  const written = [...members.values()];
  const isBlocking = asksFor("blocking", entriesIn(written), fieldNames);
  const { name, with: given } = Object.fromEntries(
    membersOf(written.find(({ key }) => nearest(key, fieldNames) === "handler")?.value).map(
      ({ key, value }) => [nearest(key, handlerFields) ?? key, jsonOf(value)] as const,
    ),
  );
  const builtin = handlers.get(nearest(String(name), builtinNames(handlers)) ?? "")?.builtin;
  const params = isRecord(given) ? (given as Fields) : {}; // it is plain JSON
  if (builtin?.role(params) === "guard")
    return { role: "guard", onFailure: isBlocking || !members.has("blocking") ? "block" : "continue" };
  return isBlocking ? blocking : undefined;
}

export type Meant = Pick<Hook, "role" | "onFailure">;
export const blocking: Meant = { role: "undeclared", onFailure: "block" };

const builtinNames = (handlers: Registry["handlers"]): string[] =>
  [...handlers].flatMap(([name, { builtin }]) => (builtin ? [name] : []));

const entriesIn = (members: readonly Member[]): [string, unknown][] =>
  members.map(({ key, value }) => [key, jsonOf(value)]);

/** The same of a text that is no YAML: a hook that blocks, or a built-in handler that does. Remarks say nothing. */
export const readsAsGuard = (text: string): boolean =>
  /^[^#\n]*\b(?:block(?:ing)?["']?[ \t]*:[ \t]*["']?(?:true|yes|on)|do["']?[ \t]*:[ \t]*["']?block)\b/im.test(text);

const valueIn = (text: string, field: string): string | undefined =>
  new RegExp(`^[ \\t]*(?:-[ \\t]+)?["']?${field}["']?[ \\t]*:[ \\t]*(.*)$`, "m").exec(text)?.[1];

const wordsIn = (text = ""): string[] => text.replace(/#.*/, "").match(/[\w.-]+/g) ?? [];

function eventsInText(text: string): Events {
  const written = wordsIn(valueIn(text, "event_type"));
  return { written, events: written.flatMap((name) => resolveEvent(name) ?? []), meant: [] };
}

export interface Invalid {
  node: Pick<Node, "offset" | "length">;
  members: Members;
  events: Events;
  when?: Condition;
  reason: string;
  meant: Meant;
  /** Its very text is broken: names are looked for in what is left of it. */
  isBroken: boolean;
}

/** Where nothing tells for which event it was, it fails before calls, where most guards are. */
const otherwise = "PreAbilityCall";

export function invalidGuard(invalid: Invalid, { file, idOf }: EntryContext): Hook {
  const { node, members, when, reason, meant, isBroken } = invalid;
  const text = file.text.slice(node.offset, node.offset + node.length);
  const named = isBroken && invalid.events.events.length === 0 ? eventsInText(text) : invalid.events;
  const told = [...new Set([...named.events, ...named.meant])];
  const isTold = told.length > 0;
  const where = isTold ? "" : ` on ${otherwise}, because nothing tells for which event it was`;
  const effect = meant.onFailure === "block" ? `it blocks${where}` : "it only fails";
  file.report(node.offset, {
    severity: "error",
    code: "guard-invalid",
    message: `this hook is ${meant.role === "guard" ? "a guard" : "blocking"} and cannot run, so ${lastValidOr(effect)}: ${reason}`,
    suggestion: "correct the hook",
  });
  const written = members.get("id")?.value.value;
  const id =
    typeof written === "string" && written.trim() !== ""
      ? written.trim()
      : isBroken
        ? wordsIn(valueIn(text, "id"))[0]
        : undefined;
  return {
    id: idOf(id ?? `invalid-${fingerprint(text).slice(0, 8)}`),
    name: id ?? `invalid hook (${isTold ? named.written.join(", ") : otherwise})`,
    on: isTold ? { event: told, as: named.written } : { event: resolveEvent(otherwise) ?? [], as: [otherwise] },
    ...(when ? { when } : {}),
    steps: [{ uses: "invalid", with: { reason: `the hook is invalid: ${reason}` }, timeout: 1, onError: "stop" }],
    limits: { overlap: "coalesce" },
    mode: "sync",
    ...meant,
    priority: 100,
    enabled: members.get("enabled")?.value.value !== false,
    tags: id === undefined ? [lostTextTag] : [],
    origin: { ...file.origin, ...file.locate(node.offset) },
  };
}
