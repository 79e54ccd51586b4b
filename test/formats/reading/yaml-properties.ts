/** Reads a text as YAML, and tells what holds of whatever text. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createLocator, type Finding, jsonOf, membersOf, type Node } from "../../../src/formats/reading/tree.ts";
import { readYaml } from "../../../src/formats/reading/yaml-tree.ts";

export interface Read {
  root: Node | undefined;
  json: unknown;
  /** line:column code message */
  found: string[];
  findings: Finding[];
  /** Of each entry under `hooks`, whether an error stands in it. */
  faulty: boolean[];
}

export function read(text: string): Read {
  const locate = createLocator(text);
  const findings: Finding[] = [];
  const found: string[] = [];
  const { root, isFaulty } = readYaml(text, (offset, finding) => {
    const { line, column } = locate(offset);
    findings.push(finding);
    found.push(`${line}:${column} ${finding.code} ${finding.message}`);
  });
  const hooks = membersOf(root).find(({ key }) => key === "hooks")?.value;
  return {
    root,
    json: root && jsonOf(root),
    found,
    findings,
    faulty: (hooks?.children ?? []).map(isFaulty),
  };
}

const line = fc.oneof(
  fc.constantFrom(
    "hooks:",
    "  - id: a",
    "    on: tool_end",
    "- b",
    "agents:",
    "  hooks:",
    "  - x: [1, 2]",
    "    - {a: b}",
  ),
  fc.constantFrom(
    "\t- id: x",
    'k: "v',
    "k: |",
    "   text",
    "&a [*a]",
    "<<: *a",
    "---",
    "%YAML 1.1",
    "]",
    "? x",
    ": y",
    "#",
    "",
  ),
  fc.string({ maxLength: 20 }),
);

const scalar = fc.oneof(fc.string({ maxLength: 12 }), fc.integer(), fc.boolean(), fc.constant(null));
const value = fc.letrec((tie) => ({
  tree: fc.oneof(
    { depthSize: "small" },
    scalar,
    fc.array(tie("tree"), { maxLength: 3 }),
    fc.dictionary(fc.string({ minLength: 1, maxLength: 6 }), tie("tree"), { maxKeys: 3 }),
  ),
})).tree;

/** @param rounds of each property */
export function testYamlProperties(rounds: number): void {
  test("[SD14] no text whatever throws, and every finding has a place in it", () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 14 }), (lines) => {
        const text = lines.join("\n");
        readYaml(text, (offset, { message }) => {
          assert.ok(Number.isInteger(offset) && offset >= 0 && offset <= text.length, `${message} at ${offset}`);
        });
      }),
      { numRuns: rounds },
    );
  });

  test("a file that is read entry by entry holds what the whole holds", async () => {
    const { stringify, parse } = await import("yaml");
    const plain = /^(__proto__|constructor|prototype|<<)$/;
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 4 }),
        fc.nat(3),
        fc.boolean(),
        (hooks, indent, sequences) => {
          const text = stringify({ before: 1, hooks, after: [2] }, { indent: indent + 2, indentSeq: sequences });
          fc.pre(!plain.test(JSON.stringify(hooks)) && !/__proto__|constructor|prototype|<</.test(text));
          const { json, found } = read(text);
          assert.deepEqual(found, []);
          assert.deepEqual(JSON.parse(JSON.stringify(json)), JSON.parse(JSON.stringify(parse(text))));
        },
      ),
      { numRuns: rounds },
    );
  });
}
