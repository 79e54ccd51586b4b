/** Which model a request means: its own words over the configured default, at an address that it may name. Apart from how names are written. */
import { HooklineError } from "../../engine/error.ts";
import { type NamedModel, noProviderSentence, wantedModel } from "../../engine/named.ts";
import type { ModelRequest } from "../../engine/reach.ts";
import { type ModelSettings, type ProviderKind, providerKinds } from "../../formats/config/config.ts";
import {
  type Access,
  accessTo,
  addressOf,
  configuredName,
  defaultName,
  type Environment,
  knownProvider,
  noProvider,
  splitModel,
  unknown,
  usualModelOf,
} from "./names.ts";

export type Wanted = Pick<ModelRequest, "model" | "over" | "url">;

/** Throws model_unknown. */
export function accessFor({ model, over, url }: Wanted, settings: ModelSettings, environment: Environment): Access {
  if (url) insistOnKnownPlace(url, settings, environment); // first: which model is asked may be set later
  const name = over ? nameOver(over, settings, environment) : model;
  return url
    ? accessAt(url, name ?? defaultName(settings, environment), settings, environment)
    : accessTo(name, settings, environment);
}

/**
 * Why no model could be asked so, as a finding: a mistake that stands in the automation, or what the settings lack so far
 * (R48). undefined: nothing speaks against it. Never throws.
 *
 * @param named as an automation names it; null: the configured default
 */
export function modelFault(
  named: NamedModel | null,
  settings: ModelSettings,
  environment: Environment,
): { severity: "error" | "warning"; message: string; suggestion: string } | undefined {
  try {
    accessFor(wantedModel(named ?? {}), settings, environment);
    return undefined;
  } catch (error) {
    if (!(error instanceof HooklineError)) throw error;
    const { lacks, provider, reason, advice } = error.facts;
    const message = `${noProviderSentence(named?.provider ?? textOf(provider))}: ${reason}`;
    return { severity: lacks === undefined ? "error" : "warning", message, suggestion: textOf(advice) ?? "" };
  }
}

const textOf = (fact: string | number | undefined): string | undefined =>
  fact === undefined ? undefined : String(fact);

/** Key by key over the default (specification 000, section 7). */
function nameOver(
  { provider, model }: NonNullable<Wanted["over"]>,
  settings: ModelSettings,
  environment: Environment,
): string | undefined {
  if (provider === undefined && model === undefined) return undefined;
  if (provider !== undefined && model !== undefined) return `${provider}/${model}`;
  if (provider === undefined && model?.includes("/") && knownProvider(splitModel(model).provider, settings))
    return model;
  const usual = provider === undefined ? undefined : usualModelOf(provider);
  if (usual !== undefined && configuredName(settings, environment) === undefined) return `${provider}/${usual}`;
  if (provider !== undefined && !knownProvider(provider, settings)) throw noProvider(provider, provider, settings);
  const standing = splitModel(defaultName(settings, environment));
  return `${provider ?? standing.provider}/${model ?? standing.model}`;
}

function insistOnKnownPlace(url: string, settings: ModelSettings, environment: Environment): void {
  const address = addressOf("at base_url", "openai-compatible", { url }, environment);
  const known = [...providerKinds, ...Object.keys(settings.providers ?? {})];
  if (!isOfThisMachine(address) && !known.some((one) => isAt(url, one, settings, environment)))
    throw foreign(address, "base_url");
}

/** @param more the provider that was meant */
const foreign = (address: string, where: string, more: { provider?: string } = {}): HooklineError =>
  unknown(
    `${new URL(address).origin} is not the address of any provider`,
    where,
    "name it under models.providers in your own ~/.config/hookline/config.yaml",
    more,
  );

/**
 * A file or a row that names an address must not send what is asked, and the key with it, anywhere it likes: only to
 * addresses that the settings name for a provider, with that one's key, or to this machine, without any.
 */
function accessAt(url: string, written: string, settings: ModelSettings, environment: Environment): Access {
  const { name, provider, model } = splitModel(written);
  for (const one of new Set([provider, ...Object.keys(settings.providers ?? {})])) {
    if (knownProvider(one, settings) && isAt(url, one, settings, environment))
      return accessTo(`${one}/${model}`, settings, environment);
  }
  const kind = kindOf(provider, settings);
  if (kind === undefined) throw noProvider(provider, name, settings);
  const address = addressOf(name, kind, { url }, environment);
  if (isOfThisMachine(address)) return { kind, name, model, url: address, headers: {} };
  throw foreign(address, `the model ${name}`, { provider });
}

/** At an address of this machine the protocol may stand in the place of a provider. */
const kindOf = (provider: string, { providers = {} }: ModelSettings): ProviderKind | undefined =>
  (Object.hasOwn(providers, provider) ? providers[provider]?.kind : undefined) ??
  providerKinds.find((kind) => kind === provider);

function isAt(url: string, provider: string, settings: ModelSettings, environment: Environment): boolean {
  const kind = kindOf(provider, settings);
  const own = Object.hasOwn(settings.providers ?? {}, provider) ? settings.providers?.[provider] : undefined;
  if (kind === undefined || (kind === "openai-compatible" && !own?.url)) return false;
  const [meant, real] = [{ url }, own].map((place) => addressOf(provider, kind, place, environment));
  return meant !== undefined && real !== undefined && new URL(meant).href === new URL(real).href;
}

export function isOfThisMachine(address: string): boolean {
  const { hostname, username, password } = new URL(address);
  const isLocal = hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
  return isLocal && username === "" && password === "";
}
