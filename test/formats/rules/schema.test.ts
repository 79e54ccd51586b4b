/** The JSON Schema and the documentation against the tables, and against what the specification itself writes. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parse } from "yaml";
import { isRecord, object, text } from "../../../src/engine/schema.ts";
import { placeholders } from "../../../src/engine/template.ts";
import { readConfig } from "../../../src/formats/config/file.ts";
import { configKeyNames } from "../../../src/formats/config/keys.ts";
import { authorsActions, chain } from "../../../src/formats/rules/actions.ts";
import { authorsConditions, composites } from "../../../src/formats/rules/conditions.ts";
import { ruleEventNames, ruleFieldNames, writableEvents } from "../../../src/formats/rules/fields.ts";
import { rulesSchema, type SchemaKind } from "../../../src/formats/yaml-schemas.ts";
import { conditionKind } from "../../../src/hosts/modules/kinds.ts";
import { defineCondition } from "../../../src/hosts/modules/setup.ts";
import { compile, file, fixture, patterns, registry, rule } from "../rules-helpers.ts";

const ajv = new Ajv2020({ allErrors: true });
const validators = new Map(
  (["all", "rules", "app", "config"] as const).map((kind) => [kind, ajv.compile(rulesSchema(registry, kind))]),
);

function faults(source: string, kind: SchemaKind): string[] {
  const validate = validators.get(kind);
  assert.ok(validate);
  validate(parse(source));
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    [instancePath, message, JSON.stringify(params)].join(" "),
  );
}

test("[R18] the specification's own examples are valid, as app files and in a schema for all", () => {
  for (const name of ["lint-after-write", "auto-lint", "web-fetch-to-summary", "reviewer"]) {
    assert.deepEqual(faults(fixture(`${name}.yaml`), "app"), [], name);
    assert.deepEqual(faults(`name: x\nother: y\n${fixture(`${name}.yaml`)}`, "all"), [], name);
  }
  const nested = file(`id: x\non: tool_end\n${fixture("suspicious.fragment.yaml")}`);
  for (const kind of ["rules", "all", "config"] as const) assert.deepEqual(faults(nested, kind), []);
});

/** What the dialect refuses, and the place where the schema does. */
const wrong: readonly [string, { [name: string]: string | undefined }, RegExp][] = [
  ["an unknown field", { cooldwon: "1" }, /^\/hooks\/0 must NOT have additional properties .*cooldwon/],
  ["no id", { id: undefined }, /^\/hooks\/0 must have required property 'id'/],
  ["no condition", { condition: undefined }, /'condition'/],
  ["an unknown event", { on: "tool_ende" }, /^\/hooks\/0\/on /],
  ["a negative cooldown", { cooldown: "-1" }, /^\/hooks\/0\/cooldown must be >= 0/],
  ["a timeout of nothing", { timeout: "0" }, /^\/hooks\/0\/timeout must be > 0/],
  ["a priority that is text", { priority: "x" }, /^\/hooks\/0\/priority must be integer/],
  [
    "an unknown condition",
    { condition: "{ type: sometimes }" },
    /^\/hooks\/0\/condition\/type must be equal to one of/,
  ],
  [
    "an unknown parameter",
    { condition: "{ type: tool_name, match: a, x: 1 }" },
    /^\/hooks\/0\/condition must NOT have additional .*"x"/,
  ],
  [
    "a missing parameter",
    { condition: "{ type: turn_count }" },
    /^\/hooks\/0\/condition must have required property 'threshold'/,
  ],
  [
    "a typo deep in a tree",
    { condition: "{ type: not, condition: { type: any_of, conditions: [{ type: tol }] } }" },
    /^\/hooks\/0\/condition\/condition\/conditions\/0\/type /,
  ],
  ["an unknown action", { action: "{ type: lgo }" }, /^\/hooks\/0\/action\/type /],
  [
    "an action's parameter of the wrong type",
    { action: "{ type: log, message: 5 }" },
    /^\/hooks\/0\/action\/message must be string/,
  ],
  [
    "a parameter under params of the wrong type",
    { action: "{ type: log, params: { message: 5 } }" },
    /^\/hooks\/0\/action\/params\/message must be string/,
  ],
  [
    "a typo in a chain",
    { action: "{ type: chain, actions: [{ type: log }] }" },
    /^\/hooks\/0\/action\/actions\/0 must have required property 'message'/,
  ],
];

for (const [what, fields, says] of wrong) {
  test(`[D19] the schema refuses ${what} at its place, and says nothing of what is right`, () => {
    const source = file(rule(fields), rule({ id: "good" }));
    assert.ok(compile(source).problems.some(({ severity }) => severity === "error"));
    const found = faults(source, "rules");
    assert.ok(
      found.some((one) => says.test(one)),
      found.join("\n"),
    );
    assert.ok(found.every((one) => one.startsWith("/hooks/0")));
  });
}

test("the schema of a rules file refuses keys that nothing reads; an app file's other keys are free", () => {
  assert.match(faults("hoks: []", "rules").join(), /additional properties/);
  assert.deepEqual(faults("x-anchors: 1\nhooks: []", "rules"), []);
  assert.match(faults("hoks: []", "all").join(), /propert/);
  assert.deepEqual(faults("anything: 1", "app"), []);
  assert.match(faults("agents: [{ hooks: [] }]", "app").join(), /must have property id/);
});

const page = ["rules", "templates"]
  .map((name) => readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), "utf8"))
  .join("\n");
const settings = readFileSync(new URL("../../../docs/hookline-yaml.md", import.meta.url), "utf8");

test("[DT25, X9] every field, event, condition, action and placeholder is in the schema and on its page", () => {
  const schema = JSON.stringify(rulesSchema(registry));
  const conditions = [...authorsConditions(registry).map(([name]) => name), ...Object.keys(composites)];
  const actions = [...authorsActions(registry).map(([name]) => name), chain.name];
  const tables: { [table: string]: readonly string[] } = {
    fields: ruleFieldNames,
    events: ruleEventNames,
    conditions,
    actions,
    placeholders: placeholders.map(({ name }) => `{{${name}}}`),
  };
  for (const [table, all] of Object.entries(tables)) {
    assert.ok(all.length > 0, table);
    for (const name of all) {
      assert.ok(schema.includes(JSON.stringify(name).slice(1, -1)), `the schema lacks ${name} of ${table}`);
      assert.ok(page.includes(`\`${name}\``), `docs/rules.md and docs/templates.md lack ${name} of ${table}`);
    }
  }
  for (const name of writableEvents) assert.ok(schema.includes(`"${name}"`));
  for (const name of configKeyNames) assert.ok(settings.includes(`\`${name}\``), name);
  assert.equal(conditions.length, 18); // the 14 of the specification, changed_files, writes_to, shell and effects
  assert.equal(actions.length, 15);
});

test("[DT25] each of the conditions and actions has a summary, and each of its parameters a description", () => {
  const { $defs } = rulesSchema(registry);
  assert.ok(isRecord($defs));
  for (const part of ["condition", "action"]) {
    const types = ($defs[part] as { allOf: { if: { properties: { type: { const: string } } }; then: object }[] }).allOf;
    for (const { if: asked, then } of types) {
      const { const: name } = asked.properties.type;
      const beside = ("else" in then ? then.else : then) as { properties: { [key: string]: { description?: string } } };
      for (const [key, { description }] of Object.entries(beside.properties))
        assert.ok(description, `${part} ${name}: ${key} has no description`);
    }
  }
});

/** The least that each type needs. */
const least: { readonly [type: string]: string } = {
  context_pressure: "",
  turn_count: ", threshold: 3",
  tool_calls: "",
  message_count: "",
  tool_name: ", match: Write",
  content_contains: ", keyword: x",
  error_type: ", match: x",
  expression: ', expr: "turn > 1"',
  changed_files: ', patterns: ["*.ts"]',
  writes_to: ', files: ["*.ts"]',
  all_of: ", conditions: []",
  any_of: ", conditions: []",
  not: ", condition: { type: never }",
  inject_message: ", content: x",
  module_action: ", action: a.b",
  module_action_inject: ", action: a.b",
  log: ", message: x",
  shell: ", command: x",
  transform_params: ", transformation: { a: 1 }",
  transform_result: ", transformation: { a: 1 }",
  notify: ", message: x",
  pipe: ", to: a.b",
  compile_yaml: "",
  auto_test_deploy: ", command: x",
  chain: ", actions: [{ type: log, message: x }]",
};

/** Of conditions, one of which is called as an action is. */
const leastOfCalls: { readonly [type: string]: string } = { shell: ", runs: git *", effects: ", writes: credentials" };

test("[DT25] each of the conditions and actions loads from a file and is valid by the schema", () => {
  const condition = [...authorsConditions(registry).map(([name]) => name), ...Object.keys(composites)];
  const action = [...authorsActions(registry).map(([name]) => name), chain.name];
  const rules = [
    ...condition.map((type) =>
      rule({ id: type, on: "tool_end", condition: `{ type: ${type}${leastOfCalls[type] ?? least[type] ?? ""} }` }),
    ),
    ...action.map((type) => rule({ id: type, on: "tool_end", action: `{ type: ${type}${least[type] ?? ""} }` })),
  ];
  const source = file(...rules);
  const { hooks, problems } = compile(source);
  assert.deepEqual(
    problems.filter(({ severity }) => severity === "error"),
    [],
  );
  assert.equal(hooks.length, 33);
  assert.deepEqual(faults(source, "rules"), []);
});

test("an action's own timeout may be written as 5m, by the schema as in a file", () => {
  const validate = ajv.compile(rulesSchema(registry, "rules"));
  for (const action of [
    "{ type: shell, command: x, timeout: 5m }",
    "{ type: shell, params: { command: x, timeout: 1h 30m } }",
  ])
    assert.ok(validate(parse(file(rule({ action })))), action);
  assert.ok(!validate(parse(file(rule({ action: "{ type: shell, command: x, timeout: soon }" })))));
});

test("[D76] what an extension has registered is in the schema, too", () => {
  const kind = conditionKind(
    "longer",
    defineCondition({ summary: "it is long", params: object({ than: text("a text") }), test: () => true }),
  );
  const own = { ...registry, conditions: new Map([...registry.conditions, ["longer", kind]]) };
  const validate = ajv.compile(rulesSchema(own, "rules"));
  assert.ok(validate(parse(file(rule({ condition: "{ type: longer, than: x }" })))));
  assert.ok(!validate(parse(file(rule({ condition: "{ type: longer }" })))));
});

/** Blocks that hold a file, or a part of one rule. */
const blocksOf = (markdown: string): string[] =>
  [...markdown.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block);

test("[X9] every example of the pages is valid", () => {
  for (const block of blocksOf(page)) {
    const text = block.startsWith("condition:") ? file(`id: x\n${block}action: { type: log, message: x }`) : block;
    if (!/^(hooks|runtime):/m.test(text)) continue;
    const kind = text.startsWith("runtime:") ? "app" : "rules";
    assert.deepEqual(compile(text, { kind }).problems, [], block);
    assert.deepEqual(faults(text, kind), [], block);
  }
  for (const block of blocksOf(settings)) {
    const layer = /^(notifications|webhooks|telemetry|self_protection|shell|headless_ask):/m.test(block)
      ? "user"
      : "project"; // only a person's own file may say these
    const { problems } = readConfig(
      block,
      { dialect: "rules", layer, file: "/p/hookline.yaml", root: "/p" },
      { layer, registry, patterns },
    );
    assert.deepEqual(problems, [], block);
    assert.deepEqual(faults(block, "config"), [], block);
  }
});
