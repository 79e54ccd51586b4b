/** Copilot CLI: what it sends comes out as the event that it is, and what it gets back holds nothing but its own keys. */
import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import type { DecodeOptions } from "../../src/agents/adapter.ts";
import { asContinuation } from "../../src/agents/continuation.ts";
import { copilot } from "../../src/agents/copilot/adapter.ts";
import { howToAllow } from "../../src/engine/counting.ts";
import type { Fields, HookEvent } from "../../src/engine/event.ts";
import type { Outcome } from "../../src/engine/outcome.ts";
import { isRecord } from "../../src/engine/schema.ts";
import { type AgentCase, agentSuite, eventOf } from "./agent-suite.ts";
import { installing } from "./installing.ts";
import { onlyOne } from "./only-one.ts";

const fixtures = join(import.meta.dirname, "../fixtures/agents");
const options: DecodeOptions = { at: 1000, id: () => "e1", registration: "copilot user" };

interface Recorded {
  name: string;
  wire: Fields;
}
const recordedIn = (folder: string): Recorded[] =>
  readdirSync(join(fixtures, folder)).map((name) => ({
    name: name.replace(/\.json$/, ""),
    wire: JSON.parse(readFileSync(join(fixtures, folder, name), "utf8")),
  }));
const own = recordedIn("copilot");
const asClaudes = recordedIn("copilot-pascal");
const wireOf = (name: string): Fields => own.find((one) => one.name === name)?.wire ?? {};
const decode = (name: string, wire: Fields = wireOf(name), more: Partial<DecodeOptions> = {}): readonly HookEvent[] =>
  copilot.decode(wire, { ...options, event: name.split(".")[0] ?? "", ...more });

/** Event, tool, native tool and input of every payload; undefined: it repeats another. */
const meant: { readonly [name: string]: readonly unknown[] | undefined } = {
  agentStop: undefined, // a subagent's, which subagentStop tells too
  "agentStop.session": ["Stop"],
  userPromptTransformed: undefined,
  preMcpToolCall: undefined, // preToolUse has told it
  "preToolUse.mcp": ["PreToolUse", "mcp__mem__keep_note", "mem-keep_note"],
  "permissionRequest.mcp": ["PermissionRequest", "mcp__mem__keep_note", "mem/keep_note"],
  errorOccurred: ["StopFailure"],
  "permissionRequest.bash": ["PermissionRequest", "Bash", "bash"],
  permissionRequest: ["PermissionRequest", "Edit", "edit"],
  "postToolUse.bash": ["PostToolUse", "Bash", "bash"],
  "postToolUse.edit": ["PostToolUse", "Edit", "edit"],
  postToolUse: ["PostToolUse", "Write", "create"],
  "postToolUse.task": ["PostToolUse", "Agent", "task"],
  postToolUseFailure: ["PostToolUseFailure", "Read", "view"],
  "preToolUse.bash": ["PreToolUse", "Bash", "bash"],
  "preToolUse.edit": ["PreToolUse", "Edit", "edit"],
  preToolUse: ["PreToolUse", "Write", "create"],
  "preToolUse.task": ["PreToolUse", "Agent", "task"],
  "preToolUse.view": ["PreToolUse", "Read", "view"],
  sessionEnd: ["SessionEnd"],
  sessionStart: ["SessionStart"],
  subagentStart: ["SubagentStart"],
  subagentStop: ["SubagentStop"],
  userPromptSubmitted: ["UserPromptSubmit"],
};

test("every recorded payload of Copilot's own entries is the event that it is, in its session and folder", () => {
  equal(own.length, Object.keys(meant).length);
  for (const { name, wire } of own) {
    const expected = meant[name];
    const events = decode(name, wire);
    if (expected === undefined) {
      deepEqual(events, [], name);
      continue;
    }
    const event = onlyOne(events);
    const { name: is, nativeTool, data, session, cwd, sender } = event;
    deepEqual([is, data.tool_name, nativeTool].slice(0, expected.length), expected, name);
    deepEqual([session, cwd, sender], [wire.parentAgentId ?? wire.sessionId, "/workspace/repo", "copilot"], name);
    ok(event.delivery !== undefined, name);
  }
});

test("entries with names as Claude Code's give the same events", () => {
  for (const { name, wire } of asClaudes) {
    const event = onlyOne(copilot.decode(wire, { ...options, event: name }));
    equal(event.name, name);
    equal(event.session, "626efd26-3213-48c5-ae1f-976d1f1c814d");
    if (name.includes("Tool")) deepEqual([event.data.tool_name, event.data.tool_input].slice(0, 1), ["Bash"]);
  }
  const [, after] = ["PreToolUse", "PostToolUse"].map((name) => asClaudes.find((one) => one.name === name)?.wire);
  deepEqual(onlyOne(copilot.decode(after, options)).data.tool_response, {
    result_type: "success",
    text_result_for_llm: "hi\n<shellId: 0 completed with exit code 0>",
  });
});

test("inputs have the names that hooks know, and go back as they came", () => {
  const edited = onlyOne(decode("preToolUse.edit"));
  deepEqual(edited.data.tool_input, {
    file_path: "/workspace/repo/hello.txt",
    old_string: "hello",
    new_string: "hello2",
  });
  const created = onlyOne(decode("preToolUse"));
  deepEqual(created.data.tool_input, { file_path: "/workspace/repo/hello.txt", content: "hello\n" });
  for (const { name, wire } of own.filter((one) => one.name.startsWith("preToolUse"))) {
    const event = onlyOne(decode(name));
    const { body } = copilot.encode(event, { updatedInput: event.data.tool_input as Fields }, wire);
    deepEqual(body, { modifiedArgs: wire.toolArgs }, name);
  }
});

test("any input goes there and back without a change, and a changed one arrives", () => {
  const keys = ["path", "file_text", "old_str", "new_str", "command", "agent_type", "x"];
  const input = fc.dictionary(fc.constantFrom(...keys), fc.string(), { noNullPrototype: true });
  const tool = fc.constantFrom(
    "bash",
    "create",
    "edit",
    "view",
    "task",
    "glob",
    "mem-keep",
    "Write",
    "Bash",
    "Edit",
    "Read",
  );
  fc.assert(
    fc.property(tool, input, fc.string(), (toolName, toolArgs, changed) => {
      const wire = { sessionId: "s", cwd: "/w", timestamp: 1, toolName, toolArgs };
      const { data } = onlyOne(copilot.decode(wire, { ...options, event: "PreToolUse" }));
      const given = data.tool_input as Fields;
      const back = (updatedInput: Fields): unknown =>
        copilot.encode(eventOf(copilot, "PreToolUse"), { updatedInput }, wire).body;
      deepEqual(back(given), { modifiedArgs: toolArgs });
      if ("command" in given)
        deepEqual(back({ ...given, command: changed }), { modifiedArgs: { ...toolArgs, command: changed } });
    }),
  );
});

/** AGENT-PROTOCOLS 6.6, event by event: every key is at the top. */
const schema: AgentCase["schema"] = {
  SessionStart: { top: ["additionalContext"] },
  UserPromptSubmit: { top: ["decision", "reason", "additionalContext"] },
  PreToolUse: { top: ["permissionDecision", "permissionDecisionReason", "modifiedArgs", "additionalContext"] },
  PostToolUse: { top: ["decision", "reason", "modifiedResult", "additionalContext"] },
  PostToolUseFailure: { top: ["additionalContext"] },
  PermissionRequest: { top: ["behavior", "message", "interrupt"] },
  Stop: { top: ["decision", "reason"] },
  SubagentStart: { top: ["additionalContext"] },
  SubagentStop: { top: ["decision", "reason"] },
};

const block = { decision: "block", reason: "no" };
agentSuite(copilot, {
  schema,
  denied: {
    PreToolUse: { permissionDecision: "deny", permissionDecisionReason: "no" },
    PermissionRequest: { behavior: "deny", message: "no" },
    UserPromptSubmit: block,
    PostToolUse: block,
    Stop: { ...block, reason: asContinuation("no", "s") },
    SubagentStop: { ...block, reason: asContinuation("no", "s") },
  },
  ...{ rewrite: "modifiedArgs", passes: ["Stop", "SubagentStop"], call: { toolName: "bash" } },
  recorded: [...own, ...asClaudes].map(({ name, wire }) => ({ wire, event: name.split(".")[0] ?? "" })),
});

test("the reason for which it goes on is no prompt of a person, in its own session alone", () => {
  const { body } = copilot.encode(eventOf(copilot, "Stop"), { verdict: { is: "deny", reason: "go on", by: "h" } }, {});
  const prompt = isRecord(body) ? String(body.reason) : "";
  const wire = { sessionId: "s", timestamp: 1, cwd: "/w", prompt };
  deepEqual(decode("userPromptSubmitted", wire), []);
  deepEqual(decode("userPromptSubmitted", { ...wire, prompt: `${prompt}\nand more` }), []);
  equal(decode("userPromptSubmitted", { ...wire, sessionId: "other" }).length, 1);
  equal(decode("userPromptSubmitted", { ...wire, prompt: "go on" }).length, 1);
});

test("a subagent's calls belong to the session that started it, its prompt is none, and it ends once", () => {
  const agent = { agentId: "a1", agentType: "task", parentAgentId: "s" };
  const base = { sessionId: "a1", timestamp: 1, cwd: "/w", ...agent };
  const call = onlyOne(decode("preToolUse", { ...base, toolName: "bash", toolArgs: { command: "ls" } }));
  deepEqual([call.session, call.agent], ["s", { id: "a1", type: "task" }]);
  deepEqual(decode("userPromptSubmitted", { ...base, prompt: "do it" }), []);
  deepEqual(decode("agentStop", { ...base, stopReason: "end_turn" }), []);
  equal(onlyOne(decode("subagentStop")).data.last_assistant_message, "sub done");
  equal(onlyOne(decode("agentStop", { sessionId: "s", timestamp: 1, cwd: "/w" })).name, "Stop");
});

test("one happening has one key, whichever entry of whichever file reports it, and two calls of the same have two", () => {
  const call = { cwd: "/w", tool_input: { command: "ls" } };
  const key = (wire: Fields): string | undefined =>
    onlyOne(copilot.decode(wire, { ...options, event: "PreToolUse" })).delivery?.id;
  const at = "2026-11-21T20:46:39.377Z";
  const first = key({ ...call, session_id: "s", tool_name: "Bash", timestamp: at });
  equal(
    key({ cwd: "/w", sessionId: "s", toolName: "bash", toolArgs: call.tool_input, timestamp: Date.parse(at) }),
    first,
  );
  ok(key({ ...call, session_id: "s", tool_name: "Bash", timestamp: "2026-11-21T20:46:39.378Z" }) !== first);
  ok(key({ ...call, session_id: "s", tool_name: "Bash", timestamp: at, tool_input: { command: "rm x" } }) !== first);
});

test("a command that ended with another code than 0 has failed, which only the last line of its text says", () => {
  const wire = wireOf("postToolUse.bash");
  const ended = (text: string): HookEvent =>
    onlyOne(decode("postToolUse", { ...wire, toolResult: { resultType: "success", textResultForLlm: text } }));
  const failed = ended("no\n<shellId: 1 completed with exit code 3>");
  deepEqual(
    [failed.name, failed.data.error],
    ["PostToolUseFailure", "Exit code 3\nno\n<shellId: 1 completed with exit code 3>"],
  );
  equal(ended("<shellId: 1 completed with exit code 3>\n<shellId: 1 completed with exit code 0>").name, "PostToolUse");
});

test("tools of servers are called as elsewhere", () => {
  const named = (name: string, toolName: string): unknown =>
    onlyOne(decode(name, { sessionId: "s", timestamp: 1, cwd: "/w", toolName, toolArgs: {} })).data.tool_name;
  equal(named("preToolUse", "github-mcp-server-list_issues"), "mcp__github-mcp-server__list_issues");
  equal(named("permissionRequest", "mem/keep-note"), "mcp__mem__keep-note");
  equal(named("preToolUse", "report_intent"), "report_intent");
});

test("it is known by what it sets and sends, also where it runs a line that names Claude Code", () => {
  const runs = (wire: unknown, environment: { [name: string]: string } = { COPILOT_CLI: "1" }): unknown =>
    copilot.runs?.(wire, environment);
  for (const { name, wire } of [...own, ...asClaudes]) {
    equal(runs(wire), true, name);
    equal(runs(wire, {}), false, name);
  }
  for (const folder of ["claude-code", "gemini", "qwen"])
    for (const { name, wire } of recordedIn(folder)) equal(runs(wire), false, `${folder} ${name}`);
});

test("files of others beside it stay, and one of another program in its place is not touched", (t) => {
  const place = installing(t, copilot);
  const file = place.file("user");
  const beside = join(dirname(file), "mine.json");
  mkdirSync(dirname(beside), { recursive: true });
  writeFileSync(beside, "{ // mine");
  place.install();
  place.uninstall();
  equal(readFileSync(beside, "utf8"), "{ // mine");
  writeFileSync(file, "{ // broken");
  throws(() => place.install(), /another program has written it/);
  equal(readFileSync(file, "utf8"), "{ // broken");
  ok(existsSync(beside));
});

test("a patch is one call for each of its files, as the models of OpenAI write it, and none can be rewritten", () => {
  const patch = "*** Begin Patch\n*** Add File: new.md\n+one\n*** Delete File: .env\n*** End Patch\n";
  for (const input of [patch, { patch }]) {
    const wire: Fields = { ...wireOf("preToolUse.bash"), toolName: "apply_patch", toolArgs: input };
    const events = decode("preToolUse", wire);
    equal(events.length, 2);
    equal(new Set(events.map(({ delivery }) => delivery?.id)).size, 2);
    for (const { data, nativeTool, accepts } of events) {
      equal(nativeTool, "apply_patch");
      ok(!("nativeTool" in data), "its payload holds no such field");
      match(JSON.stringify(data.tool_input), /new\.md|\.env/);
      ok(!accepts?.includes("updatedInput"));
    }
  }
  for (const toolArgs of ["no patch", {}, 5]) {
    const [only, ...more] = decode("preToolUse", { ...wireOf("preToolUse.bash"), toolName: "apply_patch", toolArgs });
    deepEqual([only?.data.tool_name, only?.data.tool_input, more], ["Edit", {}, []]);
  }
});

test("how a person allows a call is not passed to the model, what else a person is told is", () => {
  const messages = [howToAllow, "the build is red"].map((text) => ({ to: "person" as const, text }));
  const outcome: Outcome = { verdict: { is: "deny", reason: "no", by: "h" }, messages };
  for (const name of ["PreToolUse", "PostToolUse", "UserPromptSubmit"] as const) {
    const { body } = copilot.encode(eventOf(copilot, name), outcome, {});
    equal(Object(body).additionalContext, "Tell the user: the build is red");
  }
});
