/** What becomes of the programs of a daemon that ends or is killed: of those that answer, of those that stay, and of those that hide. */
import { test } from "node:test";
import { linux, nextEndsIt, staying, waiting } from "./guard-at-end.ts";

test(
  "[A50, F1] of a daemon that was killed while it asked a guard that stays, the next one ends what is left; at its own end it waits for a guard that is started for each event, whose verdict counts, and nothing of it is left",
  linux,
  (t) => nextEndsIt(t, staying, waiting),
);
