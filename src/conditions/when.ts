/** A hook's condition in words, for lists. */

import type { Condition, Hook } from "../engine/hook.ts";
import type { ConditionKind } from "../engine/ports.ts";
import { conditions } from "./index.ts";

/** The hook's condition on one line. */
export const whenOf = (hook: Hook): string => (hook.when ? describe(hook.when) : "always");

function describe(condition: Condition): string {
  if ("all" in condition) return condition.all.map(describe).join(" and ") || "always";
  if ("any" in condition) return `(${condition.any.map(describe).join(" or ")})`;
  if ("not" in condition) return `not ${describe(condition.not)}`;
  const kind: ConditionKind | undefined = conditions.get(condition.is);
  return kind?.describe?.(condition.with ?? null) ?? condition.is;
}
