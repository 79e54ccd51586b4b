/** What Claude Code's model is shown of a result that hooks have rewritten; what the real program does with it is in test/agents. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { claudeCode } from "../../src/agents/claude-code/adapter.ts";
import { deliverResult } from "../../src/agents/claude-code/results.ts";
import type { Fields, HookEvent, Json } from "../../src/engine/event.ts";
import type { Outcome } from "../../src/engine/outcome.ts";
import { isRecord } from "../../src/engine/schema.ts";
import { onlyOne } from "./only-one.ts";

const folder = join(import.meta.dirname, "../fixtures/agents/claude-code");
const recorded = (name: string): HookEvent =>
  onlyOne(claudeCode.decode(JSON.parse(readFileSync(join(folder, name), "utf8")), { at: 0, id: () => "e1" }));
const resultOf = ({ data }: HookEvent): Fields => {
  const result = data.tool_response;
  ok(isRecord(result));
  return result as Fields; // it was parsed from JSON
};
const specific = (event: HookEvent, outcome: Outcome): unknown => {
  const { body } = claudeCode.encode(event, outcome, {});
  return isRecord(body) ? body.hookSpecificOutput : undefined;
};
const write = recorded("PostToolUse.json");
const bash = recorded("PostToolUse.Bash.json");

test("[D57, R7] what is added to a tool's own result goes as context, as the model is shown known fields alone", () => {
  const updatedOutput = { ...resultOf(write), reviewed: true };
  deepEqual(specific(write, { updatedOutput, context: ["before"] }), {
    hookEventName: "PostToolUse",
    additionalContext: 'before\nAdded to the result of Write by a hook: {"reviewed":true}',
  });
});

test("[D61] findings that are added are listed as lines", () => {
  const diagnostics = [
    { line: 3, column: 5, severity: "error", message: "Cannot find name 'x'.", source: "typescript", code: "2304" },
    { line: 9, severity: "warning", message: "unused" },
  ];
  const { output, told } = deliverResult(write, { ...resultOf(write), diagnostics, server: "ts" });
  equal(output, undefined);
  equal(
    told,
    [
      'Added to the result of Write by a hook: {"server":"ts"}',
      "diagnostics:",
      "  3:5 error: Cannot find name 'x'. (typescript 2304)",
      "  9 warning: unused",
    ].join("\n"),
  );
});

test("[D57] what is changed stays a rewritten result, with every field that the tool's result has", () => {
  const result = resultOf(bash);
  deepEqual(specific(bash, { updatedOutput: { ...result, stdout: "hidden" } }), {
    hookEventName: "PostToolUse",
    updatedToolOutput: { ...result, stdout: "hidden" },
  });
  const both = deliverResult(bash, { ...result, stdout: "hidden", f: 1 });
  deepEqual(both, {
    output: { ...result, stdout: "hidden" },
    told: 'Added to the result of Bash by a hook: {"f":1}',
  });
});

test("a removed text is there and empty: without the field the whole answer would be ignored", () => {
  const { stdout: _text, interrupted: _flag, ...rest } = resultOf(bash);
  deepEqual(deliverResult(bash, rest), { output: { ...resultOf(bash), stdout: "" } });
});

test("a value of another kind, which Claude Code would ignore, is reported next to the result", () => {
  deepEqual(deliverResult(bash, { ...resultOf(bash), stdout: 5 }), {
    told: 'Added to the result of Bash by a hook: {"stdout":5}',
  });
  deepEqual(deliverResult(bash, "three files"), { told: "A hook gave another result of Bash: three files" });
  deepEqual(deliverResult(bash, [1]), { told: "A hook gave another result of Bash: [1]" });
});

test("what is added inside a part of the result is reported too, and a field without a value may get one", () => {
  const read = recorded("PostToolUse.Read.json");
  const { file } = resultOf(read);
  ok(isRecord(file));
  const part = file as Fields; // it was parsed from JSON
  deepEqual(deliverResult(read, { ...resultOf(read), file: { ...part, lines: 3 } }), {
    told: 'Added to the result of Read by a hook: {"file":{"lines":3}}',
  });
  deepEqual(deliverResult(write, { ...resultOf(write), originalFile: "old" }), {
    output: { ...resultOf(write), originalFile: "old" },
  });
});

test("an unchanged result is no answer", () => {
  deepEqual(deliverResult(bash, structuredClone(resultOf(bash))), {});
  deepEqual(claudeCode.encode(bash, { updatedOutput: structuredClone(resultOf(bash)) }, {}), { exitCode: 0 });
});

test("results of MCP tools, and of events that name no tool, may be anything", () => {
  const mcp = recorded("PostToolUse.mcp__el__ask.json");
  for (const output of ["text", { f: 1 }, [{ type: "text", text: "x" }], 5, null] as Json[]) {
    deepEqual(deliverResult(mcp, output), { output });
    deepEqual(deliverResult({ ...bash, data: {} }, output), { output });
  }
});

test("keys that objects have by nature are fields like others", () => {
  const data: Fields = { tool_name: "Bash", tool_response: JSON.parse('{"constructor":"a","__proto__":"b"}') };
  const { output } = deliverResult({ ...bash, data }, {});
  equal(Object.getOwnPropertyDescriptor(output, "constructor")?.value, "");
  equal(Reflect.get({}, "polluted"), undefined);
  ok(deliverResult({ ...bash, data: { tool_response: {} } }, JSON.parse('{"__proto__":{"polluted":1}}')));
  equal(Reflect.get({}, "polluted"), undefined);
});

test("whatever a hook makes of a recorded result, what is sent has its fields and no others", () => {
  const events = readdirSync(folder)
    .filter((name) => /^PostToolUse\.(?!mcp)|^PostToolUse\.json/.test(name))
    .map(recorded);
  ok(events.length > 5);
  fc.assert(
    fc.property(fc.constantFrom(...events), fc.jsonValue({ maxDepth: 3 }), fc.boolean(), (event, value, merges) => {
      const made = value as Json; // jsonValue makes JSON
      const rewritten = merges && isRecord(made) ? { ...resultOf(event), ...made } : made;
      const { output, told } = deliverResult(event, rewritten);
      if (output === undefined) return true;
      deepEqual(Object.keys(output as Fields), Object.keys(resultOf(event))); // an object became an object
      return told === undefined || told.length > 0;
    }),
  );
});
