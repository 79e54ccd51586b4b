/** An automation as it is written becomes one hook, or findings that say why not. */
import assert from "node:assert/strict";
import test from "node:test";
import type { Fields, Json } from "../../../src/engine/event.ts";
import type { LlmConfig } from "../../../src/formats/automations/fields.ts";
import { instantOf } from "../../../src/formats/automations/moment.ts";
import { compile, told, written } from "../automation-helpers.ts";

const now = Date.parse("2026-01-01T00:00:00Z");
const hookOf = (fields: Fields) => {
  const { hook, findings } = compile(written(fields));
  assert.deepEqual(
    findings.filter(({ severity }) => severity === "error"),
    [],
  );
  assert.ok(hook);
  return hook;
};
const onOf = (trigger: Fields) => hookOf({ trigger, cooldown_seconds: 0 }).on;

test("[A4] what its author leaves out is as specified", () => {
  const { automation } = compile({ name: "Night", trigger: { type: "periodic" } });
  assert.deepEqual(automation, {
    id: "night",
    project_id: "shop",
    name: "Night",
    enabled: true,
    trigger: { type: "periodic" },
    context_steps: [],
    prompt_template: "",
    llm_config: null,
    cooldown_seconds: 3600,
    max_tokens_per_run: null,
    created_at: 0,
    updated_at: 0,
    overlap: "coalesce",
    timeout_seconds: 300,
    tools: null,
    max_turns: null,
    notify: null,
  });
});

test("[A4] its hook is known by project and id, so two projects' automations of one name are two", () => {
  const one = hookOf({});
  const other = hookOf({ project_id: "other" });
  assert.equal(one.id, "automation:shop/tell-of-failures");
  assert.equal(other.id, "automation:other/tell-of-failures");
  assert.equal(one.durable, true);
  assert.equal(one.mode, "async");
  assert.equal(one.project, "shop");
  assert.equal(one.origin.root, "/shop");
  assert.deepEqual(one.limits, { timeout: 300, cooldown: 3600, overlap: "coalesce" });
});

test("[A4] texts that hold JSON are read as the specification's table has them", () => {
  const { hook, findings } = compile(
    written({
      trigger: '{"type":"event","event_type":"task.failed"}',
      context_steps: '[{"type":"shell","command":"git log"}]',
      llm_config: '{"provider":"anthropic","model":"m"}',
    }),
  );
  assert.deepEqual(findings, []);
  assert.deepEqual(
    hook,
    hookOf({
      trigger: { type: "event", event_type: "task.failed" },
      context_steps: [{ type: "shell", command: "git log" }],
      llm_config: { provider: "anthropic", model: "m" },
    }),
  );
  assert.match(told({ trigger: "{type: event" })[0] ?? "", /^error: "trigger" is a text that is no JSON/);
});

test("[A5, AT21] an event trigger gets exactly its event, by every name that the event has", () => {
  assert.deepEqual(onOf({ type: "event", event_type: "task.completed" }), {
    event: ["task.completed"],
    as: ["task.completed"],
  });
  assert.deepEqual(onOf({ type: "event", event_type: "tool_end" }), {
    event: ["PostToolUse", "PostToolUseFailure"],
    as: ["tool_end"],
  });
  assert.deepEqual(onOf({ type: "event", event_type: "Stop" }), { event: ["Stop"], as: ["Stop"] });
  const when = { is: "of_project", with: { project: "shop", workspace: "/shop" } };
  assert.deepEqual(hookOf({}).when, when);
});

test("an event that nothing sends is refused, and one that is nearly ours is asked about", () => {
  assert.deepEqual(told({ trigger: { type: "event", event_type: "PostToolUs" } }), [
    'error: no event is called "PostToolUs"',
  ]);
  const [finding] = compile(written({ trigger: { type: "event", event_type: "task.complete" } })).findings;
  assert.equal(finding?.suggestion, 'did you mean "task.completed"?');
  assert.equal(finding?.severity, "warning");
});

test("periodic, cron and one-shot triggers are the engine's own", () => {
  assert.deepEqual(onOf({ type: "periodic", interval_seconds: 60 }), { every: 60 });
  assert.deepEqual(onOf({ type: "periodic" }), { every: 3600 });
  assert.deepEqual(onOf({ type: "cron", cron: "0 3 * * 1-5", zone: "Europe/Berlin" }), {
    cron: "0 3 * * 1-5",
    zone: "Europe/Berlin",
  });
  assert.deepEqual(onOf({ type: "at", at: "2030-01-31T08:00:00+01:00" }), { at: Date.parse("2030-01-31T07:00:00Z") });
});

test("a bad cron pattern, a day that never comes and a time zone that there is not are refused with the reason", () => {
  const cron = (cron: string, zone?: string): string =>
    told({ trigger: { type: "cron", cron, ...(zone ? { zone } : {}) } })[0] ?? "";
  assert.equal(cron("61 * * * *"), 'error: "61 * * * *" is no cron pattern: invalid value for minute: 61');
  assert.match(cron("* *"), /^error: "\* \*" is no cron pattern: /);
  assert.match(cron("0 0 31 2 *"), /no day ever fits it/);
  assert.match(cron("2030-01-01T00:00:00"), /comes once: write type: at/);
  assert.equal(cron("0 3 * * *", "Europe/Berlim"), 'error: no time zone is called "Europe/Berlim"');
});

test("[AT45] delays become moments when the automation is made", () => {
  const at = (delay: string): number => {
    const { hook } = compile(written({ trigger: { type: "at", in: delay } }), { now });
    return hook && "at" in hook.on ? (hook.on.at - now) / 1000 : Number.NaN;
  };
  const delays = { "30s": 30, "5m": 300, "2h": 7200, "1d": 86400, "2h30m": 9000, "120": 120 };
  for (const [delay, seconds] of Object.entries(delays)) assert.equal(at(delay), seconds, delay);
  for (const junk of ["soon", "5 apples", "m5", "-5m", "0", "", "1h1d"]) assert.ok(Number.isNaN(at(junk)), junk);
});

test("[AT45] a moment that is past, and a moment together with a delay, are refused", () => {
  const made = (trigger: Fields, more: Fields = {}): string =>
    told({ ...more, trigger: { type: "at", ...trigger } }, { now })[0] ?? "";
  assert.match(made({ at: "2025-01-01T00:00:00Z" }), /^error: .*future/);
  assert.match(made({ at: "2030-01-01", in: "5m" }), /^error: .*not both/);
  assert.match(made({ in: "soon" }), /^error: "soon" is no delay/);
  assert.match(made({ at: "2030-02-31T00:00:00Z" }), /is no moment/);
  assert.match(made({}), /needs "at"/);
  assert.deepEqual(told({ trigger: { type: "at", at: "2025-01-01T00:00:00Z" } }), [], "it was made before then");
});

test("[A11] a watch becomes the watcher's rule: relative paths join base_dir, or the project's folder", () => {
  const watch = (event_type: string, rule: Fields): Json =>
    JSON.parse(JSON.stringify(onOf({ type: "event", event_type, watch: rule })));
  assert.deepEqual(watch("file.changed", { paths: ["a.toml", "/etc/b"] }), {
    watch: { kind: "file", paths: ["a.toml", "/etc/b"], base: "/shop" },
  });
  assert.deepEqual(
    watch("folder.changed", {
      paths: ["docs/"],
      recursive: true,
      extensions: [".md"],
      base_dir: "web",
      project_id: "b",
      poll: true,
    }),
    {
      watch: {
        kind: "folder",
        paths: ["docs/"],
        base: "/shop/web",
        project: "b",
        recursive: true,
        extensions: [".md"],
        poll: true,
      },
    },
  );
});

test("[A11] a watch without paths is refused, and a field that is for folders only is reported", () => {
  const watch = (event_type: string, rule: Fields): string[] =>
    told({ trigger: { type: "event", event_type, watch: rule } });
  assert.deepEqual(watch("file.changed", { paths: [] }), [
    'error: "paths" of the watch is empty, so nothing is watched',
  ]);
  assert.match(watch("file.changed", {})[0] ?? "", /^error: a trigger of type event needs "watch\.paths"/);
  assert.match(
    watch("file.changed", { paths: ["a"], recursive: true })[0] ?? "",
    /^warning: "recursive" is for folders/,
  );
  assert.match(
    watch("task.failed", { paths: ["a"] })[0] ?? "",
    /^error: "watch" is for file\.changed and folder\.changed/,
  );
  const noFolder = compile(
    written({ trigger: { type: "event", event_type: "file.changed", watch: { paths: ["a"] } } }),
    { workspace: undefined } as object,
  );
  assert.match(noFolder.findings[0]?.message ?? "", /the project has no folder/);
});

test("[A15, AT29] with skip_llm, and without a prompt, the steps run and no model is asked", () => {
  const steps = [{ type: "shell", command: "true", skip_llm_if_exit_zero: true }];
  const uses = (fields: Fields): string[] => hookOf({ context_steps: steps, ...fields }).steps.map((step) => step.uses);
  assert.deepEqual(uses({ trigger: { type: "periodic", skip_llm: true } }), ["context_shell", "no_model"]);
  assert.deepEqual(uses({ prompt_template: " " }), ["context_shell", "no_model"]);
  assert.deepEqual(uses({}), ["context_shell", "ask_model"]);
  assert.equal(
    hookOf({ context_steps: steps, trigger: { type: "periodic", skip_llm: true } }).steps[1]?.skipIf,
    undefined,
  );
  assert.deepEqual(told({ prompt_template: "" }), ["warning: there is no prompt, so no model is asked"]);
});

test("[A38] the flags of the steps are asked before the model's step, one entry for each step", () => {
  const { steps } = hookOf({
    context_steps: [
      { type: "shell", command: "a", skip_llm_if_exit_zero: true, skip_llm_if_empty: false },
      { type: "read_file", path: "b" },
      { type: "http", url: "http://localhost", skip_llm_if_empty: true, skip_llm_if_status_ok: true },
    ],
  });
  const [shell, , , model] = steps;
  assert.deepEqual(shell, {
    uses: "context_shell",
    with: { command: "a" },
    timeout: 65,
    onError: "continue",
    templates: true,
  });
  assert.deepEqual(model?.skipIf, {
    is: "skip_flags",
    with: [{ exit_zero: true }, {}, { empty: true, status_ok: true }],
  });
});

test("a step's own timeout is reported first: the engine's comes later", () => {
  const [step] = hookOf({ context_steps: [{ type: "shell", command: "a", timeout: 7 }] }).steps;
  assert.equal(step.timeout, 12);
});

test("[AT15] a step of a type that there is not is an error, and its place in the run says so", () => {
  const steps = [{ type: "shell", command: "a" }, { type: "foobar" }, { type: "shell", command: "b" }];
  const { hook, automation, findings } = compile(written({ context_steps: steps }));
  assert.deepEqual(
    findings.map(({ severity, message }) => [severity, message]),
    [["error", "Unknown step type: foobar"]],
  );
  assert.deepEqual(
    hook?.steps.map(({ uses }) => uses),
    ["context_shell", "unknown_step", "context_shell", "ask_model"],
  );
  assert.deepEqual(hook?.steps[1]?.with, { type: "foobar" });
  assert.ok(automation);
  const [near] = compile(written({ context_steps: [{ type: "shel" }] })).findings;
  assert.equal(near?.suggestion, 'did you mean "shell"?');
});

test("a step's parameters, its flags and the names of its queries are checked", () => {
  const step = (fields: Fields): string[] => told({ context_steps: [fields] });
  assert.deepEqual(step({ type: "shell", comand: "a" }), ['error: the shell step has no "comand"']);
  assert.deepEqual(step({ type: "shell", command: "a", skip_llm_if_exit_zro: true }), [
    'error: the shell step has no "skip_llm_if_exit_zro"',
  ]);
  assert.deepEqual(step({ type: "shell", command: "a", skip_llm_if_empty: "yes" }), [
    'error: "skip_llm_if_empty" needs true or false but is "yes"',
  ]);
  assert.match(step({ type: "db_query", query: "drop table" })[0] ?? "", /^error: Unknown query: drop table/);
  assert.match(step({ command: "a" })[0] ?? "", /needs a "type"/);
});

test("unknown fields are reported with the likely ones, and wrong values with what is needed", () => {
  const suggestions = (fields: Fields) =>
    compile(written(fields)).findings.map(({ message, suggestion }) => [message, suggestion]);
  assert.deepEqual(suggestions({ cooldown: 5 }), [['an automation has no "cooldown"', 'write "cooldown_seconds"']]);
  assert.deepEqual(suggestions({ promt_template: "a" }), [
    ['an automation has no "promt_template"', 'did you mean "prompt_template"?'],
  ]);
  assert.deepEqual(
    suggestions({ overlap: "drop" })[0]?.[0],
    '"overlap" of an automation needs "skip" or "queue" or "coalesce" or "restart" but is "drop"',
  );
  assert.deepEqual(
    suggestions({ cooldown_seconds: -1 })[0]?.[0],
    '"cooldown_seconds" of an automation needs a number of at least 0 but is -1',
  );
  assert.deepEqual(
    compile({}).findings.map(({ message }) => message),
    ['an automation needs "name"', 'an automation needs "trigger"'],
  );
});

test("a trigger of an unknown type, and one without a type, are reported with the likely one", () => {
  const advice = (trigger: Json) => compile(written({ trigger })).findings[0]?.suggestion;
  assert.equal(advice({ type: "perodic" }), 'did you mean "periodic"?');
  assert.equal(advice({ type: "schedule", cron: "* * * * *" }), "write type: cron");
  assert.equal(advice({ interval_seconds: 5 }), "write type: periodic");
  assert.equal(advice({ type: "event", event: "task.failed" }), 'write "event_type"');
});

test("[A17a] what is due more often than its cooldown lets it run is warned of", () => {
  const warned = (fields: Fields): boolean => told(fields).some((one) => one.includes("may run only every"));
  assert.equal(warned({ trigger: { type: "periodic", interval_seconds: 60 } }), true);
  assert.equal(warned({ trigger: { type: "periodic", interval_seconds: 60 }, cooldown_seconds: 60 }), false);
  assert.equal(warned({ trigger: { type: "periodic" } }), false);
  const hourly = { trigger: { type: "cron", cron: "0 * * * *" } };
  assert.equal(warned(hourly), false, "a pattern has no cooldown that its author did not write");
  assert.equal(warned({ ...hourly, cooldown_seconds: 3600 }), false, "as long as the period");
  assert.equal(warned({ ...hourly, cooldown_seconds: 3601 }), true);
  const daily = { type: "cron", cron: "30 2 * * *", zone: "Europe/Berlin" };
  assert.equal(warned({ trigger: daily, cooldown_seconds: 86_400 }), false);
  assert.equal(warned({ trigger: { type: "cron", cron: "0 3 * * *" } }), false);
});

test("[A41] what llm_config names is the model step's, and numbers are read as text", () => {
  const step = hookOf({
    llm_config: { provider: "local", model: 4, base_url: "" },
    max_tokens_per_run: 900,
    max_turns: 2,
    tools: ["hookline.task_list"],
  }).steps.at(-1);
  assert.deepEqual(step?.with, {
    prompt: "Why did {{event.title}} fail?",
    provider: "local",
    model: "4",
    max_tokens: 900,
    max_turns: 2,
    tools: ["hookline.task_list"],
  });
  assert.deepEqual(hookOf({ tools: "all" }).steps.at(-1)?.with.tools, "all");
});

test("[R28] a tool that there is not is an error when the automation is made; servers' tools are not known then", () => {
  const tools = [
    "hookline.task_creat",
    "read_fil",
    "search",
    "hookline.task_*",
    "hookline.release_plan_*",
    "github.x",
    "git*",
  ];
  assert.deepEqual(
    compile(written({ tools })).findings.map(({ path, message, suggestion = "" }) => [
      ...path,
      message,
      suggestion.replace(/^known: read_file, .*$/, "known: …"),
    ]),
    [
      ["tools", 0, 'no tool is called "hookline.task_creat"', 'did you mean "hookline.task_create"?'],
      ["tools", 1, 'no tool is called "read_fil"', 'did you mean "read_file"?'],
      ["tools", 4, 'no tool is called "hookline.release_plan_*"', "known: …"],
    ],
  );
  assert.equal(compile(written({ tools })).hook?.steps.at(-1)?.uses, "ask_model", "its run says the same");
  assert.deepEqual(told({ tools: ["all"] }), ['error: no tool is called "all"']);
});

test("[A41, A49] an unknown provider is an error when the automation is made, and the automation stays active and fails in its run", () => {
  const modelFault = (llm: LlmConfig | null) =>
    ({
      severity: llm ? "error" : "warning",
      message: `Failed to create LLM provider: ${llm?.provider ?? "none"}`,
      suggestion: "…",
    }) as const;
  const { hook, findings } = compile(written({ llm_config: { provider: "opnai" } }), { modelFault });
  assert.deepEqual(
    findings.map(({ severity, message }) => [severity, message]),
    [["error", "Failed to create LLM provider: opnai"]],
  );
  assert.equal(hook?.steps.at(-1)?.uses, "ask_model");
  assert.equal(compile(written(), { modelFault }).findings[0]?.severity, "warning");
  assert.deepEqual(compile(written({ trigger: { type: "periodic", skip_llm: true } }), { modelFault }).findings, []);
  assert.match(told({ llm_config: { base_url: "{{event.url}}" } })[0] ?? "", /^error: .*placeholder/);
});

test("a placeholder that is no plain path is an error of the automation, with the right form", () => {
  assert.deepEqual(told({ prompt_template: "{{ event.title | truncate(20) }}" }), [
    "error: {{ event.title | truncate(20) }} is no placeholder: between the braces stands a plain path, without filters, brackets, calls and operators",
  ]);
  const step = { type: "read_file", path: "{{event.files[0]}}" };
  assert.match(told({ context_steps: [step] })[0] ?? "", /^error: \{\{event\.files\[0\]\}\} is no placeholder/);
  for (const gap of ["{{event.}}", "{{event..x}}", "{{ tool.name. }}"])
    assert.deepEqual(told({ prompt_template: gap }), [
      `error: ${gap} is no placeholder: a dot in it has no name behind it`,
    ]);
  assert.deepEqual(told({ prompt_template: "{{session.id}}" }), [
    'warning: {{session.id}} is always empty: "session" is a plain value and has no "id"',
  ]);
});

test("seconds of an automation may be written as durations", () => {
  const { automation, findings } = compile(
    written({
      cooldown_seconds: "5m",
      timeout_seconds: "1h",
      trigger: { type: "periodic", interval_seconds: "15 min" },
    }),
  );
  assert.deepEqual(findings, []);
  assert.deepEqual([automation?.cooldown_seconds, automation?.timeout_seconds], [300, 3600]);
  assert.equal(automation?.trigger.type === "periodic" && automation.trigger.interval_seconds, 900);
});

test("placeholders that can never be filled are warned of", () => {
  assert.deepEqual(told({ prompt_template: "{{step_0}}" }), [
    "warning: {{step_0}} is always empty: no step runs before it",
  ]);
  assert.deepEqual(told({ prompt_template: "{{evnt.title}} {{mine}}" }), [
    "warning: {{evnt.title}} stands for nothing and stays as it is written",
  ]);
  assert.deepEqual(
    told({ context_steps: [{ type: "read_file", path: "a" }], prompt_template: "{{step_0.content}} {{ event }}" }),
    [],
  );
});

test("of one that is broken, what sets it off fails and says why", () => {
  const { hook, automation } = compile(written({ cooldown_seconds: "often" }));
  assert.equal(automation, undefined);
  assert.deepEqual(hook?.when, { is: "of_project", with: { project: "shop", workspace: "/shop" } });
  assert.deepEqual(
    hook?.steps.map(({ uses, with: params }) => [uses, params.reason]),
    [["invalid", '"cooldown_seconds" of an automation needs a number of at least 0 but is "often"']],
  );
  assert.equal(compile(written({ trigger: { type: "never" } })).hook, undefined);
});

test("nothing that is written makes it throw", () => {
  for (const value of [
    null,
    5,
    "text",
    [],
    [1],
    { name: {}, trigger: [], context_steps: {}, llm_config: 5, id: [] },
  ] as Json[])
    assert.ok(compile(value).findings.length > 0);
});

test("a date without a time and without a zone begins at midnight of this machine's zone", (t) => {
  const { TZ } = process.env;
  t.after(() => {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  });
  process.env.TZ = "Pacific/Auckland";
  assert.equal(instantOf("2026-11-30"), Date.UTC(2026, 10, 29, 11));
  assert.equal(instantOf("2026-11-30T00:00"), instantOf("2026-11-30"));
  assert.equal(instantOf("2026-11-30T00:00Z"), Date.UTC(2026, 10, 30));
});
