/** From a model's name to the provider that has it, its address and its key. Apart because people write names in many ways. */
import { HooklineError } from "../../engine/error.ts";
import type { ModelRequest } from "../../engine/external-services.ts";
import { type NamedModel, noProviderSentence, wantedModel } from "../../engine/named.ts";
import { nearest } from "../../engine/nearest.ts";
import { type Reach, reachOf, showsLoopback } from "../../engine/reach.ts";
import { type ModelSettings, type Provider, type ProviderKind, providerKinds } from "../../formats/config/config.ts";

/** What is remembered of a model is remembered of it at its address. */
export const placeOf = ({ name, url }: Pick<Access, "name" | "url">): string => `${name} ${url}`;

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where a model is, and how to get in. */
export interface Access {
  kind: ProviderKind;
  /** provider/model, for messages and records. */
  name: string;
  model: string;
  url: string;
  key?: string;
  headers: Readonly<Record<string, string>>;
  /** Where its requests may lead: what a project's file or an automation wrote may not lead everywhere. */
  reach: Reach;
}

interface Known {
  /** The first that is set counts. */
  keys: readonly string[];
  address: string;
  url: string;
  /** What the provider's interface calls its version, at the end of its address. */
  version: string;
  /** Small and fast: what is asked where no model is named. */
  model: string;
}

/** In the order in which they are tried where no model is named. */
const providers: { readonly [K in Exclude<ProviderKind, "openai-compatible">]: Known } = {
  anthropic: {
    keys: ["ANTHROPIC_API_KEY"],
    address: "ANTHROPIC_BASE_URL",
    url: "https://api.anthropic.com/v1",
    version: "v1",
    model: "claude-haiku-4-5",
  },
  openai: {
    keys: ["OPENAI_API_KEY"],
    address: "OPENAI_BASE_URL",
    url: "https://api.openai.com/v1",
    version: "v1",
    model: "gpt-5-mini",
  },
  google: {
    keys: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"],
    address: "GOOGLE_GEMINI_BASE_URL",
    url: "https://generativelanguage.googleapis.com/v1beta",
    version: "v1beta",
    model: "gemini-flash-latest",
  },
};
type KnownKind = keyof typeof providers;
const knownKinds = Object.keys(providers) as KnownKind[]; // the mapped type makes the list complete
const isKnown = (kind: string): kind is KnownKind => Object.hasOwn(providers, kind);

/** What people write for `model` in Claude Code's hooks. */
const shortNames: Readonly<Record<string, string>> = {
  haiku: "anthropic/claude-haiku-4-5",
  sonnet: "anthropic/claude-sonnet-5-5",
  opus: "anthropic/claude-opus-5-5",
};
/** Names without a provider, by how they begin. */
const beginnings: readonly [RegExp, KnownKind][] = [
  [/^claude-/, "anthropic"],
  [/^(gpt-|chatgpt-|o\d)/, "openai"],
  [/^gem(ini|ma)-/, "google"],
];

/** Whether models of a provider of this name can be asked for; not whether its key is there. */
export const knownProvider = (name: string, settings: ModelSettings): boolean =>
  isKnown(name) || ownProvider(name, settings) !== undefined;

/** What is asked of a provider that comes with Hookline, where no model is named. */
export const usualModelOf = (provider: string): string | undefined =>
  isKnown(provider) ? providers[provider].model : undefined;

const ownProvider = (name: string, { providers: own = {} }: ModelSettings): Provider | undefined =>
  Object.hasOwn(own, name) ? own[name] : undefined;

const example = "anthropic/claude-haiku-4-5";

/** Throws model_unknown. */
export function accessTo(written: string | undefined, settings: ModelSettings, environment: Environment): Access {
  const { name, provider, model } = splitModel(written ?? defaultName(settings, environment));
  const own = ownProvider(provider, settings);
  const kind = own?.kind ?? (isKnown(provider) ? provider : undefined);
  if (kind === undefined) throw noProvider(provider, name, settings);
  if (model === "") throw unknown("its name is empty", name, `write one, such as ${example}`);
  const url = addressOf(name, kind, own, environment);
  const key = keyOf(name, kind, own, environment);
  const reach = reachOf(url, { isOwn: !own?.ofProject, written: [url] }); // its address is its own, or of the environment
  return { kind, name, model, url, ...(key === undefined ? {} : { key }), headers: own?.headers ?? {}, reach };
}

/** Both names, and the whole of them. A short name gets its provider. Throws model_unknown. */
export function splitModel(written: string): { name: string; provider: string; model: string } {
  const name = fullName(written);
  const slash = name.indexOf("/");
  return { name, provider: name.slice(0, slash), model: name.slice(slash + 1) };
}

/** What was chosen as the default, if anything was. */
export const configuredName = (settings: ModelSettings, environment: Environment): string | undefined =>
  environment.HOOKLINE_MODEL || settings.default || undefined;

/** Throws model_unknown. */
export function defaultName(settings: ModelSettings, environment: Environment): string {
  const said = configuredName(settings, environment);
  if (said) return said;
  const kind = knownKinds.find((one) => providers[one].keys.some((variable) => environment[variable]));
  if (kind) return `${kind}/${providers[kind].model}`;
  throw unknown(
    "none is configured, and no provider's key is set",
    "the default model",
    `set HOOKLINE_MODEL or models.default, or a key such as ${providers.anthropic.keys[0]}`,
    { lacks: "default" },
  );
}

function fullName(written: string): string {
  const name = written.trim();
  if (name.includes("/")) return name;
  const short = Object.hasOwn(shortNames, name) ? shortNames[name] : undefined;
  const kind = beginnings.find(([pattern]) => pattern.test(name))?.[1];
  if (short !== undefined) return short;
  if (kind) return `${kind}/${name}`;
  throw unknown(`"${name}" does not say whose it is`, `the model ${name}`, `write provider/model, such as ${example}`);
}

export function noProvider(provider: string, name: string, { providers: own = {} }: ModelSettings): HooklineError {
  const known = [...Object.keys(own), ...knownKinds];
  const near = nearest(provider, known);
  const advice = near ? `did you mean "${near}"?` : `known: ${known.join(", ")}; name others under models.providers`;
  return unknown(`no provider is called "${provider}"`, `the model ${name}`, advice, { provider });
}

/** What counts of an environment when a model is asked. */
export function variablesOf({ providers: own = {} }: ModelSettings, environment: Environment): Record<string, string> {
  const names = [
    "HOOKLINE_MODEL",
    ...knownKinds.flatMap((kind) => [...providers[kind].keys, providers[kind].address]),
    ...Object.values(own).flatMap(({ key_variable }) => key_variable ?? []),
  ];
  return Object.fromEntries(names.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])));
}

/** Throws model_unknown. */
export function addressOf(
  name: string,
  kind: ProviderKind,
  own: Pick<Provider, "url"> | undefined,
  environment: Environment,
): string {
  const known = isKnown(kind) ? providers[kind] : undefined;
  const written = own?.url ?? (known && environment[known.address]);
  if (!written && !known) throw unknown("its provider has no url", `the model ${name}`, "write its url");
  const url = (written || known?.url || "").replace(/\/+$/, "");
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw unknown(`"${url}" is no http or https address`, `the model ${name}`, "correct the url");
  return known && !/\/v\d\w*$/.test(url) ? `${url}/${known.version}` : url;
}

/**
 * A key that lies in the environment for a provider goes to that provider, or where the same environment says that it is:
 * an address that a file names gets only the key that the file names with it.
 */
function keyOf(
  name: string,
  kind: ProviderKind,
  own: Provider | undefined,
  environment: Environment,
): string | undefined {
  if (own?.key) return own.key;
  const variables = own?.key_variable ? [own.key_variable] : isKnown(kind) && !own?.url ? providers[kind].keys : [];
  const key = variables.map((variable) => environment[variable]).find((value) => value);
  if (key === undefined && variables.length > 0)
    throw unknown(`${variables.join(" or ")} is not set`, `the model ${name}`, "set it, or name another model", {
      lacks: "key",
    });
  return key;
}

/** `more`: what is lacking, where more settings would help, or the provider that there is not. */
export const unknown = (
  reason: string,
  where: string,
  advice: string,
  more: { lacks?: "default" | "key"; provider?: string } = {},
): HooklineError => new HooklineError("model_unknown", { reason, where, advice, ...more });

// Which model a request means: its own words over the configured default, at an address that it may name. Apart from
// how names are written.

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
  if (!showsLoopback(address) && !known.some((one) => isAt(url, one, settings, environment)))
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
  if (showsLoopback(address)) return { kind, name, model, url: address, headers: {}, reach: "loopback" };
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
