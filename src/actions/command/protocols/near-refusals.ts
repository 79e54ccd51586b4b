/** Refusals in a form that no agent defines: their author meant to refuse, so the program fails and its call does not pass. */
import type { Fields, Json } from "../../../engine/event.ts";
import { isRecord } from "../../../engine/schema.ts";

const plain = (name: string): string => name.replaceAll(/[_\s-]/g, "").toLowerCase();
const deciding = /^(?:decision|permissiondecision|permission|behaviou?r|verdict)$/;
const refusing = /^(?:deny|denied|block|blocked|ask|reject|rejected|refuse|refused|forbid|forbidden)$/;
/** Words of many programs' own output: they refuse where nothing but a reason stands beside them. */
const ambiguous =
  /^(?:action|block|blocked|deny|denied|reject|rejected|refuse|refused|allow|allowed|approve|approved)$/;
const reasons = /^(?:reason|message|why|explanation|error)$/;
const saysYes = /^(?:allow|approve)/;

interface Refusal {
  /** As a person finds it in the answer. */
  key: string;
  value: Json;
}

/** Undefined: nothing there refuses. */
export function refusalIn(answer: Fields): Refusal | undefined {
  return (
    among(answer, "") ??
    Object.entries(answer)
      .map(inside)
      .find((found) => found !== undefined)
  );
}

const inside = ([name, value]: [string, Json]): Refusal | undefined =>
  plain(name) === "hookspecificoutput" && isRecord(value) ? among(value as Fields, `${name}.`) : undefined; // an answer is JSON

function among(fields: Fields, before: string): Refusal | undefined {
  const names = Object.keys(fields).filter((name) => !reasons.test(plain(name)));
  for (const [name, value] of Object.entries(fields)) {
    const key = plain(name);
    const isAlone = ambiguous.test(key) && names.length === 1;
    if (!deciding.test(key) && !isAlone) continue;
    const isRefusing =
      typeof value === "string" ? refusing.test(plain(value)) : isAlone && value === !saysYes.test(key);
    if (isRefusing) return { key: before + name, value };
    const deeper = isRecord(value) ? among(value as Fields, `${before}${name}.`) : undefined; // it is JSON
    if (deeper) return deeper;
  }
  return undefined;
}

/** What to write instead. */
export const rightForm = (value: Json): string =>
  value === "ask"
    ? '{"permissionDecision": "ask", "permissionDecisionReason": "…"}'
    : '{"decision": "block", "reason": "…"}';
