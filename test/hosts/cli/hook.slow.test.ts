/** What an agent seldom tells; hook.test.ts has the rest. */
import { test } from "node:test";
import { decidesLarge } from "./hook-place.ts";

test("a payload of 10 MB is decided like any other", (t) => decidesLarge(t, 10_000_000));
