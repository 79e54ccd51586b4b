/** Codex: every payload that the real one sent, and replies that its closed schemas take. */
import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import type { DecodeOptions, Reply } from "../../src/agents/adapter.ts";
import { codex } from "../../src/agents/codex/adapter.ts";
import { accept } from "../../src/engine/accept.ts";
import type { AgentEventName, Fields, HookEvent } from "../../src/engine/event.ts";
import { rowOf, verdictsOf } from "../../src/engine/events.ts";
import type { Outcome } from "../../src/engine/outcome.ts";
import { isRecord } from "../../src/engine/schema.ts";
import { type AgentCase, agentSuite, eventOf } from "./agent-suite.ts";
import { onlyOne } from "./only-one.ts";

const folder = join(import.meta.dirname, "../fixtures/agents/codex");
const options: DecodeOptions = { at: 1000, id: () => "e1", registration: "codex user" };
const names = readdirSync(folder);
const recorded = (name: string): Fields => JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));
const decode = (wire: unknown): readonly HookEvent[] => codex.decode(wire, options);
const call = (tool_name: string, tool_input: Fields, more: Fields = {}): Fields => ({
  ...recorded("PreToolUse"),
  ...{ tool_name, tool_input, ...more },
});
/** What the tool events of a call say. */
const calls = (wire: Fields): unknown[] => decode(wire).map(({ data }) => [data.tool_name, data.tool_input]);

test("every recorded payload is its event, of its session, in its folder, with all of its other fields", () => {
  ok(names.length >= 20);
  for (const file of names) {
    const wire = recorded(file.replace(".json", ""));
    if (file === "UserPromptSubmit.subagent.json") continue;
    for (const event of decode(wire)) {
      const { session_id, cwd, hook_event_name, tool_name: _tool, tool_input: _input, ...rest } = wire;
      deepEqual([event.name, event.session, event.cwd], [hook_event_name, session_id, cwd], file);
      equal(event.name, file.split(".")[0]);
      const { tool_name, tool_input, ...data } = event.data;
      deepEqual(data, rest, file);
      equal(tool_name === undefined, wire.tool_name === undefined, file);
      equal(isRecord(tool_input), wire.tool_input !== undefined, file);
      const field = rowOf(event.name).matchOn;
      if (field !== undefined) equal(typeof event.data[field], "string", `${file} has no ${field}`);
    }
  }
});

test("its tools have Hookline's names and inputs, and keep their own names", () => {
  const tool = (name: string): unknown[] => {
    const { data, nativeTool } = onlyOne(decode(recorded(name)));
    return [data.tool_name, data.tool_input, nativeTool];
  };
  deepEqual(tool("PostToolUse"), ["Bash", { command: "echo hi > b.txt; cat hello.txt" }, undefined]);
  deepEqual(tool("PreToolUse.view_image"), ["Read", { file_path: "nope.png" }, "view_image"]);
  deepEqual(tool("PreToolUse.spawn_agent"), ["Agent", { prompt: "SUBAGENT-PROMPT do it" }, "spawn_agent"]);
  deepEqual(tool("PreToolUse.mcp__tests__add"), ["mcp__tests__add", { a: 1, b: 2 }, undefined]);
  const written = { file_path: "/workspace/repo/n.txt", content: "new\n" };
  deepEqual(tool("PreToolUse.apply_patch"), ["Write", written, "apply_patch"]);
  deepEqual(tool("PostToolUse.apply_patch"), ["Write", written, "apply_patch"]);
});

const patch = (...lines: string[]): string => `${["*** Begin Patch", ...lines, "*** End Patch"].join("\n")}\n`;
const several = patch(
  "*** Add File: new.txt",
  "+one",
  "+two",
  "*** Update File: /abs/old.txt",
  "*** Move to: moved.txt",
  "@@ main",
  " same",
  "-before",
  "+after",
  "@@",
  "-b2",
  "*** Delete File: gone.txt",
);
const edits = [
  { old_string: "same\nbefore", new_string: "same\nafter" },
  { old_string: "b2", new_string: "" },
];
const change = { old_string: "same\nbefore\nb2", new_string: "same\nafter\n", edits };
const expanded = [
  ["Write", { file_path: "/workspace/repo/new.txt", content: "one\ntwo\n" }],
  ["Edit", { file_path: "/abs/old.txt", ...change }],
  ["Edit", { file_path: "/workspace/repo/moved.txt", ...change }],
  [
    "Write",
    { file_path: "/workspace/repo/gone.txt", content: "", patch: "*** Delete File: /workspace/repo/gone.txt\n" },
  ],
];

test("a patch is a call for each file that it adds, changes, moves or removes", () => {
  deepEqual(calls(call("apply_patch", { command: several })), expanded);
  const keys = decode(call("apply_patch", { command: several })).map(({ delivery }) => delivery?.id);
  equal(new Set(keys).size, 4, "each has a key of its own");
  for (const event of decode(call("apply_patch", { command: several })))
    ok(!event.accepts?.includes("updatedInput"), "nobody could tell which file was rewritten");
});

test("a patch in a shell line is the line itself and a call for each file, however it is quoted", () => {
  const here = (line: string): unknown[] => calls(call("Bash", { command: line })).slice(1);
  for (const line of [
    `apply_patch <<'EOF'\n${several}EOF\n`,
    `applypatch <<EOF\n${several}EOF`,
    `echo start; apply_patch '${several}'`,
    `bash -lc "apply_patch <<'EOF'\n${several}EOF"`,
    `apply_patch $'${several.replaceAll("\n", "\\n")}'`,
    `true && /usr/bin/apply_patch "${several}"`,
  ])
    deepEqual(here(line), expanded, line);
  deepEqual(here(`cd sub && apply_patch <<'EOF'\n${patch("*** Add File: a", "+x")}EOF`), [
    ["Write", { file_path: "/workspace/repo/sub/a", content: "x\n" }],
  ]);
  deepEqual(here("grep -rn apply_patch . | head"), []);
  deepEqual(here(`cat > doc.md <<'EOF'\n${several}EOF\n`), []);
});

test("a heading is one however blank its line is before, within and behind", () => {
  const files = (...lines: string[]): unknown[] =>
    calls(call("apply_patch", { command: patch("*** Add File: ok", "+a", ...lines) }))
      .slice(1)
      .map((one) => Object(Object(one)[1]).file_path);
  const env = "/workspace/repo/.env";
  for (const heading of [
    "\u0085*** Add File: .env",
    "*** Add File: .env\u0085",
    "*** Add File:.env",
    "*** Delete File:\t.env",
    "  *** Update File:  .env",
  ])
    deepEqual(files(heading, "+b"), [env], JSON.stringify(heading));
  deepEqual(files("*** Update File: a", "*** Move to:.env\u0085", "@@", "-a", "+b"), ["/workspace/repo/a", env]);
});

test("a patch that does not tell its files is a change of an unknown file", () => {
  const unknown = ["Edit", {}];
  for (const line of ["apply_patch < p.txt", "cat p | apply_patch", 'apply_patch "$(cat p)"'])
    deepEqual(calls(call("Bash", { command: line })).slice(1), [unknown], line);
  for (const line of [
    ...["'apply_patch' < p", "\\apply_patch <p", "app''ly_patch < p", "<p apply_patch", "2>/dev/null apply_patch <p"],
    ...[
      "X=1 apply_patch < p",
      "time apply_patch <p",
      "timeout 5 apply_patch <p",
      "! apply_patch <p",
      "nice -n 5 apply_patch <p",
    ],
    ...[
      "env -i A=b apply_patch <p",
      "sudo -u x apply_patch < p",
      "stdbuf -o0 apply_patch <p",
      "command -p apply_patch <p",
    ],
    ...[
      "a=apply_patch; $a < p",
      `python3 -c 'import os; os.system("apply_patch <p")'`,
      "if true; then apply_patch <p; fi",
    ],
  ])
    deepEqual(calls(call("Bash", { command: line })).slice(1), [unknown], line);
  for (const line of [
    "grep -rn 'apply_patch' src",
    "command -v apply_patch",
    "cat apply_patch.py",
    "git log -- apply_patch",
  ])
    deepEqual(calls(call("Bash", { command: line })).slice(1), [], line);
  const elsewhere = `cd $X && apply_patch <<'EOF'\n${patch("*** Add File: /a", "+x")}EOF`;
  deepEqual(calls(call("Bash", { command: elsewhere })).at(-1), unknown);
  deepEqual(calls(call("apply_patch", { command: "nonsense" })), [unknown]);
  deepEqual(calls(call("apply_patch", {})), [unknown]);
});

test("a subagent's prompt is no prompt of the person's, and its calls name it", () => {
  deepEqual(decode(recorded("UserPromptSubmit.subagent")), []);
  const agent_id = "a1";
  deepEqual(onlyOne(decode(call("Bash", { command: "ls" }, { agent_id, agent_type: "default" }))).agent, {
    id: "a1",
    type: "default",
  });
});

test("one call, prompt or request for permission has one key, another one another, a stop none", () => {
  const key = (wire: Fields): string | undefined => onlyOne(decode(wire)).delivery?.id;
  const [prompt, asked] = [recorded("UserPromptSubmit"), recorded("PermissionRequest")];
  ok(key(prompt) && key(prompt) === key({ ...prompt, transcript_path: null }));
  ok(key(prompt) !== key({ ...prompt, prompt: "more" }), "a turn can hold two prompts");
  ok(key(asked) && key(asked) === key({ ...asked, model: "other" }));
  ok(key(asked) !== key({ ...asked, tool_input: { command: "rm x" } }));
  ok(key(recorded("PostToolUse"))?.includes("call_mwqv3fmn0007"));
  equal(key(recorded("Stop")), undefined);
});

test("the end of a session is also its stop, and what is short of fields is read as far as it goes", () => {
  const [end] = decode(recorded("SessionEnd"));
  ok(end);
  deepEqual(
    codex.derived?.(end, () => "e2").map(({ name, id }) => [name, id]),
    [["SessionStop", "e2"]],
  );
  deepEqual(onlyOne(codex.decode({ hook_event_name: "PreToolUse" }, { ...options, cwd: "/w" })).data, {});
  equal(onlyOne(codex.decode({}, { ...options, cwd: "/w", event: "Stop" })).name, "Stop");
  throws(() => decode({ hook_event_name: "Dreamt", cwd: "/w" }), { code: "event_unknown" });
  throws(() => decode([]), { code: "input_invalid" });
});

test("a line that runs in another folder is judged by the hooks of the session's folder, as one that goes there first", () => {
  const wire = call("Bash", { command: "git push" }, { cwd: "/else/it's" });
  const event = onlyOne(codex.decode(wire, { ...options, cwd: "/workspace/repo" }));
  const command = "cd '/else/it'\\''s' && git push";
  deepEqual([event.cwd, event.data.tool_input], ["/workspace/repo", { command }]);
  const rewritten = (updatedInput: Fields): unknown => codex.encode(event, { updatedInput }, wire).body;
  const taken = (command: string): Fields => ({
    hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow", updatedInput: { command } },
  });
  deepEqual(rewritten({ command: `${command} --dry-run` }), taken("git push --dry-run"));
  deepEqual(rewritten({ command: "true" }), taken("true"));
  const patched = { ...wire, tool_input: { command: `apply_patch <<'EOF'\n${patch("*** Add File: a", "+x")}EOF` } };
  const [, write] = codex.decode(patched, { ...options, cwd: "/workspace/repo" });
  deepEqual(write?.data.tool_input, { file_path: "/else/it's/a", content: "x\n" });
});

const common = ["continue", "stopReason", "systemMessage"];
/** The schemas that are in its program, less what it says of them when it reads an answer (docs/codex.md). */
const schema: AgentCase["schema"] = {
  SessionStart: { top: common, specific: ["additionalContext"] },
  UserPromptSubmit: { top: [...common, "decision", "reason"], specific: ["additionalContext"] },
  PreToolUse: {
    top: ["systemMessage"],
    specific: ["permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext"],
  },
  PostToolUse: { top: [...common, "decision", "reason"], specific: ["additionalContext"] },
  PermissionRequest: { top: ["systemMessage"], specific: ["decision"] },
  Stop: { top: [...common, "decision", "reason"] },
  SubagentStart: { top: common, specific: ["additionalContext"] },
  SubagentStop: { top: [...common, "decision", "reason"] },
  PreCompact: { top: common },
  Interrupt: { top: ["systemMessage"] },
};
const denied: AgentCase["denied"] = {
  UserPromptSubmit: { decision: "block", reason: "no" },
  PreToolUse: {
    hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "no" },
  },
  PostToolUse: { decision: "block", reason: "no" },
  PermissionRequest: {
    hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "deny", message: "no" } },
  },
  Stop: { decision: "block", reason: "no" },
  SubagentStop: { decision: "block", reason: "no" },
  PreCompact: { continue: false, stopReason: "no" },
};

/** What Codex would say of an answer beside that. */
function faults(_top: Fields, { permissionDecision: decision, updatedInput, decision: behavior }: Fields): string[] {
  return [
    ...(decision === "allow" && !updatedInput ? ["allow alone"] : []),
    ...(updatedInput && decision !== "allow" ? ["updatedInput without allow"] : []),
    ...(decision !== undefined && decision !== "deny" && decision !== "allow" ? [`${decision}`] : []),
    ...(isRecord(behavior)
      ? Object.keys(behavior).filter(
          (key) => !["behavior", ...(behavior.behavior === "deny" ? ["message"] : [])].includes(key),
        )
      : []),
  ];
}
agentSuite(codex, {
  ...{ schema, denied, faults, rewrite: "updatedInput", passes: ["Stop", "SubagentStop"] },
  recorded: names.map((file) => ({ wire: recorded(file.replace(".json", "")) })),
});

const shellCall = { tool_name: "Bash", tool_input: { command: "ls" } };
const reply = (name: AgentEventName, outcome: Outcome): Reply => codex.encode(eventOf(codex, name), outcome, shellCall);

test("a stop ends the turn, and is not refused beside that, as a refusal would make it go on", () => {
  const outcome: Outcome = { verdict: { is: "deny", reason: "no", by: "h" }, stop: { reason: "enough" } };
  deepEqual(reply("Stop", outcome).body, { continue: false, stopReason: "enough" });
});

test("ask and allow alone have no effect: a guard's question becomes a deny, an allow is noted", () => {
  const event = onlyOne(decode(call("Bash", { command: "ls" })));
  const acceptance = {
    fields: new Set(event.accepts),
    verdicts: verdictsOf(rowOf(event.name)).filter((one) => event.verdicts?.includes(one) ?? true),
  };
  equal(accept({ verdict: { is: "ask", by: "h" } }, acceptance, "h").now.verdict?.is, "deny");
  equal(accept({ verdict: { is: "allow", by: "h" } }, acceptance, "h").now.verdict, undefined);
  deepEqual(reply("PreToolUse", { verdict: { is: "allow", by: "h" } }), { exitCode: 0 });
  deepEqual(reply("PermissionRequest", { verdict: { is: "allow", by: "h" } }).body, {
    hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow" } },
  });
});

/** The input that Codex is told to take. */
function rewritten(wire: Fields, updatedInput: Fields): unknown {
  const event = onlyOne(decode(wire));
  ok(event.accepts?.includes("updatedInput"));
  const { body } = codex.encode(event, { updatedInput }, wire);
  ok(isRecord(body) && isRecord(body.hookSpecificOutput));
  equal(body.hookSpecificOutput.permissionDecision, "allow");
  return body.hookSpecificOutput.updatedInput;
}
const inputOf = (wire: Fields): Fields => {
  const { data } = onlyOne(decode(wire));
  ok(isRecord(data.tool_input));
  return data.tool_input as Fields;
};

const line = fc.string({ maxLength: 8 }).filter((text) => !/[\r\n]/.test(text));
const lines = fc.array(line, { minLength: 1, maxLength: 4 });
const addPatch = fc
  .record({ path: fc.constantFrom("a.txt", "sub/b.txt", "/abs/c"), content: lines })
  .map(({ path, content }) => patch(`*** Add File: ${path}`, ...content.map((one) => `+${one}`)));
const updatePatch = fc
  .record({ context: fc.constantFrom("@@", "@@ class A"), kept: lines, old: lines, now: lines })
  .map(({ context, kept, old, now }) =>
    patch(
      "*** Update File: a.txt",
      context,
      ...kept.map((one) => ` ${one}`),
      ...old.map((one) => `-${one}`),
      ...now.map((one) => `+${one}`),
    ),
  );

test("an input that no hook changed goes back as it came, and a changed one says the change in Codex's own form", () => {
  fc.assert(
    fc.property(fc.oneof(addPatch, updatePatch), lines, (command, now) => {
      const wire = call("apply_patch", { command });
      const input = inputOf(wire);
      deepEqual(rewritten(wire, input), { command });
      const field = "content" in input ? "content" : "new_string";
      const text = field === "content" ? now.map((one) => `${one}\n`).join("") : now.join("\n");
      const changed = rewritten(wire, { ...input, [field]: text });
      ok(isRecord(changed));
      deepEqual(inputOf(call("apply_patch", changed as Fields)), { ...input, [field]: text });
    }),
  );
  const image = recorded("PreToolUse.view_image");
  deepEqual(rewritten(image, { file_path: "b.png" }), { path: "b.png" });
  deepEqual(rewritten(call("Bash", { command: "ls" }), { command: "ls -l" }), { command: "ls -l" });
  const moved = rewritten(call("apply_patch", { command: patch("*** Add File: a", "+x") }), {
    file_path: "/b",
    content: "x\n",
  });
  deepEqual(moved, { command: patch("*** Add File: /b", "+x") });
});

test("a change that no patch can say denies the call", () => {
  const wire = call("apply_patch", { command: patch("*** Add File: a", "+x") });
  const [event] = decode(wire);
  ok(event);
  const { body } = codex.encode(event, { updatedInput: { file_path: "a\nb" } }, wire);
  ok(isRecord(body) && isRecord(body.hookSpecificOutput));
  equal(body.hookSpecificOutput.permissionDecision, "deny");
});

test("an input that is a JSON object and cannot be used is said to be that, and not to be none", () => {
  const wire = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } };
  for (const place of [
    { session_id: "a\0b", cwd: "/w" },
    { session_id: "s", cwd: "/w\0" },
    { session_id: "s", cwd: "/w", hook_event_name: 5 },
  ])
    throws(() => decode({ ...wire, ...place }), /^(?!.*not a JSON object).*the input cannot be used: /);
});
