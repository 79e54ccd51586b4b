/** What others wrote, by each command that shows it on a terminal; operations.test.ts has one of them. */
import { test } from "node:test";
import { reachesTerminalAsText } from "./operations-place.ts";

test("what models and others wrote reaches a terminal as text, whichever command shows it", (t) =>
  reachesTerminalAsText(t, 6));
