import assert from "node:assert/strict";
import test from "node:test";
import { HooklineError } from "../../../src/engine/error.ts";
import type { ModelSettings } from "../../../src/formats/config/config.ts";
import { createModel } from "../../../src/services/models/index.ts";
import { type Access, accessFor, accessTo } from "../../../src/services/models/names.ts";
import { startScriptedModel } from "../../../testing/index.ts";
import { yes } from "./asking.ts";

const keys = { ANTHROPIC_API_KEY: "a-key", OPENAI_API_KEY: "o-key", GEMINI_API_KEY: "g-key" };

function refusal(
  name: string | undefined,
  settings: ModelSettings = {},
  environment: Record<string, string> = {},
): string {
  try {
    assert.fail(JSON.stringify(accessTo(name, settings, environment)));
  } catch (error) {
    assert.ok(error instanceof HooklineError && error.code === "model_unknown", String(error));
    return error.message;
  }
}

const named: readonly [string, Pick<Access, "kind" | "name" | "key">][] = [
  ["anthropic/claude-haiku-4-5", { kind: "anthropic", name: "anthropic/claude-haiku-4-5", key: "a-key" }],
  ["haiku", { kind: "anthropic", name: "anthropic/claude-haiku-4-5", key: "a-key" }],
  ["sonnet", { kind: "anthropic", name: "anthropic/claude-sonnet-5-5", key: "a-key" }],
  ["opus", { kind: "anthropic", name: "anthropic/claude-opus-5-5", key: "a-key" }],
  ["claude-3-haiku-20240307", { kind: "anthropic", name: "anthropic/claude-3-haiku-20240307", key: "a-key" }],
  ["gpt-5-mini", { kind: "openai", name: "openai/gpt-5-mini", key: "o-key" }],
  ["o3-mini", { kind: "openai", name: "openai/o3-mini", key: "o-key" }],
  [" gemini-2.5-flash ", { kind: "google", name: "google/gemini-2.5-flash", key: "g-key" }],
];
for (const [written, expected] of named) {
  test(`[C67] "${written}" is ${expected.name}, with the key of its provider`, () => {
    const { kind, name, key } = accessTo(written, {}, keys);
    assert.deepEqual({ kind, name, key }, expected);
  });
}

test("a provider of the settings has its own name, address, key and headers, and may have models with slashes", () => {
  const settings: ModelSettings = {
    providers: {
      local: { kind: "openai-compatible", url: "http://127.0.0.1:11434/v1/" },
      router: {
        kind: "openai-compatible",
        url: "https://r.example/api/v1",
        key_variable: "ROUTER",
        headers: { "x-title": "t" },
      },
    },
  };
  assert.deepEqual(accessTo("local/qwen3", settings, keys), {
    kind: "openai-compatible",
    name: "local/qwen3",
    model: "qwen3",
    url: "http://127.0.0.1:11434/v1",
    headers: {},
    reach: "internal",
  });
  const router = accessTo("router/meta/llama", settings, { ROUTER: "r-key" });
  assert.deepEqual([router.model, router.key, router.headers], ["meta/llama", "r-key", { "x-title": "t" }]);
  assert.match(refusal("router/x", settings), /ROUTER is not set/);
});

test("without a name it is HOOKLINE_MODEL, then the configured default, then the small model of the first provider with a key", () => {
  const settings = { default: "openai/gpt-4.1" };
  assert.equal(
    accessTo(undefined, settings, { ...keys, HOOKLINE_MODEL: "gemini-2.5-pro" }).name,
    "google/gemini-2.5-pro",
  );
  assert.equal(accessTo(undefined, settings, keys).name, "openai/gpt-4.1");
  assert.equal(accessTo(undefined, {}, keys).name, "anthropic/claude-haiku-4-5");
  assert.equal(accessTo(undefined, {}, { OPENAI_API_KEY: "k" }).name, "openai/gpt-5-mini");
  assert.equal(accessTo(undefined, {}, { GOOGLE_GENERATIVE_AI_API_KEY: "k" }).name, "google/gemini-flash-latest");
  assert.match(
    refusal(undefined),
    /none is configured.*set HOOKLINE_MODEL or models\.default, or a key such as ANTHROPIC_API_KEY/,
  );
});

test("addresses come from the settings, else the environment, and get the version of the interface where it is missing", () => {
  const urlOf = (name: string, environment: Record<string, string>): string =>
    accessTo(name, {}, { ...keys, ...environment }).url;
  assert.equal(urlOf("haiku", {}), "https://api.anthropic.com/v1");
  assert.equal(urlOf("haiku", { ANTHROPIC_BASE_URL: "http://gate:1/" }), "http://gate:1/v1");
  assert.equal(urlOf("gpt-5", { OPENAI_BASE_URL: "http://gate:1/v1" }), "http://gate:1/v1");
  assert.equal(urlOf("gemini-x", { GOOGLE_GEMINI_BASE_URL: "http://gate:1" }), "http://gate:1/v1beta");
  assert.match(refusal("haiku", {}, { ...keys, ANTHROPIC_BASE_URL: "gate:1" }), /"gate:1" is no http or https address/);
});

test("a key of the environment does not go to an address that a file names, unless the file names the key too", () => {
  const elsewhere = { kind: "anthropic", url: "https://elsewhere.example" } as const;
  assert.equal(accessTo("anthropic/x", { providers: { anthropic: elsewhere } }, keys).key, undefined);
  const asked = { ...elsewhere, key_variable: "ANTHROPIC_API_KEY" };
  assert.equal(accessTo("anthropic/x", { providers: { anthropic: asked } }, keys).key, "a-key");
  assert.equal(
    accessTo("local/x", { providers: { local: { kind: "openai-compatible", url: "http://h/v1" } } }, keys).key,
    undefined,
  );
});

test("an unknown name, a provider without a key and one without an address say what to do", () => {
  assert.match(refusal("qwen3", {}, keys), /"qwen3" does not say whose it is.*write provider\/model/);
  assert.match(refusal("antropic/x", {}, keys), /no provider is called "antropic".*did you mean "anthropic"/);
  assert.match(refusal("mistral/x", {}, keys), /known: anthropic, openai, google; name others under models\.providers/);
  assert.match(refusal("haiku"), /ANTHROPIC_API_KEY is not set/);
  assert.match(refusal("gemini-x"), /GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY is not set/);
  assert.match(refusal("l/x", { providers: { l: { kind: "openai-compatible" } } }), /its provider has no url/);
  assert.match(refusal("constructor/x", {}, keys), /no provider is called "constructor"/);
});

test("the process's own variables are not looked at: a server without a key gets none", async (t) => {
  const server = await startScriptedModel({ turns: [{ text: yes }], playSides: true, key: "none" });
  t.after(() => server.close());
  process.env.ANTHROPIC_API_KEY = "a-key-of-the-process";
  process.env.ANTHROPIC_BASE_URL = "http://127.0.0.1:1";
  t.after(() => {
    delete process.env.ANTHROPIC_API_KEY;
    delete process.env.ANTHROPIC_BASE_URL;
  });
  const model = createModel({ providers: { own: { kind: "anthropic", url: server.url } } }, {});
  const { text } = await model.ask({ model: "own/claude-x", prompt: "?" }, AbortSignal.timeout(600_000));
  assert.equal(text, yes);
});

test("[SD9, T21] a provider that a project's file names, and an address in an automation, may not lead everywhere", () => {
  const at = (url: string, ofProject?: true) =>
    accessTo(
      "one/m",
      { providers: { one: { kind: "openai-compatible", url, ...(ofProject ? { ofProject } : {}) } } },
      {},
    ).reach;
  assert.equal(at("http://10.0.0.1/v1"), "internal");
  assert.equal(at("http://10.0.0.1/v1", true), "public");
  assert.equal(at("http://localhost:11434/v1/", true), "loopback");
  const wanted = { url: "http://127.0.0.1:1/v1", over: { provider: "openai-compatible", model: "m" } };
  assert.equal(accessFor(wanted, {}, {}).reach, "loopback");
});
