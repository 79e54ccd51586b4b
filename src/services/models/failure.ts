/** What went wrong with a model, in one of a few kinds: each has its consequence in the retries, the run and the documentation. */

import { HooklineError } from "../../engine/error.ts";
import { type Instant, present } from "../../engine/event.ts";
import { shortened } from "../../engine/one-line.ts";
import { type Ports, pause } from "../../engine/ports.ts";
import { isRecord } from "../../engine/schema.ts";
import type { Access } from "./names.ts";

export type FailureKind =
  | "rate_limit"
  | "server"
  | "timeout"
  | "aborted"
  | "network"
  | "cut"
  | "refused"
  | "unreadable"
  | "unauthorized"
  | "invalid"
  | "budget";

export interface Failure {
  kind: FailureKind;
  reason: string;
  status?: number;
  /** Seconds, if the server said so. */
  retryAfter?: number;
  /** Trying once more may help. */
  passing?: true;
}

const advice: { readonly [K in FailureKind]: string } = {
  rate_limit: "wait, or use another model",
  server: "try again later",
  timeout: "give the hook more time, or use a faster model",
  aborted: "nothing is to be done",
  network: "check the address and the network",
  cut: "allow more tokens, or try again",
  refused: "word the prompt in another way, or use another model",
  unreadable: "use a model that keeps to a schema, or say in the prompt what to answer",
  unauthorized: "check the key",
  invalid: "check the model's name and the provider's settings",
  budget: "allow more tokens or turns",
};

/** No cause goes along: what the libraries throw holds the whole request, and may hold the key. */
export function modelFailed(failure: Failure, access: Access, tokens: number): HooklineError {
  const { kind, status, retryAfter } = failure;
  return new HooklineError("model_failed", {
    name: access.name,
    where: new URL(access.url).host,
    reason: withoutSecrets(failure.reason, access),
    advice: advice[kind],
    kind,
    tokens,
    ...present({ status, retryAfter }),
  });
}

const longestReason = 400;

function withoutSecrets(reason: string, { key, headers }: Access): string {
  const secrets = [key, ...Object.values(headers)].filter((one) => one !== undefined && one.length > 3);
  const clean = secrets.reduce<string>((text, secret) => text.replaceAll(secret ?? "", "[removed]"), reason);
  return shortened(clean.replace(/\s+/g, " ").trim(), longestReason);
}

/** What was thrown by a request, recognised by its form: each provider brings its own copy of the error classes. */
export function failureOf(thrown: unknown, now: Instant): Failure {
  const chain = causesOf(thrown);
  const [outer] = chain;
  const call = chain.find(({ statusCode }) => typeof statusCode === "number");
  const status = call && Number(call.statusCode);
  const said = String(outer?.message ?? thrown);
  if (call && status !== undefined && status >= 400) return refusalOf(call, status, now);
  if (status !== undefined) return brokenReply(chain, status);
  const code = chain.map((one) => one.code).find((one) => typeof one === "string");
  if (code === undefined && !/fetch failed|Cannot connect/i.test(said)) return notSent(said, outer);
  if (code === "ETIMEDOUT") return { kind: "timeout", reason: `the server did not answer (${code})` };
  const passing = code === "ECONNRESET" || code === "EPIPE";
  return { kind: "network", reason: innermost(chain), ...(passing ? { passing: true } : {}) };
}

type Thrown = Record<string, unknown>;

function causesOf(thrown: unknown): Thrown[] {
  const chain: Thrown[] = [];
  for (let one = thrown; isRecord(one) && chain.length < 8; one = one.cause) chain.push(one);
  return chain;
}

const innermost = (chain: readonly Thrown[]): string =>
  String(chain.findLast(({ message }) => typeof message === "string" && message !== "")?.message ?? "no connection");

/** The statuses after which the same request may well succeed. */
const passingStatuses: readonly number[] = [429, 500, 502, 503, 529];

function refusalOf(call: Thrown, status: number, now: Instant): Failure {
  const body = typeof call.responseBody === "string" ? call.responseBody : JSON.stringify(call.responseBody ?? "");
  const message = typeof call.message === "string" && call.message !== "" ? `: ${call.message}` : "";
  const retryAfter = waitAsked(call.responseHeaders, body, now);
  return {
    kind: kindOfStatus(status, body),
    status,
    reason: `the server answered ${status}${message}`,
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(passingStatuses.includes(status) && !/insufficient_quota/.test(body) ? { passing: true } : {}),
  };
}

function kindOfStatus(status: number, body: string): FailureKind {
  if (status === 401 || status === 403 || /API_KEY_INVALID/.test(body)) return "unauthorized";
  if (status === 429) return "rate_limit";
  if (status === 408 || status === 504) return "timeout";
  return status >= 500 ? "server" : "invalid";
}

/** Seconds from the header, as number or date, or from Google's error body. */
function waitAsked(headers: unknown, body: string, now: Instant): number | undefined {
  const given = isRecord(headers) ? headers : {};
  const exact = Number(given["retry-after-ms"] ?? Number.NaN);
  if (exact >= 0) return exact / 1000;
  const written = given["retry-after"];
  if (typeof written === "string" && written !== "") {
    if (/^\d+(\.\d+)?$/.test(written)) return Number(written);
    const date = Date.parse(written);
    if (!Number.isNaN(date)) return Math.max(0, (date - now) / 1000);
  }
  const delay = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(body)?.[1];
  return delay === undefined ? undefined : Number(delay);
}

/** The server said yes, and then its reply broke off, or was none. */
function brokenReply(chain: readonly Thrown[], status: number): Failure {
  const broken = chain.find(({ name }) => name === "AI_JSONParseError");
  const isWhole = broken ? !/^\s*[{[]/.test(String(broken.text ?? "")) : chain.some(isMisshapen);
  const reason = isWhole ? "its reply is not in the provider's form" : `its reply ended early: ${innermost(chain)}`;
  return { kind: isWhole ? "server" : "cut", status, reason };
}

const isMisshapen = ({ name, message }: Thrown): boolean =>
  name === "AI_TypeValidationError" || /larger than \d+ bytes/.test(String(message));

/** The library would not send it, or could not read what came. */
const notSent = (said: string, outer: Thrown | undefined): Failure =>
  /InvalidResponseData|NoContent|EmptyResponse/.test(String(outer?.name))
    ? { kind: "server", reason: `its reply is not in the provider's form: ${said}` }
    : { kind: "invalid", reason: said };

// One request, tried again where that may help and there is time: at most twice, as long as the server asked, or a
// little longer each time.

export type Clock = Pick<Ports, "now" | "after">;

/** How long an attempt may go on. */
export interface Patience {
  signal: AbortSignal;
  deadline?: Instant;
}

const mostRetries = 2;
const firstPause = 500;
/** Where no deadline is known, no caller waits longer than this for another try. */
const longestPause = 60_000;

/** Answers with a failure instead of throwing: who asked knows more about it. */
export async function attempt<T>(
  clock: Clock,
  { signal, deadline }: Patience,
  work: () => Promise<T>,
): Promise<{ value: T } | { failure: Failure }> {
  for (let tries = 0; ; tries++) {
    if (signal.aborted) return { failure: stopped(signal, clock, deadline) };
    try {
      return { value: await work() };
    } catch (error) {
      if (signal.aborted) return { failure: stopped(signal, clock, deadline) };
      const failure = failureOf(error, clock.now());
      const wait = failure.retryAfter === undefined ? firstPause * 2 ** tries : failure.retryAfter * 1000;
      const end = deadline ?? clock.now() + longestPause;
      if (!failure.passing || tries === mostRetries || clock.now() + wait >= end) return { failure };
      await pause(wait, clock, signal);
    }
  }
}

/** Why the work was given up. */
export function stopped(signal: AbortSignal, clock: Clock, deadline: Instant | undefined): Failure {
  const { reason } = signal;
  const late = (reason instanceof Error && reason.name === "TimeoutError") || clock.now() >= (deadline ?? Infinity);
  return late
    ? { kind: "timeout", reason: "it did not answer in time" }
    : { kind: "aborted", reason: "the caller gave up" };
}

// A model that failed five times in a row is left alone for a minute: hooks that wait for it would only add to the
// trouble.

const failuresAtMost = 5;
const rest = 60_000;
/** What says that the provider is in trouble, rather than this one question. */
const troubles: ReadonlySet<unknown> = new Set(["server", "rate_limit", "network", "timeout", "cut"]);

interface Circuit {
  /** Why the model is not asked now. */
  refusal(model: string): Failure | undefined;
  watch<T>(model: string, work: () => Promise<T>): Promise<T>;
}

export function createCircuit(now: () => Instant): Circuit {
  const counts = new Map<string, { failures: number; last: Instant }>();
  return {
    refusal(model) {
      const { failures, last } = counts.get(model) ?? { failures: 0, last: 0 };
      const wait = (last + rest - now()) / 1000;
      if (failures < failuresAtMost || wait <= 0) return undefined;
      const reason = `it failed ${failures} times in a row and is not asked again for ${Math.ceil(wait)} s`;
      return { kind: "server", reason, retryAfter: wait };
    },
    async watch(model, work) {
      try {
        const value = await work();
        counts.delete(model);
        return value;
      } catch (error) {
        if (error instanceof HooklineError && troubles.has(error.facts.kind))
          counts.set(model, { failures: (counts.get(model)?.failures ?? 0) + 1, last: now() });
        throw error;
      }
    },
  };
}
