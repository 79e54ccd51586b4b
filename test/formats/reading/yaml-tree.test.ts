import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node } from "../../../src/formats/reading/tree.ts";
import { read, testYamlProperties } from "./yaml-properties.ts";

test("[D13, R43] an unquoted on is the text on, as YAML 1.2 has it", () => {
  const { json, found } = read("hooks:\n  - id: a\n    on: tool_end\n    enabled: true\n");
  assert.deepEqual(json, { hooks: [{ id: "a", on: "tool_end", enabled: true }] });
  assert.deepEqual(found, []);
});

test("[D13, R43, DT32] a key that really is the boolean true is refused, and says to quote on", () => {
  for (const text of ["hooks:\n  - id: a\n    true: tool_end\n", "%YAML 1.1\n---\nhooks:\n- on: tool_end\n  id: a\n"]) {
    const { found, findings, faulty } = read(text);
    assert.equal(found.length, 1, found.join());
    assert.match(found[0] ?? "", /shape the key (true|on) is the boolean true: YAML 1\.1 reads an unquoted on so/);
    assert.match(findings[0]?.suggestion ?? "", /"on":/);
    assert.deepEqual(faulty, [true]);
  }
});

test("positions are those of the text, also after a byte order mark, with CRLF and in nested lists", () => {
  const text = "\uFEFFagents:\r\n  - id: x\r\n    hooks:\r\n    - id: deep\r\n      on: [a, b]\r\n";
  const { root } = read(text);
  const place = (value: string): string => text.slice(text.indexOf(value), text.indexOf(value) + value.length);
  const texts: string[] = [];
  const walk = (node: Node | undefined): void => {
    if (node?.type === "string") {
      texts.push(String(node.value));
      assert.equal(text.slice(node.offset, node.offset + node.length), node.value);
    }
    node?.children?.forEach(walk);
  };
  walk(root);
  assert.ok(texts.includes("deep"));
  assert.equal(place("deep"), "deep");
});

/** Each in the middle of three rules. */
const brokenRules: readonly { what: string; lines: string; at: string; says: RegExp }[] = [
  {
    what: "a tab before a key",
    lines: "  - id: b\n\ton: tool_end",
    at: "4:1",
    says: /a tab; YAML is indented with spaces/,
  },
  { what: "a tab after spaces", lines: "  - id: b\n    condition:\n    \ttype: x", at: "5:5", says: /a tab/ },
  { what: "a quote that is not closed", lines: '  - id: "b\n    on: tool_end', at: "3:9", says: /quote is not closed/ },
  {
    what: "a bracket that is not closed",
    lines: "  - id: b\n    action: { type: log",
    at: "4:13",
    says: /bracket is not closed/,
  },
  { what: "an unquoted colon", lines: "  - id: b\n    message: now: this", at: "4:14", says: /this is not YAML/ },
  { what: "a key without its colon", lines: "  - id: b\n    on", at: "4:5", says: /this is not YAML/ },
  {
    what: "an indentation that fits nowhere",
    lines: "  - id: b\n   on: tool_end",
    at: "4:1",
    says: /this is not YAML/,
  },
  { what: "an entry that is indented less", lines: " - id: b", at: "3:1", says: /is indented less/ },
  { what: "an entry in the column of the list", lines: "- id: b", at: "3:1", says: /is indented less/ },
  { what: "a reserved sign", lines: "  - id: b\n    on: @x", at: "4:9", says: /this is not YAML/ },
  { what: "a NUL", lines: "  - id: b\n    on: 'x\0y'", at: "4:11", says: /NUL/ },
  { what: "a key that is written twice", lines: "  - id: b\n    id: c", at: "4:5", says: /"id" is written twice/ },
  {
    what: "a key of prototypes",
    lines: "  - id: b\n    __proto__: { x: 1 }",
    at: "4:5",
    says: /"__proto__" is refused/,
  },
  {
    what: "an alias to nothing",
    lines: "  - id: b\n    match: *.ts",
    at: "4:12",
    says: /\*\.ts names an anchor that stands nowhere/,
  },
  { what: "a tag", lines: "  - id: b\n    on: !!python/object x", at: "4:25", says: /tag !!python\/object is refused/ },
  { what: "a number as a key", lines: "  - id: b\n    404: x", at: "4:5", says: /a key must be text/ },
  { what: "a list as a key", lines: "  - id: b\n    ? [a]\n    : x", at: "4:7", says: /a key must be text/ },
];

for (const { what, lines, at, says } of brokenRules) {
  test(`[R33, SD14] ${what} is reported at its place, and takes no other rule with it`, () => {
    const { found, faulty, json } = read(`hooks:\n  - id: a\n${lines}\n  - id: c\n    on: turn_end\n`);
    assert.equal(found.length, 1, found.join("\n"));
    assert.equal(found[0]?.split(" ")[0], at);
    assert.match(found[0] ?? "", says);
    assert.deepEqual(faulty, [false, true, false]);
    const { hooks } = json as { hooks: unknown[] };
    assert.deepEqual([hooks[0], hooks[2]], [{ id: "a" }, { id: "c", on: "turn_end" }]);
  });
}

test("[R33] if a file is no list of rules line by line, its fault is reported and marks what is before it", () => {
  const flow = read("{hooks: [{id: a}, {id: b, x: {y], {id: c}]}");
  assert.match(flow.found[0] ?? "", /^1:\d+ syntax/);
  assert.equal(flow.faulty[0], false);
  assert.ok(flow.faulty.slice(1).every(Boolean));
  const tabs = read("hooks:\n\t- id: a\n\t  on: x\n");
  assert.match(tabs.found[0] ?? "", /^2:1 syntax a tab/);
  assert.ok(tabs.faulty.every(Boolean));
});

test("text that looks like rules inside of a text is text", () => {
  const block = "hooks:\n  - id: a\n    run: |\n      hooks:\n      - id: b\n      # no remark\n  - id: c\n";
  assert.deepEqual(read(block).json, {
    hooks: [{ id: "a", run: "hooks:\n- id: b\n# no remark\n" }, { id: "c" }],
  });
  const outside = "notes: |\n  hooks:\n    - id: b\nhooks:\n  - id: a\n";
  assert.deepEqual(read(outside).json, { notes: "hooks:\n  - id: b\n", hooks: [{ id: "a" }] });
  const kept = "hooks:\n- run: |+\n    x\n\n\n- id: b\n";
  assert.deepEqual(read(kept).json, { hooks: [{ run: "x\n\n\n" }, { id: "b" }] });
});

test("anchors, aliases and merge keys work within a file, also from one rule to another", () => {
  const text = `x-common: &common { priority: 5, tags: [a] }
hooks:
  - &first { <<: *common, id: a }
  - { <<: [*common, { id: no, timeout: 9 }], id: b, priority: 7 }
  - *first
`;
  const { json, found } = read(text);
  assert.deepEqual(found, []);
  assert.deepEqual((json as { hooks: unknown }).hooks, [
    { id: "a", priority: 5, tags: ["a"] },
    { id: "b", priority: 7, tags: ["a"], timeout: 9 },
    { id: "a", priority: 5, tags: ["a"] },
  ]);
  assert.match(read("a: { <<: 1 }").found[0] ?? "", /1:10 shape << takes a map/);
  assert.match(read("a: &a [*a]").found[0] ?? "", /1:8 shape \*a names an anchor that stands nowhere before it/);
});

test("[SD14] an anchor bomb is refused where it goes too far, at once and without its weight", () => {
  const letters = [..."abcdefghijklmnop"];
  const lines = letters.map((letter, at) => {
    const inner = at === 0 ? "x" : `*${letters[at - 1]}`;
    return `${letter}: &${letter} [${Array(10).fill(inner).join(", ")}]`;
  });
  const { found, root } = read(lines.join("\n"));
  assert.equal(found.length, 1);
  assert.match(found[0] ?? "", /^5:\d+ shape with \*d the aliases of this file repeat more than 1000000 characters/);
  assert.ok(root);
  const chain = Array.from({ length: 5_000 }, (_, at) => `a${at + 1}: &a${at + 1} [*a${at}]`).join("\n");
  const deep = read(`a0: &a0 x\n${chain}`);
  assert.match(deep.found[0] ?? "", /stands for more than 100 levels/);
  assert.ok(deep.json);
});

test("[SD14] what is too deep, too large or too much is refused with a place, and never a crash", () => {
  for (const text of ["[".repeat(100_000), "{a: ".repeat(50_000), "- ".repeat(50_000), "? ".repeat(50_000)]) {
    assert.match(read(text).found[0] ?? "", /^1:\d+ syntax it is nested more than 100 deep and is not read/);
  }
  assert.match(read(`a: ${"x".repeat(4 * 1024 * 1024)}`).found[0] ?? "", /^1:1 shape the file is larger than 4 MB/);
});

test("several documents, a number with too many digits and values that JSON cannot hold are reported or kept as text", () => {
  const several = read("hooks: []\n---\nhooks: [1]\n");
  assert.deepEqual(several.json, { hooks: [] });
  assert.match(several.found[0] ?? "", /^2:1 syntax a second document \(---\)/);
  assert.deepEqual(read("---\nhooks: []\n...\n").found, []);
  assert.match(read("id: 12345678901234567890").found[0] ?? "", /1:5 wrong-type .* more digits than a number keeps/);
  assert.deepEqual(read("a: .inf\nb: 2001-01-01\nc: ~\nd:\ne: 0x1f").json, {
    a: ".inf",
    b: "2001-01-01",
    c: null,
    d: null,
    e: 31,
  });
  assert.equal(read("# nothing\n").root, undefined);
  assert.equal(read("").root, undefined);
});

testYamlProperties(100);

test("an unknown directive is reported at its place, and the file is read", () => {
  for (const text of ["%FOO\nhooks: []\n", "%FOO bar\n---\nhooks: []\n", "%%YAML 1.1\n---\nhooks: []\n"]) {
    const { found, json } = read(text);
    assert.equal(found.length, 1, found.join("\n"));
    assert.match(found[0] ?? "", /^1:1 syntax a line that begins with % is for %YAML and %TAG alone/);
    assert.deepEqual(json, { hooks: [] });
  }
  assert.match(read("# x\n\n%FOO\n---\na: 1\n").found[0] ?? "", /^3:1 /);
  assert.deepEqual(read("%YAML 1.2\n%TAG ! tag:a,2000:\n---\nhooks: []\n").found, []);
});

test("a line that is indented too far is reported itself, and not the text before it", () => {
  for (const [text, at] of [
    ["hooks:\n  - id: x\n      on: tool_start\n  - id: b\n", "3:7"],
    ["hooks:\n  - id: x\n    priority: 5\n\n     on: tool_start\n", "5:6"],
  ] as const) {
    const { found } = read(text);
    assert.equal(found.length, 1, found.join("\n"));
    assert.match(found[0] ?? "", new RegExp(`^${at} syntax this line stands deeper than the one before it`));
  }
  assert.match(read("hooks:\n  - id: b\n    message: now: this\n").found[0] ?? "", /^3:14 syntax this is not YAML/);
});
