/** OpenCode: every recorded call of its plugin's hooks comes out as the event that it is, and each answer in the form that the plugin applies. */
import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import type { DecodeOptions } from "../../src/agents/adapter.ts";
import { continuationMark } from "../../src/agents/in-process/own-file.ts";
import { canonicalCall, nativeInput } from "../../src/agents/native-tools.ts";
import { opencode } from "../../src/agents/opencode/adapter.ts";
import { tools } from "../../src/agents/opencode/calls.ts";
import type { AgentEventName, Fields, HookEvent } from "../../src/engine/event.ts";
import { matchNames } from "../../src/engine/plan.ts";
import { agentSuite } from "./agent-suite.ts";
import { onlyOne } from "./only-one.ts";
import { pluginCase } from "./plugin-case.ts";

const folder = join(import.meta.dirname, "../fixtures/agents/opencode");
const options: DecodeOptions = { at: 1000, id: () => "e1", registration: "opencode user" };
const session = "ses_1";

/** As the plugin sends it: the hook's name is the file's, but for the tool that it was recorded with. */
const hookOf = (file: string): string =>
  file.replace(/\.json$/, "").replace(/^(tool\.execute\.(?:before|after))\..*$/, "$1");
const recorded = (file: string): Fields => ({
  ...JSON.parse(readFileSync(join(folder, file), "utf8")),
  ...{ hook: hookOf(file), cwd: "/workspace/repo" },
});
const decodeAll = (wire: unknown, more: Partial<DecodeOptions> = {}): readonly HookEvent[] =>
  opencode.decode(wire, { ...options, ...more });
const decoded = (file: string, more: Fields = {}): HookEvent => onlyOne(decodeAll({ ...recorded(file), ...more }));

const meant: Readonly<Record<string, AgentEventName>> = {
  "event.session.created": "SessionStart",
  "chat.message": "UserPromptSubmit",
  "tool.execute.before": "PreToolUse",
  "tool.execute.after": "PostToolUse",
  "event.session.idle": "Stop",
  "event.file.watcher.updated": "FileChanged",
};

test("every recorded payload becomes its event, with the session and the folder, or means nothing", () => {
  const files = readdirSync(folder);
  ok(files.length >= 25);
  for (const file of files) {
    const events = decodeAll(recorded(file));
    const expected = meant[hookOf(file)];
    deepEqual(
      events.map(({ name }) => name),
      expected === undefined ? [] : [expected],
      file,
    );
    for (const event of events) {
      equal(event.cwd, "/workspace/repo", file);
      if (event.name !== "FileChanged") match(event.session ?? "", /^ses_/, file);
      const can = new Set<string>(opencode.capabilities[event.name as AgentEventName]);
      ok(
        event.accepts?.every((field) => can.has(field)),
        file,
      );
    }
  }
});

test("its tools have our names and inputs, and their own names stay", () => {
  const before = decoded("tool.execute.before.edit.json");
  deepEqual(
    [before.nativeTool, before.data],
    [
      "edit",
      {
        tool_name: "Edit",
        tool_input: { file_path: "/workspace/repo/hello.txt", old_string: "hello", new_string: "hello2" },
        tool_use_id: "call_mwqvht54000g",
      },
    ],
  );
  const after = decoded("tool.execute.after.bash.json");
  equal(after.data.tool_name, "Bash");
  deepEqual(after.data.tool_input, { command: "echo hi > b.txt; cat hello.txt", description: "x" });
  deepEqual(Object(after.data.tool_response).metadata, { output: "hello\n", exit: 0, truncated: false });
  equal(before.delivery?.id === decoded("tool.execute.before.edit.json").delivery?.id, true);
  equal(before.delivery?.id === decoded("tool.execute.before.bash.json").delivery?.id, false);
});

const calling = (tool: string, args: Fields, more: Fields = {}): readonly HookEvent[] =>
  decodeAll({
    ...{ hook: "tool.execute.before", cwd: "/w", input: { tool, sessionID: session, callID: "c1" }, output: { args } },
    ...more,
  });

test("a tool of an MCP server is known by the server, also where one server's name begins another's", () => {
  const servers = ["my docs", "my docs_2", "web"];
  const names = (tool: string): unknown[] => calling(tool, {}, { servers }).map(({ data }) => data.tool_name);
  deepEqual(names("my_docs_search"), ["mcp__my_docs__search"]);
  deepEqual(names("my_docs_2_search"), ["mcp__my_docs_2__search"]);
  deepEqual(names("webfetch"), ["WebFetch"]);
  deepEqual(calling("web_get", { filePath: "a" }, { servers })[0]?.data.tool_input, { filePath: "a" });
});

test("a patch is one call for each file that it adds, changes, moves or deletes, and none of them can be rewritten", () => {
  const patchText = [
    "*** Begin Patch",
    "*** Add File: src/new.ts",
    "+one",
    "+two",
    "*** Update File: src/old.ts",
    "*** Move to: src/moved.ts",
    "@@ here",
    " same",
    "-before",
    "+after",
    "*** Delete File: gone.ts",
    "*** End Patch",
  ].join("\n");
  const events = calling("apply_patch", { patchText });
  deepEqual(
    events.map(({ data }) => [data.tool_name, Object(data.tool_input).file_path]),
    [
      ["Write", "/w/src/new.ts"],
      ["Edit", "/w/src/old.ts"],
      ["Edit", "/w/src/moved.ts"],
      ["Write", "/w/gone.ts"],
    ],
  );
  equal(Object(events[0]?.data.tool_input).content, "one\ntwo\n");
  deepEqual(events[1]?.data.tool_input, {
    ...{ file_path: "/w/src/old.ts", old_string: "same\nbefore", new_string: "same\nafter" },
  });
  ok(events.every(({ accepts, nativeTool }) => !accepts?.includes("updatedInput") && nativeTool === "apply_patch"));
  equal(new Set(events.map(({ delivery }) => delivery?.id)).size, 4);
  for (const read of [{ patch: patchText }, { args: [patchText] }, { patch: JSON.stringify({ patchText }) }])
    equal(calling("apply_patch", read).length, 4, "a patch is read wherever it stands");
  for (const unreadable of [{ patchText: "nothing" }, {}, { patchText: 5 }, { patchText: "" }]) {
    const { data, nativeTool } = onlyOne(calling("apply_patch", unreadable));
    deepEqual([data.tool_name, data.tool_input], ["Edit", {}], "no rule takes it for another file");
    equal(nativeTool, "apply_patch");
  }
});

test("a tool whose name is no text is none that is known, so a guard refuses the call", () => {
  for (const tool of [5, true, null, ["bash"], {}]) {
    const input = { tool, sessionID: session, callID: "c1" };
    for (const hook of ["tool.execute.before", "tool.execute.after"]) {
      const call = onlyOne(decodeAll({ hook, cwd: "/w", input, output: { args: {} } }));
      deepEqual([call.data.tool_name, matchNames(call)], ["", []]);
    }
    const part = { type: "tool", tool, sessionID: session, callID: "c1", state: { status: "error" } };
    const failed = onlyOne(
      decodeAll({ hook: "event.message.part.updated", cwd: "/w", input: { properties: { part } } }),
    );
    deepEqual([failed.data.tool_name, matchNames(failed)], ["", []]);
  }
});

test("what a subagent does belongs to the session of the person, and names the subagent", () => {
  const subagent = { id: "ses_child", type: "general" };
  const [before] = calling("bash", { command: "ls" }, { subagent, sessionID: "ses_root" });
  deepEqual([before?.session, before?.agent, before?.data.agent_type], ["ses_root", subagent, "general"]);
  equal(decoded("chat.message.json", { subagent }).name, "SubagentStart");
  const stopped = decoded("event.session.idle.json", { subagent });
  deepEqual([stopped.name, stopped.data.status], ["SubagentStop", "completed"]);
  const child = recorded("event.session.created.json");
  Object(Object(Object(child.input).properties).info).parentID = "ses_root";
  deepEqual(decodeAll(child), [], "its first prompt tells of it");
});

test("a prompt holds what the person wrote, and what a stop was answered with is none", () => {
  equal(decoded("chat.message.json").data.prompt, '"please work"');
  const parts = (...texts: Fields[]): Fields => ({ output: { message: { id: "m" }, parts: texts } });
  const synthetic = { type: "text", text: "from a hook", synthetic: true };
  equal(decoded("chat.message.json", parts({ type: "text", text: "go" }, synthetic)).data.prompt, "go");
  const own = { type: "text", text: `the tests fail\n\n${continuationMark}\n` };
  deepEqual(decodeAll({ ...recorded("chat.message.json"), ...parts(own) }), []);
});

test("a stop can be held only where OpenCode stays, and says whether it was held before", () => {
  const held = decoded("event.session.idle.json", { continues: true, continued: true, text: "done" });
  deepEqual(held.data, { stop_hook_active: true, last_assistant_message: "done" });
  ok(held.accepts?.includes("verdict"));
  deepEqual(decoded("event.session.idle.json").accepts, ["messages"]);
});

test("a failed call, an error and an abort have their events", () => {
  const part = {
    type: "tool",
    tool: "read",
    callID: "c",
    sessionID: session,
    state: { status: "error", error: "no file", input: { filePath: "/x" } },
  };
  const failure = onlyOne(
    decodeAll({ hook: "event.message.part.updated", cwd: "/w", input: { properties: { part } } }),
  );
  deepEqual(
    [failure.name, failure.data.tool_name, failure.data.error, failure.session],
    ["PostToolUseFailure", "Read", "no file", session],
  );
  const erring = (error: Fields): HookEvent =>
    onlyOne(
      decodeAll({ hook: "event.session.error", cwd: "/w", input: { properties: { sessionID: session, error } } }),
    );
  deepEqual(erring({ name: "APIError", data: { message: "429" } }).data, { error: "APIError", error_details: "429" });
  equal(erring({ name: "MessageAbortedError" }).name, "Interrupt");
});

test("fields that are not known pass through, and what cannot be judged is refused", () => {
  equal(calling("bash", {}, { later: 1 })[0]?.data.later, 1);
  deepEqual(calling("future_tool", { a: 1 })[0]?.data.tool_input, { a: 1 });
  throws(() => decodeAll({ hook: "tool.execute.dreamt", cwd: "/w" }), /tool\.execute\.dreamt/);
  throws(() => decodeAll({ cwd: "/w" }), /^(?!.*not a JSON object).*the input cannot be used: it names no hook/);
  for (const hook of Object.keys(meant)) decodeAll({ hook, cwd: "/w" });
});

agentSuite(opencode, {
  ...pluginCase(opencode),
  recorded: readdirSync(folder).map((file) => ({ wire: recorded(file) })),
});

test("a rewritten input goes back in OpenCode's own names: there and back is the same", () => {
  const inputs = fc.dictionary(
    fc.constantFrom("filePath", "oldString", "newString", "content", "command", "include", "other"),
    fc.string(),
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(tools)), inputs, (tool, input) => {
      const { tool_input } = canonicalCall(tools, tool, input);
      deepEqual(nativeInput(tools, tool, Object(tool_input)), input);
    }),
  );
  const event = decoded("tool.execute.before.json");
  const updatedInput = { ...Object(event.data.tool_input), content: "changed" };
  deepEqual(opencode.encode(event, { updatedInput }, recorded("tool.execute.before.json")).body, {
    args: { filePath: "/workspace/repo/hello.txt", content: "changed" },
  });
});

test("what cannot be read is refused by exit code 2, with the reason on standard error", () => {
  deepEqual(opencode.refuse("no", "PreToolUse"), { stderr: "no", exitCode: 2 });
  for (const name of opencode.sends) {
    const events = decodeAll(opencode.canary(name, { session: "s", cwd: "/w" }));
    deepEqual(
      events.map((event) => [event.name, event.session]),
      [[name, "s"]],
    );
  }
});

test("a command is judged in its own folder, and goes back without it", () => {
  const written = { command: "rm -rf build", workdir: "/etc" };
  const { tool_input } = canonicalCall(tools, "bash", written);
  deepEqual(tool_input, { command: "cd '/etc' && rm -rf build", workdir: "/etc" });
  deepEqual(nativeInput(tools, "bash", tool_input as Fields), written);
  deepEqual(canonicalCall(tools, "bash", { command: "ls" }).tool_input, { command: "ls" });
});
