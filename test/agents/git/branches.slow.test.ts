/** Branches of which only some have hooks, be it by a file of whatever kind. */
import test from "node:test";
import { askedAfterCommits, askedAfterSession, kinds } from "./branch-kinds.ts";
import { scratch } from "./scratch.ts";

for (const kind of Object.values(kinds)) {
  test(`[E51] ${kind.what} is asked after each commit on a branch without it`, (t) =>
    askedAfterCommits(scratch(t), kind, 2));

  test(`[E51] ${kind.what} is asked after a session on a branch without it`, (t) =>
    askedAfterSession(scratch(t), kind));
}
