/** Dangerous calls of every kind once the guard pack is there; add.test.ts has two. */
import test from "node:test";
import { guarded, stopped, stops } from "./add-place.ts";

test("after it each dangerous call is stopped with its true reason, and ordinary ones pass: one of each kind", (t) =>
  stops(guarded(t), stopped.length));
