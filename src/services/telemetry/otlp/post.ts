/** One request to a collector, and what its answer means. */
import { parseJson } from "../../../actions/command/protocols/find-answer.ts";
import type { Fields, Seconds } from "../../../engine/event.ts";
import { isRecord } from "../../../engine/schema.ts";
import { bounded } from "../../bounded-reply.ts";

export type Posted =
  /** `rejected`: how many of it were not taken, and `reason` why. */
  | { is: "taken"; rejected: number; reason: string }
  /** It may be sent again, not before `pause` has passed. */
  | { is: "later"; reason: string; pause?: Seconds }
  | { is: "refused"; reason: string };

export interface PostOptions {
  fetch: typeof globalThis.fetch;
  headers: Readonly<Record<string, string>>;
}

const limitInMs = 10_000;
const replyAtMost = 64 << 10;
/** OTLP names these. */
const passing: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

/** Never rejects. */
export async function post(
  url: URL,
  body: Fields,
  { fetch, headers }: PostOptions,
  signal: AbortSignal,
): Promise<Posted> {
  try {
    const reply = await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.any([signal, AbortSignal.timeout(limitInMs)]),
      redirect: "manual", // it would carry the headers elsewhere
    });
    const text = reply.body ? await new Response(bounded(reply.body, replyAtMost)).text() : "";
    if (reply.ok) return { is: "taken", ...rejectedIn(text) };
    const reason = `it answered ${reply.status}`;
    if (!passing.has(reply.status)) return { is: "refused", reason };
    const pause = Number(reply.headers.get("retry-after") ?? "");
    return { is: "later", reason, ...(pause > 0 ? { pause } : {}) };
  } catch (error) {
    return { is: "later", reason: troubleOf(error) };
  }
}

/** A partial success says so in its body. */
function rejectedIn(text: string): { rejected: number; reason: string } {
  const value = parseJson(text);
  const partial = isRecord(value) && isRecord(value.partialSuccess) ? value.partialSuccess : {};
  const { rejectedSpans = 0, rejectedDataPoints = 0, errorMessage } = partial;
  const rejected = Number(rejectedSpans) + Number(rejectedDataPoints);
  return {
    rejected: Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0,
    reason: typeof errorMessage === "string" && errorMessage !== "" ? errorMessage : "it gave no reason",
  };
}

/** What a failed request says of itself may hold the address: its code does not. */
function troubleOf(error: unknown): string {
  if (error instanceof Error && error.name === "TimeoutError") return "it did not answer in time";
  const cause = error instanceof Error ? error.cause : undefined;
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined;
  return `it cannot be reached${typeof code === "string" ? ` (${code})` : ""}`;
}
