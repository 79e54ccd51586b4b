/** Gemini CLI: what it sends comes out as the event that it is, and what it gets back holds nothing but its own keys. */
import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { parse } from "jsonc-parser";
import type { DecodeOptions } from "../../src/agents/adapter.ts";
import { isContinuation } from "../../src/agents/continuation.ts";
import { gemini } from "../../src/agents/gemini/adapter.ts";
import { type InstallOptions, installAgent, uninstallAgent } from "../../src/agents/install/install.ts";
import { HooklineError } from "../../src/engine/error.ts";
import type { AgentEventName, Fields, HookEvent, Json } from "../../src/engine/event.ts";
import { agentEventNames } from "../../src/engine/events.ts";
import { isRecord } from "../../src/engine/schema.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { onlyOne } from "./only-one.ts";
import { outcomes } from "./outcomes.ts";
import { rounds } from "./rounds.ts";

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

const eventOf = (name: AgentEventName, data: Fields = {}): HookEvent => ({
  id: "e",
  name,
  at: 0,
  cwd: "/w",
  data,
  session: "s",
  sender: "gemini",
});
const toolCall = (tool_name: string, tool_input: Fields): Fields => ({
  ...wireOf("BeforeTool"),
  tool_name,
  tool_input,
});
const sentBack = (wire: Fields, updatedInput: Fields): unknown => {
  const { body } = gemini.encode(eventOf("PreToolUse"), { updatedInput }, wire);
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
const schema: { readonly [N in AgentEventName]?: { is: string; top: string[]; specific: string[] } } = {
  SessionStart: { is: "SessionStart", top: common, specific: ["additionalContext"] },
  UserPromptSubmit: { is: "BeforeAgent", top: decided, specific: ["additionalContext"] },
  PreToolUse: { is: "BeforeTool", top: decided, specific: ["tool_input"] },
  PostToolUse: { is: "AfterTool", top: decided, specific: ["additionalContext"] },
  PostToolUseFailure: { is: "AfterTool", top: decided, specific: [] },
  Stop: { is: "AfterAgent", top: decided, specific: [] },
};

test("whatever hooks answer, a reply holds the keys of its event and no other, and never a question", () => {
  fc.assert(
    fc.property(fc.constantFrom(...agentEventNames), outcomes, (name, outcome) => {
      const { body, exitCode, stderr } = gemini.encode(eventOf(name), outcome, { tool_name: "write_file" });
      deepEqual([exitCode, stderr], [0, undefined]);
      if (body === undefined) return;
      ok(isRecord(body) && Object.keys(body).length > 0);
      const { hookSpecificOutput: specific, ...top } = body;
      const allowed = schema[name];
      deepEqual(
        Object.keys(top).filter((key) => !allowed?.top.includes(key)),
        [],
      );
      ok(body.decision === undefined || body.decision === "deny");
      if (specific === undefined) return;
      ok(isRecord(specific) && Object.keys(specific).length > 1);
      const { hookEventName, ...rest } = specific;
      equal(hookEventName, allowed?.is);
      deepEqual(
        Object.keys(rest).filter((key) => !allowed?.specific.includes(key)),
        [],
      );
    }),
    { numRuns: rounds(2000) },
  );
});

test("a deny is said as it was measured to block, beside whatever else", () => {
  fc.assert(
    fc.property(outcomes, fc.string({ minLength: 1 }), ({ stop: _none, ...outcome }, reason) => {
      const denied = { ...outcome, verdict: { is: "deny" as const, reason, by: "h" } };
      for (const name of ["UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure"] as const) {
        const { body } = gemini.encode(eventOf(name), denied, { tool_name: "write_file" });
        ok(isRecord(body));
        deepEqual([body.decision, body.reason], ["deny", reason]);
        ok(!isRecord(body.hookSpecificOutput) || !("tool_input" in body.hookSpecificOutput));
      }
      const { body } = gemini.encode(eventOf("Stop"), denied, {});
      ok(isRecord(body) && body.decision === "deny" && isContinuation(body.reason, "s"));
    }),
  );
});

test("what cannot be judged is refused by a decision; what would make it go on for ever passes with words", () => {
  for (const name of ["PreToolUse", "UserPromptSubmit", "PostToolUse"] as const)
    deepEqual(gemini.refuse("no", name), { exitCode: 0, body: { decision: "deny", reason: "no" } });
  deepEqual(gemini.refuse("no", "Stop"), { exitCode: 0, body: { systemMessage: "no" } });
  equal(gemini.refuse("no", undefined).exitCode, 2);
});

test("a prompt is what the person wrote: without what hooks said at the start, and none where a hook made it go on", () => {
  const wire = wireOf("BeforeAgent");
  const told = decode({ ...wire, prompt: "<hook_context>a\nb</hook_context>\n\nplease <hook_context>" });
  equal(told.data.prompt, "please <hook_context>");
  const event = { ...eventOf("Stop"), session: String(wire.session_id) };
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

test("a payload with fields missing or of another kind is judged by the rest, or said to be unreadable", () => {
  const junk = fc.jsonValue() as fc.Arbitrary<Json>;
  fc.assert(
    fc.property(fc.constantFrom(...recorded), fc.array(fc.nat()), junk, ({ name, wire }, which, value) => {
      const keys = Object.keys(wire);
      const broken = { ...wire };
      for (const [index, at] of which.entries()) {
        const key = keys[at % keys.length] ?? "";
        if (index % 2 === 0) delete broken[key];
        else broken[key] = value;
      }
      try {
        for (const event of gemini.decode(broken, { ...options, cwd: "/w", event: name.split(".")[0] ?? "" })) {
          const { exitCode } = gemini.encode(event, { updatedInput: {}, context: ["x"] }, broken);
          equal(exitCode, 0);
        }
      } catch (error) {
        ok(error instanceof HooklineError, String(error));
      }
    }),
    { numRuns: rounds(1000) },
  );
});

interface Place {
  file: { user: string; project: string };
  install(more?: Partial<InstallOptions>): ReturnType<typeof installAgent>;
  uninstall(more?: Partial<InstallOptions>): ReturnType<typeof uninstallAgent>;
}
function createPlace(t: TestContext): Place {
  const base = temporaryFolder(t);
  const [home, root] = [join(base, "home"), join(base, "repo")];
  for (const one of [home, root]) mkdirSync(join(one, ".gemini"), { recursive: true });
  const given: InstallOptions = {
    agent: gemini,
    layer: "user",
    places: { home, root },
    stateFolder: join(base, "state", "hookline"),
    tries: [{ run: ["/opt/node/bin/node", "/opt/hookline/bin/hookline.js"] }],
  };
  return {
    file: { user: join(home, ".gemini", "settings.json"), project: join(root, ".gemini", "settings.json") },
    install: (more = {}) => installAgent({ ...given, ...more }),
    uninstall: (more = {}) => uninstallAgent({ ...given, ...more }),
  };
}

const mine = `{
  // mine
  "security": { "auth": { "selectedType": "gemini-api-key" } },
  "unknown": [1, 2,],
  "hooks": { "BeforeTool": [{ "matcher": "write_file", "hooks": [{ "type": "command", "command": "./mine.sh", "timeout": 5000 }] }] }
}`;

for (const layer of ["user", "project"] as const) {
  test(`the ${layer} layer is installed among a person's own settings, found, and undone to the same bytes`, (t) => {
    const place = createPlace(t);
    const file = place.file[layer];
    writeFileSync(file, mine);
    const { notes } = place.install({ layer });
    const text = readFileSync(file, "utf8");
    const { hooks } = parse(text);
    deepEqual(Object.keys(hooks), [
      ...["BeforeTool", "SessionStart", "SessionEnd", "BeforeAgent", "AfterTool", "Notification", "AfterAgent"],
    ]);
    const [handler] = hooks.BeforeTool[1].hooks;
    match(handler.command, new RegExp(`^set -- hook gemini --event PreToolUse --by ${layer};`));
    equal(handler.timeout, 660_000);
    equal(text.includes("${GEMINI_PROJECT_DIR:-.}"), layer === "project");
    ok(text.includes("// mine"));
    ok(notes.some((note) => note.includes("folders that you trust")));
    equal(place.install({ layer }).changed, false);
    equal(place.uninstall({ layer }).changed, true);
    equal(readFileSync(file, "utf8"), mine);
    equal(place.uninstall({ layer }).changed, false);
  });
}

test("its own hooks are not taken over, as its events and times are called otherwise", (t) => {
  const place = createPlace(t);
  writeFileSync(place.file.user, mine);
  const { notes } = place.install({ takeOver: true });
  ok(notes.some((note) => note.startsWith("nothing is taken over")));
  equal(parse(readFileSync(place.file.user, "utf8")).hooks.BeforeTool[0].hooks[0].command, "./mine.sh");
});

test("settings that cannot be read are reported and stay as they are", (t) => {
  const place = createPlace(t);
  writeFileSync(place.file.user, '{ "hooks": {');
  throws(() => place.install(), /settings/);
  equal(readFileSync(place.file.user, "utf8"), '{ "hooks": {');
});
