/** What `hookline trust` shows a person: the most dangerous first, the names of strangers made safe, each change once. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Fields } from "../../../../src/engine/event.ts";
import type { AskingFolder } from "../../../../src/hosts/cli/trust/folders.ts";
import { showFolder } from "../../../../src/hosts/cli/trust/show.ts";
import { type Content, type Item, itemOf } from "../../../../src/loading/trust/item.ts";
import { openTrust, type TrustRecords } from "../../../../src/loading/trust/records.ts";
import { workspace } from "../../../loading/workspace.ts";

interface Shown {
  root: string;
  records: TrustRecords;
  write(text: string): void;
  item(more?: Partial<Content>): Item;
  lines(items: readonly Item[]): string[];
}

function showing(t: TestContext): Shown {
  const place = workspace(t, { "home/project/run.sh": "echo one\n" });
  const state = join(place.home, "state");
  mkdirSync(state, { mode: 0o700 });
  const records = openTrust(state);
  const root = place.project;
  const steps = [{ uses: "command", with: { command: "sh run.sh" } }];
  const content = { on: { event: ["PreToolUse"] }, steps, mode: "sync", priority: 100, onFailure: "continue" };
  return {
    ...{ root, records },
    write: (text) => void place.write("home/project/run.sh", text),
    item: (more) =>
      itemOf({ root, kind: "hook", name: "a hook", file: "hooks.json", content, ...more }, [join(root, "run.sh")]),
    lines(items) {
      const lines: string[] = [];
      const terminal = {
        ...{ isTerminal: true, width: 80, error: assert.fail, paint: (_style: string, text: string) => text },
        print: (line: string) => void lines.push(...line.split("\n")),
        exact: (line: string) => void lines.push(...line.split("\n")),
      };
      const folder: AskingFolder = {
        ...{ path: root, state: "changed", hash: "" },
        items: items.map((item) => ({ item, isTrusted: false })),
      };
      showFolder(folder, records, { terminal, cwd: root, home: place.home });
      return lines;
    },
  };
}

test("a hook is shown with what it runs and without what is as usual", (t) => {
  const { item, lines } = showing(t);
  const text = lines([item()]).join("\n");
  assert.match(text, /on: PreToolUse\n +command: sh run\.sh\n +file run\.sh \(read it\)/);
  assert.doesNotMatch(text, /mode|priority|onFailure/);
});

test("a condition is shown as one expression, and no text in it passes for a part of the expression", (t) => {
  const { item, lines } = showing(t);
  const when = {
    all: [{ is: "match", with: "Bash" }, { any: [{ is: "tool", with: 'x" or "y' }, { not: { is: "first" } }] }],
  };
  const content = { on: { event: ["Stop"] }, when, steps: [{ uses: "command", with: { command: "true" } }] };
  const text = lines([item({ content })]).join("\n");
  assert.ok(text.includes(String.raw`when: match "Bash" and (tool "x\" or \"y" or not (first))`), text);
});

test("an expression is shown as its author wrote it, alone and inside of others, before trust and after a change", (t) => {
  const { item, lines, root, records } = showing(t);
  const tree = { at: 5, is: "and", values: [] };
  const expression = (expr: string): Fields => ({ is: "expression", with: { expr, tree } });
  const content = (expr: string): Fields => ({
    on: { event: ["PreToolUse"] },
    when: { all: [expression(expr), { any: [{ is: "first" }, { not: expression(expr) }] }] },
    steps: [{ uses: "command", with: { command: "true" }, skipIf: expression(expr) }],
  });
  const first = item({ content: content("a == 1") });
  const shown = lines([first]);
  assert.ok(shown.includes(`    when: expression "a == 1" and (first or not (expression "a == 1"))`), shown.join("\n"));
  records.add(root, [first], 1);
  const changed = lines([item({ content: content("a == 2") })]).join("\n");
  assert.match(changed, /-\s*skipIf: expression "a == 1"[^+]*\+\s*skipIf: expression "a == 2"/);
  assert.doesNotMatch(`${shown.join("\n")}${changed}`, /tree|values/);
});

test("a condition with more in it than usual is shown whole", (t) => {
  const { item, lines } = showing(t);
  const when = { is: "match", more: 1, with: "Bash" };
  const content = { on: { event: ["Stop"] }, when, steps: [{ uses: "command", with: { command: "true" } }] };
  assert.ok(lines([item({ content })]).includes(`    when: ${JSON.stringify(when)}`));
});

test("a file that several hooks run is compared once, and the others say so", (t) => {
  const { item, lines, records, root, write } = showing(t);
  records.add(root, [item(), item({ name: "another" })], 0);
  write("echo two\n");
  const shown = lines([item(), item({ name: "another" })]);
  assert.equal(shown.filter((line) => line.includes("+echo two")).length, 1);
  assert.ok(shown.some((line) => line.includes("file run.sh: see above")));
  assert.match(shown.at(-1) ?? "", /in all: 2 programs/);
});

test("a stranger's control characters are visible, and letters that look like others are named", (t) => {
  const { item, lines } = showing(t);
  const text = lines([item({ name: "safe\u001b[2J\u202e hооk" })]).join("\n");
  for (const hidden of ["\u001b", "\u202e"]) assert.ok(!text.includes(hidden));
  assert.match(text, /letters that are not ASCII: .*U\+043E/);
});

test("what is too long to read is cut, and the person is told to read the file first", (t) => {
  const { item, lines } = showing(t);
  const command = `true ${"x".repeat(1 << 20)}`;
  const content = { on: { event: ["Stop"] }, steps: [{ uses: "command", with: { command } }] };
  const text = lines([item({ content })]).join("\n");
  assert.ok(text.length < 10_000);
  assert.match(text, /not shown: read hooks\.json first/);
});

/** Every field that a hook of a file can have, each with another value than usual. */
const changes: readonly Fields[] = [
  { name: "b" },
  { on: { event: ["Stop"] } },
  { when: { is: "always" } },
  { steps: [{ uses: "command", with: { command: "sh run.sh" }, timeout: 5 }] },
  { steps: [{ uses: "command", with: { command: "sh run.sh" }, onError: "stop" }] },
  { steps: [{ uses: "command", with: { command: "sh run.sh" }, skipIf: { is: "always" } }] },
  { steps: [{ uses: "command", with: { command: "sh run.sh", environment: "clean" } }] },
  { limits: { overlap: "skip" } },
  { mode: "async" },
  { role: "guard" },
  { onFailure: "block" },
  { priority: 1 },
  { enabled: false },
  { tags: ["x"] },
  { summary: "other" },
  { textLimit: 1_000_000 },
];

test("[R30] whatever of a hook has changed since it was trusted is shown beside what it was", (t) => {
  const { item, lines, records, root } = showing(t);
  const content = { on: { event: ["PreToolUse"] }, steps: [{ uses: "command", with: { command: "sh run.sh" } }] };
  records.add(root, [item({ content })], 0);
  for (const change of changes) {
    const shown = lines([item({ content: { ...content, ...change } })]).filter((line) => /^ +[+-]/.test(line));
    assert.ok(shown.length > 0, JSON.stringify(change));
  }
});
