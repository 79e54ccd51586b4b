import assert from "node:assert/strict";
import test from "node:test";
import { isGuard } from "../../../src/engine/hook.ts";
import { matchOf } from "../../../src/formats/registry/match.ts";
import { inEnvironment } from "../../../src/loading/order.ts";
import { compile, only, told, written } from "../registry-helpers.ts";

test("[B9, B10, B17] a registry file becomes one hook that runs its script from the repository's root", () => {
  const compiled = compile(written({ summary: "Track every call.", priority: "50" }));
  assert.deepEqual(told(compiled), []);
  assert.deepEqual(only(compiled), {
    id: "registry:.system/hooks/tracker.yaml#tracker@ec21d9ae",
    name: "tracker",
    summary: "Track every call.",
    on: { event: ["PostToolUse", "PostToolUseFailure"], as: ["PostAbilityCall"] },
    steps: [
      {
        uses: "command",
        with: { command: "./track.sh", protocol: "registry", folder: "root" },
        timeout: 600,
        onError: "stop",
      },
    ],
    limits: { overlap: "coalesce" },
    mode: "sync",
    role: "undeclared",
    onFailure: "continue",
    priority: 50,
    enabled: true,
    tags: [],
    origin: {
      dialect: "registry",
      layer: "project",
      file: "/project/.system/hooks/tracker.yaml",
      root: "/project",
      line: 1,
      column: 1,
    },
  });
});

test("[B10] event_type may be a list, and any event that Hookline knows", () => {
  const { on } = only(compile(written({ event_type: "[SessionStop, Stop, task.completed, PreAbilityCall]" })));
  assert.deepEqual(on, {
    event: ["SessionStop", "Stop", "task.completed", "PreToolUse"],
    as: ["SessionStop", "Stop", "task.completed", "PreAbilityCall"],
  });
});

test("[B10] timeout, env and blocking are read; the handler's own timeout counts more", () => {
  const hook = only(
    compile(
      written({
        handler: "{ kind: script, command: ./x.sh, timeout: 5 }",
        timeout: "30",
        env: "{ PORT: 3000, DRY: true, NAME: api }",
        blocking: "true",
      }),
    ),
  );
  assert.equal(hook.steps[0].timeout, 5);
  assert.deepEqual(hook.steps[0].with.env, { PORT: "3000", DRY: "true", NAME: "api" });
  assert.equal(hook.onFailure, "block");
  assert.equal(only(compile(written({ timeout: "30" }))).steps[0].timeout, 30);
});

test("[B12, BT20] effects takes any content and changes nothing", () => {
  const plain = only(compile(written()));
  for (const effects of ["[a, { b: [1, null] }]", "text", "{ deep: { er: 1 } }", "null", "3"])
    assert.deepEqual(only(compile(written({ effects }))), plain, effects);
});

test("[B13] a hook that is not enabled stays where people can see it, and does not run", () => {
  const compiled = compile(written({ enabled: "false" }));
  assert.equal(only(compiled).enabled, false);
  assert.deepEqual(told(compiled), []);
});

test("[B14, R39] a hook for other environments is disabled and says which it is for", () => {
  const hook = only(compile(written({ environments: "[ci, staging]" })));
  assert.deepEqual([hook.enabled, hook.environments], [true, ["ci", "staging"]]);
  const here = inEnvironment(hook, "dev");
  assert.equal(here.enabled, false);
  assert.equal(here.disabledBecause, "it is for ci and staging, and this is dev");
  assert.equal(inEnvironment(hook, "staging").enabled, true);
  assert.equal(inEnvironment(only(compile(written({ environments: "dev" }))), "dev").enabled, true);
  const off = inEnvironment(only(compile(written({ environments: "ci", enabled: "false" }))), "dev");
  assert.deepEqual([off.enabled, off.disabledBecause], [false, undefined]);
});

test("[B11] match becomes conditions, and its registration shows it as it was written", () => {
  const match =
    "{ ability_scope: [billing_*, 'skill:*'], operation_key: workflow.*, min_duration_ms: 100, only_if_changed_paths: ['services/**'] }";
  const hook = only(compile(written({ match })));
  assert.deepEqual(hook.when, {
    all: [
      { is: "ability", with: { match: ["billing_*", "skill:*"] } },
      { is: "operation_key", with: { match: ["workflow.*"] } },
      { is: "min_duration", with: { ms: 100 } },
      { is: "changed_files", with: { patterns: ["services/**"], root: "/project" } },
    ],
  });
  assert.deepEqual(matchOf(hook.when), {
    ability_scope: ["billing_*", "skill:*"],
    operation_key: "workflow.*",
    min_duration_ms: 100,
    only_if_changed_paths: ["services/**"],
  });
});

test("[B11] an ability_scope of * and a least duration of 0 ask for nothing", () => {
  assert.equal(only(compile(written({ match: "{ ability_scope: '*', min_duration_ms: 0 }" }))).when, undefined);
  assert.equal(only(compile(written({ match: "" }))).when, undefined);
});

test("[B11, B25] at the end of a session all of its changes count, and its hooks get them", () => {
  const match = "{ only_if_changed_paths: [services/**] }";
  assert.deepEqual(only(compile(written({ event_type: "SessionStop", match }))).when, {
    is: "changed_files",
    with: { patterns: ["services/**"], root: "/project", since: "session" },
  });
  const { when } = only(compile(written({ event_type: "SessionStop" })));
  assert.deepEqual(when, {
    is: "changed_files",
    with: { patterns: ["**"], root: "/project", since: "session", optional: true },
  });
  assert.equal(matchOf(when), undefined);
});

test("[B18] a built-in handler takes its parameters, checked at their place", () => {
  const handler = "{ kind: builtin, name: usage_tracker, with: { records: logs/calls.md } }";
  const hook = only(compile(written({ handler })));
  assert.deepEqual([hook.steps[0].uses, hook.steps[0].with], ["usage_tracker", { records: "logs/calls.md" }]);
  assert.equal(hook.role, "observe");
  const wrong = compile(written({ handler: "{ kind: builtin, name: usage_tracker, with: { recrods: x } }" }));
  assert.deepEqual(wrong.hooks, []);
  assert.deepEqual(told(wrong), [
    '3:56 error unknown-field the built-in handler usage_tracker has no "recrods" (did you mean "records"?)',
  ]);
});

test("[BT4] a built-in handler that does not exist is reported with the likely one", () => {
  const compiled = compile(written({ handler: "{ kind: builtin, name: usage_traker }" }));
  assert.deepEqual(compiled.hooks, []);
  assert.deepEqual(told(compiled), [
    '3:33 error unknown-type no built-in handler is called "usage_traker" (did you mean "usage_tracker"?)',
  ]);
  assert.match(told(compile(written({ handler: "{ kind: builtin, name: command }" })))[0] ?? "", /no built-in handler/);
});

test("[BT4] a missing field is reported with line, column and reason, and what to write", () => {
  const cases: readonly (readonly [string, string])[] = [
    [written({ id: "" }), '1:1 error missing-field a hook needs "id" (it is: a name of its own'],
    [written({ id: "''" }), '1:5 error wrong-type "id" of a hook needs a name but is ""'],
    [written({ event_type: "" }), '1:1 error missing-field a hook needs "event_type" (it is: the event'],
    [written({ handler: "" }), '1:1 error missing-field a hook needs "handler" (it is: what runs'],
    [
      written({ handler: "{ kind: script }" }),
      '3:1 error missing-field the handler needs "command" (write command: ./scripts/hooks/name.sh)',
    ],
    [
      written({ handler: "{ kind: builtin }" }),
      '3:1 error missing-field the handler needs "name" (write name: usage_tracker)',
    ],
    [
      written({ handler: "{ kind: scirpt, command: x }" }),
      '3:18 error unknown-type no kind of handler is called "scirpt" (did you mean "script"?)',
    ],
    [
      written({ event_type: "PostAbilityCal" }),
      '2:13 error unknown-event no event is called "PostAbilityCal" (did you mean "PostAbilityCall"',
    ],
    [written({ event_type: "[]" }), '2:13 error wrong-type "event_type" of a hook needs a name or a list of names'],
    [written({ blocking: "yes" }), '4:11 error wrong-type "blocking" of a hook needs true or false but is "yes"'],
    [written({ enabeld: "false" }), '4:1 error unknown-field a hook has no "enabeld" (did you mean "enabled"?)'],
    [
      written({ match: "{ min_duration_ms: long }" }),
      '4:27 error wrong-type "match.min_duration_ms" of a hook needs a number of at least 0 but is "long"',
    ],
    ["- just text\n", "1:3 error wrong-type a hook is a map with id, event_type and handler"],
    ["", "1:1 error syntax the file is empty"],
  ];
  for (const [text, expected] of cases) {
    const compiled = compile(text);
    assert.ok(
      told(compiled).some((line) => line.startsWith(expected)),
      `${text}\n${told(compiled).join("\n")}`,
    );
    assert.ok(compiled.hooks.every(({ steps }) => steps[0].uses === "invalid"));
  }
});

test("[BT4] broken YAML is reported where it breaks", () => {
  const compiled = compile("id: tracker\nevent_type: [PostAbilityCall\nhandler: { kind: script, command: x }\n");
  assert.deepEqual(compiled.hooks, []);
  assert.match(told(compiled)[0] ?? "", /^2:13 error syntax this bracket is not closed/);
});

test("[R33] a word that resembles no field costs nothing, and is reported", () => {
  const compiled = compile(written({ owner: "team-a", "x-notes": "free" }));
  assert.equal(only(compiled).name, "tracker");
  assert.match(told(compiled).join(), /^4:1 warning unknown-field nothing reads "owner"/);
});

test("[B10] several hooks in one file are read one by one, with a note", () => {
  const list = "- { id: a, event_type: SessionStart, handler: { kind: script, command: x } }\n- { id: b }\n";
  const compiled = compile(list);
  assert.deepEqual(
    compiled.hooks.map(({ name }) => name),
    ["a"],
  );
  assert.match(told(compiled)[0] ?? "", /^1:1 note shape 2 hooks stand in a list/);
  const under = compile(`hooks:\n${list.replace(/^/gm, "  ").trimEnd()}\n`);
  assert.deepEqual(
    under.hooks.map(({ name }) => name),
    ["a"],
  );
});

test("[R46] a blocking hook that is invalid stays as one that blocks on its events", () => {
  const cases: readonly string[] = [
    written({ event_type: "PreAbilityCall", handler: "{ kind: script }", blocking: "true" }),
    written({ event_type: "PreAbilityCal", blocking: "true" }),
    written({ event_type: "PreAbilityCall", bloking: "true" }),
    written({ event_type: "PreAbilityCall", blocking: "yes" }),
  ];
  for (const text of cases) {
    const compiled = compile(text);
    const hook = only(compiled);
    assert.equal(hook.steps[0].uses, "invalid", text);
    assert.equal(hook.onFailure, "block", text);
    assert.deepEqual("event" in hook.on && hook.on.event, ["PreToolUse"], text);
    assert.ok(
      told(compiled).some((line) => line.includes("guard-invalid")),
      text,
    );
    assert.match(hook.id, /#tracker@/, text);
  }
  assert.deepEqual(compile(written({ id: "", blocking: "false" })).hooks, []);
  assert.deepEqual(compile("# blocking: true\nid: [\n").hooks, []);
});

/** A built-in handler of a hook before calls. */
const builtin = (handler: string, fields: { [field: string]: string } = {}): string =>
  written({ event_type: "PreAbilityCall", handler: `{ kind: builtin, ${handler} }`, ...fields });

test("[R46, R52] a built-in handler that would be a guard if it were valid stays as one", () => {
  const rule = (does: string): string => `{ when: { ability: x }, ${does}, message: m }`;
  const cases: readonly string[] = [
    builtin(`name: soft_guardrail, with: { rules: [${rule("do: warn")}, ${rule("do: blok")}] }`),
    builtin(`name: soft_guardrial, with: { rules: [${rule("do: block")}] }`),
    builtin(`name: soft_guardrail, wiht: { rules: [${rule("do: block")}] }`),
    builtin(`name: soft_guardrail, with: { rulse: [${rule("do: block")}] }`),
    builtin(
      `name: soft_guardrail, with: { rules: [${rule("do: block")}, { when: { input: "(" }, do: warn, message: m }] }`,
    ),
    builtin("name: build_check, with: { block: yes }"),
    builtin("name: build_check, with: { blok: true }"),
    builtin("name: build_check, with: { block: true, parallel: many }"),
  ];
  for (const text of cases) {
    const hook = only(compile(text));
    assert.equal(hook.steps[0].uses, "invalid", text);
    assert.ok(isGuard(hook), text);
    assert.equal(hook.onFailure, "block", text);
    assert.match(
      told(compile(text)).join("\n"),
      /guard-invalid until this hook is corrected its last good form stays active or, where it never had one, its failure policy \(block\) answers/,
    );
  }
  const others: readonly string[] = [
    builtin(`name: soft_guardrail, with: { rules: [${rule("do: wran")}] }`),
    builtin("name: build_check, with: { block: false, parallel: many }"),
    builtin("name: usage_tracker, with: { records: 3 }"),
  ];
  for (const text of others) assert.deepEqual(compile(text).hooks, [], text);
});

test("[R17, R52] a built-in guard blocks where it fails, unless its author says that it does not", () => {
  const given = "name: soft_guardrail, with: { rules: [{ when: { ability: x }, do: block, message: m }] }";
  const policy = (text: string): string[] => [only(compile(text)).role, only(compile(text)).onFailure];
  assert.deepEqual(policy(builtin(given)), ["guard", "block"]);
  assert.deepEqual(policy(builtin(given, { blocking: "false" })), ["guard", "continue"]);
  assert.deepEqual(policy(builtin(given.replace("do: block", "do: blok"), { blocking: "false" })), [
    "guard",
    "continue",
  ]);
  assert.deepEqual(policy(builtin(given.replace("do: block", "do: warn"))), ["observe", "continue"]);
});

test("[B11, R38] a match that can hold on none of its events is reported", () => {
  const never = (fields: { [field: string]: string }): string => told(compile(written(fields))).join();
  assert.match(
    never({ event_type: "SessionStop", match: "{ ability_scope: x }" }),
    /4:1 warning if-never SessionStop are about no ability/,
  );
  assert.match(
    never({ event_type: "PreAbilityCall", match: "{ min_duration_ms: 5 }" }),
    /if-never PreAbilityCall do not say how long/,
  );
  assert.equal(never({ event_type: "[PreAbilityCall, PostAbilityCall]", match: "{ min_duration_ms: 5 }" }), "");
});

test("fields that do not fit the kind of handler, and times in the wrong unit, are reported", () => {
  const lines = told(
    compile(written({ handler: "{ kind: script, command: x, name: usage_tracker, timeout: 30000 }" })),
  );
  assert.match(lines[0] ?? "", /^3:38 warning ignored-field "name" means nothing to a script/);
  assert.match(lines[1] ?? "", /^3:\d+ warning timeout-unit .*\(write 30\)/);
  assert.match(
    told(compile(written({ handler: "{ command: x }" }))).join(),
    /warning missing-field .*taken for a script/,
  );
});

test("[R30] hooks of two projects have two ids, also with the same file and name", () => {
  const ids = ["/a", "/b"].map((root) => only(compile(written(), {}, { root })).id);
  assert.notEqual(ids[0], ids[1]);
});

test("[R90] text_limit is how much a repository hook may say", () => {
  assert.equal(only(compile(written({ text_limit: "50000" }))).limits.text, 50_000);
});
