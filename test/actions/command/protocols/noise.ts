/** Output that was meant as an answer and is none, in two sizes. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { answered } from "./asking.ts";

export const block: string = JSON.stringify({ decision: "block", reason: "no" });

/** What was meant as JSON and is broken is a failure. @param depth of what is nested */
export function brokenFails(depth: number): void {
  const deep = '{"a":'.repeat(depth);
  const broken = [
    '{"decision":"block"',
    "{'decision':'block'}",
    '{"hookSpecificOutput":{"permissionDecision":"deny"}',
    '{\n  "hookSpecificOutput":\n  {\n    "permissionDecision": "deny"\n  }\n',
    '{"decision": NaN}',
    '{"decision":"block",}',
    `starting\n${block.slice(0, -3)}`,
    `{}\n${block.slice(0, -3)}`,
    deep,
    `${deep}1${"}".repeat(depth)}`,
  ];
  for (const stdout of broken) {
    const result = answered("PreToolUse", stdout);
    assert.ok(!result.ok && result.failure === "output", stdout.slice(0, 60));
    assert.ok(result.reason.length < 400);
  }
}

/** No output makes the reading throw, and none takes more than linear time. @param times that a part is repeated */
export function everyOutputIsRead(times: number): void {
  const piece = fc.constantFrom("{", "}", '"', "[", "]", ":", "\n", "\\", block, '{"a":1}', "x", " ", '{"decision":');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      assert.equal(typeof answered("PreToolUse", pieces.join("")).ok, "boolean");
    }),
  );
  for (const part of ['{"reason":1}', '{"systemMessage":"x"}\n', "{", '{"', '{"a":[', "{ ", "\n{", '"{']) {
    assert.equal(typeof answered("PreToolUse", part.repeat(times)).ok, "boolean");
  }
}
