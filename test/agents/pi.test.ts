/** pi: every recorded event of its extensions comes out as the event that it is, and each answer in the form that the extension applies. */
import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import type { DecodeOptions } from "../../src/agents/adapter.ts";
import { continuationMark } from "../../src/agents/in-process/own-file.ts";
import { canonicalCall, nativeInput } from "../../src/agents/native-tools.ts";
import { pi, tools } from "../../src/agents/pi/adapter.ts";
import type { AgentEventName, Fields, HookEvent } from "../../src/engine/event.ts";
import { matchNames } from "../../src/engine/plan.ts";
import { agentSuite } from "./agent-suite.ts";
import { onlyOne } from "./only-one.ts";
import { pluginCase } from "./plugin-case.ts";

const folder = join(import.meta.dirname, "../fixtures/agents/pi");
const options: DecodeOptions = { at: 1000, id: () => "e1", registration: "pi user" };

/** As the extension sends it: the event, and where it happened. */
const recorded = (file: string): Fields => ({
  ...JSON.parse(readFileSync(join(folder, file), "utf8")),
  ...{ cwd: "/workspace/repo", session_id: "s1", has_ui: false },
});
const decodeAll = (wire: unknown): readonly HookEvent[] => pi.decode(wire, options);
const decoded = (file: string, more: Fields = {}): HookEvent => onlyOne(decodeAll({ ...recorded(file), ...more }));

const meant: Readonly<Record<string, AgentEventName>> = {
  session_start: "SessionStart",
  session_shutdown: "SessionEnd",
  input: "UserPromptSubmit",
  tool_call: "PreToolUse",
  tool_result: "PostToolUse",
};

test("every recorded payload becomes its event, with the session and the folder, or means nothing", () => {
  const files = readdirSync(folder);
  ok(files.length >= 30);
  for (const file of files) {
    const wire = recorded(file);
    const expected =
      wire.isError === true && wire.type === "tool_result" ? "PostToolUseFailure" : meant[String(wire.type)];
    const events = decodeAll(wire);
    deepEqual(
      events.map(({ name, session, cwd }) => [name, session, cwd]),
      expected === undefined ? [] : [[expected, "s1", "/workspace/repo"]],
      file,
    );
  }
});

test("its tools have our names and inputs, and their own names stay", () => {
  const edit = decoded("tool_call.edit.json");
  deepEqual(
    [edit.nativeTool, edit.data],
    [
      "edit",
      {
        ...{ has_ui: false, tool_name: "Edit", tool_use_id: "call_mwqvjp4s000e" },
        tool_input: { file_path: "hello.txt", edits: [{ old_string: "hello", new_string: "hello2" }] },
      },
    ],
  );
  deepEqual(decoded("tool_result.bash.json").data.tool_response, { content: [{ type: "text", text: "hello\n" }] });
  const failure = decoded("tool_result.read.json").data;
  deepEqual(
    [failure.tool_name, failure.error],
    ["Read", "ENOENT: no such file or directory, access '/workspace/repo/nope.txt'"],
  );
  ok(edit.delivery?.id !== decoded("tool_call.json").delivery?.id);
  deepEqual(edit.delivery, decoded("tool_call.edit.json").delivery);
});

const ended = (message: Fields, more: Fields = {}): readonly HookEvent[] =>
  decodeAll({ type: "message_end", cwd: "/w", session_id: "s1", message: { role: "assistant", ...message }, ...more });

test("the last answer of a turn is its stop; an answer with calls is not, and an error and an abort have their events", () => {
  const content = [{ type: "text", text: "done" }];
  deepEqual(onlyOne(ended({ stopReason: "stop", content }, { continued: true })).data, {
    ...{ stop_hook_active: true, last_assistant_message: "done" },
  });
  deepEqual(ended({ stopReason: "toolUse", content }), []);
  deepEqual(ended({ stopReason: "stop", content: [{ type: "toolCall", id: "c" }] }), []);
  deepEqual(ended({ role: "user", content }), []);
  equal(onlyOne(ended({ stopReason: "length", content })).name, "Stop");
  equal(onlyOne(ended({ stopReason: "aborted" })).name, "Interrupt");
  deepEqual(onlyOne(ended({ stopReason: "error", errorMessage: "429" })).data, {
    error: "unknown",
    error_details: "429",
  });
});

test("a prompt is a person's unless another extension sends it, and what a stop was answered with is none", () => {
  const source = (written: Fields): unknown => decoded("input.json", written).data.source;
  deepEqual(
    ["interactive", "rpc", "extension"].map((from) => source({ source: from })),
    ["user", "user", "system"],
  );
  deepEqual(decodeAll({ ...recorded("input.json"), text: `go on\n\n${continuationMark}` }), []);
});

test("a session begins and ends for the reasons that hooks know, and a reload of extensions is neither", () => {
  const reasons = (file: string, field: string, all: readonly string[]): unknown[] =>
    all.map((reason) => decoded(file, { reason }).data[field]);
  deepEqual(reasons("session_start.json", "source", ["startup", "new", "resume", "fork"]), [
    ...["startup", "clear", "resume", "fork"],
  ]);
  deepEqual(reasons("session_shutdown.json", "reason", ["quit", "new", "resume", "later"]), [
    ...["prompt_input_exit", "clear", "resume", "other"],
  ]);
  for (const file of ["session_start.json", "session_shutdown.json"])
    deepEqual(decodeAll({ ...recorded(file), reason: "reload" }), []);
});

test("fields that are not known pass through, and what cannot be judged is refused", () => {
  equal(decoded("tool_call.json", { later: 1 }).data.later, 1);
  deepEqual(decoded("tool_call.json", { toolName: "mine", input: { a: 1 } }).data.tool_input, { a: 1 });
  throws(() => decodeAll({ type: "tool_dreamt", cwd: "/w" }), /tool_dreamt/);
  throws(() => decodeAll({ cwd: "/w" }), /names no event/);
  for (const type of Object.keys(meant)) decodeAll({ type, cwd: "/w" });
});

agentSuite(pi, {
  ...pluginCase(pi),
  recorded: readdirSync(folder).map((file) => ({ wire: recorded(file) })),
});

test("a rewritten input goes back in pi's own names: there and back is the same", () => {
  const edits = fc.array(fc.record({ oldText: fc.string(), newText: fc.string() }, { noNullPrototype: true }));
  const inputs = fc.record(
    { path: fc.string(), content: fc.string(), command: fc.string(), edits },
    { requiredKeys: [], noNullPrototype: true },
  );
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(tools)), inputs, (tool, input) => {
      const { tool_input } = canonicalCall(tools, tool, input);
      deepEqual(nativeInput(tools, tool, Object(tool_input)), input);
    }),
  );
  const event = decoded("tool_call.edit.json");
  const updatedInput = { file_path: "other.txt", edits: [{ old_string: "hello", new_string: "bye" }] };
  deepEqual(pi.encode(event, { updatedInput }, recorded("tool_call.edit.json")).body, {
    args: { path: "other.txt", edits: [{ oldText: "hello", newText: "bye" }] },
  });
});

test("a rewritten result reaches the model as text, whichever shape the hook gave it", () => {
  const event = decoded("tool_result.bash.json");
  const shown = (updatedOutput: Fields | string): unknown =>
    Object(pi.encode(event, { updatedOutput }, recorded("tool_result.bash.json")).body).output;
  equal(shown("plain"), "plain");
  equal(shown({ content: [{ type: "text", text: "inside" }] }), "inside");
  equal(shown({ stdout: "out" }), "out");
  equal(shown({ a: 1 }), '{"a":1}');
});

test("what cannot be read is refused by exit code 2, and doctor's payloads come out as their events", () => {
  deepEqual(pi.refuse("no", "PreToolUse"), { stderr: "no", exitCode: 2 });
  for (const name of pi.sends)
    deepEqual(
      decodeAll(pi.canary(name, { session: "s", cwd: "/w" })).map((event) => [event.name, event.session]),
      [[name, "s"]],
    );
});

test("a tool whose name is no text is none that is known, so a guard refuses the call", () => {
  for (const toolName of [5, true, null, ["bash"], {}]) {
    const call = decoded("tool_call.json", { toolName });
    deepEqual([call.data.tool_name, matchNames(call)], ["", []]);
  }
});

test("a path is the one that pi takes it for: without its @, with plain blanks", () => {
  const { data } = decoded("tool_call.json", { toolName: "read", input: { path: "@secret\u00a0notes.md" } });
  deepEqual(data.tool_input, { file_path: "secret notes.md" });
});
