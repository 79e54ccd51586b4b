/** What the readers of an expression share: the parser's nodes, and how a mistake is told. */
import type { parser } from "@lezer/python";
import { HooklineError } from "../../engine/error.ts";
import type { Expression } from "./expression-tree.ts";

export type Syntax = ReturnType<typeof parser.parse>["topNode"];

export interface Reader {
  /** As it was written; what the parser got begins at `offset` of it. */
  source: string;
  offset: number;
  /** Of the comprehensions around. */
  variables: readonly string[];
  depth: number;
}

export type Read = (node: Syntax, reader: Reader) => Expression;

const usualAdvice = "write it as in Python; docs/conditions.md lists what an expression may hold";

/** `from` counts in what the parser got; columns count from 1 in what was written. */
export function refuse(reader: Reader, from: number, reason: string, advice: string = usualAdvice): never {
  const column = columnAt(reader, from);
  throw new HooklineError("pattern_invalid", {
    pattern: reader.source,
    reason: `column ${column}: ${reason}`,
    where: "the condition expression",
    advice,
    column,
  });
}

export const columnAt = ({ offset }: Reader, from: number): number => offset + from + 1;

export const textOf = ({ source, offset }: Reader, { from, to }: Syntax): string =>
  source.slice(offset + from, offset + to);

/** Brackets, commas and words among them. */
export function partsOf(node: Syntax): Syntax[] {
  const parts: Syntax[] = [];
  for (let part = node.firstChild; part; part = part.nextSibling) parts.push(part);
  return parts;
}
