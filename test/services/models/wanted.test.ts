import assert from "node:assert/strict";
import test from "node:test";
import { HooklineError } from "../../../src/engine/error.ts";
import type { ModelSettings } from "../../../src/formats/config/config.ts";
import { accessFor, modelFault, type Wanted } from "../../../src/services/models/names.ts";

const environment = { ANTHROPIC_API_KEY: "a-key", OPENAI_API_KEY: "o-key", ROUTER_KEY: "r-key" };
const settings: ModelSettings = {
  default: "router/vendor/big",
  providers: {
    router: { kind: "openai-compatible", url: "https://router.example/v1/", key_variable: "ROUTER_KEY" },
    gate: { kind: "anthropic", url: "https://gate.example", key: "g-key" },
    local: { kind: "openai-compatible", url: "http://127.0.0.1:11434/v1", headers: { "x-token": "secret" } },
  },
};
const from = (wanted: Wanted): unknown[] => {
  const { name, url, key, headers } = accessFor(wanted, settings, environment);
  return [name, url, key, ...Object.values(headers)];
};
const refusal = (wanted: Wanted): string => {
  try {
    return assert.fail(JSON.stringify(accessFor(wanted, settings, environment)));
  } catch (error) {
    assert.ok(error instanceof HooklineError && error.code === "model_unknown", String(error));
    return error.message;
  }
};

const router = "https://router.example/v1";
const anthropic = "https://api.anthropic.com/v1";
const overs: readonly [Wanted["over"], unknown[]][] = [
  [{}, ["router/vendor/big", router, "r-key"]],
  [{ model: "vendor/small" }, ["router/vendor/small", router, "r-key"]],
  [{ model: "4711" }, ["router/4711", router, "r-key"]],
  [{ model: "anthropic/claude-x" }, ["anthropic/claude-x", anthropic, "a-key"]],
  [{ provider: "anthropic" }, ["anthropic/vendor/big", anthropic, "a-key"]],
  [{ provider: "anthropic", model: "claude-x" }, ["anthropic/claude-x", anthropic, "a-key"]],
];
for (const [over, expected] of overs)
  test(`[A41] over the default router/vendor/big, ${JSON.stringify(over)} is ${expected[0]}`, () =>
    assert.deepEqual(from({ ...(over && { over }) }), expected));

test("[A41] without a configured default, a provider alone means its small model", () => {
  const { name } = accessFor({ over: { provider: "openai" } }, {}, environment);
  assert.equal(name, "openai/gpt-5-mini");
});

test("an address that the settings name is asked with the key of the current sender", () => {
  assert.deepEqual(from({ model: "gate/x", url: "https://gate.example/v1" }), [
    "gate/x",
    "https://gate.example/v1",
    "g-key",
  ]);
  assert.deepEqual(from({ model: "router/x", url: router }), ["router/x", router, "r-key"]);
  assert.deepEqual(from({ model: "openai-compatible/x", url: router }), ["router/x", router, "r-key"]);
  assert.deepEqual(from({ model: "anthropic/x", url: "https://api.anthropic.com" }), [
    "anthropic/x",
    anthropic,
    "a-key",
  ]);
});

test("an address of this machine is asked without any key or header, whichever provider it replaces", () => {
  for (const url of ["http://127.0.0.1:9999/v1", "http://localhost:9999/v1", "http://[::1]:9999/v1"]) {
    assert.deepEqual(from({ model: "anthropic/x", url }), ["anthropic/x", url, undefined]);
    assert.deepEqual(from({ model: "local/x", url }), ["local/x", url, undefined]);
    assert.deepEqual(from({ model: "openai-compatible/x", url }), ["openai-compatible/x", url, undefined]);
  }
  assert.deepEqual(from({ url: "http://127.0.0.1:11434/v1" }), [
    "local/vendor/big",
    "http://127.0.0.1:11434/v1",
    undefined,
    "secret",
  ]);
});

for (const url of [
  "https://evil.example/v1",
  "http://localhost.evil.example/v1",
  "http://127.0.0.1.evil.example/v1",
  "http://127.0.0.1@evil.example/v1",
  "http://user:password@127.0.0.1/v1",
  "https://router.example.evil.example/v1",
  "https://router.example/v2",
])
  test(`[SAFETY] ${url} is refused: nothing in the settings names it`, () => {
    assert.match(refusal({ model: "router/x", url }), /is not the address of any provider.*models\.providers/);
    assert.doesNotMatch(refusal({ model: "anthropic/x", url }), /password|key/);
  });

test("an address that is none is refused", () =>
  assert.match(refusal({ model: "router/x", url: "file:///etc/passwd" }), /is no http or https address/));

test("[A41, R48] problems with a model are known when an automation is made: mistakes are errors, a missing key is a warning", () => {
  const fault = (named: Parameters<typeof modelFault>[0], given = settings, around: object = environment) => {
    const found = modelFault(named, given, { ...around });
    return found && [found.severity, found.message];
  };
  assert.equal(fault(null), undefined);
  assert.equal(fault({ provider: "gate", model: "x", base_url: "" }), undefined);
  assert.deepEqual(fault({ provider: "gat", model: "x" }), [
    "error",
    'Failed to create LLM provider: gat: no provider is called "gat"',
  ]);
  assert.deepEqual(fault({ provider: "gat" }), [
    "error",
    'Failed to create LLM provider: gat: no provider is called "gat"',
  ]);
  assert.equal(fault({ base_url: "https://evil.example" })?.[0], "error");
  assert.deepEqual(fault(null, {}, {}), [
    "warning",
    "Failed to create LLM provider: the default: none is configured, and no provider's key is set",
  ]);
  assert.deepEqual(fault({ provider: "openai", model: "x" }, settings, {}), [
    "warning",
    "Failed to create LLM provider: openai: OPENAI_API_KEY is not set",
  ]);
  for (const named of [{}, { model: "x" }, { provider: "openai" }])
    assert.match(
      String(fault({ ...named, base_url: "https://evil.example" }, {}, {})),
      /^error,.*https:\/\/evil\.example is not the address of any provider/,
      "whether a default model is set or not",
    );
  for (const base_url of ["https://api.openai.com", "http://localhost:9999/v1"])
    assert.equal(fault({ base_url }, {}, {})?.[0], "warning");
  assert.equal(modelFault({ provider: "gat", model: "x" }, settings, {})?.suggestion, 'did you mean "gate"?');
});
