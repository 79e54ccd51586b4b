import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { firstTurn } from "../../../src/engine/event.ts";
import { agentEventNames } from "../../../src/engine/events.ts";
import type { Scope } from "../../../src/engine/ports.ts";
import { compileTemplate } from "../../../src/engine/template.ts";
import { ruleEventNames } from "../../../src/formats/rules/fields.ts";
import {
  codes,
  compile,
  file,
  fixture,
  label,
  lineOf,
  names,
  only,
  origin,
  place,
  problem,
  rule,
  write,
} from "../rules-helpers.ts";

test("[D4, D8, D9, D10, D11, D12, D12a] a rule becomes a hook, and what it leaves out has its default", () => {
  const hook = only(compile(file(rule({ condition: "{ type: tool_name, match: Write }" }))));
  assert.match(hook.id, /^rules:\.hookline\/rules\/team\.yaml#a@[0-9a-f]{8}$/);
  assert.deepEqual(
    { ...hook, id: "" },
    {
      id: "",
      name: "a",
      on: { event: ["PreToolUse"], as: ["tool_start"] },
      when: { is: "tool_name", with: { match: "Write" } },
      steps: [{ uses: "log", with: { message: "hello" }, timeout: 30, onError: "stop", templates: true }],
      limits: { overlap: "coalesce" },
      mode: "sync",
      role: "observe",
      onFailure: "continue",
      priority: 100,
      enabled: true,
      tags: [],
      origin: { ...origin, line: 2, column: 5 },
    },
  );
});

test("[D8, D9, D10, D11, D12, D12a] every field is kept", () => {
  const fields = { cooldown: "2.5", max_fires: "3", priority: "-1", enabled: "false", tags: "[x, y]", timeout: "0.5" };
  const hook = only(compile(file(rule(fields))));
  assert.deepEqual(hook.limits, { cooldown: 2.5, maxFires: 3, overlap: "coalesce" });
  assert.deepEqual([hook.priority, hook.enabled, hook.tags, hook.steps[0].timeout], [-1, false, ["x", "y"], 0.5]);
});

test("[R90] text_limit is how much a rule may say", () => {
  assert.equal(only(compile(file(rule({ text_limit: "50000" })))).limits.text, 50_000);
});

test("[D5] a rule without on listens to turn_end", () => {
  assert.deepEqual(only(compile(file(rule({ on: undefined })))).on, { event: ["Stop"], as: ["turn_end"] });
});

test("[D13, R43] on may be written with quotes and without", () => {
  const quoted = only(compile(file(rule({ on: undefined, '"on"': "tool_start" }))));
  assert.deepEqual(quoted.on, only(compile(file(rule()))).on);
});

/** R2, in the words of the ruling. */
const meanings: { readonly [name: string]: readonly string[] } = {
  turn_start: ["UserPromptSubmit"],
  user_prompt: ["UserPromptSubmit"],
  turn_end: ["Stop"],
  tool_start: ["PreToolUse"],
  pre_tool_use: ["PreToolUse"],
  tool_end: ["PostToolUse", "PostToolUseFailure"],
  post_tool_use: ["PostToolUse", "PostToolUseFailure"],
  session_start: ["SessionStart"],
  session_end: ["SessionEnd"],
  pre_compact: ["PreCompact"],
  error: ["StopFailure"],
  approval_request: ["PermissionRequest"],
  agent_spawn: ["SubagentStart"],
  agent_complete: ["SubagentStop"],
  activation: ["channel.activation"],
};

test("[D20-D32, R2] each of the 15 names is resolved when the file is read, and shown as it was written", () => {
  assert.deepEqual(Object.keys(meanings), [...ruleEventNames]);
  for (const [name, event] of Object.entries(meanings)) {
    assert.deepEqual(only(compile(file(rule({ on: name })))).on, { event, as: [name] });
  }
});

test("[D14, R2] the names of other formats, application events and lists of names are valid; anything else is not", () => {
  const known = ["PreAbilityCall", ...agentEventNames, "deploy.started"];
  for (const name of known) assert.deepEqual(codes(compile(file(rule({ on: name })))), [], name);
  assert.deepEqual(only(compile(file(rule({ on: "[tool_end, PostToolUse, task.done]" })))).on, {
    event: ["PostToolUse", "PostToolUseFailure", "task.done"],
    as: ["tool_end", "PostToolUse", "task.done"],
  });
  for (const on of ["[]", "''", "5", "[tool_end, 5]", "{ a: b }"]) {
    const { problems, hooks } = compile(file(rule({ on })));
    assert.deepEqual([hooks.length, problems[0]?.code, problems[0]?.line], [0, "wrong-type", 3], on);
  }
});

test("[D14, DT32] an unknown event is reported with the likely one, at most three names, and all that are valid", () => {
  const one = problem(compile(file(rule({ on: "tool_ende" }))));
  assert.equal(one.message, "Hook event 'tool_ende' is unknown");
  assert.match(one.suggestion ?? "", /^did you mean "tool_end"\? known: turn_start, user_prompt, .*activation, /);
  assert.equal(place(one), "3:9");
  const several = problem(compile(file(rule({ on: "[turn_end, agent_comp]" }))));
  assert.equal(place(several), "3:20");
  for (const on of ["post_tool", "turn_stat", "Precompac", "nothing_like_it"]) {
    const named = (problem(compile(file(rule({ on })))).suggestion ?? "").split("known:")[0] ?? "";
    assert.ok((named.match(/"/g)?.length ?? 0) <= 6, named);
  }
});

/** One rule with each; a good one stands on both sides. */
const refused: readonly {
  claims: string;
  fields: { [name: string]: string | undefined };
  code: string;
  at: string;
  says: RegExp;
  suggests?: RegExp;
}[] = [
  {
    claims: "[D3] a field that nothing reads",
    fields: { cooldwon: "3" },
    code: "unknown-field",
    at: "10:5",
    says: /no "cooldwon"/,
    suggests: /did you mean "cooldown"/,
  },
  {
    claims: "[D3] a field of another format",
    fields: { matcher: "Write" },
    code: "unknown-field",
    at: "10:5",
    says: /no "matcher"/,
    suggests: /"condition"/,
  },
  { claims: "[D4, D18] no id", fields: { id: undefined }, code: "missing-field", at: "6:5", says: /needs "id"/ },
  {
    claims: "[D4] an empty id",
    fields: { id: '""' },
    code: "wrong-type",
    at: "6:9",
    says: /"id" of a rule needs a name/,
  },
  {
    claims: "[D6, D18] no condition",
    fields: { condition: undefined },
    code: "missing-field",
    at: "6:5",
    says: /needs "condition"/,
  },
  {
    claims: "[D6, D18] an empty condition",
    fields: { condition: "" },
    code: "missing-field",
    at: "8:5",
    says: /needs "condition"/,
  },
  {
    claims: "[D7, D18] no action",
    fields: { action: undefined },
    code: "missing-field",
    at: "6:5",
    says: /needs "action"/,
  },
  {
    claims: "[D15, D8, DT32] a negative cooldown",
    fields: { cooldown: "-1" },
    code: "wrong-type",
    at: "10:15",
    says: /at least 0 but is -1/,
  },
  {
    claims: "[D16, D9, DT32] a negative max_fires",
    fields: { max_fires: "-1" },
    code: "wrong-type",
    at: "10:16",
    says: /whole number of at least 0/,
  },
  {
    claims: "[D9] a max_fires with a fraction",
    fields: { max_fires: "1.5" },
    code: "wrong-type",
    at: "10:16",
    says: /whole number/,
  },
  {
    claims: "[D17, DT32] a priority that is no number",
    fields: { priority: "x" },
    code: "wrong-type",
    at: "10:15",
    says: /whole number but is "x"/,
  },
  {
    claims: "[D17] a priority with a fraction",
    fields: { priority: "1.5" },
    code: "wrong-type",
    at: "10:15",
    says: /whole number/,
  },
  {
    claims: "[D11] an enabled that YAML 1.2 reads as text",
    fields: { enabled: "no" },
    code: "wrong-type",
    at: "10:14",
    says: /true or false but is "no"/,
    suggests: /write false/,
  },
  {
    claims: "[D12] a tag that is no list",
    fields: { tags: "x" },
    code: "wrong-type",
    at: "10:11",
    says: /needs a list/,
    suggests: /\[x\]/,
  },
  {
    claims: "[D12] a tag that is no text",
    fields: { tags: "[a, 5]" },
    code: "wrong-type",
    at: "10:15",
    says: /needs text but is 5/,
  },
  {
    claims: "[D12a] a timeout of nothing",
    fields: { timeout: "0" },
    code: "wrong-type",
    at: "10:14",
    says: /seconds above 0/,
  },
  { claims: "[D12a] an empty timeout", fields: { timeout: "" }, code: "wrong-type", at: "10:13", says: /is empty/ },
];

for (const { claims, fields, code, at, says, suggests } of refused) {
  test(`${claims} is refused at its place, and the other rules run [R33]`, () => {
    const compiled = compile(file(rule({ id: "before" }), rule(fields), rule({ id: "after" })));
    const one = problem(compiled);
    assert.deepEqual([one.code, place(one), one.severity, one.file], [code, at, "error", origin.file]);
    assert.match(one.message, says);
    if (suggests) assert.match(one.suggestion ?? "", suggests);
    assert.deepEqual(names(compiled), ["before", "after"]);
  });
}

test("[DT32] six mistakes of one file are six located errors, the second names tool_end, and the other rules load", () => {
  const compiled = compile(
    file(
      rule({ id: "one", on: undefined, true: "tool_end" }),
      rule({ id: "two", on: "tool_ende" }),
      rule({ id: "three", cooldowns: "1" }),
      rule({ id: "four", max_fires: "-1" }),
      rule({ id: "five", cooldown: "-1" }),
      rule({ id: "six", priority: '"x"' }),
      rule({ id: "good" }),
    ),
  );
  assert.deepEqual(names(compiled), ["good"]);
  assert.deepEqual(codes(compiled), [
    "shape",
    "unknown-event",
    "unknown-field",
    "wrong-type",
    "wrong-type",
    "wrong-type",
  ]);
  assert.match(compiled.problems[0]?.suggestion ?? "", /"on":/);
  assert.match(compiled.problems[1]?.suggestion ?? "", /did you mean "tool_end"/);
  assert.ok(compiled.problems.every(({ severity, line, column }) => severity === "error" && line > 1 && column > 1));
});

test("[D4] an id that is used twice is reported, both rules run, and each has an id of its own", () => {
  const compiled = compile(file(rule(), rule(), rule(), rule({ id: "a-2" })));
  assert.deepEqual(new Set(compiled.hooks.map(({ id }) => id)).size, 4);
  assert.deepEqual(codes(compiled), ["duplicate-key", "duplicate-key", "duplicate-key"]);
  assert.deepEqual(compiled.problems.map(place), ["6:5", "10:5", "14:5"]);
  assert.equal(compiled.problems[0]?.severity, "warning");
});

test("ids stay when the file is edited elsewhere, and are not those of the same file in another project", () => {
  const [first] = compile(file(rule())).hooks;
  const [, moved] = compile(file(rule({ id: "new" }), rule({ priority: "3" }))).hooks;
  assert.equal(moved?.id, first?.id);
  const elsewhere = compile(file(rule()), {}).hooks[0]?.id;
  assert.equal(elsewhere, first?.id);
  assert.ok(first?.id.includes(label) && !first.id.includes("/project"));
});

const appFile = `name: an app
tools: { hook: none }
runtime:
  turns: 5
  hooks:
    - ${rule({ id: "of_app" }).replaceAll("\n", "\n      ")}
agents:
  - id: reviewer
    role: specialist
    hooks:
      - ${rule({ id: "of_reviewer" }).replaceAll("\n", "\n        ")}
  - id: writer
    hooks:
      - ${rule({ id: "of_writer", condition: "{ type: tool_name, match: Write }" }).replaceAll("\n", "\n        ")}
`;

test("[D1, D2] an app file's hooks are for all agents, an agent's for itself, and nothing else in it is checked", () => {
  const { hooks, problems } = compile(appFile, { kind: "app" });
  assert.deepEqual(problems, []);
  assert.deepEqual(
    hooks.map(({ name, when, origin: { ofAgent } }) => ({ name, when, ofAgent })),
    [
      { name: "of_app", when: undefined, ofAgent: undefined },
      { name: "of_reviewer", when: { is: "agent", with: "reviewer" }, ofAgent: "reviewer" },
      {
        name: "of_writer",
        when: {
          all: [
            { is: "agent", with: "writer" },
            { is: "tool_name", with: { match: "Write" } },
          ],
        },
        ofAgent: "writer",
      },
    ],
  );
});

test("[D1, D2, DT22] the app's hook and that of the active agent fire, the app's first; another agent's does not", async (t) => {
  let count = 0;
  const text = appFile.replaceAll("message: hello", () => `message: number ${++count}`);
  const { hooks } = compile(text, { kind: "app" });
  const reversed = [...hooks].reverse(); // whatever order they come in
  const line = lineOf(t, { hooks: reversed });
  await line.emit("PreToolUse", write, { agent: { id: "reviewer" } });
  const ran = line.observed.flatMap((one) =>
    one.is === "run" && one.run.status === "completed" ? [one.run.hookName] : [],
  );
  assert.deepEqual(ran, ["of_app", "of_reviewer"]);
});

test("[D1] a rules file may hold an app's hooks too, and the one id may belong to two agents", () => {
  const both = `${file(rule())}runtime:\n  hooks: []\nagents:\n  - id: x\n    hooks: &h\n      - {id: a, condition: {type: never}, action: {type: log, message: x}}\n  - id: y\n    hooks: *h\n`;
  const { hooks, problems } = compile(both);
  assert.deepEqual(problems, []);
  assert.deepEqual(
    hooks.map(({ id }) => id.replace(/^.*#|@.*$/g, "")),
    ["a", "x/a", "y/a"],
  );
});

test("a misspelt key around the lists of an app file, or of a rules file, is reported", () => {
  const told = (text: string, kind: "app" | "rules"): string[] =>
    compile(text, { kind }).problems.map(({ line, column, severity, code, message, suggestion }) =>
      [line, column, severity, code, message, suggestion].join(" "),
    );
  assert.match(told("runtme: { hooks: [] }", "app")[0] ?? "", /^1 1 warning unknown-field "runtme" .*"runtime"/);
  assert.match(told("runtime: { hook: [] }", "app")[0] ?? "", /^1 12 warning unknown-field "hook" .*"hooks"/);
  assert.match(told("hooks: []", "app")[0] ?? "", /^1 1 error shape "hooks" is outside "runtime"/);
  assert.match(told("agents: { a: 1 }", "app")[0] ?? "", /^1 9 error shape "agents" is a list/);
  assert.match(told("agents:\n  - hooks: [{ id: a }]", "app")[0] ?? "", /^2 5 error missing-field an agent with hooks/);
  assert.match(told("hook: []", "rules")[0] ?? "", /^1 1 error unknown-field nothing reads "hook" .*"hooks"/);
  assert.match(told("hooks: { a: 1 }", "rules")[0] ?? "", /^1 8 error wrong-type "hooks" is a list of rules/);
  assert.match(told("just text", "rules")[0] ?? "", /^1 1 error shape a rules file is a map/);
  assert.match(told("", "rules")[0] ?? "", /^1 1 error syntax the file is empty/);
  assert.deepEqual(told("hooks:\nx-anchors: { a: 1 }\nversion: 1", "rules"), []);
  const bare = compile(`- ${rule().replaceAll("\n", "\n  ")}`);
  assert.deepEqual([names(bare), codes(bare)], [["a"], ["shape"]]);
});

test("[D10, DT21] the lower priority runs first, 0 is a real value, and ties run in the order of the file", async (t) => {
  const log = (id: string, priority?: string): string =>
    rule({ id, action: `{ type: log, message: ${id} }`, ...(priority ? { priority } : {}) });
  const line = lineOf(
    t,
    compile(
      file(log("late", "200"), log("early", "50"), log("first", "0"), log("tie_a"), log("tie_b"), log("minus", "-5")),
    ),
  );
  await line.emit("PreToolUse", write);
  assert.deepEqual(line.logged(), ["minus", "first", "early", "tie_a", "tie_b", "late"]);
});

test("[D11, DT23] a rule that is not enabled never fires, and no rules are an empty outcome", async (t) => {
  const off = lineOf(t, compile(file(rule({ enabled: "false" }))));
  await off.emit("PreToolUse", write);
  assert.deepEqual(off.logged(), []);
  assert.deepEqual(await lineOf(t, compile("hooks: []")).emit("PreToolUse", write), {});
});

test("[DT1] rules on the other names fire on the same events", async (t) => {
  const log = (on: string): string => rule({ id: on, on, action: `{ type: log, message: ${on} }` });
  const line = lineOf(t, compile(file(log("pre_tool_use"), log("post_tool_use"), log("user_prompt"))));
  await line.emit("UserPromptSubmit", { prompt: "go" });
  await line.emit("PreToolUse", write);
  await line.emit("PostToolUse", { ...write, tool_response: {} });
  await line.emit("PostToolUseFailure", { ...write, error: "no" });
  assert.deepEqual(line.logged(), ["user_prompt", "pre_tool_use", "post_tool_use", "post_tool_use"]);
});

test("[D31, DT26] activation gives no warning and gets application events; an event that no agent sends gives exactly one", async (t) => {
  const sendable = new Set(["PreToolUse", "Stop"]);
  const activation = compile(file(rule({ on: "activation", action: "{ type: log, message: came }" })), { sendable });
  assert.deepEqual(activation.problems, []);
  const line = lineOf(t, activation);
  await line.emit("channel.message", {});
  assert.deepEqual(line.logged(), ["came"]);
  const never = problem(
    compile(file(rule({ on: "[approval_request, tool_start, pre_compact, deploy.done]" })), { sendable }),
  );
  assert.deepEqual([never.severity, never.code, place(never)], ["warning", "event-never-sent", "3:9"]);
  assert.match(never.message, /approval_request, pre_compact/);
  assert.doesNotMatch(never.message, /tool_start|deploy/);
  assert.deepEqual(codes(compile(file(rule({ on: "approval_request" })))), [], "not checked without a list");
});

test("[R18, D71, D72] the specification's own app files compile without a finding, with on quoted and not", () => {
  for (const name of ["lint-after-write", "auto-lint", "web-fetch-to-summary", "reviewer"]) {
    const text = fixture(`${name}.yaml`);
    const { hooks, problems } = compile(text, { kind: "app", modules: new Set() });
    assert.deepEqual([hooks.length, problems.filter(({ code }) => code !== "unknown-tool")], [1, []], name);
    const unquoted = compile(text.replaceAll('"on"', "on"), { kind: "app" });
    assert.deepEqual(unquoted.hooks[0]?.on, hooks[0]?.on);
    assert.deepEqual(unquoted.problems, []);
  }
});

test("[D48, D73] the specification's own trees of conditions compile to the same trees of the engine", () => {
  const tree = only(
    compile(file(`id: x\non: tool_end\n${fixture("all-of.fragment.yaml")}action: { type: log, message: x }`)),
  );
  assert.deepEqual(tree.when, {
    all: [{ is: "tool_name", with: { match: "filesystem.write" } }, { not: { is: "tool_failed" } }],
  });
  const nested = only(compile(file(`id: x\non: tool_end\n${fixture("suspicious.fragment.yaml")}`)));
  assert.deepEqual(nested.when, {
    any: [
      {
        all: [
          { is: "tool_name", with: { match: "shell.bash" } },
          { is: "content_contains", with: { keyword: "rm -rf" } },
        ],
      },
      { is: "tool_failed" },
    ],
  });
});

test("an event under event is the same as under on, and both together are a mistake", () => {
  const { on } = only(compile(file(rule({ on: undefined, event: "tool_end" }))));
  assert.deepEqual("event" in on && on.event, ["PostToolUse", "PostToolUseFailure"]);
  assert.deepEqual(codes(compile(file(rule({ event: "tool_end" })))), ["unknown-field"]);
});

test("a placeholder that is no plain path is an error with the right form, and never an empty text", () => {
  const forms: [string, string | undefined][] = [
    ["{{ event.title | truncate(20) }}", "{{event.title}}"],
    ["{{event.items[0].name}}", "{{event.items.0.name}}"],
    ["{{tool.params['file_path']}}", "{{tool.params.file_path}}"],
    ["{{ event.title.upper() }}", "{{event.title}}"],
    ["{{ len(answer) }}", "{{answer}}"],
    ["{{ event.count + 1 }}", "{{event.count}}"],
    ['{{ event.who or "nobody" }}', "{{event.who}}"],
    ["{{prompt|upper}}", "{{prompt}}"],
    ["{{step_0[0]}}", "{{step_0.0}}"],
    ["{{tool.params.command:-none}}", "{{tool.params.command}}"],
    ["{{tool.params.command,upper}}", "{{tool.params.command}}"],
    ["{{tool.params.a*2}}", "{{tool.params.a}}"],
    ["{{#tool.name}}", "{{tool.name}}"],
    ["{{event.title?}}", "{{event.title}}"],
    ["{{event.tool_input?.command}}", "{{event.tool_input.command}}"],
    ["{{event->title}}", "{{event.title}}"],
    ["{{event.title!r}}", "{{event.title}}"],
    ["{{event.title!}}", "{{event.title}}"],
    ["{{event.title:>5}}", "{{event.title}}"],
    ["{{event.count:.2f}}", "{{event.count}}"],
    ["{{event.count:05d}}", "{{event.count}}"],
    ["{{event.files.-1}}", "{{event.files}}"],
    ["{{event.title -}}", "{{event.title}}"],
    ["{{-event.title-}}", "{{event.title}}"],
    ["{{- tool.name -}}", "{{tool.name}}"],
    ["{{event.title;x}}", "{{event.title}}"],
    ["{{event.title~}}", "{{event.title}}"],
    ["{{not event.done}}", "{{event.done}}"],
    ["{{event.a==event.b}}", "{{event.a}}"],
    ["{{event.a>1}}", "{{event.a}}"],
    ["{{=event.title}}", "{{event.title}}"],
    ["{{event.count % 2}}", "{{event.count}}"],
    ["{{/event.title}}", "{{event.title}}"],
    ["{{:event.title}}", "{{event.title}}"],
    ["{{a[0]}}", "{{a.0}}"],
    ["{{a.upper()}}", "{{a}}"],
    ["{{a.b()}}", "{{a}}"],
    ["{{tool..name}}", "{{tool.name}}"],
    ["{{ tool.name. }}", "{{tool.name}}"],
    ["{{event.}}", "{{event}}"],
    ["{{event..x}}", "{{event.x}}"],
    ["{{step_0.}}", "{{step_0}}"],
    ["{{previous. .text}}", "{{previous.text}}"],
    ["{{tool.params.}}", "{{tool.params}}"],
    ["{{a..b}}", "{{a.b}}"],
  ];
  for (const [written, form] of forms) {
    const message = JSON.stringify(`about ${written}`);
    const { severity, code, suggestion } = problem(
      compile(file(rule({ action: `{ type: log, message: ${message} }` }))),
    );
    assert.deepEqual([severity, code, suggestion], ["error", "placeholder", `write ${form}`], written);
    const scope = { event: { data: { title: "x" } }, turn: firstTurn, names: [], results: [] } as unknown as Scope; // what a text reads
    const filled = compileTemplate(`about ${written}`)(scope);
    // An empty name is a name of a field that is missing, as the specification reads it.
    const isGap = /\.\s*[.}]/.test(written) && !written.startsWith("{{a");
    assert.equal(filled, isGap ? "about " : `about ${written}`);
  }
  const others = [
    "docker ps --format '{{.Names}}'",
    "{{json .}}",
    "{{.}}",
    "{{.A.B}}",
    "{{error.message}} {{turn.spent.reprompts}} {{turn.agent.id}} {{tool.error.code}}",
    "{{range .Items}}",
    "{{event.my key}}",
    "{{event.a-b}}",
  ];
  for (const other of others) {
    const action = `{ type: log, message: ${JSON.stringify(other)} }`;
    assert.deepEqual(codes(compile(file(rule({ action })))), [], other);
  }
});

test("a part of a value that has no parts is an error that names the value, and a likely name of another form is asked for", () => {
  const told = (text: string): string[] => {
    const { problems } = compile(file(rule({ action: `{ type: log, message: ${JSON.stringify(text)} }` })));
    return problems.map(({ severity, message, suggestion }) => `${severity}: ${message} — ${suggestion}`);
  };
  for (const [written, has] of [
    ["tool.name.lower", '"tool.name" is a plain value and has no "lower" — write {{tool.name}}'],
    ["session.id", '"session" is a plain value and has no "id" — write {{session}}'],
    ["prompt.text.0", '"prompt" is a plain value and has no "text.0" — write {{prompt}}'],
    ["turn.number.x", '"turn.number" is a plain value and has no "x" — write {{turn.number}}'],
    ["agent.id.x", '"agent.id" is a plain value and has no "x" — write {{agent.id}}'],
    ["tool.nam", '"tool" has no "nam" — did you mean "name"?'],
  ])
    assert.deepEqual(told(`{{${written}}}`), [`error: {{${written}}} is always empty: ${has}`]);
  for (const [written, meant] of [
    ["event/title", "event.title"],
    ["event title", "event.title"],
    [".event.title", "event.title"],
    ["this.tool.name", "tool.name"],
    ["Event.title", "event.title"],
    ["tool_name", "event.tool_name"],
    ["tool_input.command", "event.tool_input.command"],
    ["event_title", "event.title"],
    ["steps.0", "step_0"],
  ])
    assert.deepEqual(told(`{{${written}}}`), [
      `warning: {{${written}}} stands for nothing and stays as it is written — did you mean {{${meant}}}?`,
    ]);
});

test("seconds may be written as a duration, in a rule and in its action; what counts no seconds takes none", () => {
  const read = only(
    compile(file(rule({ cooldown: "5m", timeout: "1h 30 min", action: "{ type: shell, command: x, timeout: 90s }" }))),
  );
  assert.deepEqual([read.limits.cooldown, read.steps[0].with.timeout], [300, 90]);
  assert.equal(only(compile(file(rule({ timeout: "2 minutes" })))).steps[0].timeout, 120);
  for (const [fields, advice] of [
    [{ cooldown: '"300"' }, "write 300"],
    [{ max_fires: "5m" }, undefined],
    [{ cooldown: "soon" }, undefined],
  ] as const)
    assert.equal(problem(compile(file(rule(fields)))).suggestion, advice);
});

test("an unknown name under a known root is reported at its place, with the likely one", () => {
  const inExpression = problem(
    compile(file(rule({ condition: "{ type: expression, expr: 'turn > 1 and \"x\" in tool.parms.command' }" }))),
  );
  assert.match(inExpression.message, /tool has no "parms"/);
  assert.deepEqual([inExpression.severity, inExpression.suggestion], ["error", 'did you mean "params"?']);
  const inAction = problem(compile(file(rule({ action: "{ type: log, message: 'ran {{tool.parms.command}}' }" }))));
  assert.deepEqual([inAction.severity, inAction.code], ["error", "placeholder"]);
  assert.match(inAction.message, /\{\{tool\.parms\.command\}\} is always empty: "tool" has no "parms"/);
  const root = compile(file(rule({ action: "{ type: log, message: '{{tol.name}}' }" })));
  assert.deepEqual([root.hooks.length, root.problems[0]?.severity], [1, "warning"]);
  const valid =
    "{ type: log, message: '{{tool.params.a.0}} {{tool.result}} {{event.any}} {{agent.type}} {{ mustache }}' }";
  assert.deepEqual(codes(compile(file(rule({ action: valid })))), []);
});

test("the first rule of the page denies a force push however it is written, and no line that only mentions one", async (t) => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/rules.md"), "utf8");
  const text = /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
  const line = lineOf(t, compile(text));
  const verdict = async (command: string): Promise<unknown> =>
    (await line.emit("PreToolUse", { tool_name: "Bash", tool_input: { command } })).verdict?.is;
  for (const command of [
    "git push --force",
    "git push -f",
    "git push origin main --force-with-lease=main",
    "cd x && git push -f",
  ])
    assert.equal(await verdict(command), "deny", command);
  for (const command of ['echo "push --force"', "git push origin main", "git commit -m 'push --force'"])
    assert.notEqual(await verdict(command), "deny", command);
});
