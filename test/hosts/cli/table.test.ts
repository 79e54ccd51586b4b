/** Tables of commands: what is left out where a terminal is narrow, and where a column holds nothing. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Column, table } from "../../../src/hosts/cli/terminal.ts";

const columns: readonly Column[] = [
  { title: "hook", fills: true },
  { title: "state", ifAny: true },
  { title: "when", fills: true, ifWide: true },
  { title: "where" },
];
const rows = [["people push", "", "the line would run git push", ".hookline/hooks.json:7"]];

const shown = (width: number, cells: readonly (readonly string[])[] = rows): string[] =>
  table({ isTerminal: true, width, print() {}, error() {}, paint: (_style, text) => text }, columns, cells);

test("a column without content is left out, and one with content is not", () => {
  assert.match(shown(120)[0] ?? "", /^hook +when +where$/);
  assert.match(shown(120, [["people push", "paused", "", "x"]])[0] ?? "", /^hook +state +when +where$/);
});

test("a column that may go is left out only where the terminal is too narrow for all", () => {
  assert.match(shown(50)[0] ?? "", /^hook +when +where$/);
  assert.deepEqual(shown(40), ["hook         where", "people push  .hookline/hooks.json:7"]);
});

test("a pipe gets every column that holds something, uncut", () => {
  assert.match(shown(Number.POSITIVE_INFINITY)[1] ?? "", /the line would run git push/);
});
