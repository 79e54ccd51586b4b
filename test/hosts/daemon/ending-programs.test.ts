/** What becomes of the programs of a daemon that ends or is killed: of those that answer, of those that stay, and of those that hide. */
import { describe, test } from "node:test";
import { linux, nextEndsIt, staying, waiting, waitsForIt } from "./guard-at-end.ts";

describe("the programs of a daemon that ends", { concurrency: true }, () => {
  test(
    "[A50] a guard that is started for each event is waited for, its verdict counts, and then nothing of it is left",
    linux,
    (t) => waitsForIt(t, waiting),
  );
  test(
    "[F1] of a daemon that was killed while it asked a guard that stays, the next one ends what is left",
    linux,
    (t) => nextEndsIt(t, staying),
  );
});
