/** tool: the tool call against a tool pattern, which also looks at the input (R10, C73). */
import { homedir } from "node:os";
import { rowOf } from "../engine/events.ts";
import { compileToolPattern } from "../engine/pattern.ts";
import type { ConditionKind, Scope } from "../engine/ports.ts";
import { isRecord, kindOf, type Mismatch, type Schema } from "../engine/schema.ts";

/** A tool pattern, and the folder of the hook file that `/x` in it starts from (the event's folder, if not given). */
type ToolParams = string | { pattern: string; root?: string };

const params: Schema<ToolParams> = {
  json: {
    anyOf: [
      { type: "string", description: "a tool pattern such as Bash(git *)" },
      {
        type: "object",
        properties: { pattern: { type: "string" }, root: { type: "string" } },
        required: ["pattern"],
        additionalProperties: false,
      },
    ],
  },
  check: (value, path = []): Mismatch[] => {
    if (typeof value === "string") return [];
    const known = ["pattern", "root"];
    const fits =
      isRecord(value) &&
      typeof value.pattern === "string" &&
      ["string", "undefined"].includes(typeof value.root) &&
      Object.keys(value).every((key) => known.includes(key));
    return fits ? [] : [{ path, expected: "a tool pattern such as Bash(git *)", found: kindOf(value) }];
  },
};

/** What a condition on a tool says of a tool event without a tool_name. */
export const namesNoTool = "the event names no tool";

const patternOf = (written: ToolParams): string => (typeof written === "string" ? written : written.pattern);

/**
 * Holds on events about a tool, nowhere else. A line that cannot be analysed counts as matching: the hook then runs and
 * judges for itself, because not asking it would be an allow.
 */
export const tool: ConditionKind<ToolParams> = {
  params,
  compile(written, patterns) {
    const holds = compileToolPattern(patternOf(written), patterns);
    const root = typeof written === "string" ? undefined : written.root;
    const home = homedir();
    return ({ event, names, faults }: Scope) => {
      if (!rowOf(event.name).matchTool) return false;
      if (names.length === 0) {
        faults?.push(namesNoTool);
        return false;
      }
      const input = event.data.tool_input;
      const call = {
        names,
        input: isRecord(input) ? input : {},
        cwd: event.cwd,
        home,
        ...(root === undefined ? {} : { root }),
      };
      return holds(call, "deny") !== false;
    };
  },
  describe: (written) => `the call matches ${patternOf(written)}`,
  explain: (written, { event }) => ({
    holds: `the call matches ${patternOf(written)}`,
    fails: rowOf(event.name).matchTool
      ? `the call does not match ${patternOf(written)}`
      : `${event.name} is about no tool, and the pattern is ${patternOf(written)}`,
  }),
};
