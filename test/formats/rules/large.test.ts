/** Rules files that are deep, broken in many places or large: what is wrong is told of its rule, and the others live. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile, file, names, problem, rule } from "../rules-helpers.ts";

const gate = "{ id: g, on: tool_start, condition: { type: always }, action: { type: gate, reason: no } }";

test("[R33] too much depth is reported for one rule, and switches off no other guard", () => {
  let condition = "{ type: always }";
  for (let count = 0; count < 120; count++) condition = `{ type: not, condition: ${condition} }`;
  for (const anchor of ["", "&a "]) {
    const compiled = compile(file(`${anchor}${gate}`, rule({ id: "deep", condition }), rule({ id: "after" })));
    assert.deepEqual(names(compiled), ["g", "after"]);
    const one = problem(compiled);
    assert.match(one.message, /^it is nested more than 100 deep/);
    assert.equal(one.line, 5);
  }
});

test("[R33] a tab in each of many rules is reported as a tab in each, and the good ones run", () => {
  const broken = Array.from(
    { length: 120 },
    (_, at) => `  - id: x${at}\n\ton: tool_start\n    action: { type: log }\n`,
  );
  const compiled = compile(`hooks:\n${broken.join("")}  - ${gate}\n`);
  assert.deepEqual(names(compiled), ["g"]);
  assert.equal(compiled.problems.length, 120);
  assert.ok(compiled.problems.every(({ message }) => message.startsWith("a tab;")));
});
