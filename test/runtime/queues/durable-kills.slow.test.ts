import test from "node:test";
import { losesNothing } from "./kill-rounds.ts";

test("[AT49, X8] ten kills at random moments: no run is lost, no step with a result is repeated, none is left running", () =>
  losesNothing(10));
