/** The AI SDK's providers, each loaded when it is first asked, and how they differ in what a request may say. */
import type { OpenAICompatibleProvider } from "@ai-sdk/openai-compatible";
import { bounded, webFetch } from "../../actions/http/web-fetch.ts";
import type { Reach } from "../../engine/reach.ts";
import type { ProviderKind } from "../../formats/config/config.ts";
import type { Access } from "./names.ts";

/** A model as the AI SDK's providers speak of it. All four have this one type. */
export type LanguageModel = ReturnType<OpenAICompatibleProvider["chatModel"]>;
export type CallOptions = Parameters<LanguageModel["doGenerate"]>[0];
export type Generated = Awaited<ReturnType<LanguageModel["doGenerate"]>>;

interface Kind {
  open(access: Access, strictly: boolean): Promise<LanguageModel>;
  /** Stands in every request. Judging a hook needs little thought, and what was sent is not to be kept. */
  always: Pick<CallOptions, "reasoning" | "providerOptions">;
  ofTools?: { strict: boolean };
  /** Whether a schema may be asked for beside tools. */
  schemaBesideTools: boolean;
  /** Servers that take a schema and do not keep to it are asked in words as well. */
  alsoInWords: boolean;
}

/** A server on this machine may need no key, but the libraries do: they would look for one in the environment. */
const noKey = "none";

export const kinds: { readonly [K in ProviderKind]: Kind } = {
  anthropic: {
    async open(access) {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic(settingsOf(access))(access.model);
    },
    always: { reasoning: "none" },
    schemaBesideTools: true,
    alsoInWords: false,
  },
  openai: {
    async open(access) {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI(settingsOf(access)).responses(access.model);
    },
    always: { reasoning: "low", providerOptions: { openai: { store: false, reasoningSummary: null } } },
    ofTools: { strict: false }, // by default tools are strict there, and optional parameters a mistake
    schemaBesideTools: true,
    alsoInWords: false,
  },
  google: {
    async open(access) {
      const { createGoogle } = await import("@ai-sdk/google");
      return createGoogle(settingsOf(access)).chat(access.model);
    },
    always: { reasoning: "none" },
    schemaBesideTools: true,
    alsoInWords: false,
  },
  "openai-compatible": {
    async open({ url, key, headers, model, reach }, strictly) {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      return createOpenAICompatible({
        name: "compatible",
        baseURL: url,
        ...(key === undefined ? {} : { apiKey: key }),
        headers: { ...headers },
        fetch: fetchReply(reach),
        supportsStructuredOutputs: strictly,
      }).chatModel(model);
    },
    always: {},
    schemaBesideTools: false,
    alsoInWords: true,
  },
};

const settingsOf = ({ url, key = noKey, headers, reach }: Access) => ({
  baseURL: url,
  apiKey: key,
  headers: { ...headers },
  fetch: fetchReply(reach),
});

/** The one way in which requests to providers leave: no redirects, which would carry keys elsewhere, and no endless replies. */

const limitInBytes = 16 << 20;

/** Rejects on network failure, on a redirect, and when aborted, which also closes the connection. */
export const fetchReply =
  (reach: Reach): typeof globalThis.fetch =>
  async (address, request) => {
    const reply = await webFetch(reach)(address, { ...request, redirect: "error" });
    if (!reply.body) return reply;
    const { status, statusText, headers } = reply;
    return new Response(bounded(reply.body, limitInBytes), { status, statusText, headers });
  };
