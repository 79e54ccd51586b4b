/** Embeddings from a provider that speaks OpenAI's protocol: texts go out, one vector for each comes back. */
import { parseJson } from "../../actions/command/protocols/find-answer.ts";
import type { HooklineError } from "../../engine/error.ts";
import { showsLoopback } from "../../engine/reach.ts";
import { isRecord } from "../../engine/schema.ts";
import type { ModelSettings } from "../../formats/config/config.ts";
import { type Failure, failureOf, modelFailed } from "./failure.ts";
import { type Access, accessTo, type Environment, placeOf, unknown } from "./names.ts";
import { fetchReply } from "./providers.ts";

export interface EmbeddingModel {
  /** The model at its address. */
  name: string;
  /** In one request. Rejects with HooklineError model_failed. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>;
}

/** Whether the user's own settings lead to the same place. */
function isAlso({ url }: Access, written: string, own: ModelSettings, environment: Environment): boolean {
  try {
    return accessTo(written, own, environment).url === url;
  } catch {
    return false; // they name no such model
  }
}

const limitInMilliseconds = 20_000;

export interface EmbeddingSettings {
  /** The active ones, of which a project may have set some. */
  models: ModelSettings;
  /** Those of the user's own file. */
  own: ModelSettings;
}

/**
 * What is remembered goes to a provider at the address that the user's own settings have for it, or to this machine.
 * Throws HooklineError model_unknown.
 *
 * @param written provider/model
 */
export function createEmbeddings(
  written: string,
  { models, own }: EmbeddingSettings,
  environment: Environment,
): EmbeddingModel {
  const access = accessTo(written, models, environment);
  if (!showsLoopback(access.url) && !isAlso(access, written, own, environment))
    throw unknown(
      `a project's file says that ${access.name} is at ${new URL(access.url).origin}`,
      "memory.embeddings",
      "name its provider in your own ~/.config/hookline/config.yaml",
    );
  if (access.kind !== "openai" && access.kind !== "openai-compatible")
    throw unknown(
      `the provider of ${access.name} makes no embeddings by OpenAI's protocol`,
      "memory.embeddings",
      "name a model of another provider, such as openai/text-embedding-3-small",
    );
  return {
    name: placeOf(access),
    embed: (texts, signal) => ask(access, texts, AbortSignal.any([signal, AbortSignal.timeout(limitInMilliseconds)])),
  };
}

async function ask(access: Access, input: readonly string[], signal: AbortSignal): Promise<Float32Array[]> {
  const fail = (failure: Failure): HooklineError => modelFailed(failure, access, 0);
  const { status, body } = await post(access, input, signal).catch((thrown: unknown) => {
    throw fail(signal.aborted ? tooSlow : failureOf(thrown, Date.now()));
  });
  if (status >= 400) throw fail(failureOf({ statusCode: status, responseBody: body }, Date.now()));
  const vectors = vectorsIn(body, input.length);
  if (!vectors) throw fail({ kind: "server", reason: "its reply holds no vector for each text" });
  return vectors;
}

const tooSlow: Failure = { kind: "timeout", reason: "it did not answer in time" };

async function post(
  { url, key, headers, model, reach }: Access,
  input: readonly string[],
  signal: AbortSignal,
): Promise<{ status: number; body: string }> {
  const reply = await fetchReply(reach)(`${url}/embeddings`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: JSON.stringify({ model, input, encoding_format: "float" }),
    signal,
  });
  return { status: reply.status, body: await reply.text() };
}

/** In the order of the texts: servers number what they give. Undefined where one is missing. */
function vectorsIn(body: string, expected: number): Float32Array[] | undefined {
  const rows = rowsIn(body);
  const vectors = rows.map((_row, position) => {
    const row = rows.find(({ index }) => index === position) ?? rows[position];
    const numbers = row?.embedding;
    return Array.isArray(numbers) && numbers.every(Number.isFinite) ? [Float32Array.from(numbers)] : [];
  });
  const all = vectors.flat();
  return all.length === expected && rows.length === expected ? all : undefined;
}

function rowsIn(body: string): Record<string, unknown>[] {
  const said = parseJson(body);
  return isRecord(said) && Array.isArray(said.data) ? said.data.filter(isRecord) : [];
}
