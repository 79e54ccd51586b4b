/** Refusals in a form that no agent defines: their author meant to refuse, so the program fails and its call does not pass. */
import type { Fields, Json } from "../../../engine/event.ts";
import { isRecord } from "../../../engine/schema.ts";

const plain = (name: string): string => name.replaceAll(/[_\s-]/g, "").toLowerCase();
const deciding = /^(?:decision|permissiondecision|permission|behaviou?r|verdict|action)$/;
const refusing = /^(?:deny|denied|block|blocked|ask|reject|rejected|refuse|refused|forbid|forbidden)$/;
/** Their `true` refuses; of the others, their `false`. */
const saysNo = /^(?:block|blocked|deny|denied|reject|rejected|refuse|refused)$/;
const saysYes = /^(?:allow|allowed|approve|approved)$/;

/** @returns the key, as a person finds it in the answer, and its value; undefined: nothing there refuses */
export function refusalIn(answer: Fields): { key: string; value: Json } | undefined {
  return (
    atTop(answer, "") ??
    Object.entries(answer)
      .map(inside)
      .find((found) => found !== undefined)
  );
}

const inside = ([name, value]: [string, Json]): ReturnType<typeof refusalIn> =>
  plain(name) === "hookspecificoutput" && isRecord(value) ? atTop(value as Fields, `${name}.`) : undefined; // an answer is JSON

function atTop(fields: Fields, before: string): ReturnType<typeof refusalIn> {
  for (const [name, value] of Object.entries(fields)) {
    const key = plain(name);
    const word = typeof value === "string" ? plain(value) : "";
    if (deciding.test(key) && refusing.test(word)) return { key: before + name, value };
    if ((value === true && saysNo.test(key)) || (value === false && saysYes.test(key)))
      return { key: before + name, value };
    const deeper = deciding.test(key) && isRecord(value) ? atTop(value as Fields, `${before}${name}.`) : undefined;
    if (deeper) return deeper;
  }
  return undefined;
}
