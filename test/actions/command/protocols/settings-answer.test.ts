import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventName, Fields } from "../../../../src/engine/event.ts";
import type { Outcome } from "../../../../src/engine/outcome.ts";
import { answered, bash, specific } from "./asking.ts";

const by = "hook-1";
const deny = (reason: string): Outcome => ({ verdict: { is: "deny", reason, by } });

test("[C36] no output is no opinion", () => {
  assert.deepEqual(answered("PreToolUse", " \n"), { ok: true, output: {} });
  assert.deepEqual(answered("PreToolUse", {}).outcome, {});
});

test("[C56, CT12, R63] continue false denies and stops with the stop reason, else with the reason", () => {
  const stopped = answered("PreToolUse", { continue: false, stopReason: "Denied by hook", reason: "other" });
  assert.deepEqual(stopped.outcome, { ...deny("Denied by hook"), stop: { reason: "Denied by hook" } });
  assert.equal(answered("PreToolUse", { continue: false, reason: "r" }).outcome?.verdict?.reason, "r");
  assert.deepEqual(answered("PreToolUse", { continue: true }).outcome, {});
});

test("[R63] where an event can be neither blocked nor stopped, continue false becomes a message to the person", () => {
  const { outcome } = answered("SessionStart", { continue: false, stopReason: "not here" });
  assert.deepEqual(outcome, { messages: [{ to: "person", text: "a hook wanted to stop here: not here" }] });
  assert.deepEqual(answered("PreCompact", { continue: false, stopReason: "x" }).outcome, deny("x"));
});

test("[C56] a top-level decision blocks with its reason, on any event", () => {
  assert.deepEqual(answered("PreToolUse", { decision: "block", reason: "no" }).outcome, deny("no"));
  assert.deepEqual(answered("Stop", { decision: "block" }, {}).outcome, deny("Hook blocked execution"));
  assert.equal(answered("task.completed", { decision: "block", reason: "no" }, {}).outcome?.verdict?.is, "deny");
});

test("[C56] decision approve allows a tool call and nothing else; another agent's allow is not believed", () => {
  assert.equal(answered("PreToolUse", { decision: "approve" }).outcome?.verdict?.is, "allow");
  for (const [name, decision] of [
    ["PostToolUse", "approve"],
    ["PreToolUse", "allow"],
  ] as const) {
    const result = answered(name, { decision });
    assert.deepEqual(result.outcome, {});
    assert.match(result.notes?.[0] ?? "", new RegExp(`decision "${decision}" has no effect on ${name}`));
  }
});

test("[C56, CT9, CT10] systemMessage is shown to the person and is context; additionalContext follows it", () => {
  assert.deepEqual(answered("PreToolUse", { systemMessage: "hook executed" }).outcome, {
    messages: [{ to: "person", text: "hook executed" }],
    context: ["hook executed"],
  });
  const both = { hookSpecificOutput: { additionalContext: "second" }, systemMessage: "first" };
  assert.deepEqual(answered("PreToolUse", both).outcome?.context, ["first", "second"]);
});

test("[C58, CT22] PreToolUse decides by permissionDecision: allow, deny with its reason, ask, defer", () => {
  for (const is of ["allow", "ask", "defer"]) {
    assert.deepEqual(specific("PreToolUse", { permissionDecision: is }).outcome?.verdict, { is, by });
  }
  const denied = specific("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: "secret" });
  assert.deepEqual(denied.outcome, deny("secret"));
});

test("[C56] of two decisions in one answer the stricter holds", () => {
  const answer = { decision: "block", reason: "no", hookSpecificOutput: { permissionDecision: "allow" } };
  assert.deepEqual(answered("PreToolUse", answer).outcome, deny("no"));
});

/** Event, key, value, and the part of the outcome that it becomes. */
const honoured: [EventName, Fields, Outcome][] = [
  ["PreToolUse", { updatedInput: { command: "safe-command" } }, { updatedInput: { command: "safe-command" } }],
  ["PermissionRequest", { updatedInput: { command: "x" } }, { updatedInput: { command: "x" } }],
  ["PostToolUse", { updatedToolOutput: { stdout: "x" } }, { updatedOutput: { stdout: "x" } }],
  ["PostToolUse", { updatedMCPToolOutput: "x" }, { updatedOutput: "x" }],
  ["Stop", { additionalContext: "go on" }, { context: ["go on"] }],
  ["SessionStart", { initialUserMessage: "hello" }, { firstMessage: "hello" }],
  ["SessionStart", { watchPaths: ["/a", "/b"] }, { watchPaths: ["/a", "/b"] }],
  ["CwdChanged", { watchPaths: ["/a"] }, { watchPaths: ["/a"] }],
  ["FileChanged", { watchPaths: ["/a"] }, { watchPaths: ["/a"] }],
  ["SessionStart", { sessionTitle: "t", reloadSkills: true }, { sessionTitle: "t", reloadSkills: true }],
  ["UserPromptSubmit", { suppressOriginalPrompt: true }, { suppressPrompt: true }],
  ["PermissionDenied", { retry: true }, { retry: true }],
  ["MessageDisplay", { displayContent: "" }, { displayContent: "" }],
  ["WorktreeCreate", { worktreePath: "/w" }, { worktreePath: "/w" }],
  ["Elicitation", { action: "accept", content: { a: 1 } }, { elicitation: { action: "accept", content: { a: 1 } } }],
  ["ElicitationResult", { action: "cancel" }, { elicitation: { action: "cancel" } }],
  ["PreModelSwitch", { permissionDecision: "deny", permissionDecisionReason: "dear" }, deny("dear")],
];

test("[C43, C45, C46, C47, C60, CT13, CT18, CT20, CT21] each key becomes its outcome on the events that honour it", () => {
  for (const [name, fields, outcome] of honoured) {
    const result = specific(name, fields);
    assert.deepEqual(result.outcome, outcome, `${name} ${Object.keys(fields)}`);
    assert.equal(result.notes, undefined);
  }
});

const dropped: [EventName, string, Fields][] = [
  ["PreToolUse", "decision", { decision: { behavior: "allow", updatedPermissions: ["Bash"] } }],
  ["PreToolUse", "updatedPermissions", { updatedPermissions: ["Bash"] }],
  ["PostToolUse", "permissionDecision", { permissionDecision: "allow" }],
  ["PostToolUse", "updatedInput", { updatedInput: { a: 1 } }],
  ["PreToolUse", "updatedToolOutput", { updatedToolOutput: "x" }],
  ["Stop", "watchPaths", { watchPaths: ["/a"] }],
  ["UserPromptSubmit", "initialUserMessage", { initialUserMessage: "x" }],
  ["PreToolUse", "retry", { retry: true }],
];

test("[R7, C61, CT30] a key on an event that does not honour it is dropped, and a note names both", () => {
  for (const [name, key, fields] of dropped) {
    const result = specific(name, fields);
    assert.equal(result.ok, true);
    assert.deepEqual(result.outcome, {}, key);
    assert.deepEqual(result.notes, [`${key} is not honoured on ${name}: dropped`]);
  }
});

test("[C59, CT25] PermissionRequest answers by behavior, with input and permissions when it allows", () => {
  const allow = {
    behavior: "allow",
    updatedInput: { command: "x" },
    updatedPermissions: [{ type: "setMode", mode: "acceptEdits" }],
  };
  assert.deepEqual(specific("PermissionRequest", { decision: allow }).outcome, {
    verdict: { is: "allow", by },
    updatedInput: { command: "x" },
    permissions: [{ type: "setMode", mode: "acceptEdits" }],
  });
  const denied = specific("PermissionRequest", {
    decision: { behavior: "deny", message: "admin rejected", interrupt: true },
  });
  assert.deepEqual(denied.outcome, { ...deny("admin rejected"), interrupt: true });
  assert.deepEqual(specific("PermissionRequest", { decision: { behavior: "deny" } }).outcome, deny("denied by hook"));
});

test("[C59] a permission that is a plain string is one allow rule for the session", () => {
  const decision = { behavior: "allow", updatedPermissions: ["Bash(git *)", "Read"] };
  assert.deepEqual(specific("PermissionRequest", { decision }).outcome?.permissions, [
    {
      type: "addRules",
      rules: [{ toolName: "Bash", ruleContent: "git *" }],
      behavior: "allow",
      destination: "session",
    },
    { type: "addRules", rules: [{ toolName: "Read" }], behavior: "allow", destination: "session" },
  ]);
});

test("[C47a] only absolute watch paths count, and the others are noted", () => {
  const result = specific("FileChanged", { watchPaths: ["/a", "b", 7] });
  assert.deepEqual(result.outcome, { watchPaths: ["/a"] });
  assert.match(result.notes?.[0] ?? "", /not an absolute path/);
});

test("[R4] an empty answer erases nothing", () => {
  const empty = { updatedInput: {}, additionalContext: "", permissionDecision: null };
  assert.deepEqual(specific("PreToolUse", empty).outcome, {});
});

test("[R7, R31] unknown keys are noted and stay in the output", () => {
  const result = answered("PreToolUse", { mood: "good", hookSpecificOutput: { weather: 1 } });
  assert.deepEqual(result.output, { mood: "good", hookSpecificOutput: { weather: 1 } });
  assert.deepEqual(result.notes, [
    'the key "mood" means nothing to Hookline',
    'the key "weather" means nothing to Hookline',
  ]);
});

test("[C56] suppressOutput and terminalSequence are passed on", () => {
  const sequence = "\u001b]0;title\u0007";
  assert.deepEqual(answered("Stop", { suppressOutput: true, terminalSequence: sequence }, {}).outcome, {
    suppressOutput: true,
    extra: { terminalSequence: sequence },
  });
});

test("[F8, R17] a decision that cannot be read is a failure, never an allow", () => {
  const unreadable: Fields[] = [
    { decision: "blok" },
    { continue: "false" },
    { hookSpecificOutput: "deny" },
    { hookSpecificOutput: { permissionDecision: "Deny" } },
  ];
  for (const answer of unreadable) {
    const result = answered("PreToolUse", answer, bash);
    assert.ok(!result.ok && result.failure === "output", JSON.stringify(answer));
  }
  const request = specific("PermissionRequest", { decision: { behavior: "maybe" } });
  assert.ok(!request.ok && request.failure === "output");
});

test("[C59, R7] permissions that no agent can obey are dropped with a note, and an empty text allows nothing", () => {
  const update = { type: "addRules", rules: [{ toolName: "Read" }], behavior: "deny", destination: "session" };
  const malformed = [
    "",
    "  ",
    {},
    { type: "addRules" },
    { type: "addRules", rules: [{ toolName: "" }], behavior: "allow" },
    { type: "addRules", rules: [{ toolName: "Bash" }], behavior: "yes" },
    { type: "addDirectories", directories: "/x" },
    { type: "setMode" },
    { type: "constructor" },
  ];
  for (const one of malformed) {
    const decision = { behavior: "allow", updatedPermissions: [one, update] };
    const { outcome, notes } = specific("PermissionRequest", { decision });
    assert.deepEqual(outcome?.permissions, [update], JSON.stringify(one));
    assert.match(notes?.join() ?? "", /no rule and no update of permissions was dropped/);
  }
});

test("[R95] what another agent writes flat to refuse or to ask is believed, with its reason, among other output as well", () => {
  const flat: [EventName, Fields, Outcome][] = [
    ["PreToolUse", { permissionDecision: "deny", permissionDecisionReason: "no" }, deny("no")],
    ["PreToolUse", { permissionDecision: "deny" }, deny("Hook blocked execution")],
    ["PreToolUse", { permissionDecision: "ask", reason: "sure?" }, { verdict: { is: "ask", reason: "sure?", by } }],
    ["PreToolUse", { permission: "deny", agent_message: "no" }, deny("no")],
    ["PreToolUse", { permission: "ask" }, { verdict: { is: "ask", by } }],
    ["UserPromptSubmit", { permission: "deny", agentMessage: "no" }, deny("no")],
    ["PermissionRequest", { behavior: "deny", message: "no", interrupt: true }, { ...deny("no"), interrupt: true }],
  ];
  for (const [name, said, outcome] of flat) {
    const result = answered(name, said);
    assert.deepEqual(result.outcome, outcome, JSON.stringify(said));
    assert.equal(result.notes, undefined);
    assert.deepEqual(answered(name, `checking\n${JSON.stringify(said)}\ndone`).outcome, outcome);
  }
  const both = answered("PreToolUse", { permission: "deny", user_message: "ask Ann" });
  assert.deepEqual(both.outcome, { ...deny("ask Ann"), messages: [{ to: "person", text: "ask Ann" }] });
});

test("[R95] a refusal in a form that no file has fails the program, so that a guard stops the call, and says the right form", () => {
  const request = { hookEventName: "PermissionRequest" };
  const near: [EventName, Fields][] = [
    ["PreToolUse", { hookSpecificOutput: { hookEventName: "PreToolUse", decision: { behavior: "deny" } } }],
    ["PreToolUse", { hookSpecificOutput: { hookEventName: "PreToolUse", decision: "deny" } }],
    ["PreToolUse", { hookSpecificOutput: { permission: "deny" } }],
    ["PreToolUse", { hookSpecificOutput: { permission_decision: "deny" } }],
    ["PreToolUse", { hook_specific_output: { permission_decision: "deny" } }],
    ["PreToolUse", { Decision: "block" }],
    ["PreToolUse", { decision: "approve", Decision: "Block" }],
    ["PreToolUse", { permission_decision: "ASK" }],
    ["PreToolUse", { verdict: "reject" }],
    ["PreToolUse", { action: "block" }],
    ["PreToolUse", { block: true }],
    ["PreToolUse", { allowed: false }],
    ["PermissionRequest", { hookSpecificOutput: { ...request, permissionDecision: "deny" } }],
    ["PermissionRequest", { hookSpecificOutput: { ...request, behavior: "deny" } }],
    ["Stop", { hookSpecificOutput: { hookEventName: "Stop", permissionDecision: "deny" } }],
  ];
  for (const [name, said] of near) {
    const result = answered(name, said);
    assert.equal(result.ok, false, JSON.stringify(said));
    assert.match(
      result.ok ? "" : result.reason,
      /is no refusal on \w+: write \{"(?:decision": "block|permissionDecision": "ask)", .*"…"\}$/,
    );
  }
  for (const said of [
    { action: "list" },
    { hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { action: "block", decision: "deny" } } },
    { blocked: false, allowed: true },
    { level: "info", action: "block", domain: "ads" },
    { approved: false, pending: 3 },
  ])
    assert.equal(answered("PreToolUse", said).ok, true, JSON.stringify(said));
  const beside = answered("PostToolUse", {
    decison: "x",
    permission_decision: "deny",
    hookSpecificOutput: { additionalContext: "3 lints" },
  });
  assert.deepEqual([beside.ok, beside.outcome], [false, { context: ["3 lints"] }], "what it says beside that counts");
  assert.deepEqual(answered("PreToolUse", { behavior: "deny", message: "no" }).outcome, deny("no"));
});

test("[R95] a flat allow allows nothing and says so, and a flat decision that nobody can read fails the hook", () => {
  for (const said of [{ permissionDecision: "allow" }, { permission: "allow" }]) {
    const result = answered("PreToolUse", said);
    assert.deepEqual(result.outcome, {});
    assert.match(result.notes?.join() ?? "", /"allow" outside of hookSpecificOutput is another agent's word/);
  }
  for (const said of [{ permissionDecision: "refuse" }, { permission: false }])
    assert.equal(answered("PreToolUse", said).ok, false, JSON.stringify(said));
  const printed = answered("PreToolUse", 'files:\n{"permission": "rw-", "message": "listed"}\n{"decision":"block"}');
  assert.deepEqual(printed.outcome, deny("Hook blocked execution"));
});

test("[F8] what was meant as an answer and is broken is a failure, whatever it begins with", () => {
  const broken = [
    '[{"decision":"block"',
    '["deny"',
    '["deny"]',
    '[{"decision":"approve"}, {"decision":"block"',
    'checked\n[{"permissionDecision": "deny"',
    'result: {"decision": "block"',
    '"decision": "block"',
    '"deny',
    '"deny"',
    '{"a":1} and {"decision":"block"',
  ];
  for (const said of broken) {
    const result = answered("PreToolUse", said);
    assert.equal(result.ok, false, said);
  }
  for (const said of ['"a.ts" is formatted', "[INFO] all is well", "[ok]", "[1/3] lint", "done [x]"])
    assert.ok(answered("PreToolUse", said).ok, said);
});

test("an answer that is JSON and no object is a failure, and so a guard that gives it fails", () => {
  for (const said of [
    "null",
    "true",
    "false",
    "0",
    "42",
    "-1.5e3",
    '""',
    "[]",
    "[null]",
    "[1]",
    " null\n",
    "\uFEFFtrue",
  ])
    assert.equal(answered("PreToolUse", said).ok, false, said);
  for (const said of ["null", "true", '""']) assert.equal(answered("UserPromptSubmit", said).ok, false, said);
  for (const said of ["12 files", "0 errors, 2 warnings", "true story", "nullable", "1.2.3", "2026-11-29"])
    assert.ok(answered("PreToolUse", said).ok, said);
  assert.deepEqual(answered("SessionStart", "42").outcome, { context: ["42"] });
});

test("of a verdict that is written twice in one object the more severe counts, in whatever order", () => {
  const denied = [
    '{"decision":"block","decision":"approve"}',
    '{"decision":"approve","decision":"block"}',
    '{"decision":"approve","decision":"block","decision":"approve"}',
    '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecision":"allow"}}',
    '{"hookSpecificOutput":{"permissionDecision":"deny"},"hookSpecificOutput":{"permissionDecision":"allow"}}',
    '{"continue":false,"continue":true}',
    '{"d\\u0065cision":"block","decision":"approve","reason":"{\\"decision\\": 1}"}',
  ];
  for (const said of denied) {
    const result = answered("PreToolUse", said);
    assert.equal(result.outcome?.verdict?.is, "deny", said);
  }
  const { notes, outcome } = answered("PreToolUse", '{"systemMessage":"x","decision":"approve","decision":"approve"}');
  assert.deepEqual([outcome?.verdict?.is, outcome?.messages?.length], ["allow", 1]);
  assert.match(JSON.stringify(notes), /stands twice in the answer/);
});
