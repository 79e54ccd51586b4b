/** Every command that only looks, where the store can only be read; store.test.ts has one. */
import { test } from "node:test";
import { onlyLooks, places } from "./read-only-store.ts";

for (const [where, ofUser] of places)
  test(`[F10, F11] ${where} commands that only look show the rows that are there, and say that the store is only read, each of them`, (t) =>
    onlyLooks(t, ofUser, ["runs", "status", "why last", "list"]));
