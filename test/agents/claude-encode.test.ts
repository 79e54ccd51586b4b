/** Replies are checked against a schema written from the protocol, not from the code: a key too many can disarm a deny. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import type { Reply } from "../../src/agents/adapter.ts";
import { claudeCode } from "../../src/agents/claude-code/adapter.ts";
import { accept } from "../../src/engine/accept.ts";
import type { AgentEventName, Fields, Json } from "../../src/engine/event.ts";
import { agentEventNames, rowOf, verdictsOf } from "../../src/engine/events.ts";
import { merge, type Outcome } from "../../src/engine/outcome.ts";
import { isRecord } from "../../src/engine/schema.ts";
import { type AgentCase, type Allowed, agentSuite, eventOf } from "./agent-suite.ts";
import { outcomes } from "./generated-outcomes.ts";
import { rounds } from "./rounds.ts";

const common = ["systemMessage", "suppressOutput", "terminalSequence"];
const stop = ["continue", "stopReason"];
const decision = ["decision", "reason"];

const informs: Allowed = { top: common, specific: ["additionalContext"] };
const refuses: Allowed = { top: common, exits: true };
const watches: Allowed = { top: common, specific: ["watchPaths"] };
const blocks = (...specific: string[]): Allowed => ({
  top: [...common, ...stop, ...decision],
  specific: ["additionalContext", ...specific],
});

/** AGENT-PROTOCOLS 5.1 and 5.2, event by event. */
const schema: AgentCase["schema"] = {
  SessionStart: {
    top: common,
    specific: ["additionalContext", "initialUserMessage", "sessionTitle", "watchPaths", "reloadSkills"],
  },
  Setup: informs,
  UserPromptSubmit: blocks("sessionTitle", "suppressOriginalPrompt"),
  UserPromptExpansion: blocks("suppressOriginalPrompt"),
  PreToolUse: {
    top: [...common, ...stop],
    specific: ["permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext"],
  },
  PreSkillShellCommand: { top: common, specific: ["permissionDecision", "permissionDecisionReason"] },
  PostToolUse: blocks("updatedToolOutput", "classifierContext"),
  PostToolUseFailure: blocks(),
  PostToolBatch: blocks(),
  PermissionRequest: { top: common, specific: ["decision"] },
  PermissionDenied: { top: common, specific: ["retry"] },
  Notification: informs,
  Stop: blocks(),
  SubagentStart: informs,
  SubagentStop: blocks(),
  PreCompact: { exits: true, plain: true },
  PreModelSwitch: { top: common, specific: ["permissionDecision", "permissionDecisionReason"] },
  PostModelSwitch: informs,
  TeammateIdle: refuses,
  TaskCreated: refuses,
  TaskCompleted: refuses,
  Elicitation: { ...refuses, specific: ["action", "content"] },
  ElicitationResult: { ...refuses, specific: ["action", "content"] },
  ConfigChange: refuses,
  WorktreeCreate: { exits: true, plain: true },
  CwdChanged: watches,
  FileChanged: watches,
  MessageDisplay: { specific: ["displayContent"] },
};

const block = { decision: "block", reason: "no" };
const refusal = (hookEventName: string): Fields => ({
  hookSpecificOutput: { hookEventName, permissionDecision: "deny", permissionDecisionReason: "no" },
});
const names = [
  "UserPromptSubmit",
  "UserPromptExpansion",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
] as const;
/** What reads no decision is refused by exit 2. */
const byExit = [
  "PreCompact",
  "TeammateIdle",
  "TaskCreated",
  "TaskCompleted",
  "Elicitation",
  "ElicitationResult",
] as const;
const folder = join(import.meta.dirname, "../fixtures/agents/claude-code");

agentSuite(claudeCode, {
  schema,
  denied: {
    ...Object.fromEntries([...names, "Stop", "SubagentStop"].map((name) => [name, block])),
    ...Object.fromEntries([...byExit, "ConfigChange", "WorktreeCreate"].map((name) => [name, "no"])),
    ...Object.fromEntries(
      ["PreToolUse", "PreSkillShellCommand", "PreModelSwitch"].map((name) => [name, refusal(name)]),
    ),
    PermissionRequest: {
      hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "deny", message: "no" } },
    },
  },
  faults: (_top, { decision }) => (isRecord(decision) ? behaviorFaults(decision) : []),
  rewrite: "updatedInput",
  recorded: readdirSync(folder).map((file) => ({ wire: JSON.parse(readFileSync(join(folder, file), "utf8")) })),
});

function behaviorFaults(decision: Record<string, unknown>): string[] {
  const keys: Record<string, string[]> = {
    allow: ["behavior", "updatedInput", "updatedPermissions"],
    deny: ["behavior", "message", "interrupt"],
  };
  return Object.keys(decision).filter((key) => !keys[String(decision.behavior)]?.includes(key));
}

const reply = (name: AgentEventName, outcome: Outcome): Reply =>
  claudeCode.encode(eventOf(claudeCode, name), outcome, {});
/** The JSON that is printed. */
function printed(name: AgentEventName, outcome: Outcome): Fields {
  const { body, exitCode } = reply(name, outcome);
  equal(exitCode, 0);
  ok(isRecord(body), `${name} answers JSON`);
  return JSON.parse(JSON.stringify(body));
}
const specific = (name: AgentEventName, outcome: Outcome): Json | undefined =>
  printed(name, outcome).hookSpecificOutput;

test("[C38, C56] a deny survives merging and encoding on every event that can refuse, whatever else was answered", () => {
  fc.assert(
    fc.property(fc.constantFrom(...agentEventNames), outcomes, outcomes, (name, before, after) => {
      const row = rowOf(name);
      const can = claudeCode.capabilities[name] ?? [];
      if (!can.includes("verdict")) return;
      const denied = merge(merge(before, { verdict: { is: "deny", reason: "not here", by: "guard" } }), after);
      const { now } = accept(denied, { fields: new Set(can), verdicts: verdictsOf(row) }, "guard");
      const { body, stderr, exitCode } = claudeCode.encode(eventOf(claudeCode, name), now, {});
      const said = JSON.stringify(body ?? "");
      ok(
        exitCode === 2
          ? stderr
          : /"(permissionDecision|behavior)":"deny"|"decision":"block"|"continue":false/.test(said),
      );
    }),
    { numRuns: rounds(2000) },
  );
});

test("an empty answer prints nothing and exits 0, on every event", () => {
  const empty = { verdict: undefined, context: [], messages: [], watchPaths: [], retry: false } as unknown as Outcome; // what a careless hook hands in
  for (const name of agentEventNames) {
    for (const outcome of [{}, empty]) deepEqual(reply(name, outcome), { exitCode: 0 }, name);
  }
  deepEqual(claudeCode.encode({ ...eventOf(claudeCode, "Stop"), name: "deploy.started" }, { context: ["x"] }, {}), {
    exitCode: 0,
  });
});

test("[C58, C43, CT22] PreToolUse says deny, ask, allow and defer as a permission decision with its reason", () => {
  for (const is of ["deny", "ask", "allow", "defer"] as const) {
    deepEqual(printed("PreToolUse", { verdict: { is, reason: "because", by: "h" } }), {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: is,
        permissionDecisionReason: "because",
      },
    });
  }
  deepEqual(specific("PreToolUse", { verdict: { is: "allow", by: "h" } }), {
    hookEventName: "PreToolUse",
    permissionDecision: "allow",
  });
});

test("[C36] a deny without a reason still has one, because an agent may need it", () => {
  const verdict = { is: "deny", by: "h" } as const;
  deepEqual(specific("PreToolUse", { verdict }), {
    hookEventName: "PreToolUse",
    permissionDecision: "deny",
    permissionDecisionReason: "Hook blocked execution",
  });
  equal(printed("Stop", { verdict }).reason, "Hook blocked execution");
  equal(reply("TaskCreated", { verdict }).stderr, "Hook blocked execution");
});

test("[CT13, C39] a rewritten input goes out whole, with or without a decision, and context is joined by a newline", () => {
  const updatedInput = { command: "safe-command" };
  deepEqual(
    specific("PreToolUse", { updatedInput, context: ["one", "two"], messages: [{ to: "model", text: "three" }] }),
    {
      hookEventName: "PreToolUse",
      updatedInput,
      additionalContext: "one\ntwo\nthree",
    },
  );
  deepEqual(specific("PreToolUse", { updatedInput, verdict: { is: "ask", by: "h" } }), {
    hookEventName: "PreToolUse",
    permissionDecision: "ask",
    updatedInput,
  });
});

test("[C61, CT30] PreToolUse never carries updated permissions", () => {
  deepEqual(reply("PreToolUse", { permissions: ["Bash"] }), { exitCode: 0 });
});

test("[CT12, R63] a stop is continue false with its reason, together with the deny", () => {
  deepEqual(
    printed("PreToolUse", { stop: { reason: "Denied by hook" }, verdict: { is: "deny", reason: "r", by: "h" } }),
    {
      continue: false,
      stopReason: "Denied by hook",
      hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "r" },
    },
  );
});

test("[C79] a block with its reason blocks Stop and SubagentStop; a stop wins over a continuation", () => {
  const verdict = { is: "deny", reason: "run the tests", by: "h" } as const;
  for (const name of [
    "Stop",
    "SubagentStop",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
  ] as const) {
    deepEqual(printed(name, { verdict }), { decision: "block", reason: "run the tests" }, name);
  }
  deepEqual(printed("Stop", { verdict, stop: {} }), { continue: false });
  deepEqual(printed("Stop", { context: ["go on"] }), {
    hookSpecificOutput: { hookEventName: "Stop", additionalContext: "go on" },
  });
});

test("on an event that reads no decision, what the person should see stands behind the reason", () => {
  const verdict = { is: "deny", reason: "no", by: "h" } as const;
  equal(reply("ConfigChange", { verdict, messages: [{ to: "person", text: "ask Ada" }] }).stderr, "no\nask Ada");
});

test("[C59, CT25] PermissionRequest answers allow with input and permissions, or deny with message and interrupt", () => {
  const update = { type: "setMode", mode: "acceptEdits", destination: "session" };
  const outcome: Outcome = {
    verdict: { is: "allow", by: "h" },
    updatedInput: { command: "x" },
    permissions: [update, "Bash(git status:*)", "Read"],
  };
  const rule = (one: Fields): Fields => ({ type: "addRules", rules: [one], behavior: "allow", destination: "session" });
  deepEqual(specific("PermissionRequest", outcome), {
    hookEventName: "PermissionRequest",
    decision: {
      behavior: "allow",
      updatedInput: { command: "x" },
      updatedPermissions: [update, rule({ toolName: "Bash", ruleContent: "git status:*" }), rule({ toolName: "Read" })],
    },
  });
  deepEqual(
    specific("PermissionRequest", { verdict: { is: "deny", reason: "admin rejected", by: "h" }, interrupt: true }),
    {
      hookEventName: "PermissionRequest",
      decision: { behavior: "deny", message: "admin rejected", interrupt: true },
    },
  );
  deepEqual(specific("PermissionRequest", { verdict: { is: "deny", by: "h" } }), {
    hookEventName: "PermissionRequest",
    decision: { behavior: "deny", message: "denied by hook" },
  });
});

test("[C60, CT21] PermissionDenied says retry", () => {
  deepEqual(specific("PermissionDenied", { retry: true }), { hookEventName: "PermissionDenied", retry: true });
});

test("[C45, C46, CT20] SessionStart takes a first message, a title, watched paths and new skills", () => {
  deepEqual(
    specific("SessionStart", {
      firstMessage: "hi",
      sessionTitle: "t",
      watchPaths: ["/a"],
      reloadSkills: true,
      context: ["c"],
    }),
    {
      hookEventName: "SessionStart",
      additionalContext: "c",
      initialUserMessage: "hi",
      sessionTitle: "t",
      watchPaths: ["/a"],
      reloadSkills: true,
    },
  );
  deepEqual(specific("CwdChanged", { watchPaths: ["/a"] }), { hookEventName: "CwdChanged", watchPaths: ["/a"] });
});

test("messages to a person are one system message; those to the model are context, or shown where none is taken", () => {
  const messages: Outcome["messages"] = [
    { to: "person", text: "a" },
    { to: "model", text: "b" },
    { to: "person", text: "c" },
  ];
  deepEqual(printed("PostToolUse", { messages }), {
    systemMessage: "a\nc",
    hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "b" },
  });
  deepEqual(printed("PermissionDenied", { messages }), { systemMessage: "a\nb\nc" });
});

test("[D59] a notice is shown with its title", () => {
  const notice: Outcome = { messages: [{ to: "person", title: "Disk", text: "nearly full", level: "warning" }] };
  deepEqual(printed("PostToolUse", notice), { systemMessage: "Disk: nearly full" });
});

test("[D49, R7] a request to compact, which Claude Code does not take, is shown to the person on every event that shows anything", () => {
  const shown = "a hook asks to compact the context (summarize, keep the last 10";
  for (const name of agentEventNames) {
    const accepts = claudeCode.capabilities[name] ?? [];
    const wish: Outcome = { compact: { strategy: "summarize", keepLast: 10 } };
    const { now, later } = accept(wish, { fields: new Set(accepts), verdicts: verdictsOf(rowOf(name)) }, undefined);
    const [message, ...more] = (accepts.includes("messages") ? now : later).messages ?? [];
    ok(message?.to === "person" && message.text.startsWith(shown) && message.text.endsWith("run /compact"), name);
    deepEqual(more, []);
    if (!accepts.includes("messages"))
      deepEqual(claudeCode.encode(eventOf(claudeCode, name), now, {}), { exitCode: 0 }, name);
    else deepEqual(printed(name, now), { systemMessage: message.text }, name);
  }
});

test("output, prompt and screen: a replaced result, a hidden prompt, hidden output, another text on the screen", () => {
  deepEqual(specific("PostToolUse", { updatedOutput: { stdout: "x" }, extra: { classifierContext: "c", other: 1 } }), {
    hookEventName: "PostToolUse",
    updatedToolOutput: { stdout: "x" },
    classifierContext: "c",
  });
  deepEqual(printed("UserPromptSubmit", { suppressPrompt: true, suppressOutput: true }), {
    suppressOutput: true,
    hookSpecificOutput: { hookEventName: "UserPromptSubmit", suppressOriginalPrompt: true },
  });
  deepEqual(specific("MessageDisplay", { displayContent: "***" }), {
    hookEventName: "MessageDisplay",
    displayContent: "***",
  });
});

test("text that an agent reads as plain text is sent as plain text: a worktree's path, instructions for a summary", () => {
  deepEqual(reply("WorktreeCreate", { worktreePath: "/w/t" }), { body: "/w/t", exitCode: 0 });
  deepEqual(reply("PreCompact", { context: ["keep names", "keep paths"] }), {
    body: "keep names\nkeep paths",
    exitCode: 0,
  });
});

test("an elicitation is answered with its action and content", () => {
  deepEqual(specific("Elicitation", { elicitation: { action: "accept", content: { name: "Ada" } } }), {
    hookEventName: "Elicitation",
    action: "accept",
    content: { name: "Ada" },
  });
});

test("a terminal sequence passes only if it is a title, a notification or the bell", () => {
  const bell = "\u0007";
  deepEqual(printed("Notification", { extra: { terminalSequence: `\u001b]9;done${bell}` } }), {
    terminalSequence: `\u001b]9;done${bell}`,
  });
  deepEqual(reply("Notification", { extra: { terminalSequence: "\u001b[2J" } }), { exitCode: 0 });
});
