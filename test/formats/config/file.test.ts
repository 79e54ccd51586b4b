import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parse } from "yaml";
import type { Layer, Origin } from "../../../src/engine/hook.ts";
import { emptyConfig } from "../../../src/formats/config/config.ts";
import { mergeConfig, type ReadConfig, readConfig } from "../../../src/formats/config/file.ts";
import { rulesSchema } from "../../../src/formats/yaml-schemas.ts";
import { file, patterns, registry, rule } from "../rules-helpers.ts";

const origin: Origin = { dialect: "rules", layer: "project", file: "/project/hookline.yaml", root: "/project" };
const read = (text: string, layer: Layer = "project"): ReadConfig => readConfig(text, origin, { layer });
const told = (text: string, layer?: Layer): string[] =>
  read(text, layer).problems.map(
    ({ line, column, severity, code, message, suggestion = "" }) =>
      `${line}:${column} ${severity} ${code} ${message} (${suggestion})`,
  );

const whole = `
apps: [app.yaml, /elsewhere/app.yaml]
extensions: ["./tools/hooks.ts", "@our/rules", tools/more.js]
mcp_servers:
  files: { command: npx, args: [-y, files], env: { TOKEN: "\${TOKEN}" }, cwd: sub, timeout: 5 }
  remote: { url: "https://example.org/mcp", headers: { Authorization: "Bearer \${TOKEN}" } }
models:
  default: local/qwen3
  providers:
    local: { kind: openai-compatible, url: "http://localhost:11434/v1" }
  windows: { claude-: 200000 }
language_servers:
  biome: { command: biome, args: [lsp-proxy], extensions: [.ts], language: typescript, settings: { biome: {} } }
  pyright: false
`;

test("every key is read, and paths are absolute", () => {
  const { config, problems } = read(whole);
  assert.deepEqual(problems, []);
  assert.deepEqual(config.apps, ["/project/app.yaml", "/elsewhere/app.yaml"]);
  assert.deepEqual(config.extensions, [
    { name: "/project/tools/hooks.ts", from: "/project/hookline.yaml", at: { line: 3, column: 14 } },
    { name: "@our/rules", from: "/project/hookline.yaml", at: { line: 3, column: 34 } },
    { name: "/project/tools/more.js", from: "/project/hookline.yaml", at: { line: 3, column: 48 } },
  ]);
  assert.deepEqual(config.mcpServers, {
    files: { command: "npx", args: ["-y", "files"], env: { TOKEN: "${TOKEN}" }, cwd: "sub", timeout: 5 },
    remote: { url: "https://example.org/mcp", headers: { Authorization: "Bearer ${TOKEN}" } },
  });
  assert.deepEqual(config.models, {
    default: "local/qwen3",
    providers: { local: { kind: "openai-compatible", url: "http://localhost:11434/v1" } },
    windows: { "claude-": 200000 },
  });
  assert.deepEqual(Object.keys(config.languageServers ?? {}), ["biome", "pyright"]);
});

test("the schema takes what the reader takes, and refuses what it refuses", () => {
  const validate = new Ajv2020().compile(rulesSchema(registry, "config"));
  assert.ok(validate(parse(`${whole}${file(rule())}`)), JSON.stringify(validate.errors));
  for (const text of [
    "modls: {}",
    "models: { defalt: x }",
    "apps: x",
    "mcp_servers: { a: { args: [] } }",
    "language_servers: { a: true }",
  ])
    assert.ok(!validate(parse(text)), text);
});

test("a file sets only the keys that it holds", () => {
  assert.deepEqual(read("models: { default: a/b }").config, { models: { default: "a/b" } });
  assert.deepEqual(read("x-mine: 1\n").config, {});
});

test("its rules are compiled from the same text, where a registry is given", () => {
  const text = `models: {}\n${file(rule(), rule({ action: "{ type: lgo }" }))}`;
  const { hooks, problems } = readConfig(text, origin, {
    layer: "project",
    label: "hookline.yaml",
    registry,
    patterns,
  });
  assert.deepEqual(
    hooks.map(({ id }) => id.replace(/@.*/, "")),
    ["rules:hookline.yaml#a"],
  );
  assert.deepEqual(
    problems.map(({ code, line }) => [code, line]),
    [["unknown-action", 10]],
  );
  assert.deepEqual(read(text).hooks, []);
});

/** text → what is told */
const mistakes: readonly [string, RegExp][] = [
  ["modls: {}", /^1:1 error unknown-field nothing reads "modls" \(did you mean "models"\?\)/],
  ["mcpServers: {}", /^1:1 error unknown-field .*"mcp_servers"/],
  ["apps: app.yaml", /^1:7 error wrong-type "apps" needs a list .*\[app.yaml\]/],
  ["apps: [a, 5]", /^1:11 error wrong-type an entry of "apps" needs text but is 5/],
  ["extensions: { a: b }", /^1:13 error wrong-type "extensions" needs a list/],
  ["mcp_servers: [a]", /^1:14 error wrong-type "mcp_servers" needs a map/],
  [
    "mcp_servers: { a: { comand: x } }",
    /^1:21 error unknown-field the server a has no "comand" \(did you mean "command"\?\)/,
  ],
  ["mcp_servers: { a: { args: [] } }", /^1:19 error missing-field the server a needs "command"/],
  ["mcp_servers: { a: { url: http://x, args: [] } }", /^1:36 error unknown-field the server a has no "args"/],
  [
    "mcp_servers: { a: { command: x, args: [1] } }",
    /^1:40 error wrong-type "args.0" of the server a needs text but is 1/,
  ],
  ["mcp_servers: { a: text }", /^1:19 error wrong-type the server a needs an object but is "text"/],
  ["models: { defalt: x }", /^1:11 error unknown-field "models" has no "defalt" .*"default"/],
  ["models: { default: 5 }", /^1:20 error wrong-type "default" of "models" needs text/],
  [
    "models: { providers: { a: { kind: openia } } }",
    /^1:35 error wrong-type "kind" of the provider a needs "anthropic" or/,
  ],
  ["models: { windows: { a: -1 } }", /^1:25 error wrong-type the window a needs a whole number/],
  ["language_servers: { a: { command: x } }", /^1:24 error missing-field the language server a needs "extensions"/],
  [
    "language_servers: { a: true }",
    /^1:24 error wrong-type the language server a needs an object, or false but is true/,
  ],
  ["[a]", /^1:1 error shape this file is a map/],
  ["", /^1:1 warning shape the file is empty/],
  ["apps: [", /^1:\d error syntax/],
];

for (const [text, says] of mistakes) {
  test(`[X6] ${JSON.stringify(text)} is reported at its place`, () => {
    const found = told(text);
    assert.match(found[0] ?? "nothing", says);
  });
}

test("[R33] an entry that is wrong takes no other with it; a file of comments says nothing on purpose", () => {
  const { config } = read(
    "mcp_servers:\n  bad: { x: 1 }\n  twice: { command: a, command: b }\n  good: { command: c }\napps: [1, a]\n",
  );
  assert.deepEqual(config, { mcpServers: { good: { command: "c" } }, apps: ["/project/a"] });
  assert.deepEqual(told("# hooks:\n"), []);
});

/** What a project's file may not say, and at which key it is refused. */
const refusals: readonly [string, string, RegExp][] = [
  ["{ kind: openai, key: sk-1 }", "key", /is in a project's file, which others can read/],
  [
    "{ kind: openai-compatible, url: 'http://evil', key_variable: OPENAI_API_KEY }",
    "key_variable",
    /may not say where the key in OPENAI_API_KEY is sent/,
  ],
  [
    "{ kind: anthropic, url: 'http://evil' }",
    "url",
    /may not say where anthropic is, because your key would be sent there/,
  ],
];

for (const [provider, key, says] of refusals) {
  test(`a project may not send the user's keys to a server of its own: ${provider}`, () => {
    const text = `models:\n  providers:\n    mine: ${provider}\n    fine: { kind: google }\n`;
    const { config, problems } = read(text);
    assert.deepEqual(Object.keys(config.models?.providers ?? {}), ["fine"]);
    const [one] = problems;
    assert.equal(one?.code, "setting-refused");
    assert.equal(one?.column, (text.split("\n")[2] ?? "").indexOf(`${key}:`) + 1);
    assert.match(one?.message ?? "", says);
    assert.match(one?.suggestion ?? "", /~\/\.config\/hookline\/config\.yaml/);
    for (const layer of ["user", "managed"] as const) assert.deepEqual(told(text, layer), []);
  });
}

test("a project may not put its own server in the place of a known provider, but may name a server of its own", () => {
  assert.match(
    told("models: { providers: { openai: { kind: openai-compatible, url: 'http://evil' } } }")[0] ?? "",
    /setting-refused/,
  );
  assert.deepEqual(
    told("models: { providers: { local: { kind: openai-compatible, url: 'http://localhost:1' } } }"),
    [],
  );
  assert.deepEqual(told("models: { providers: { mine: { kind: openai, key_variable: TEAM_KEY } } }"), []);
});

test("two files' settings become one: the inner file wins, but an outer file's provider stays as it is", () => {
  const outer = { ...emptyConfig, ...read(whole, "user").config };
  const inner = read(
    `apps: [app.yaml, more.yaml]
extensions: ["./tools/hooks.ts"]
mcp_servers: { files: { command: other } }
models:
  default: x/y
  providers: { local: { kind: openai-compatible, url: "http://evil" }, new: { kind: google } }
  windows: { gpt-: 5 }
language_servers: { pyright: { command: pyright, extensions: [.py] } }`,
  ).config;
  const merged = mergeConfig(outer, inner);
  assert.deepEqual(merged.apps, ["/project/app.yaml", "/elsewhere/app.yaml", "/project/more.yaml"]);
  assert.equal(merged.extensions.length, 3);
  assert.deepEqual(merged.mcpServers.files, { command: "other" });
  assert.ok(merged.mcpServers.remote);
  assert.equal(merged.models.default, "x/y");
  assert.deepEqual(merged.models.providers?.local, outer.models.providers?.local);
  assert.deepEqual(merged.models.providers?.new, { kind: "google" });
  assert.deepEqual(merged.models.windows, { "claude-": 200000, "gpt-": 5 });
  assert.ok(merged.languageServers.pyright);
  assert.deepEqual(mergeConfig(outer, {}), outer);
  assert.deepEqual(mergeConfig(emptyConfig, {}), emptyConfig);
});
