/** Gemini CLI: what it sends comes out as the event that it is, and what it gets back holds nothing but its own keys. */
import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { parse } from "jsonc-parser";
import type { DecodeOptions } from "../../src/agents/adapter.ts";
import { asContinuation } from "../../src/agents/continuation.ts";
import { gemini } from "../../src/agents/gemini/adapter.ts";
import type { Fields, HookEvent } from "../../src/engine/event.ts";
import { isRecord } from "../../src/engine/schema.ts";
import { type AgentCase, agentSuite, eventOf } from "./agent-suite.ts";
import { installing } from "./installing.ts";
import { onlyOne } from "./only-one.ts";

const folder = join(import.meta.dirname, "../fixtures/agents/gemini");
const options: DecodeOptions = { at: 1000, id: () => "e1", registration: "gemini user" };
const recorded = readdirSync(folder).map((name) => ({
  name: name.replace(/\.json$/, ""),
  wire: JSON.parse(readFileSync(join(folder, name), "utf8")) as Fields,
}));
const wireOf = (name: string): Fields => recorded.find((one) => one.name === name)?.wire ?? {};
const decode = (wire: Fields): HookEvent => onlyOne(gemini.decode(wire, options));

/** Event, tool and native tool of every payload; undefined: nothing that a hook waits for. */
const meant: { readonly [name: string]: readonly unknown[] | undefined } = {
  AfterAgent: ["Stop"],
  AfterModel: undefined,
  AfterTool: ["PostToolUse", "Write", "write_file"],
  "AfterTool.read_file": ["PostToolUseFailure", "Read", "read_file"],
  "AfterTool.replace": ["PostToolUse", "Edit", "replace"],
  "AfterTool.run_shell_command": ["PostToolUse", "Bash", "run_shell_command"],
  BeforeAgent: ["UserPromptSubmit"],
  BeforeModel: undefined,
  "BeforeTool.mcp": ["PreToolUse", "mcp__mem__keep_note", "mcp_mem_keep_note"],
  BeforeTool: ["PreToolUse", "Write", "write_file"],
  "BeforeTool.read_file": ["PreToolUse", "Read", "read_file"],
  "BeforeTool.replace": ["PreToolUse", "Edit", "replace"],
  "BeforeTool.run_shell_command": ["PreToolUse", "Bash", "run_shell_command"],
  BeforeToolSelection: undefined,
  PreCompress: undefined,
  SessionEnd: ["SessionEnd"],
  SessionStart: ["SessionStart"],
};

test("every recorded payload is the event that it is, in its session and folder, with its fields", () => {
  equal(recorded.length, Object.keys(meant).length);
  for (const { name, wire } of recorded) {
    const expected = meant[name];
    if (expected === undefined) {
      deepEqual(gemini.decode(wire, options), [], name);
      continue;
    }
    const { name: is, nativeTool, data, session, cwd, sender, delivery } = decode(wire);
    deepEqual([is, data.tool_name, nativeTool].slice(0, expected.length), expected, name);
    deepEqual([session, cwd, sender], [wire.session_id, "/workspace/repo", "gemini"], name);
    deepEqual([data.tool_response, data.transcript_path], [wire.tool_response, wire.transcript_path], name);
    ok(delivery !== undefined, name);
  }
});

test("a tool's error is its failure, and so is another exit code than 0, which only the text says", () => {
  equal(decode(wireOf("AfterTool.read_file")).data.error, "File not found: /workspace/repo/nope.txt");
  const wire = wireOf("AfterTool.run_shell_command");
  const ended = (llmContent: string): HookEvent => decode({ ...wire, tool_response: { llmContent } });
  const failed = ended("Output: (empty)\nExit Code: 3\nProcess Group PGID: 1");
  deepEqual([failed.name, String(failed.data.error).split("\n")[0]], ["PostToolUseFailure", "Exit code 3"]);
  equal(ended("Output: Exit Code: 3\nProcess Group PGID: 1").name, "PostToolUse");
  ok(failed.accepts?.includes("context"), "the model reads its text");
  ok(!decode(wireOf("AfterTool.read_file")).accepts?.includes("context"), "the model reads the error alone");
});

const toolCall = (tool_name: string, tool_input: Fields): Fields => ({
  ...wireOf("BeforeTool"),
  tool_name,
  tool_input,
});
const sentBack = (wire: Fields, updatedInput: Fields): unknown => {
  const { body } = gemini.encode(eventOf(gemini, "PreToolUse"), { updatedInput }, wire);
  return isRecord(body) && isRecord(body.hookSpecificOutput) ? body.hookSpecificOutput.tool_input : undefined;
};

test("any input goes there and back without a change, and a changed one arrives", () => {
  const keys = ["file_path", "content", "command", "dir_path", "allow_multiple", "prompt", "agent_name", "name", "x"];
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom("it's", "see https://a.test/b and go", "https://a.test https://b.test"),
  );
  const input = fc.dictionary(fc.constantFrom(...keys), text, { noNullPrototype: true });
  const tool = fc.constantFrom(
    ...[
      "run_shell_command",
      "write_file",
      "replace",
      "read_file",
      "web_fetch",
      "list_directory",
      "invoke_agent",
      "other",
    ],
  );
  fc.assert(
    fc.property(tool, input, fc.string(), (name, native, changed) => {
      const wire = toolCall(name, native);
      const given = decode(wire).data.tool_input as Fields;
      deepEqual(sentBack(wire, given), native);
      if ("content" in given)
        deepEqual(sentBack(wire, { ...given, content: changed }), { ...native, content: changed });
    }),
  );
});

test("a line that runs in another folder says so, and an address in a text is found", () => {
  const wire = toolCall("run_shell_command", { command: "rm -rf x", dir_path: "it's/sub" });
  const { tool_input } = decode(wire).data;
  deepEqual(tool_input, { command: "cd 'it'\\''s/sub' && rm -rf x", dir_path: "it's/sub" });
  deepEqual(sentBack(wire, { command: "ls", dir_path: "it's/sub" }), { command: "ls", dir_path: "it's/sub" });
  const one = toolCall("web_fetch", { prompt: "sum up https://a.test/x please" });
  deepEqual(decode(one).data.tool_input, { prompt: "sum up https://a.test/x please", url: "https://a.test/x" });
  deepEqual(sentBack(one, { prompt: "sum up https://a.test/x please", url: "https://b.test" }), {
    prompt: "sum up https://b.test please",
  });
  const two = toolCall("web_fetch", { prompt: "https://a.test and https://b.test" });
  equal((decode(two).data.tool_input as Fields).url, undefined);
});

test("tools of servers are called as elsewhere", () => {
  const wire = {
    ...toolCall("mcp_my_two_keep_note", { text: "x" }),
    mcp_context: { server_name: "my_two", tool_name: "keep_note" },
  };
  const { data, nativeTool } = decode(wire);
  deepEqual([data.tool_name, nativeTool], ["mcp__my_two__keep_note", "mcp_my_two_keep_note"]);
});

/** AGENT-PROTOCOLS 6.2 and the shipped source, event by event. */
const common = ["systemMessage"];
const decided = [...common, "continue", "stopReason", "decision", "reason"];
const schema: AgentCase["schema"] = {
  SessionStart: { is: "SessionStart", top: common, specific: ["additionalContext"] },
  UserPromptSubmit: { is: "BeforeAgent", top: decided, specific: ["additionalContext"] },
  PreToolUse: { is: "BeforeTool", top: decided, specific: ["tool_input"] },
  PostToolUse: { is: "AfterTool", top: decided, specific: ["additionalContext"] },
  PostToolUseFailure: { is: "AfterTool", top: decided },
  Stop: { is: "AfterAgent", top: decided },
};

const deny = { decision: "deny", reason: "no" };
agentSuite(gemini, {
  schema,
  kinds: { decision: (value) => value === "deny" },
  denied: {
    ...{ UserPromptSubmit: deny, PreToolUse: deny, PostToolUse: deny, PostToolUseFailure: deny },
    Stop: { ...deny, reason: asContinuation("no", "s") },
  },
  ...{ rewrite: "tool_input", passes: ["Stop"], call: { tool_name: "write_file" } },
  recorded: recorded.map(({ name, wire }) => ({ wire, event: name.split(".")[0] ?? "" })),
});

test("a prompt is what the person wrote: without what hooks said at the start, and none where a hook made it go on", () => {
  const wire = wireOf("BeforeAgent");
  const told = decode({ ...wire, prompt: "<hook_context>a\nb</hook_context>\n\nplease <hook_context>" });
  equal(told.data.prompt, "please <hook_context>");
  const event = { ...eventOf(gemini, "Stop"), session: String(wire.session_id) };
  const { body } = gemini.encode(event, { verdict: { is: "deny", reason: "go on", by: "h" } }, {});
  ok(isRecord(body));
  deepEqual(gemini.decode({ ...wire, prompt: String(body.reason) }, options), []);
  equal(gemini.decode({ ...wire, session_id: "other", prompt: String(body.reason) }, options).length, 1);
});

test("one call has one key, and two calls of the same have two", () => {
  const wire = wireOf("BeforeTool");
  const key = (more: Fields): string | undefined => decode({ ...wire, ...more }).delivery?.id;
  equal(key({}), key({ hook_event_name: "BeforeTool" }));
  ok(key({}) !== key({ timestamp: "2026-11-21T20:35:44.067Z" }));
  ok(key({}) !== key({ tool_input: {} }));
});

test("what is no payload is an error, and an event that is newer than this table is said to be unknown", () => {
  throws(() => gemini.decode([], options), /input_invalid|it is/);
  throws(() => gemini.decode({ ...wireOf("BeforeTool"), hook_event_name: "BeforeDream" }, options), /BeforeDream/);
});

const mine = `{
  // mine
  "security": { "auth": { "selectedType": "gemini-api-key" } },
  "unknown": [1, 2,],
  "hooks": { "BeforeTool": [{ "matcher": "write_file", "hooks": [{ "type": "command", "command": "./mine.sh", "timeout": 5000 }] }] }
}`;

test("its own hooks are not taken over, as its events and times are called otherwise", (t) => {
  const place = installing(t, gemini);
  mkdirSync(join(place.home, ".gemini"));
  const file = place.file("user");
  writeFileSync(file, mine);
  const { notes } = place.install({ takeOver: true });
  ok(notes.some((note) => note.startsWith("nothing is taken over")));
  equal(parse(readFileSync(file, "utf8")).hooks.BeforeTool[0].hooks[0].command, "./mine.sh");
});
