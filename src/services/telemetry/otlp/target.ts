/** Where telemetry goes: what the user's own file says, else OpenTelemetry's usual variables. A file's address never gets the headers of a variable. */
import type { TelemetrySettings } from "../../../formats/config/config.ts";
import { addressOf, fillAll, headerOf } from "../../variables.ts";
import type { Attributes } from "./encode.ts";

type Variables = Readonly<Record<string, string>>;
type Signal = "traces" | "metrics";

export interface OtlpTarget {
  /** The addresses; absent: that signal is not sent. */
  traces?: URL;
  metrics?: URL;
  headers: Readonly<Record<string, string>>;
  resource: Attributes;
}

interface TargetOptions {
  settings: TelemetrySettings;
  /** Fills `${NAME}` in the settings. */
  environment: Variables;
  /** `OTEL_…`, as far as a person has set them for this process. */
  variables: Variables;
}

/** @throws Error with what is wrong, in a sentence without secrets */
export function targetOf({ settings, environment, variables }: TargetOptions): OtlpTarget {
  const isOfFile = settings.endpoint !== undefined;
  const protocol = variables.OTEL_EXPORTER_OTLP_PROTOCOL ?? "";
  if (!isOfFile && protocol === "grpc")
    throw new Error(
      "OTEL_EXPORTER_OTLP_PROTOCOL is grpc, and Hookline sends OTLP over HTTP: name the collector's HTTP port, often 4318",
    );
  const addresses = isOfFile ? fromFile(settings, environment) : fromVariables(variables);
  const attributes = pairsIn(variables.OTEL_RESOURCE_ATTRIBUTES, "OTEL_RESOURCE_ATTRIBUTES");
  const name = settings.service_name ?? (variables.OTEL_SERVICE_NAME || attributes["service.name"]);
  return { ...addresses, resource: { ...attributes, "service.name": name ?? "hookline" } };
}

const paths: Readonly<Record<Signal, string>> = { traces: "v1/traces", metrics: "v1/metrics" };

function fromFile(
  { endpoint = "", headers = {}, signals }: TelemetrySettings,
  environment: Variables,
): Omit<OtlpTarget, "resource"> {
  const base = addressOf(endpoint, "telemetry.endpoint", environment);
  const filled = Object.entries(fillAll(headers, environment)).map(([name, value]) => [
    name,
    headerOf(value, `the header ${name} of telemetry`, {}),
  ]);
  const sends = (signal: Signal): boolean => signals?.includes(signal) ?? true;
  return {
    ...(sends("traces") ? { traces: below(base, "traces") } : {}),
    ...(sends("metrics") ? { metrics: below(base, "metrics") } : {}),
    headers: Object.fromEntries(filled),
  };
}

/** A signal's own address is taken as it is; below the common one each has its path. */
function fromVariables(variables: Variables): Omit<OtlpTarget, "resource"> {
  const address = (signal: Signal): URL | undefined => {
    const upper = signal.toUpperCase();
    if (variables[`OTEL_${upper}_EXPORTER`] === "none") return undefined;
    const own = `OTEL_EXPORTER_OTLP_${upper}_ENDPOINT`;
    if (variables[own]) return addressOf(variables[own], own, {});
    const common = "OTEL_EXPORTER_OTLP_ENDPOINT";
    return variables[common] ? below(addressOf(variables[common], common, {}), signal) : undefined;
  };
  const [traces, metrics] = [address("traces"), address("metrics")];
  const name = "OTEL_EXPORTER_OTLP_HEADERS";
  const headers = Object.entries(pairsIn(variables[name], name)).map(([key, value]) => [
    key,
    headerOf(value, name, {}),
  ]);
  return { ...(traces && { traces }), ...(metrics && { metrics }), headers: Object.fromEntries(headers) };
}

function below(base: URL, signal: Signal): URL {
  const address = new URL(base);
  address.pathname = `${base.pathname.replace(/\/+$/, "")}/${paths[signal]}`;
  return address;
}

/** `key=value,key=value`, percent-encoded, as OpenTelemetry writes lists. */
function pairsIn(written = "", called: string): Record<string, string> {
  const pairs = written.split(",").flatMap((pair) => {
    const at = pair.indexOf("=");
    if (pair.trim() === "") return [];
    if (at < 1) throw new Error(`${called} is a list of name=value, with commas between`);
    return [[pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())]];
  });
  return Object.fromEntries(pairs);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a per cent sign that stands for itself
  }
}
