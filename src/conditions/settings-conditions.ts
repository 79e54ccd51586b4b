/** The conditions that settings hooks compile to: all that most events load. The table of all is index.ts. */
import type { ConditionKind } from "../engine/ports.ts";
import { match } from "./match.ts";
import { tool } from "./tool.ts";

/** Each kind takes only parameters that its own schema has passed, which is what compileCondition sees to. */
export const settingsConditions: ReadonlyMap<string, ConditionKind> = new Map(
  Object.entries({ match, tool }),
) as ReadonlyMap<string, ConditionKind>;
