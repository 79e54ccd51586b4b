/** Tables of commands: what is left out where a terminal is narrow, and where a column holds nothing. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { table } from "../../../src/hosts/cli/table.ts";
import { cut, wrapped } from "../../../src/hosts/cli/width.ts";
import type { ShownColumn } from "../../../src/operations/shown.ts";

const columns: readonly ShownColumn[] = [
  { title: "hook", fills: true },
  { title: "state", ifAny: true },
  { title: "when", fills: true, ifWide: true },
  { title: "where" },
];
const rows = [["people push", "", "the line would run git push", ".hookline/hooks.json:7"]];

const shown = (width: number, cells: readonly (readonly string[])[] = rows): string[] =>
  table({ isTerminal: true, width, print() {}, exact() {}, error() {}, paint: (_style, text) => text }, columns, cells);

test("a column without content is left out, and one with content is not", () => {
  assert.match(shown(120)[0] ?? "", /^hook +when +where$/);
  assert.match(shown(120, [["people push", "paused", "", "x"]])[0] ?? "", /^hook +state +when +where$/);
});

test("a column that may go is left out only where the terminal is too narrow for all", () => {
  assert.match(shown(64)[0] ?? "", /^hook +when +where$/);
  assert.deepEqual(shown(40), ["hook         where", "people push  .hookline/hooks.json:7"]);
});

test("a cell that is too long is broken between words, and nothing of it is cut", () => {
  const row = ["people push", "", "the line would run git push, which asks a person first", "here"];
  assert.deepEqual(shown(44, [row]), [
    "hook         when                      where",
    "people push  the line would run git    here",
    "             push, which asks a",
    "             person first",
  ]);
});

test("where there is no room for columns, one cell follows the other", () => {
  const row = ["people push", "paused", "", "a/file/in/a/deep/folder.json:7"];
  assert.deepEqual(shown(32, [row]), ["hook  state  where", "people push  paused", "  a/file/in/a/deep/folder.json:7"]);
});

test("columns are counted as terminals count them: a Chinese character and an emoji take two", () => {
  const lines = shown(60, [
    ["提交前检查", "", "✅ passed", "a.yaml:1"],
    ["push", "", "no", "b.yaml:1"],
  ]);
  assert.deepEqual(lines, [
    "hook        when       where",
    "提交前检查  ✅ passed  a.yaml:1",
    "push        no         b.yaml:1",
  ]);
  assert.deepEqual(wrapped("提交前检查提交", 6, { breaks: true }), ["提交前", "检查提", "交"]);
  assert.equal(cut("提交前检查", 6), "提交…");
});

test("what stands between backticks stays in one line, so that a person can copy it", () => {
  assert.deepEqual(wrapped("to see more, run `hookline runs --all`", 30), [
    "to see more, run",
    "`hookline runs --all`",
  ]);
});
