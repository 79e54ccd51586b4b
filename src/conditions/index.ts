/** The table of conditions: name → kind. One line each. */
import type { ConditionKind } from "../core/ports.ts";
import { match } from "./match.ts";
import { tool } from "./tool.ts";

const kinds = { match, tool };

/** Each kind takes only parameters that its own schema has passed, which is what compileCondition sees to. */
export const conditions: ReadonlyMap<string, ConditionKind> = new Map(Object.entries(kinds)) as ReadonlyMap<
  string,
  ConditionKind
>;
