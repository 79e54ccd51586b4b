/** Placeholders whose names mean nothing, told when a file is read: at run time they are only empty, or stay as they are written. */
import { didYouMean, nearest } from "../engine/nearest.ts";
import { placeholders } from "../engine/template.ts";

export interface StrangePlaceholder {
  /** A known root has no such part: it is always empty. Else nothing is called so, and it stays as written. */
  isEmpty: boolean;
  message: string;
  suggestion: string;
}

const roots: readonly string[] = [...new Set(placeholders.map(({ name }) => name.split(".")[0] ?? ""))];

/** The parts of roots whose parts are all known. */
const parts = new Map<string, string[]>();
for (const { name } of placeholders) {
  const [root = "", part] = name.split(".");
  if (part !== undefined) parts.set(root, [...(parts.get(root) ?? []), part]);
}
for (const [root, known] of parts) if (known.includes("X")) parts.delete(root);

const written = /\{\{\s*([^{}.\s]{1,60})(?:\.([^{}.\s]{1,60})[^{}]*)?\s*\}\}/g;

export function strangePlaceholders(text: string): StrangePlaceholder[] {
  return [...text.matchAll(written)].flatMap(([whole, root = "", part]): StrangePlaceholder[] => {
    const known = parts.get(root);
    if (known && part !== undefined && !known.includes(part)) {
      const suggestion = didYouMean(part, known) ?? `known: ${[...new Set(known)].join(", ")}`;
      return [{ isEmpty: true, message: `${whole} is always empty: "${root}" has no "${part}"`, suggestion }];
    }
    const near = roots.includes(root) || /^step_\d+$/.test(root) ? undefined : nearest(root, roots);
    if (near === undefined || near.includes("_N")) return [];
    const message = `${whole} stands for nothing and stays as it is written`;
    return [{ isEmpty: false, message, suggestion: `did you mean {{${near}}}?` }];
  });
}
