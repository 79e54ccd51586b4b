/** Every variable by which an agent's shell is known; guards.test.ts has one. */
import test from "node:test";
import { allowsNothing, onTerminal } from "./guards-place.ts";

test(
  "without a terminal, in an agent's shell and in a hook's program nothing is allowed and no guard is switched off, whichever variable says so",
  onTerminal,
  (t) => allowsNothing(t, ["CLAUDECODE", "GEMINI_CLI", "HOOKLINE_DEPTH"]),
);
