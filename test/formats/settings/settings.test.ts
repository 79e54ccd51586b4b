import assert from "node:assert/strict";
import { test } from "node:test";
import { compileSettings } from "../../../src/formats/settings/settings.ts";
import { codes, command, compile, formatOf, only, origin, settings } from "../settings-helpers.ts";

test("[C62, C63] a group with a command becomes one hook with one step, and the default type is command", () => {
  const hook = only(compile({ hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ command: "audit.sh" }] }] } }));
  assert.deepEqual(hook.on, { event: ["PreToolUse"], as: ["PreToolUse"] });
  assert.deepEqual(hook.when, { is: "match", with: "Bash" });
  assert.deepEqual(hook.steps, [{ uses: "command", with: { command: "audit.sh" }, timeout: 600, onError: "stop" }]);
  assert.equal(hook.mode, "sync");
  assert.equal(hook.role, "undeclared");
  assert.equal(hook.onFailure, "continue");
  assert.equal(hook.priority, 100);
  assert.deepEqual(hook.limits, { overlap: "coalesce" });
});

test("[C2, R2] an alias resolves to all its events and keeps the name as it was written", () => {
  assert.deepEqual(only(compile(settings("tool_end", command("x")))).on, {
    event: ["PostToolUse", "PostToolUseFailure"],
    as: ["tool_end"],
  });
});

test("[C27b, R3] a hook on an application event compiles", () => {
  assert.deepEqual(only(compile(settings("deploy.started", command("x")))).on, {
    event: ["deploy.started"],
    as: ["deploy.started"],
  });
});

test("[C63, X6] an unknown type is an error with a suggestion, and its neighbours live", () => {
  const compiled = compile({
    hooks: { Stop: [{ hooks: [command("a"), { type: "comand", command: "b" }, command("c")] }] },
  });
  assert.deepEqual(
    compiled.hooks.map(({ name }) => name),
    ["a", "c"],
  );
  assert.equal(compiled.problems[0]?.code, "unknown-type");
  assert.match(compiled.problems[0]?.suggestion ?? "", /did you mean "command"/);
});

test("[X6, R33] an unknown event is an error with a suggestion, and the other events live", () => {
  const compiled = compile({
    hooks: { PreTooluse: [{ hooks: [command("a")] }], Stopp: [], Stop: [{ hooks: [command("b")] }] },
  });
  assert.deepEqual(
    compiled.hooks.map(({ name }) => name),
    ["b"],
  );
  assert.deepEqual(
    compiled.problems.map(({ suggestion }) => suggestion),
    ['did you mean "PreToolUse"?', 'did you mean "Stop"?'],
  );
});

test("[C65] http takes url, headers and allowed variables; without a url or with another scheme it is an error", () => {
  const handler = {
    type: "http",
    url: "https://example.com/x",
    headers: { Authorization: "Bearer $TOKEN" },
    allowedEnvVars: ["TOKEN"],
  };
  const { type, ...parameters } = handler;
  assert.equal(type, "http");
  assert.deepEqual(only(compile(settings("Stop", handler))).steps[0], {
    uses: "http",
    with: parameters,
    timeout: 30,
    onError: "stop",
  });
  assert.deepEqual(codes(compile(settings("Stop", { type: "http" }))), ["missing-field"]);
  assert.deepEqual(codes(compile(settings("Stop", { type: "http", url: "ftp://x" }))), ["wrong-type"]);
});

test("[C74, C75] a header's variable that is not allowed is reported, because it is sent empty", () => {
  const compiled = compile(
    settings("Stop", { type: "http", url: "http://x", headers: { a: "${ONE} $TWO" }, allowedEnvVars: ["TWO"] }),
  );
  assert.deepEqual(codes(compiled), ["unknown-variable"]);
  assert.match(compiled.problems[0]?.message ?? "", /ONE/);
  assert.equal(compiled.hooks.length, 1);
});

const stepOf = (handler: object) => only(compile(settings("Stop", handler), "hookline")).steps[0];

test("[C3, C64, C67, R14] prompt and agent hooks compile with their words, their model and 60 seconds", () => {
  assert.deepEqual(stepOf({ type: "prompt", prompt: "p $ARGUMENTS", model: "haiku", continueOnBlock: true }), {
    uses: "prompt",
    with: { prompt: "p $ARGUMENTS", model: "haiku", continueOnBlock: true },
    timeout: 60,
    onError: "stop",
  });
  const agent = { prompt: "p", model: "local/qwen3", max_tokens: 5000, turns: 4, tools: ["search", "github.*"] };
  assert.deepEqual(stepOf({ type: "agent", timeout: 20, ...agent }), {
    uses: "agent",
    with: agent,
    timeout: 20,
    onError: "stop",
  });
  assert.deepEqual(stepOf({ type: "agent", prompt: "p", tools: "all" }).with, { prompt: "p", tools: "all" });
});

test("[C3] mcp_tool hooks compile with server, tool and input", () => {
  const tool = { server: "scan", tool: "check", input: { path: "${tool_input.file_path}" } };
  assert.deepEqual(stepOf({ type: "mcp_tool", ...tool }), {
    uses: "mcp_tool",
    with: tool,
    timeout: 60,
    onError: "stop",
  });
  assert.deepEqual(stepOf({ type: "mcp_tool", server: "s", tool: "t" }).with, { server: "s", tool: "t" });
});

test("[R33] what a prompt, agent or mcp_tool hook lacks, or has of the wrong kind, is a located error", () => {
  const faults: [object, string, RegExp][] = [
    [{ type: "prompt" }, "missing-field", /a prompt hook needs a "prompt"/],
    [{ type: "prompt", prompt: " " }, "missing-field", /a prompt hook needs a "prompt"/],
    [{ type: "prompt", prompt: 5 }, "wrong-type", /"prompt" needs text but is 5/],
    [{ type: "prompt", prompt: null }, "missing-field", /needs a "prompt"/],
    [{ type: "prompt", prompt: "p", max_tokens: 0.5 }, "wrong-type", /"max_tokens" needs a whole number of at least 1/],
    [{ type: "prompt", prompt: "p", tools: ["search"] }, "unknown-field", /nothing reads "tools"/],
    [{ type: "prompt", prompt: { toString: null } }, "wrong-type", /"prompt" needs text but is an object/],
    [{ type: "agent", model: "haiku" }, "missing-field", /an agent hook needs a "prompt"/],
    [{ type: "agent", prompt: "p", turns: 0 }, "wrong-type", /"turns" needs a whole number of at least 1/],
    [{ type: "agent", prompt: "p", tools: "search" }, "wrong-type", /"tools" needs "all" or a list/],
    [{ type: "mcp_tool", tool: "t" }, "missing-field", /an mcp_tool hook needs a "server"/],
    [{ type: "mcp_tool", server: "s" }, "missing-field", /needs a "tool"/],
    [{ type: "mcp_tool", server: "s", tool: "t", input: [] }, "wrong-type", /"input" needs an object/],
  ];
  for (const [handler, code, message] of faults) {
    const compiled = compile(settings("Stop", handler), "hookline");
    assert.equal(compiled.hooks.length, 0);
    assert.deepEqual(codes(compiled), [code], JSON.stringify(handler));
    assert.match(compiled.problems[0]?.message ?? "", message);
    assert.ok((compiled.problems[0]?.line ?? 0) > 1);
  }
});

test("a prompt hook without a name is called by its prompt, an mcp_tool hook by its tool", () => {
  const nameOf = (handler: object): string => only(compile(settings("Stop", handler), "hookline")).name;
  assert.equal(nameOf({ type: "prompt", prompt: "Is it\n safe? $ARGUMENTS" }), "Is it safe? $ARGUMENTS");
  assert.equal(nameOf({ type: "mcp_tool", server: "scan", tool: "check" }), "scan.check");
});

test("[C66] shell is bash, sh or powershell; another is an error with the known ones", () => {
  assert.deepEqual(only(compile(settings("Stop", command("x", { shell: "powershell" })))).steps[0].with, {
    command: "x",
    shell: "powershell",
  });
  assert.deepEqual(codes(compile(settings("Stop", command("x", { shell: "zsh" })))), ["wrong-type"]);
});

test("[C68, C69, C52, C53, C54] async and asyncRewake choose the mode; neither is sync", () => {
  assert.equal(only(compile(settings("Stop", command("x", { async: true })))).mode, "async");
  assert.equal(only(compile(settings("Stop", command("x", { async: true, asyncRewake: true })))).mode, "rewake");
  assert.equal(only(compile(settings("PostToolUse", command("x")))).mode, "sync");
});

test("[C28, R51] in .gen files only the six events of specification 002 are waited for", () => {
  const modeOf = (event: string, more = {}): string => only(compile(settings(event, command("x", more)), "gen")).mode;
  for (const event of ["PreToolUse", "PermissionRequest", "UserPromptSubmit", "PreCompact", "SessionStart", "Stop"]) {
    assert.equal(modeOf(event), "sync", event);
  }
  for (const event of ["PostToolUse", "SessionEnd", "SubagentStop", "TaskCompleted", "Notification", "deploy.done"]) {
    assert.equal(modeOf(event), "async", event);
  }
  assert.equal(modeOf("PostToolUse", { async: false }), "sync");
  assert.equal(modeOf("SubagentStop", { role: "guard" }), "sync");
});

test("[CT14] a .gen file's command is marked so that it gets the GEN_ variables", () => {
  assert.deepEqual(only(compile(settings("Stop", command("x")), "gen")).steps[0].with, {
    command: "x",
    variables: "gen",
  });
});

test("[C70, R14] a timeout is seconds; 0 and less is an error, 1000 and more a warning with the likely value", () => {
  assert.equal(only(compile(settings("Stop", command("x", { timeout: 7 })))).steps[0].timeout, 7);
  assert.equal(only(compile(settings("Stop", command("x", { timeout: null })))).steps[0].timeout, 600);
  for (const timeout of [0, -1, "30"])
    assert.equal(compile(settings("Stop", command("x", { timeout }))).hooks.length, 0);
  const long = compile(settings("Stop", command("x", { timeout: 30000 })));
  assert.equal(long.hooks.length, 1);
  assert.deepEqual(
    long.problems.map(({ code, suggestion }) => [code, suggestion]),
    [["timeout-unit", "write 30"]],
  );
});

test("[C71, C72, C33] statusMessage is the status, and once is a limit of the session", () => {
  const hook = only(compile(settings("Stop", command("x", { statusMessage: "Auditing…", once: true }))));
  assert.equal(hook.status, "Auditing…");
  assert.deepEqual(hook.limits, { once: "session", overlap: "coalesce" });
});

test("[R90] textLimit is how much a hook may say, and nothing is no limit", () => {
  const hook = only(compile(settings("Stop", command("x", { textLimit: 50_000 }))));
  assert.deepEqual(hook.limits, { overlap: "coalesce", text: 50_000 });
  const { hooks, problems } = compile(settings("Stop", command("x", { textLimit: 0 })));
  assert.equal(hooks.length, 0);
  assert.match(problems[0]?.message ?? "", /textLimit.*at least 1/);
});

test("[C73] an if becomes a tool condition next to the matcher", () => {
  assert.deepEqual(
    only(compile(settings("PreToolUse", command("x", { if: "Bash(git *)" }), { matcher: "Bash" }))).when,
    {
      all: [
        { is: "match", with: "Bash" },
        { is: "tool", with: "Bash(git *)" },
      ],
    },
  );
});

test("[C73, R38] an if on an event without a tool is reported and kept, so that the hook never runs", () => {
  const compiled = compile(settings("Stop", command("x", { if: "Bash(git *)" })));
  assert.deepEqual(codes(compiled), ["if-never"]);
  assert.deepEqual(only(compiled).when, { is: "tool", with: "Bash(git *)" });
});

test("[C31, C32] a tool pattern is a tool condition, and an empty matcher or a star is none", () => {
  assert.deepEqual(only(compile(settings("PreToolUse", command("x"), { matcher: "Bash(git:*)" }))).when, {
    is: "tool",
    with: "Bash(git:*)",
  });
  for (const matcher of ["", "*", null, ".*"]) {
    assert.equal(only(compile(settings("PreToolUse", command("x"), { matcher }))).when, undefined);
  }
});

test("[CT3, C27a, R38] a matcher on an event without a match field is ignored with a finding", () => {
  for (const event of ["UserPromptSubmit", "Stop", "TaskCreated", "TaskCompleted", "CwdChanged"]) {
    const compiled = compile(settings(event, command("x"), { matcher: "Bash" }));
    assert.equal(only(compiled).when, undefined);
    assert.deepEqual(codes(compiled), ["matcher-ignored"], event);
  }
  for (const event of [
    "SessionStart",
    "SessionEnd",
    "StopFailure",
    "Notification",
    "SubagentStop",
    "Setup",
    "ConfigChange",
    "FileChanged",
    "WorktreeRemove",
  ]) {
    assert.ok(
      !codes(compile(settings(event, command("x"), { matcher: "startup" }))).includes("matcher-ignored"),
      event,
    );
  }
});

test("[CT1] an invalid regular expression is a located error and drops that hook only", () => {
  const compiled = compile({
    hooks: {
      PreToolUse: [
        { matcher: "[invalid", hooks: [command("a")] },
        { matcher: "Write", hooks: [command("b")] },
      ],
    },
  });
  assert.deepEqual(
    compiled.hooks.map(({ name }) => name),
    ["b"],
  );
  assert.deepEqual(codes(compiled), ["matcher-invalid"]);
});

test("a matcher that fits nothing known is warned of, with the name that was meant", () => {
  const finding = (event: string, matcher: string): unknown => {
    const found = compile(settings(event, command("x"), { matcher })).problems;
    return found.map(({ code, suggestion }) => [code, suggestion]);
  };
  assert.deepEqual(finding("PreToolUse", "bash"), [["matcher-never", 'did you mean "Bash"?']]);
  assert.deepEqual(finding("PreToolUse", "Writ"), [["matcher-never", 'did you mean "Write"?']]);
  assert.deepEqual(finding("PreToolUse", "Write|Edti"), [["matcher-never", 'did you mean "Edit"?']]);
  assert.deepEqual(finding("PreToolUse", "mcp__memory"), [["matcher-never", 'write "mcp__memory__.*"']]);
  assert.deepEqual(finding("SessionStart", "startup|reload"), []);
  assert.deepEqual(finding("SessionStart", "^stratup$"), [["matcher-never", undefined]]);
  for (const fine of ["rit.", "Write|Edit", "mcp__a__b", "mcp__.*", "Bash(git *)", "shell"])
    assert.deepEqual(finding("PreToolUse", fine), []);
  assert.deepEqual(finding("SessionStart", "^startup$"), []);
  assert.deepEqual(finding("FileChanged", ".envrc|.env"), []);
});

test("[R17, R52] role, onFailure, failClosed and blocking set the failure policy", () => {
  const policy = (more: object): string[] => {
    const { role, onFailure } = only(compile(settings("PreToolUse", command("x", more))));
    return [role, onFailure];
  };
  assert.deepEqual(policy({ role: "guard" }), ["guard", "block"]);
  assert.deepEqual(policy({ role: "guard", onFailure: "ask" }), ["guard", "ask"]);
  assert.deepEqual(policy({ onFailure: "block" }), ["undeclared", "block"]);
  assert.deepEqual(policy({ failClosed: true }), ["undeclared", "block"]);
  assert.deepEqual(policy({ blocking: true }), ["undeclared", "block"]);
  assert.deepEqual(policy({ role: "observe" }), ["observe", "continue"]);
});

test("[R46] an invalid guard leaves a hook in its place that fails, so that its policy answers", () => {
  const compiled = compile(settings("PreToolUse", { command: 5, role: "guard" }, { matcher: "Bash" }));
  const hook = only(compiled);
  assert.equal(hook.steps[0].uses, "invalid");
  assert.match(String(hook.steps[0].with.reason), /"command" needs text but is 5/);
  assert.deepEqual([hook.role, hook.onFailure, hook.mode], ["guard", "block", "sync"]);
  assert.deepEqual(hook.when, { is: "match", with: "Bash" });
  assert.ok(codes(compiled).includes("guard-invalid"));
});

test("[R46] a guard whose word for it is misspelt, or which has nothing to ask, is an invalid guard too", () => {
  for (const handler of [
    command("x", { onFailure: "blok" }),
    command("x", { role: "gaurd" }),
    { type: "prompt", role: "guard" },
  ]) {
    assert.equal(only(compile(settings("PreToolUse", handler))).steps[0].uses, "invalid");
  }
});

test("[R46] a guard whose key for it is misspelt, or has a value that is no flag, is an invalid guard too", () => {
  const asking = [
    { roel: "guard" },
    { Role: "gaurd" },
    { onfailure: "block" },
    { blokcing: true },
    { blocking: "true" },
  ];
  for (const key of asking) {
    const compiled = compile(settings("PreToolUse", command("x", key)), "hookline");
    assert.deepEqual(
      [only(compiled).steps[0].uses, only(compiled).onFailure],
      ["invalid", "block"],
      JSON.stringify(key),
    );
  }
  for (const key of [{ roel: "observe" }, { onfailure: "continue" }, { blokcing: false }, { zzz: "guard" }])
    assert.deepEqual(compile(settings("PreToolUse", command("x", key)), "hookline").hooks, [], JSON.stringify(key));
});

test("[R46] a guard in a list that is not called hooks is an invalid guard; what is no guard is told of", () => {
  const written = {
    hooks: { PreToolUse: [{ matcher: "Bash", hook: [command("x", { role: "guard" }), command("y")] }] },
  };
  const compiled = compile(written, "hookline");
  assert.deepEqual([only(compiled).steps[0].uses, only(compiled).when], ["invalid", { is: "match", with: "Bash" }]);
  assert.match(compiled.problems[0]?.message ?? "", /nothing reads "hook"/);
});

test("[R76] a file of ours whose hooks stand under another name loses them, which is an error", () => {
  const told = (written: object): (string | boolean | undefined)[] =>
    compile(written, "hookline").problems.flatMap(({ severity, code, loses }) => [severity, code, loses]);
  const events = { PreToolUse: [{ hooks: [command("x")] }] };
  assert.deepEqual(told({ hoks: events }), ["error", "unknown-field", true]);
  assert.deepEqual(told({ PreTolUse: events.PreToolUse }), ["error", "unknown-field", true]);
  assert.deepEqual(told({ hooks: events, more: {} }), ["error", "unknown-field", undefined]);
  assert.deepEqual(told(events), []);
  assert.deepEqual(told({ $schema: "x", version: 1, description: "none yet" }), []);
});

test("[SD14] an unknown key is a note in a foreign file and an error in our own", () => {
  const written = settings("Stop", command("x", { mathcer: "Bash", zzz: 1 }));
  const foreign = compile(written);
  assert.equal(foreign.hooks.length, 1);
  assert.deepEqual(
    foreign.problems.map(({ severity, code }) => [severity, code]),
    [
      ["warning", "unknown-field"],
      ["note", "unknown-field"],
    ],
  );
  assert.equal(foreign.problems[0]?.suggestion, 'did you mean "matcher"?');
  const own = compile(written, "hookline");
  assert.equal(own.hooks.length, 0);
  assert.deepEqual(
    own.problems.map(({ severity }) => severity),
    ["error", "error"],
  );
});

test("[R29] the events that a file names are reported, also those with an empty list", () => {
  assert.deepEqual(compile({ hooks: { Stop: [], PreToolUse: [{ hooks: [command("x")] }] } }, "gen").speaksOf, [
    "Stop",
    "PreToolUse",
  ]);
});

test("the switches and plugins of a settings file are read with their place", () => {
  const compiled = compile({
    disableAllHooks: true,
    allowManagedHooksOnly: false,
    enabledPlugins: { "a@m": false, "b@m": true },
  });
  assert.deepEqual(compiled.switches, { disableAllHooks: true });
  assert.deepEqual(compiled.enabledPlugins, { "a@m": false, "b@m": true });
  assert.deepEqual(compiled.placeOf("disableAllHooks"), { line: 2, column: 3 });
});

test("[R70] an id is readable, names no machine, and stays when the file changes elsewhere", () => {
  const one = compile({ hooks: { Stop: [{ hooks: [command("a")] }] } }).hooks[0];
  const moved = compile({
    $schema: "x",
    hooks: { PreToolUse: [{ hooks: [command("z")] }], Stop: [{ hooks: [command("b"), command("a")] }] },
  });
  assert.match(one?.id ?? "", /^settings:\.claude\/settings\.json:Stop:[0-9a-f]{8}$/);
  assert.ok(moved.hooks.some(({ id }) => id === one?.id));
  assert.notEqual(compile(settings("Stop", command("other"))).hooks[0]?.id, one?.id);
});

test("[R70] exact twins get a counter, and an own id is kept", () => {
  const twins = compile({
    hooks: { Stop: [{ hooks: [command("a"), command("a"), command("b", { id: "mine" })] }] },
  }).hooks.map(({ id }) => id);
  assert.equal(twins[1], `${twins[0]}-2`);
  assert.equal(twins[2], "mine");
  assert.deepEqual(
    codes(compile({ hooks: { Stop: [{ hooks: [command("a", { id: "x" }), command("b", { id: "x" })] }] } })),
    ["duplicate-key"],
  );
});

test("[C48, R4] hooks keep the order of the file and carry line and column of their handler", () => {
  const text =
    '{\n  "hooks": {\n    "Stop": [{ "hooks": [\n      { "command": "a" },\n      { "command": "b" }\n    ] }]\n  }\n}';
  const { hooks } = compile(text);
  assert.deepEqual(
    hooks.map(({ name, origin: { line, column } }) => [name, line, column]),
    [
      ["a", 4, 7],
      ["b", 5, 7],
    ],
  );
});

test("[R34] a tool pattern that starts at the project's root knows that root, and its twin in another project has another id", () => {
  const hook = only(compile(settings("PreToolUse", command("x", { if: "Edit(/src/**)" }))));
  assert.deepEqual(hook.when, { is: "tool", with: { pattern: "Edit(/src/**)", root: "/project" } });
  const elsewhere = { ...origin, root: "/else", file: "/else/.claude/settings.json" };
  const text = JSON.stringify(settings("PreToolUse", command("x", { if: "Edit(/src/**)" })));
  const twin = compileSettings(text, elsewhere, { format: formatOf("claude") }).hooks[0];
  assert.ok(twin && twin.id !== hook.id);
});

test("an if that is no tool pattern is an error, and its hook is dropped", () => {
  const compiled = compile(settings("PreToolUse", command("x", { if: "git *" })));
  assert.deepEqual([compiled.hooks.length, codes(compiled)], [0, ["matcher-invalid"]]);
});

test("[R46, R52] a guard with async still runs as a guard, and an error says so", () => {
  for (const more of [
    { role: "guard", async: true },
    { role: "guard", asyncRewake: true },
    { onFailure: "block", async: true },
  ]) {
    const compiled = compile(settings("PreToolUse", command("./guard.sh", more)));
    assert.equal(only(compiled).mode, "sync", JSON.stringify(more));
    assert.deepEqual(
      compiled.problems.map(({ severity, code }) => [severity, code]),
      [["error", "guard-in-background"]],
    );
  }
  assert.deepEqual(codes(compile(settings("PreToolUse", command("./guard.sh", { role: "guard", async: false })))), []);
});

test("[R46] a hook file that was emptied is an error, so that its guards are missed; an agent's own may be empty", () => {
  assert.deepEqual(codes(compile("", "hookline")), ["syntax"]);
  assert.deepEqual(codes(compile(" // nothing\n", "hookline")), ["syntax"]);
  assert.deepEqual(codes(compile("{}", "hookline")), []);
  assert.deepEqual(codes(compile("", "claude")), []);
});
