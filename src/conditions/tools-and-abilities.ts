/**
 * Conditions on what an event is about, by its name: tool_name (D39, R11, R13), and ability and operation_key of specification 001, with
 * min_duration, how long it took.
 */

import { type Ability, abilityOf, namesOf } from "../engine/ability.ts";
import { HooklineError } from "../engine/error.ts";
import type { HookEvent } from "../engine/event.ts";
import { rowOf } from "../engine/events.ts";
import { compileNameGlob, compileNameGlobs } from "../engine/glob.ts";
import type { ConditionKind } from "../engine/ports.ts";
import { either, listOf, number, object, say, text } from "../engine/schema.ts";
import { classOf, isToolClass, moduleNamesOf } from "../engine/tools.ts";
import { because } from "./constant.ts";
import { namesNoTool } from "./settings-conditions.ts";

type Params = { match: string | string[] };

/** Tools of one set are few; a sender could still make up names. */
const remembered = 512;

/** The globs between the bars. */
const globsIn = ({ match }: Params): string[] =>
  [match]
    .flat()
    .flatMap((one) => one.split("|"))
    .map((one) => one.trim())
    .filter((one) => one !== "");

/** Classes are known by their whole name alone: `w*` must not mean "write" (R11). */
function compileName(globs: readonly string[]): (tool: string) => boolean {
  const tests = globs.map(compileNameGlob);
  const classes = new Set<string>(globs.filter(isToolClass));
  return (tool) =>
    tests.some((holds) => holds(tool) || moduleNamesOf(tool).some(holds)) || classes.has(classOf(tool) ?? "");
}

/** No tool's name holds brackets, so such a glob never holds, and its author expects more of it. */
function refuseBrackets(match: string): void {
  if (!/[()]/.test(match)) return;
  const name = /^\s*([\w*-]+)\(/.exec(match)?.[1];
  throw new HooklineError("pattern_invalid", {
    pattern: JSON.stringify(match),
    reason:
      name === undefined
        ? "no tool's name holds brackets"
        : "it looks into the call, and names of tools are compared here",
    where: "the condition tool_name",
    advice:
      name === undefined
        ? 'write a glob such as "Note*", or several with | between them'
        : `write "${name}" here${commandAdvice(match)}`,
  });
}

/** What looks into one call: each of several patterns stands alone. */
function commandAdvice(match: string): string {
  const lines = [...match.matchAll(/\bBash\(([^)]*)\)/g)].map(([, line = ""]) => line);
  if (lines.length > 0)
    return `, or ask for commands: { type: shell, runs: ${JSON.stringify(lines.length > 1 ? lines : lines[0])} }`;
  return `; ${match.trim().split("|")[0]} can stand in "if" of a hook in .hookline/hooks.json`;
}

function remember(test: (tool: string) => boolean): (tool: string) => boolean {
  const answers = new Map<string, boolean>();
  return (tool) => {
    const known = answers.get(tool);
    if (known !== undefined) return known;
    const answer = test(tool);
    if (answers.size >= remembered) answers.clear();
    answers.set(tool, answer);
    return answer;
  };
}

const written = (params: Params): string => globsIn(params).join(" or ");

export const toolName: ConditionKind<Params> = {
  summary: "the event is about a tool of this name",
  params: object({
    match: say(
      either(text(), listOf(text())),
      "a glob of tool names with * and ?, or several: with | between them or as a list; a class such as write counts, too",
    ),
  }),
  reads: "match",
  ofCalls: true,
  compile(params) {
    for (const one of [params.match].flat()) refuseBrackets(one);
    const globs = globsIn(params);
    if (globs.length === 0) {
      throw new HooklineError("pattern_invalid", {
        pattern: JSON.stringify(params.match),
        reason: "it names no tool",
        where: "the condition tool_name",
        advice: 'write "*" for every tool',
      });
    }
    const fits = remember(compileName(globs));
    return ({ event, names, faults }) => {
      const name = names[0];
      if (name === undefined) {
        if (rowOf(event.name).matchTool) faults?.push(namesNoTool);
        return false;
      }
      const isNamed = fits(name) || (names.length > 1 && names.some(fits));
      return isNamed && rowOf(event.name).matchTool === true; // most tools are others
    };
  },
  describe: (params) => `the tool is ${written(params)}`,
  explain(params, { event, names: [name, native] }) {
    const pattern = `the pattern is ${written(params)}`;
    if (name === undefined || !rowOf(event.name).matchTool) {
      return because(`${event.name} is about no tool, and ${pattern}`);
    }
    const tool = `the tool is ${name}${native === undefined ? "" : ` (${native})`}`;
    return { holds: `${tool}, which fits ${written(params)}`, fails: `${tool}, and ${pattern}` };
  },
};

interface AbilityParams {
  match: string[];
}
interface Compared {
  name: string;
  /** What is compared, in a person's words. */
  what: string;
  description: string;
  /** The names that the globs are compared with, what says most first. */
  namesOf(ability: Ability, event: HookEvent): readonly string[];
}

function compared({ name, what, description, namesOf }: Compared): ConditionKind<AbilityParams> {
  const written = ({ match }: AbilityParams): string => match.join(" or ");
  const found = (event: HookEvent): readonly string[] => {
    const ability = abilityOf(event);
    return ability ? namesOf(ability, event) : [];
  };
  return {
    params: object({ match: say(listOf(text()), description) }),
    compile(params) {
      const holds = compileNameGlobs(params.match, what, `the condition ${name}`);
      return ({ event }) => holds(found(event));
    },
    describe: (params) => `the ${what} is ${written(params)}`,
    explain(params, { event }) {
      const [own] = found(event);
      const wanted = `the pattern is ${written(params)}`;
      if (own === undefined) {
        return because(`${event.name} is about no ability here, and ${wanted}`);
      }
      return {
        holds: `the ${what} is ${own}, which fits ${written(params)}`,
        fails: `the ${what} is ${own}, and ${wanted}`,
      };
    },
  };
}

export const ability: ConditionKind<AbilityParams> = compared({
  name: "ability",
  what: "ability",
  description: "globs of abilities with * and ?; skill:*, agent:* and tool:* mean all of a kind",
  namesOf,
});

export const operationKey: ConditionKind<AbilityParams> = compared({
  name: "operation_key",
  what: "operation",
  description: "globs of operation keys with * and ?",
  namesOf: ({ operation }) => [operation],
});

interface MinDurationParams {
  ms: number;
}

const durationOf = ({ data }: HookEvent): number | undefined =>
  typeof data.duration_ms === "number" ? data.duration_ms : undefined;

export const minDuration: ConditionKind<MinDurationParams> = {
  params: object({ ms: say(number(undefined, 0), "milliseconds that it took at least") }),
  compile:
    ({ ms }) =>
    ({ event }) =>
      (durationOf(event) ?? -1) >= ms,
  describe: ({ ms }) => `it took at least ${ms} ms`,
  explain({ ms }, { event }) {
    const took = durationOf(event);
    const fails =
      took === undefined
        ? `nothing says how long it took, and it must be ${ms} ms at least`
        : `it took ${took} ms, fewer than ${ms}`;
    return { holds: `it took ${took} ms, at least ${ms}`, fails };
  },
};
