/** The races of processes.test.ts, with more processes and rows. */
import { test } from "node:test";
import { acknowledgedStays, allOpenIt, eachKeyOnce, noneIsLost } from "./races.ts";

test("[X7, R21] eight processes claim 50 keys at once: each key is granted exactly once", () => eachKeyOnce(8));

test("eight processes that open a store which does not exist yet all succeed", () => allOpenIt(8));

test("[X8] two processes that write 1,000 runs each into one session lose none, and count every tool call", () =>
  noneIsLost(1000));

test("[X8, R26] kill -9 of three writers: nothing that it had acknowledged is lost, and after repair no run is left running", () =>
  acknowledgedStays(3));
