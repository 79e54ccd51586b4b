/** Where in a module a mistake of one of its hooks stands, as far as its text alone shows: what it exports knows no lines. */

import { textAt } from "../../files/regular-file.ts";
import { createLocator, type Place } from "../../formats/reading/tree.ts";

interface Sought {
  /** What it quotes is looked for. */
  message: string;
  /** Which hook of how many it is about; absent: the module. */
  hook?: { index: number; of: number };
}

/** Undefined: the text does not show it. Never throws. */
export function placeInModule(path: string, { message, hook }: Sought): Place | undefined {
  const code = withoutRemarks(textAt(path) ?? "");
  const starts = [...code.matchAll(/(?<![\w$.])(["']?)on\1\s*:/g)].map(({ index }) => index);
  const from = hook && starts.length === hook.of ? starts[hook.index] : undefined;
  const part = from === undefined ? code : code.slice(0, starts[(hook?.index ?? 0) + 1]);
  const words = [...message.matchAll(/"([^"]+)"/g)].map(([, word = ""]) => part.indexOf(word, from ?? 0));
  const at = words.find((one) => one >= 0) ?? from;
  return at === undefined ? undefined : createLocator(code)(at);
}

/** Of the same length, so that places stay. */
const withoutRemarks = (code: string): string =>
  code.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g, (remark) => remark.replace(/[^\n]/g, " "));
