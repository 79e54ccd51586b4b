/** What stands in the place of a repository hook that is blocking and invalid: a hook that fails, so that it blocks (R46). */

import { resolveEvent } from "../core/events.ts";
import { fingerprint } from "../core/fingerprint.ts";
import { type Condition, type Hook, lostTextTag } from "../core/hook.ts";
import { nearest } from "../core/nearest.ts";
import type { Node } from "./json-tree.ts";
import type { Events, Members } from "./registry-entry.ts";
import { fieldNames } from "./registry-fields.ts";
import type { EntryContext } from "./registry-hook.ts";
import { jsonOf } from "./yaml-values.ts";

const no: readonly unknown[] = [false, "false", "no", "off", "", 0];

/** Whether its author asks it to block, also where the word is misspelt or the value no flag. */
export const meansGuard = (members: Members): boolean =>
  [...members.values()].some(
    ({ key, value }) =>
      (key === "blocking" || (!fieldNames.includes(key) && nearest(key, fieldNames) === "blocking")) &&
      !no.includes(jsonOf(value)),
  );

/** The same of a text that is no YAML; remarks say nothing. */
export const readsAsGuard = (text: string): boolean =>
  /^[ \t]*(?:-[ \t]+)?\{?[^#\n]*["']?\bblocking["']?[ \t]*:[ \t]*["']?(?:true|yes|on)\b/im.test(text);

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
  /** Its very text is broken: names are looked for in what is left of it. */
  isBroken: boolean;
}

/** Where nothing tells for which event it was, it fails before calls, where most guards are. */
const otherwise = "PreAbilityCall";

export function invalidGuard(invalid: Invalid, { file, idOf }: EntryContext): Hook {
  const { node, members, when, reason, isBroken } = invalid;
  const text = file.text.slice(node.offset, node.offset + node.length);
  const named = isBroken && invalid.events.events.length === 0 ? eventsInText(text) : invalid.events;
  const told = [...new Set([...named.events, ...named.meant])];
  const isTold = told.length > 0;
  file.report(node.offset, {
    severity: "error",
    code: "guard-invalid",
    message: `this hook is blocking and cannot run, so it blocks${isTold ? "" : ` on ${otherwise}, because nothing tells for which event it was`}: ${reason}`,
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
    role: "undeclared",
    onFailure: "block",
    priority: 100,
    enabled: members.get("enabled")?.value.value !== false,
    tags: id === undefined ? [lostTextTag] : [],
    origin: { ...file.origin, ...file.locate(node.offset) },
  };
}
