/** How an automation names its model, as a request says it. Apart because it is looked at when it is made and when it runs. */
import type { ModelRequest } from "./reach.ts";

export interface NamedModel {
  provider?: string;
  model?: string;
  base_url?: string;
}

/** Of what it does not name, the configured default holds, key by key. What is empty counts as left out. */
export function wantedModel({
  provider,
  model,
  base_url: url,
}: NamedModel): Pick<ModelRequest, "model" | "over" | "url"> {
  const over = { ...(provider ? { provider } : {}), ...(model ? { model } : {}) };
  return {
    ...(provider && model ? { model: `${provider}/${model}` } : provider || model ? { over } : {}),
    ...(url ? { url } : {}),
  };
}

/** The sentence of specification 000, section 7. */
export const noProviderSentence = (provider: string | undefined): string =>
  `Failed to create LLM provider: ${provider || "the default"}`;
