/** turn_count: at a certain turn, and from there on at every so many (D36, R13). */
import type { ConditionKind } from "../engine/ports.ts";
import { integer, object } from "../engine/schema.ts";

type Params = { threshold: number; every?: number };

const wanted = ({ threshold, every }: Params): string =>
  every === undefined ? `turn ${threshold}` : `turn ${threshold} and every ${every} after it`;

export const turnCount: ConditionKind<Params> = {
  summary: "this is the turn, or one of every so many after it",
  params: object(
    { threshold: integer("the turn, counted in user prompts", 0) },
    { every: integer("again after so many turns; left out: only once", 1) },
  ),
  needs: "turns",
  compile: ({ threshold, every }) =>
    every === undefined
      ? ({ turn }) => turn.number === threshold
      : ({ turn }) => turn.number >= threshold && (turn.number - threshold) % every === 0,
  describe: (params) => `it is ${wanted(params)}`,
  explain: (params, { turn }) => ({
    holds: `it is turn ${turn.number}, and the condition is ${wanted(params)}`,
    fails: `it is turn ${turn.number}, and the condition is ${wanted(params)}`,
  }),
};
