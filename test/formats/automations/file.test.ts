/** Files of automations: every mistake with its place, and none that stops another automation. */
import assert from "node:assert/strict";
import test from "node:test";
import type { Problem } from "../../../src/engine/hook.ts";
import { compileFile } from "../automation-helpers.ts";

const shown = (problems: readonly Problem[]): string[] =>
  problems.map(({ line, column, severity, message }) => `${line}:${column} ${severity} ${message}`);

test("a file holds one automation, a list of them, or several documents", () => {
  const one = "name: a\ntrigger: { type: periodic, skip_llm: true }\n";
  const list =
    "automations:\n  - name: b\n    trigger: { type: periodic, skip_llm: true }\n  - name: c\n    trigger: { type: periodic, skip_llm: true }\n";
  const names = (text: string): string[] => {
    const { hooks, problems } = compileFile(text);
    assert.deepEqual(problems, []);
    return hooks.map(({ name }) => name);
  };
  assert.deepEqual(names(one), ["a"]);
  assert.deepEqual(names(list), ["b", "c"]);
  assert.deepEqual(names(`---\n${one}---\n${list}`), ["a", "b", "c"]);
  assert.deepEqual(names(`# mine\n---\n${one}`), ["a"]);
  assert.deepEqual(names(`%YAML 1.2\n---\n${one}...\n`), ["a"]);
  assert.deepEqual(names("automations: []\n"), []);
  assert.deepEqual(names(`# ${one.replaceAll("\n", "\n# ")}`), [], "all of it commented out");
});

test("every hook knows the line that it is in", () => {
  const { hooks } = compileFile(
    "automations:\n  - name: b\n    trigger: { type: periodic }\n---\nname: a\ntrigger: { type: periodic }\n",
  );
  assert.deepEqual(
    hooks.map(({ origin }) => [origin.line, origin.column]),
    [
      [2, 5],
      [5, 1],
    ],
  );
});

test("mistakes are reported with line and column, in every document, and the others are active", () => {
  const text = `name: good
trigger: { type: periodic, interval_secnds: 5 }
prompt_template: hello
---
automations:
  - name: fine
    trigger: { type: event, event_type: task.failed }
    prompt_template: hello
  - name: wrong
    trigger:
      type: cron
      cron: 61 * * * *
    prompt_template: hello
    context_steps:
      - { type: shell, timeout: soon }
`;
  const { hooks, problems } = compileFile(text);
  assert.deepEqual(shown(problems).slice(0, 2), [
    '2:28 error a trigger of type periodic has no "interval_secnds"',
    '12:13 error "61 * * * *" is no cron pattern: invalid value for minute: 61',
  ]);
  assert.match(shown(problems)[2] ?? "", /^15:33 error "timeout" of the shell step needs .* but is "soon"$/);
  assert.deepEqual(
    hooks.map(({ name }) => name),
    ["fine"],
  );
});

test("a text with a fault keeps the automations that the fault did not reach", () => {
  const { hooks, problems } = compileFile(
    'automations:\n  - name: whole\n    trigger: { type: periodic }\n  - name: "open\n    trigger: { type: periodic }\n',
  );
  assert.equal(
    problems.some(({ code }) => code === "syntax"),
    true,
  );
  assert.deepEqual(
    hooks.map(({ name }) => name),
    ["whole"],
  );
});

test("one id in a file names one automation", () => {
  const { hooks, problems } = compileFile(
    "automations:\n  - name: Same\n    trigger: { type: periodic, skip_llm: true }\n  - name: same\n    trigger: { type: periodic, skip_llm: true }\n",
  );
  assert.equal(hooks.length, 1);
  assert.deepEqual(shown(problems), ['4:5 error the id "same" is taken by the automation in line 2']);
});

test("an empty file, a list outside of any key and a key that nothing reads are reported", () => {
  assert.deepEqual(shown(compileFile("").problems), ["1:1 error the file is empty"]);
  const alone = compileFile("- name: a\n  trigger: { type: periodic, skip_llm: true }\n");
  assert.equal(alone.hooks.length, 1);
  assert.match(shown(alone.problems)[0] ?? "", /^1:1 warning the list of automations stands by itself/);
  const misspelt = compileFile("automation:\n  - name: a\n    trigger: { type: periodic, skip_llm: true }\n");
  assert.equal(misspelt.problems[0]?.suggestion, 'did you mean "automations"?');
  const beside = compileFile("automations: []\nname: a\nx-mine: 5\n");
  assert.deepEqual(shown(beside.problems), ['2:1 error "name" stands beside the list, where nothing reads it']);
});

test("[AT45] a delay in a file counts from nothing, and is refused", () => {
  const { problems } = compileFile("name: a\ntrigger: { type: at, in: 5m, skip_llm: true }\n");
  assert.match(shown(problems)[0] ?? "", /^2:22 error "in" counts from when an automation is made/);
});

test("the user's own automations that name no project get the events of all", () => {
  const text = "name: a\ntrigger: { type: event, event_type: task.failed, skip_llm: true }\n";
  const ofUser = { project: undefined, workspace: undefined } as object;
  const [hook] = compileFile(text, ofUser).hooks;
  assert.equal(hook?.id, "automation:user/a");
  assert.equal(hook?.when, undefined);
  const [named] = compileFile(`${text}project_id: shop\n`, ofUser).hooks;
  assert.deepEqual(named?.when, { is: "of_project", with: { project: "shop" } });
});
