/** context_pressure: how full the model's context is (D35). */
import type { Turn } from "../engine/event.ts";
import type { ConditionKind } from "../engine/ports.ts";
import { kindOf, object, type Schema } from "../engine/schema.ts";
import { orNothing } from "./parameters.ts";

const usual = 0.75;

/** 75 for 75 % would never hold, so it is a mistake to be told. */
const part: Schema<number> = {
  json: {
    type: "number",
    minimum: 0,
    maximum: 1,
    description: "how much of the context is full, as a part of 1",
    default: usual,
  },
  check: (value, path = []) =>
    typeof value === "number" && value >= 0 && value <= 1
      ? []
      : [{ path, expected: "a part of 1, such as 0.75", found: kindOf(value) }],
};

type Params = { threshold?: number } | null;

/** Tokens divided by the window, where both are known. */
export const pressureOf = ({ tokens, window }: Pick<Turn, "tokens" | "window">): number | undefined =>
  tokens === undefined || window === undefined || window <= 0 ? undefined : tokens / window;

/** Whole where that tells it from the threshold. */
const percent = (value: number): string => `${Number((value * 100).toFixed(1))} %`;

export const contextPressure: ConditionKind<Params> = {
  summary: "the context is at least this full",
  params: orNothing(object({}, { threshold: part })),
  needs: "tokens",
  compile(params) {
    const threshold = params?.threshold ?? usual;
    return ({ turn }) => {
      const pressure = pressureOf(turn);
      return pressure !== undefined && pressure >= threshold;
    };
  },
  describe: (params) => `the context is at least ${percent(params?.threshold ?? usual)} full`,
  explain(params, { turn }) {
    const pressure = pressureOf(turn);
    const threshold = percent(params?.threshold ?? usual);
    if (pressure === undefined) {
      const missing = turn.tokens === undefined ? "how many tokens the context holds" : "how large the context is";
      const unknown = `${missing} is not known, so nothing is at or above ${threshold}`;
      return { holds: unknown, fails: unknown };
    }
    const full = `the context is ${percent(pressure)} full`;
    return { holds: `${full}, at or above ${threshold}`, fails: `${full}, below ${threshold}` };
  },
};
