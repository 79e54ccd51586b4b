/** Qwen Code: every payload that the real one sent, and replies with nothing that it does not obey. */
import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { DecodeOptions, Reply } from "../../src/agents/adapter.ts";
import { asContinuation } from "../../src/agents/continuation.ts";
import { qwen } from "../../src/agents/qwen/adapter.ts";
import { accept } from "../../src/engine/accept.ts";
import type { AgentEventName, Fields, HookEvent } from "../../src/engine/event.ts";
import { rowOf, verdictsOf } from "../../src/engine/events.ts";
import type { Outcome } from "../../src/engine/outcome.ts";
import { isRecord } from "../../src/engine/schema.ts";
import { type AgentCase, type Allowed, agentSuite, eventOf } from "./agent-suite.ts";
import { onlyOne } from "./only-one.ts";

const folder = join(import.meta.dirname, "../fixtures/agents/qwen");
const options: DecodeOptions = { at: 1000, id: () => "e1", registration: "qwen user" };
const recorded = (name: string): Fields => JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));
const names = readdirSync(folder).map((file) => file.replace(".json", ""));
const decode = (wire: unknown): readonly HookEvent[] => qwen.decode(wire, options);
const filledIn: readonly string[] = ["status", "delta", "final"];
const changed: readonly string[] = ["tool_name", "tool_input", "tool_calls", ...filledIn];
const others = (data: Record<string, unknown>): unknown =>
  Object.fromEntries(Object.entries(data).filter(([key]) => !changed.includes(key)));

test("every recorded payload is its event, of its session, in its folder, with all of its other fields", () => {
  ok(names.length >= 22);
  for (const name of names) {
    if (name === "UserPromptSubmit.empty") continue;
    const wire = recorded(name);
    const { session_id, cwd, hook_event_name, ...rest } = wire;
    const event = onlyOne(decode(wire));
    deepEqual([event.name, event.session, event.cwd], [hook_event_name, session_id, cwd], name);
    equal(event.name, name.split(".")[0]);
    deepEqual(others(event.data), others(rest), name);
    const field = rowOf(event.name).matchOn;
    if (field !== undefined) equal(typeof event.data[field], "string", `${name} has no ${field}`);
  }
});

test("its tools have Hookline's names, and keep their own", () => {
  const tool = (name: string): unknown[] => {
    const { data, nativeTool } = onlyOne(decode(recorded(name)));
    const input = data.tool_input;
    return [data.tool_name, nativeTool, isRecord(input) && Object.keys(input).sort()];
  };
  deepEqual(tool("PreToolUse"), ["Write", "write_file", ["content", "file_path"]]);
  deepEqual(tool("PreToolUse.edit"), ["Edit", "edit", ["file_path", "new_string", "old_string"]]);
  deepEqual(tool("PreToolUse.read_file"), ["Read", "read_file", ["file_path"]]);
  deepEqual(tool("PreToolUse.run_shell_command"), [
    "Bash",
    "run_shell_command",
    ["command", "description", "run_in_background"],
  ]);
  deepEqual(tool("PreToolUse.agent"), ["Agent", "agent", ["description", "prompt", "subagent_type"]]);
  deepEqual(tool("PreToolUse.mcp__tests__add"), ["mcp__tests__add", undefined, ["a", "b"]]);
  const { data } = onlyOne(decode(recorded("PostToolBatch")));
  ok(Array.isArray(data.tool_calls) && isRecord(data.tool_calls[0]));
  equal(data.tool_calls[0].tool_name, "Write");
});

test("a line that it runs in another folder is one that goes there first, in the session's folder", () => {
  const wire = { ...recorded("PreToolUse.run_shell_command"), tool_input: { command: "git push", directory: "/else" } };
  const { cwd, data } = onlyOne(decode(wire));
  deepEqual([cwd, data.tool_input], ["/workspace/repo", { command: "cd '/else' && git push", directory: "/else" }]);
});

test("a prompt without words, which it tells of before each request to the model, is none", () => {
  deepEqual(decode(recorded("UserPromptSubmit.empty")), []);
  equal(decode({ ...recorded("UserPromptSubmit"), prompt: " " }).length, 1);
});

test("the reason of a held stop, which it submits as a prompt, is none", () => {
  const { submitted_prompt: _own, ...prompt } = recorded("UserPromptSubmit");
  const reason = asContinuation("run the tests", String(prompt.session_id));
  deepEqual(decode({ ...prompt, prompt: reason }), []);
  deepEqual(decode({ ...prompt, prompt: `${reason}\nand another hook's reason` }), []);
  equal(decode({ ...prompt, prompt: "go on" }).length, 1);
  equal(decode({ ...recorded("UserPromptSubmit"), prompt: reason }).length, 1);
});

test("one call or prompt has one key, whatever id it has for the event, and a stop has none", () => {
  const key = (wire: Fields): string | undefined => onlyOne(decode(wire)).delivery?.id;
  const call = recorded("PreToolUse");
  ok(key(call) && key(call) === key({ ...call, tool_use_id: "toolu_other" }));
  ok(key(call) !== key({ ...call, tool_call_id: "call_other" }));
  ok(key(recorded("UserPromptSubmit")));
  equal(key(recorded("Stop")), undefined);
});

test("its other names for events are read, and what is short of fields is read as far as it goes", () => {
  const todo = onlyOne(decode({ hook_event_name: "TodoCreated", cwd: "/w", todo_id: "1", todo_content: "write" }));
  deepEqual([todo.name, todo.data.task_id, todo.data.task_subject], ["TaskCreated", "1", "write"]);
  deepEqual(onlyOne(qwen.decode({ hook_event_name: "PreToolUse" }, { ...options, cwd: "/w" })).data, {});
  throws(() => decode({ hook_event_name: "SessionDelete", cwd: "/w" }), { code: "event_unknown" });
  const shown = onlyOne(decode(recorded("MessageDisplay"))).data;
  deepEqual([shown.delta, shown.final], ["all done", true]);
  const [end] = decode({ hook_event_name: "SessionEnd", cwd: "/w", session_id: "s" });
  ok(end);
  deepEqual(
    qwen.derived?.(end, () => "e2").map(({ name }) => name),
    ["SessionStop"],
  );
});

const informed: Allowed = { specific: ["additionalContext"] };
/** What was seen to have an effect, event by event (docs/qwen.md). */
const schema: AgentCase["schema"] = {
  SessionStart: informed,
  UserPromptSubmit: { top: ["continue", "stopReason", "decision", "reason"], specific: ["additionalContext"] },
  PreToolUse: { top: ["continue", "stopReason"], specific: ["permissionDecision", "permissionDecisionReason"] },
  PostToolUse: informed,
  PostToolUseFailure: informed,
  PostToolBatch: informed,
  Stop: { top: ["decision", "reason", "systemMessage"] },
  SubagentStop: { top: ["decision", "reason"] },
};
const denied: AgentCase["denied"] = {
  UserPromptSubmit: { decision: "block", reason: "no" },
  // Where another hook of the settings allows the call, only the stop holds.
  PreToolUse: {
    continue: false,
    stopReason: "no",
    hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "no" },
  },
  Stop: { decision: "block", reason: asContinuation("no", "s") },
  SubagentStop: { decision: "block", reason: asContinuation("no", "s") },
};

agentSuite(qwen, {
  ...{ schema, denied, rewrite: "updatedInput", passes: ["Stop", "SubagentStop"] },
  faults: (top, { permissionDecision: decision }, name) => [
    ...(decision === "defer" ? ["nothing said"] : []),
    ...(name === "PreToolUse" && top.continue === false && decision !== "deny" ? ["continue"] : []),
  ],
  recorded: names.map((name) => ({ wire: recorded(name) })),
});

const reply = (name: AgentEventName, outcome: Outcome): Reply => qwen.encode(eventOf(qwen, name), outcome, {});

test("a stop is never said where it would make the agent go on", () => {
  const deny: Outcome = { verdict: { is: "deny", reason: "no", by: "h" } };
  deepEqual(reply("Stop", { ...deny, stop: { reason: "enough" } }).body, { systemMessage: "enough" });
  deepEqual(reply("SubagentStop", { ...deny, stop: {} }), { exitCode: 0 });
  equal(reply("UserPromptSubmit", { stop: {} }).body !== undefined, true);
});

test("a guard's rewrite becomes a deny, as the call would run as it was", () => {
  const event = onlyOne(decode(recorded("PreToolUse.run_shell_command")));
  const acceptance = {
    fields: new Set(event.accepts),
    verdicts: verdictsOf(rowOf(event.name)).filter((one) => event.verdicts?.includes(one) ?? true),
  };
  equal(accept({ updatedInput: { command: "true" } }, acceptance, "h").now.verdict?.is, "deny");
  deepEqual(acceptance.verdicts, ["deny", "ask", "allow"]);
});

test("monitor runs a command, so hooks for Bash see it", () => {
  const wire: Fields = {
    ...recorded(names.find((one) => one.startsWith("PreToolUse.")) ?? "PreToolUse"),
    tool_name: "monitor",
  };
  const call = onlyOne(decode({ ...wire, tool_input: { command: "rm -rf /" } }));
  deepEqual([call.data.tool_name, call.nativeTool, call.data.tool_input], ["Bash", "monitor", { command: "rm -rf /" }]);
  const elsewhere = onlyOne(decode({ ...wire, tool_input: { command: "rm -rf build", directory: "/etc" } }));
  deepEqual(elsewhere.data.tool_input, { command: "cd '/etc' && rm -rf build", directory: "/etc" });
});
