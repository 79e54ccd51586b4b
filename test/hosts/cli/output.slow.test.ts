/** Text, which a command prints line by line, for a slow reader; output.test.ts has JSON. */
import { test } from "node:test";
import { reachesLateReader } from "./late-reader.ts";

test("a reader that begins late gets all of the text that a command prints", (t) => reachesLateReader(t, "text"));
