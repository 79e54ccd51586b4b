/** reroutes: whether a call does another way what was refused just before. The engine's host looks for that; this says what was found. */
import type { ConditionKind } from "../engine/ports.ts";
import { object } from "../engine/schema.ts";

export const reroutes: ConditionKind<object> = {
  summary: "the call does another way what was refused just before",
  params: object({}),
  ofCalls: true,
  compile:
    () =>
    ({ event }) =>
      event.rerouted ?? false,
  describe: () => "the call does another way what was refused just before",
  explain: () => ({
    holds: "the same was refused just before",
    fails: "nothing that the call does was refused just before",
  }),
};
