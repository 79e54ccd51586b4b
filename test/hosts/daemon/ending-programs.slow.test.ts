/** The other kind of guard in each of the ways in which a daemon ends, and every moment of its start. */
import { describe, test } from "node:test";
import {
  blocksWhatIsOpen,
  endsWhileItStarts,
  killerEndsIt,
  linux,
  nextEndsIt,
  staying,
  waiting,
  waitsForIt,
} from "./guard-at-end.ts";

describe("the programs of a daemon that ends", { concurrency: true }, () => {
  test("[A50] a guard that stays is waited for, its verdict counts, and then nothing of it is left", linux, (t) =>
    waitsForIt(t, staying),
  );
  test(
    "[A50] an event that a guard that is started for each event has not decided when the daemon ends is blocked",
    linux,
    (t) => blocksWhatIsOpen(t, waiting),
  );
  test(
    "[F1] of a daemon that was killed while it asked a guard that is started for each event, the next one ends what is left",
    linux,
    (t) => nextEndsIt(t, waiting),
  );
  test("[X8] asked to end while it starts, whenever that is, it ends", (t) =>
    endsWhileItStarts(t, [20, 70, 120, 170, 220, 270, 320, 370, 420]));
  test("[A50] an event that a guard that stays has not decided when the daemon ends is blocked", linux, (t) =>
    blocksWhatIsOpen(t, staying),
  );
  test("[X8] the command that kills a stopped daemon ends its programs, too", linux, (t) => killerEndsIt(t, staying));
});
