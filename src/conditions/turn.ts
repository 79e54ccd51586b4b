/** Conditions on the conversation: turn_count (D36), tool_calls and message_count (D37, D38), context_pressure (D35). */

import type { Turn } from "../engine/event.ts";
import type { ConditionKind } from "../engine/ports.ts";
import { integer, kindOf, object, type Schema, say } from "../engine/schema.ts";
import { counted } from "../engine/words.ts";
import { because, orNothing } from "./constant.ts";

type TurnParams = { threshold: number; every?: number };

const wantedTurns = ({ threshold, every }: TurnParams): string =>
  every === undefined ? `turn ${threshold}` : `turn ${threshold} and every ${every} after it`;

export const turnCount: ConditionKind<TurnParams> = {
  summary: "the turn has this number, or is one of every so many turns after it",
  params: object(
    { threshold: integer("the turn, counted in user prompts", 0) },
    { every: integer("again after so many turns; default: only once", 1) },
  ),
  needs: "turns",
  compile: ({ threshold, every }) =>
    every === undefined
      ? ({ turn }) => turn.number === threshold
      : ({ turn }) => turn.number >= threshold && (turn.number - threshold) % every === 0,
  describe: (params) => `it is ${wantedTurns(params)}`,
  explain: (params, { turn }) => because(`it is turn ${turn.number}, and the condition is ${wantedTurns(params)}`),
};

/** A count of the turn that may have reached a threshold. */
interface Counted {
  summary: string;
  /** What is counted, as a person says it after a number. */
  one: string;
  many: string;
  usual: number;
  read(turn: Turn): number;
  needs?: string;
}
type CountParams = { threshold?: number } | null;

function reached({ summary, one, many, usual, read, needs }: Counted): ConditionKind<CountParams> {
  const limitOf = (params: CountParams): number => params?.threshold ?? usual;
  return {
    summary,
    params: orNothing(object({}, { threshold: say(integer(undefined, 0), `at least so many ${many}`, usual) })),
    ...(needs === undefined ? {} : { needs }),
    compile(params) {
      const limit = limitOf(params);
      return ({ turn }) => read(turn) >= limit;
    },
    describe: (params) => `at least ${counted(limitOf(params), one, many)}`,
    explain: (params, { turn }) => ({
      holds: `${counted(read(turn), one, many)}, at or above ${limitOf(params)}`,
      fails: `${counted(read(turn), one, many)}, fewer than ${limitOf(params)}`,
    }),
  };
}

export const toolCalls: ConditionKind<CountParams> = reached({
  summary: "the turn has at least so many tool calls",
  one: "tool call in this turn",
  many: "tool calls in this turn",
  usual: 20,
  read: (turn) => turn.toolCalls,
});

export const messageCount: ConditionKind<CountParams> = reached({
  summary: "the conversation has at least so many messages",
  one: "message in this conversation",
  many: "messages in this conversation",
  usual: 50,
  read: (turn) => turn.messages,
  needs: "messages",
});

const usualPressure = 0.75;

/** 75 for 75 % would never hold, so it is a mistake. */
const part: Schema<number> = {
  json: {
    type: "number",
    minimum: 0,
    maximum: 1,
    description: "the part of the context that is full, from 0 to 1",
    default: usualPressure,
  },
  check: (value, path = []) =>
    typeof value === "number" && value >= 0 && value <= 1
      ? []
      : [{ path, expected: "a part of 1, such as 0.75", found: kindOf(value) }],
};

type PressureParams = { threshold?: number } | null;

/** Tokens divided by the window, where both are known. */
export const pressureOf = ({ tokens, window }: Pick<Turn, "tokens" | "window">): number | undefined =>
  tokens === undefined || window === undefined || window <= 0 ? undefined : tokens / window;

/** Whole where that tells it from the threshold. */
const percent = (value: number): string => `${Number((value * 100).toFixed(1))} %`;

export const contextPressure: ConditionKind<PressureParams> = {
  summary: "the context is at least this full",
  params: orNothing(object({}, { threshold: part })),
  needs: "tokens",
  compile(params) {
    const threshold = params?.threshold ?? usualPressure;
    return ({ turn }) => {
      const pressure = pressureOf(turn);
      return pressure !== undefined && pressure >= threshold;
    };
  },
  describe: (params) => `the context is at least ${percent(params?.threshold ?? usualPressure)} full`,
  explain(params, { turn }) {
    const pressure = pressureOf(turn);
    const threshold = percent(params?.threshold ?? usualPressure);
    if (pressure === undefined) {
      const missing = turn.tokens === undefined ? "how many tokens the context holds" : "how large the context is";
      return because(`${missing} is not known, so nothing is at or above ${threshold}`);
    }
    const full = `the context is ${percent(pressure)} full`;
    return { holds: `${full}, at or above ${threshold}`, fails: `${full}, below ${threshold}` };
  },
};
