/** Every payload that the real Claude Code sent must come out as the event that it is. */
import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { DecodeOptions } from "../../src/agents/adapter.ts";
import { claudeCode } from "../../src/agents/claude-code/adapter.ts";
import { agents, sendableEvents } from "../../src/agents/index.ts";
import { errorOf } from "../../src/conditions/errors.ts";
import { type AgentEventName, firstTurn, type HookEvent } from "../../src/engine/event.ts";
import { agentEventNames, eventNames, events, resolveEvent, rowOf } from "../../src/engine/events.ts";
import type { Layer } from "../../src/engine/hook.ts";
import { isRecord } from "../../src/engine/schema.ts";
import { onlyOne } from "./only-one.ts";

const fixtures = join(import.meta.dirname, "../fixtures");
const folder = join(fixtures, "agents/claude-code");
const options: DecodeOptions = { at: 1000, id: () => "e1", registration: "user" };

function recorded(name: string): Record<string, unknown> {
  const value: unknown = JSON.parse(readFileSync(join(folder, name), "utf8"));
  ok(isRecord(value));
  return isRecord(value.body) ? value.body : value; // what an http hook got has headers around it
}
const payloads = readdirSync(folder).map((name) => ({ name, wire: recorded(name) }));
const session = readFileSync(join(fixtures, "sessions/claude-code-1.jsonl"), "utf8").trim().split("\n");
const decode = (wire: unknown, given: DecodeOptions): HookEvent => onlyOne(claudeCode.decode(wire, given));
const decoded = (name: string, more: Partial<DecodeOptions> = {}): HookEvent =>
  decode(recorded(name), { ...options, ...more });

const filledIn: { [name: string]: (wire: Record<string, unknown>) => Record<string, unknown> } = {
  SubagentStop: () => ({ status: "completed" }),
  StopFailure: ({ last_assistant_message }) => ({ error_details: last_assistant_message }),
};

test("[C4..C27, C55] every recorded payload keeps its event, session, folder and all of its other fields", () => {
  ok(payloads.length >= 57);
  for (const { name, wire } of payloads) {
    const event = decode(wire, options);
    const { session_id, cwd, hook_event_name, ...rest } = wire;
    equal(event.name, name === "http-request.PreToolUse.json" ? "PreToolUse" : name.split(".")[0], name);
    deepEqual(
      [event.name, event.session, event.cwd, event.sender, event.at, event.id],
      [hook_event_name, session_id, cwd, "claude-code", 1000, "e1"],
      name,
    );
    deepEqual(event.data, { ...filledIn[event.name]?.(wire), ...rest }, name);
  }
});

test("a relative folder is the sender's, whichever process reads the payload", () => {
  const folder = (cwd: string): string => decode({ hook_event_name: "Stop", cwd }, { ...options, cwd: "/w" }).cwd;
  deepEqual([folder("."), folder("sub"), folder("/other")], ["/w", "/w/sub", "/other"]);
});

test("[D28, D29, D30, DT30] an agent's events hold the tool, the subagent, and how it ended", () => {
  const asked = decoded("PermissionRequest.json");
  deepEqual([asked.name, asked.data.tool_name], resolved("approval_request", "Bash"));
  const spawned = decoded("SubagentStart.json");
  deepEqual([spawned.name, spawned.data.agent_id], resolved("agent_spawn", spawned.agent?.id));
  ok(!("status" in spawned.data) && !("last_assistant_message" in spawned.data), "it has no result yet");
  const ended = decoded("SubagentStop.json");
  deepEqual([ended.name, ended.data.status], resolved("agent_complete", "completed"));
  const told = decode({ ...recorded("SubagentStop.json"), status: "stopped" }, options);
  equal(told.data.status, "stopped", "what Claude Code says itself stays");
  equal(resolveEvent("session_end")?.[0], decoded("SessionEnd.json").name);
});
const resolved = (alias: string, value: unknown): unknown[] => [resolveEvent(alias)?.[0], value];

/** What a rule hears of errors that the real program met, and what it should take them for. */
const errors: [error: string, message: string, type: string][] = [
  ["authentication_failed", "Failed to authenticate. API Error: 401 no", "auth"],
  ["authentication_failed", "Failed to authenticate. API Error: 403 forbidden", "auth"],
  ["rate_limit", "API Error: Request rejected (429) · rate limit reached", "rate_limit"],
  ["billing_error", "Credit balance is too low", "billing"],
  ["server_error", "API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)", "network"],
  ["server_error", "API Error: 500 boom. This is a server-side issue, usually temporary", "internal"],
];

test("[D27, D42, DT31] an error reaches hooks with its kind and with the message that the person reads", () => {
  const failed = decoded("StopFailure.json");
  deepEqual([failed.name, failed.data.error], resolved("error", "authentication_failed"));
  equal(failed.data.error_details, "Failed to authenticate. API Error: 401 scripted");
  for (const [error, last_assistant_message, type] of errors) {
    const wire = { ...recorded("StopFailure.json"), error, last_assistant_message };
    const event = decode(wire, options);
    equal(errorOf({ event, turn: firstTurn, names: [], results: [] })?.type, type, last_assistant_message);
  }
  const details = "400 prompt is too long: 210000 tokens > 200000 maximum";
  const told = decode({ ...recorded("StopFailure.json"), error: "invalid_request", error_details: details }, options);
  equal(told.data.error_details, details, "what Claude Code says itself stays");
  equal(errorOf({ event: told, turn: firstTurn, names: [], results: [] })?.type, "context_overflow");
});

test("[R62] the end of a session is also its stop, which is sent first, with no reply to give", () => {
  const end = decoded("SessionEnd.json");
  const [stop, ...more] = claudeCode.derived?.(end, () => "e2") ?? [];
  deepEqual(more, []);
  deepEqual(stop, { ...end, id: "e2", name: "SessionStop", accepts: [] });
  for (const { name } of payloads.filter(({ name }) => !/^SessionEnd/.test(name)))
    deepEqual(
      claudeCode.derived?.(decoded(name), () => "e2"),
      [],
      name,
    );
});

test("[D30] a subagent that failed has ended too, with the status failed and its error", () => {
  const wire = { ...recorded("StopFailure.json"), agent_id: "a1", agent_type: "reviewer" };
  const [ended] = claudeCode.derived?.(decode(wire, options), () => "e2") ?? [];
  deepEqual([ended?.name, ended?.agent], ["SubagentStop", { id: "a1", type: "reviewer" }]);
  deepEqual([ended?.data.status, ended?.data.error], ["failed", "authentication_failed"]);
});

test("[DT26] the events that some agent can send are known: all, but Claude Code sends no Interrupt", () => {
  deepEqual(
    agentEventNames.filter((name) => !sendableEvents().has(name)),
    [],
  );
  deepEqual(
    agentEventNames.filter((name) => !claudeCode.sends.has(name)),
    ["Interrupt"],
  );
  for (const [name, agent] of Object.entries(agents))
    for (const event of Object.keys(agent.capabilities)) ok(agent.sends.has(event as AgentEventName), name); // its keys
});

test("a whole recorded session decodes line by line", () => {
  const names = session.map((line) => decode(JSON.parse(line), options).name);
  equal(names.length, 46);
  equal(names[0], "SessionStart");
  equal(names.at(-1), "SessionEnd");
});

test("[CT2, CT3] each recorded event has the match value that its row names, and events without one have none", () => {
  for (const { name, wire } of payloads) {
    const event = decode(wire, options);
    const field = rowOf(event.name).matchOn;
    if (field !== undefined) equal(typeof event.data[field], "string", `${name} has no ${field}`);
  }
  for (const name of ["UserPromptSubmit", "Stop", "TaskCreated", "TaskCompleted", "CwdChanged"] as const) {
    equal(events[name].matchOn, undefined);
  }
});

test("[CT17] PermissionDenied in plan mode has session, folder, mode and tool; SessionStart on resume says so", () => {
  const denied = decode({ ...recorded("PermissionDenied.json"), permission_mode: "plan" }, options);
  equal(denied.data.permission_mode, "plan");
  equal(typeof denied.data.tool_name, "string");
  ok(denied.session && denied.cwd);
  equal(decoded("SessionStart.resume.json").data.source, "resume");
});

test("a subagent's call names the subagent, and its fields stay in the payload", () => {
  const event = decoded("PreToolUse.subagent.json");
  deepEqual(event.agent, { id: event.data.agent_id, type: event.data.agent_type });
  equal(decoded("PreToolUse.json").agent, undefined);
});

test("[R49] tool calls and prompts have a key for repeats; a second Stop, an unknown registration and a missing id have none", () => {
  const call = decoded("PreToolUse.Bash.json");
  const repeat = decoded("PreToolUse.Bash.json", { registration: "project" });
  equal(call.delivery?.id, repeat.delivery?.id);
  deepEqual([call.delivery?.by, repeat.delivery?.by], ["user", "project"]);
  ok(decoded("UserPromptSubmit.json").delivery);
  const before = decode({ ...recorded("PreToolUse.Bash.json"), hook_event_name: "PostToolUse" }, options);
  ok(before.delivery && before.delivery.id !== call.delivery?.id, "Pre and Post of one call are two happenings");
  for (const name of [
    "Stop.json",
    "Stop.second.json",
    "PermissionRequest.json",
    "PostToolBatch.json",
    "MessageDisplay.json",
  ]) {
    equal(decoded(name).delivery, undefined, name);
  }
  const { registration: _, ...unregistered } = options;
  equal(decode(recorded("PreToolUse.Bash.json"), unregistered).delivery, undefined);
});

test("what the reply can carry is named on each event, and never more than the event table accepts", () => {
  for (const { wire } of payloads) {
    const event = decode(wire, options);
    ok(event.accepts);
    for (const field of event.accepts)
      ok(
        rowOf(event.name).accepts.some((one) => one === field),
        `${event.name} ${field}`,
      );
  }
  const own = agentEventNames.filter((name) => name !== "Interrupt" && name !== "SessionStop");
  deepEqual(Object.keys(claudeCode.capabilities).sort(), own.sort());
});

test("what is not a payload is refused with a code and never crashes otherwise", () => {
  for (const wire of [null, undefined, [], "text", 7, {}, { hook_event_name: 5 }, { hook_event_name: "" }]) {
    throws(() => decode(wire, { ...options, cwd: "/w" }), { code: "input_invalid" });
  }
  throws(() => decode({ hook_event_name: "Stop" }, options), { code: "input_invalid", message: /cwd/ });
  for (const name of ["BrandNewEvent", "turn_end", "constructor", "__proto__", "deploy.started"]) {
    throws(() => decode({ hook_event_name: name, cwd: "/w" }, options), { code: "event_unknown" });
  }
  ok(eventNames.includes("turn_end"), "an alias is a name for people, not one that the agent sends");
});

test("the registration's event and folder are used if the payload has none", () => {
  const event = decode({ session_id: 5, agent_id: "", tool_use_id: 3 }, { ...options, event: "PreToolUse", cwd: "/w" });
  deepEqual(
    [event.name, event.cwd, event.session, event.agent, event.delivery],
    ["PreToolUse", "/w", undefined, undefined, undefined],
  );
});

test("a payload with keys such as __proto__ stays plain data", () => {
  const wire: unknown = JSON.parse('{"hook_event_name":"Stop","cwd":"/w","__proto__":{"polluted":true}}');
  const event = decode(wire, options);
  equal(Reflect.get({}, "polluted"), undefined);
  ok(Object.hasOwn(event.data, "__proto__"));
});

test("[R35] it names the files whose hooks Claude Code runs itself, and no others", () => {
  const places = { home: "/home/dev", root: "/workspace/repo" };
  const own: [Layer, string][] = [
    ["user", "/home/dev/.claude/settings.json"],
    ["project", "/workspace/repo/.claude/settings.json"],
    ["local", "/workspace/repo/.claude/settings.local.json"],
    ["managed", "/etc/claude-code/managed-settings.json"],
    ["managed", "/etc/claude-code/managed-settings.d/10-hooks.json"],
    ["plugin", "/home/dev/.claude/plugins/cache/shop/guard/1.0.0/hooks/hooks.json"],
  ];
  const others: [Layer, string][] = [
    ["project", "/workspace/repo/.hookline/hooks.json"],
    ["project", "/workspace/repo/.gen/settings.json"],
    ["project", "/workspace/.claude/settings.json"],
    ["user", "/home/dev/.config/hookline/hooks.json"],
    ["user", "/home/dev/.claude/settings.local.json"],
    ["managed", "/etc/hookline/hooks.json"],
    ["managed", "/etc/claude-code-other/x.json"],
  ];
  for (const [layer, file] of own) equal(claudeCode.readsItself(file, places, layer), true, file);
  for (const [layer, file] of others) equal(claudeCode.readsItself(file, places, layer), false, file);
  const moved = { ...places, environment: { CLAUDE_CONFIG_DIR: "/elsewhere" } };
  equal(claudeCode.readsItself("/elsewhere/settings.json", moved, "user"), true);
  equal(claudeCode.readsItself("/home/dev/.claude/settings.json", moved, "user"), false);
});

test("the table of agents names each by what its events carry as their sender", () => {
  for (const [name, agent] of Object.entries(agents)) equal(agent.name, name);
  equal(agents[decoded("Stop.json").sender], claudeCode);
});

test("Monitor runs a command, so hooks for Bash see it", () => {
  const call = decode({ ...recorded("PreToolUse.Bash.json"), tool_name: "Monitor" }, options);
  deepEqual([call.data.tool_name, call.nativeTool], ["Bash", "Monitor"]);
});
