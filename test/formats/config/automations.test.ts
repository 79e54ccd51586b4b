import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parse } from "yaml";
import type { Layer, Origin } from "../../../src/engine/hook.ts";
import { emptyConfig } from "../../../src/formats/config/config.ts";
import { mergeConfig, type ReadConfig, readConfig } from "../../../src/formats/config/file.ts";
import { engineDefaults } from "../../../src/formats/config/keys.ts";
import { rulesSchema } from "../../../src/formats/yaml-schemas.ts";
import { registry } from "../rules-helpers.ts";

const origin: Origin = { dialect: "rules", layer: "user", file: "/home/me/config.yaml" };
const read = (text: string, layer: Layer = "user"): ReadConfig => readConfig(text, origin, { layer });
const told = (text: string, layer?: Layer): string[] =>
  read(text, layer).problems.map(
    ({ line, column, severity, code, message, suggestion = "" }) =>
      `${line}:${column} ${severity} ${code} ${message} (${suggestion})`,
  );

const whole = `
hook_engine:
  enabled: true
  max_concurrent_hooks: 3
  file_watcher_enabled: true
  file_watcher_poll_interval: 10
  file_watcher_debounce_seconds: 5
notifications:
  team: { kind: discord, webhook_url: "\${DISCORD}", events: [failed] }
  bot: { kind: discord, bot_token: "\${TOKEN}", channel_id: "1", summary_length: 80 }
  chat: { kind: slack, webhook_url: "\${SLACK}" }
  own: { kind: webhook, url: "https://example.org/in", headers: { A: b }, secret: "\${SECRET}" }
notify: [team]
webhooks:
  ci: { secret: "\${CI_SECRET}", event: build.finished, project: shop }
memory: { embeddings: local/embed }
`;

test("[A53] hook_engine is read as the specification writes it, next to notifications, webhooks and memory", () => {
  const { config, problems } = read(whole);
  assert.deepEqual(problems, []);
  assert.deepEqual(config.engine, {
    enabled: true,
    max_concurrent_hooks: 3,
    file_watcher_enabled: true,
    file_watcher_poll_interval: 10,
    file_watcher_debounce_seconds: 5,
  });
  assert.deepEqual(Object.keys(config.notifications ?? {}), ["team", "bot", "chat", "own"]);
  assert.deepEqual(config.notify, ["team"]);
  assert.deepEqual(config.webhooks, { ci: { secret: "${CI_SECRET}", event: "build.finished", project: "shop" } });
  assert.deepEqual(config.memory, { embeddings: "local/embed" });
});

test("[A53, AT39] an empty configuration leaves the specified defaults", () => {
  assert.deepEqual(read("hook_engine:\n").config, { engine: {} });
  assert.deepEqual(engineDefaults, {
    enabled: true,
    max_concurrent_hooks: 2,
    file_watcher_enabled: true,
    file_watcher_poll_interval: 10,
    file_watcher_debounce_seconds: 5,
  });
});

test("the JSON Schema takes what the reader takes, and refuses what it refuses", () => {
  const validate = new Ajv2020().compile(rulesSchema(registry, "config"));
  assert.ok(validate(parse(whole)), JSON.stringify(validate.errors));
  for (const text of [
    "hook_engine: { max_concurrent_hooks: 0 }",
    "hook_engine: { enabeld: true }",
    "hook_engine: { file_watcher_poll_interval: 9999999 }",
    "notifications: { a: { kind: discord } }",
    "notifications: { a: { kind: pigeon } }",
    "webhooks: { a: {} }",
    "webhooks: { a: { secret: x, event: Stop } }",
    "notify: team",
  ])
    assert.ok(!validate(parse(text)), text);
});

test("a bad value of hook_engine is reported at its place, and the default holds together with the good ones", () => {
  const text =
    "hook_engine:\n  enabled: yes please\n  max_concurrent_hooks: 0\n  file_watcher_enabled: false\n  polling: 3\n";
  assert.deepEqual(read(text).config, { engine: { file_watcher_enabled: false } });
  assert.deepEqual(
    told(text).map((one) => one.split(" (")[0]),
    [
      '2:12 error wrong-type "enabled" of "hook_engine" needs true or false but is "yes please"',
      '3:25 error wrong-type "max_concurrent_hooks" of "hook_engine" needs a whole number of at least 1 but is 0',
      '5:3 error unknown-field "hook_engine" has no "polling"',
    ],
  );
  assert.match(told("hook_engine: 3")[0] ?? "", /"hook_engine" needs a map but is 3/);
});

test("a time between looks, or of quiet, that is longer than a day is reported at its place", () => {
  const text = "hook_engine:\n  file_watcher_poll_interval: 9999999\n  file_watcher_debounce_seconds: 86400.5\n";
  assert.deepEqual(read(text).config, { engine: {} });
  assert.deepEqual(
    told(text).map((one) => one.split(" (")[0]),
    [
      '2:31 error wrong-type "file_watcher_poll_interval" of "hook_engine" needs a number from 0.1 to 86400 but is 9999999',
      '3:34 error wrong-type "file_watcher_debounce_seconds" of "hook_engine" needs a number from 0 to 86400 but is 86400.5',
    ],
  );
  const longest = "hook_engine: { file_watcher_poll_interval: 86400, file_watcher_debounce_seconds: 86400 }\n";
  assert.deepEqual(told(longest), []);
});

test("a project's file may define neither places for notices nor senders of events", () => {
  const text =
    'notifications:\n  a: { kind: slack, webhook_url: "https://evil" }\nwebhooks:\n  b: { secret: s }\nnotify: [team]\n';
  assert.deepEqual(read(text, "project").config, { notify: ["team"] });
  const [first = "", second = "", ...rest] = told(text, "project");
  assert.match(first, /^2:3 error setting-refused .*config\.yaml/);
  assert.match(second, /^4:3 error setting-refused /);
  assert.deepEqual(rest, []);
});

test("one wrong entry leaves the others active", () => {
  const { config, problems } = read(
    "webhooks:\n  good: { secret: s }\n  bad: { secret: s, event: Stop }\n  no/way: { secret: s }\n",
  );
  assert.deepEqual(config.webhooks, { good: { secret: "s" } });
  assert.deepEqual(
    problems.map(({ line, code }) => [line, code]),
    [
      [3, "wrong-type"],
      [4, "shape"],
    ],
  );
});

test("of two files the inner one wins key by key, and an empty list in it means no notices", () => {
  const outer = mergeConfig(emptyConfig, { engine: { enabled: false, max_concurrent_hooks: 5 }, notify: ["team"] });
  const both = mergeConfig(outer, { engine: { max_concurrent_hooks: 1 } });
  assert.deepEqual(both.engine, { enabled: false, max_concurrent_hooks: 1 });
  assert.deepEqual(both.notify, ["team"]);
  assert.deepEqual(mergeConfig(outer, { notify: [] }).notify, []);
});
