import assert from "node:assert/strict";
import { test } from "node:test";
import { settings } from "../../../../src/actions/command/protocols/settings.ts";
import { answered, bash, endOf, eventOf, inputOf } from "./asking.ts";
import { block, brokenFails, everyOutputIsRead } from "./noise.ts";

const isDeny = (stdout: string): boolean => answered("PreToolUse", stdout).outcome?.verdict?.is === "deny";

test("[C36a, CT34, R16] plain text is context on SessionStart, UserPromptSubmit and PreCompact", () => {
  for (const name of ["SessionStart", "UserPromptSubmit", "PreCompact"] as const) {
    assert.deepEqual(answered(name, "remember this\nand that\n", {}).outcome, { context: ["remember this\nand that"] });
  }
});

test("[C36a, CT34, R16] plain text elsewhere is ignored with a note that quotes it", () => {
  const result = answered("PreToolUse", "all good");
  assert.equal(result.ok, true);
  assert.equal(result.outcome, undefined);
  assert.deepEqual(result.notes, ['plain text on stdout is ignored on PreToolUse: "all good"']);
});

test("[C36a] plain text of WorktreeCreate is the path, below any output of git", () => {
  assert.deepEqual(answered("WorktreeCreate", "Preparing worktree\n/tmp/w\n", {}).outcome, { worktreePath: "/tmp/w" });
});

test("[C36a] context that shows JSON stays context", () => {
  const said = 'Our format:\n{"name": "x"}\nfunction f()\n{\n  "use strict";\n}';
  assert.deepEqual(answered("SessionStart", said, {}).outcome, { context: [said] });
});

test("[C36a] a banner before the JSON does not hide it, and a note quotes the banner", () => {
  for (const banner of ["Now using node v22\n", "INFO {x} ready: ", "\u001b[0m", '{"level":"info"}\n', "{oops\n"]) {
    const result = answered("PreToolUse", `${banner}${block}\n`);
    assert.equal(result.outcome?.verdict?.reason, "no", banner);
    assert.match(result.notes?.join() ?? "", /stdout holds more than the answer/);
  }
});

test("[C36a, C37] pretty-printed JSON, a byte order mark and text after it are no trouble", () => {
  assert.ok(isDeny(JSON.stringify({ decision: "block", reason: "a } in { text \\" }, null, 2)));
  assert.ok(isDeny(`\uFEFF${block}\r\n`));
  assert.ok(isDeny(`${block}\nDone in 3 ms {ok}`));
});

test("[C36a, R5] of several answers a first deny is not lost after a later one: all count together, with a note", () => {
  const allow = JSON.stringify({ decision: "approve", systemMessage: "fine" });
  for (const stdout of [`${block}\n${allow}`, `${allow}\n${block}`, `${block} and\n${allow}\n{}`]) {
    const result = answered("PreToolUse", stdout);
    assert.equal(result.outcome?.verdict?.is, "deny", stdout);
    assert.deepEqual(result.outcome?.context, ["fine"]);
    assert.ok(result.notes?.includes("stdout holds 2 answers: they count together"), result.notes?.join());
  }
});

test("[F8, R17] a deny or ask next to an unreadable part counts, and an allow does not", () => {
  const ask = JSON.stringify({ decision: "ask", reason: "sure?" });
  for (const faulty of ['{"decision":"maybe"}', '{"decision":"approve"']) {
    const denied = answered("PreToolUse", `${block}\n${faulty}`);
    assert.equal(denied.outcome?.verdict?.is, "deny", faulty);
    assert.match(denied.notes?.join() ?? "", /invalid_output/);
    assert.equal(answered("PreToolUse", `${ask}\n${faulty}`).outcome?.verdict?.is, "ask");
    assert.equal(answered("PreToolUse", `${JSON.stringify({ decision: "approve" })}\n${faulty}`).ok, false);
  }
});

test("[C37] the line that sends a program into the background is no answer next to its answer", () => {
  assert.equal(answered("PreToolUse", `{"async":true}\n${block}`).notes, undefined);
});

test("[C36a] a handler that prints its input back passes, and a note says so", () => {
  const input = inputOf(eventOf("SessionEnd", { reason: "clear" }), "SessionEnd");
  const result = settings.read(endOf({ stdout: input }), eventOf("SessionEnd", { reason: "clear" }), "hook-1");
  assert.deepEqual(result, { ok: true, output: {}, notes: ["the handler echoed its input"] });
});

test("[C36a] an echo does not hide an answer before it, after it, or inside of it", () => {
  const input = inputOf(eventOf("PreToolUse", bash), "PreToolUse");
  for (const stdout of [
    `${input}\n${block}`,
    `${block}\n${input}`,
    JSON.stringify({ ...JSON.parse(input), ...JSON.parse(block) }),
  ]) {
    assert.ok(isDeny(stdout), stdout);
  }
});

test("[F8, R17] what was meant as JSON and is broken is a failure, not a pass", () => brokenFails(50_000));

test("[G1] no output makes the reading throw, and none takes more than linear time", () => everyOutputIsRead(5_000));

test("[F8] a key that looks like a prototype is data", () => {
  const result = answered("PreToolUse", '{"__proto__":{"decision":"approve"},"constructor":1}');
  assert.equal(result.outcome?.verdict, undefined);
  assert.equal(result.notes?.length, 2);
});
