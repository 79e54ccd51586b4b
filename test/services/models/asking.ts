/** How the tests of models ask: all four providers' real clients, against a scripted model on loopback. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { HooklineError } from "../../../src/engine/error.ts";
import type { Fields } from "../../../src/engine/event.ts";
import type { Model, ModelAnswer, ModelRequest } from "../../../src/engine/external-services.ts";
import type { ModelSettings } from "../../../src/formats/config/config.ts";
import { createModel } from "../../../src/services/models/index.ts";
import {
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedTurn,
  startScriptedModel,
} from "../../../testing/index.ts";

export const key = "key-that-nobody-may-see-1234";

/** A model of each kind of provider. */
export const models = ["claude/claude-haiku-4-5", "gpt/gpt-5-mini", "gemini/gemini-2.5-flash", "local/qwen3"] as const;

export const settingsFor = (url: string): ModelSettings => ({
  providers: {
    claude: { kind: "anthropic", url, key },
    gpt: { kind: "openai", url, key },
    gemini: { kind: "google", url, key },
    local: { kind: "openai-compatible", url: `${url}/v1`, key },
  },
});

export const schema: Fields = {
  type: "object",
  properties: { ok: { type: "boolean" }, reason: { type: "string" } },
  required: ["ok", "reason"],
  additionalProperties: false,
};
export const yes = '{"ok":true,"reason":"it is safe"}';

export interface Asking {
  server: ScriptedModel;
  model: Model;
  /** How long each pause before another try was, in milliseconds; they take no time here. */
  pauses: number[];
  ask(model: string, more?: Partial<ModelRequest>, signal?: AbortSignal): Promise<ModelAnswer>;
}

export async function startAsking(
  t: TestContext,
  turns: readonly ScriptedTurn[],
  options: Partial<ScriptedModelOptions> = {},
): Promise<Asking> {
  const server = await startScriptedModel({ turns, playSides: true, ...options });
  t.after(() => server.close());
  const pauses: number[] = [];
  const model = createModel(
    settingsFor(server.url),
    {},
    {
      after(milliseconds, callback) {
        pauses.push(milliseconds);
        const soon = setImmediate(callback);
        return () => clearImmediate(soon);
      },
    },
  );
  return {
    server,
    model,
    pauses,
    ask: (name, more = {}, signal = AbortSignal.timeout(600_000)) =>
      model.ask({ model: name, prompt: "may it?", schema, ...more }, signal),
  };
}

/** What the question failed with. */
export async function failureOf(asked: Promise<unknown>): Promise<HooklineError["facts"] & { code: string }> {
  try {
    assert.fail(`it answered ${JSON.stringify(await asked)}`);
  } catch (error) {
    if (!(error instanceof HooklineError)) throw error;
    assert.ok(!JSON.stringify([error.message, error.facts, error.stack]).includes(key), "the key is in the error");
    assert.equal(error.cause, undefined);
    return { ...error.facts, code: error.code };
  }
}

/** The request of this number, as its body; counted from 1. */
export function bodyOf({ requests }: ScriptedModel, number: number): Fields {
  const body = requests[number - 1]?.body;
  assert.ok(body !== null && typeof body === "object" && !Array.isArray(body));
  return body;
}
