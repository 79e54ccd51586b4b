import assert from "node:assert/strict";
import { test } from "node:test";
import type { Problem } from "../../../src/engine/hook.ts";
import type { CompiledSettings } from "../../../src/formats/settings/settings.ts";
import { codes, command, compile, type FormatName, only, settings } from "../settings-helpers.ts";

const read = (more: object, format: FormatName = "hookline"): CompiledSettings =>
  compile(settings("PreToolUse", command("./guard.py", more)), format);
const first = ({ problems }: CompiledSettings): Problem | undefined => problems[0];

test("resident is true or limits, and false is as if it were not there", () => {
  assert.deepEqual(only(read({ resident: true })).steps[0].with, { command: "./guard.py", resident: true });
  const limits = { memory: 256, age: 3600, idle: 60.5, concurrency: 4, events: 10_000 };
  assert.deepEqual(only(read({ resident: limits })).steps[0].with.resident, limits);
  assert.equal(only(read({ resident: false })).steps[0].with.resident, undefined);
  assert.deepEqual(codes(read({ resident: limits })), []);
});

test("a limit that nothing reads, and one that cannot be, is an error that says so", () => {
  const unknown = read({ resident: { memmory: 256 } });
  assert.deepEqual([first(unknown)?.code, first(unknown)?.suggestion], ["unknown-field", 'did you mean "memory"?']);
  for (const limits of [{ memory: 0 }, { concurrency: 1.5 }, { age: "1 day" }])
    assert.deepEqual(codes(read({ resident: limits })), ["wrong-type"], JSON.stringify(limits));
  assert.deepEqual(codes(read({ resident: "yes" })), ["wrong-type"]);
});

test("resident is refused in the background and on what starts no program", () => {
  assert.deepEqual(codes(read({ resident: true, async: true })), ["resident-refused"]);
  assert.deepEqual(codes(read({ resident: true, asyncRewake: true })), ["resident-refused"]);
  for (const handler of [
    { type: "http", url: "https://example.com/judge" },
    { type: "prompt", prompt: "Is this safe?" },
  ]) {
    const compiled = compile(settings("PreToolUse", { ...handler, resident: true }), "hookline");
    assert.deepEqual([codes(compiled), compiled.hooks], [["resident-refused"], []]);
  }
});

test("a guard that is refused for it does not vanish: its policy answers", () => {
  const compiled = compile(
    settings("PreToolUse", { type: "http", url: "https://example.com", role: "guard", resident: true }),
    "hookline",
  );
  assert.deepEqual(codes(compiled), ["resident-refused", "guard-invalid"]);
  assert.equal(only(compiled).steps[0].uses, "invalid");
});

test("in a file that an agent reads itself a warning says that the agent starts the program for each event", () => {
  const compiled = read({ resident: true }, "claude");
  assert.deepEqual([first(compiled)?.severity, first(compiled)?.code], ["warning", "ignored-field"]);
  assert.equal(only(compiled).steps[0].with.resident, true);
});
