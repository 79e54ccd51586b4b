/** Conditions of specification 001: ability and operation_key, globs of what an event is about, and min_duration, how long it took. */
import { type Ability, abilityOf, namesOf } from "../engine/ability.ts";
import type { HookEvent } from "../engine/event.ts";
import { compileNameGlobs } from "../engine/glob.ts";
import type { ConditionKind } from "../engine/ports.ts";
import { listOf, number, object, say, text } from "../engine/schema.ts";
import { because } from "./constant.ts";

export interface AbilityParams {
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
