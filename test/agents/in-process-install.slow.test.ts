/** The same of all agents at once. */
import { test } from "node:test";
import { opencode } from "../../src/agents/opencode/adapter.ts";
import { pi } from "../../src/agents/pi/adapter.ts";
import { arrives } from "./own-files.ts";

test("doctor's event goes through each line of each file and arrives", (t) => arrives(t, [opencode, pi]));
