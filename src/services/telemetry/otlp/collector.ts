/** Requests to a collector: what an answer means, and what a person hears where it takes none. */
import { parseJson } from "../../../actions/command/protocols/find-answer.ts";
import { bounded } from "../../../actions/http/web-fetch.ts";
import type { Fields, Instant, Seconds } from "../../../engine/event.ts";
import { oneLine } from "../../../engine/one-line.ts";
import { fieldsIn } from "../../../engine/schema.ts";

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
  const partial = fieldsIn(fieldsIn(value).partialSuccess);
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

interface TroubleOptions {
  /** "spans" or "metrics", and where they go. */
  what: string;
  collector: string;
  now(): Instant;
  complain(reason: string): void;
}

/** Of one signal. A person hears once when the collector begins not to take it, and once when it does again, with what was lost. */
export interface Trouble {
  /** @param becomes of what was not taken, in a clause; absent: it is said elsewhere */
  fails(reason: string, becomes?: string): void;
  works(): void;
  /** Gone for good. */
  lose(count: number): void;
  lost(): number;
  reason(): string | undefined;
}

/** A collector that takes some and not others is not reported each time. */
const saysAgainAfterInMs = 900_000;

export function createTrouble({ what, collector, now, complain }: TroubleOptions): Trouble {
  let trouble: string | undefined;
  let saidAt = Number.NEGATIVE_INFINITY;
  let isSaid = false;
  let lost = 0;
  let lostBefore = 0;
  return {
    fails(reason, becomes) {
      if (becomes !== undefined && trouble === undefined && now() - saidAt >= saysAgainAfterInMs) {
        complain(`telemetry: ${collector} takes no ${what}: ${oneLine(reason)}; ${becomes}`);
        saidAt = now();
        isSaid = true;
      }
      trouble = reason;
    },
    works() {
      trouble = undefined;
      if (!isSaid) return;
      isSaid = false;
      const meanwhile = lost - lostBefore;
      lostBefore = lost;
      complain(`telemetry: ${collector} takes ${what} again${meanwhile > 0 ? `; ${meanwhile} were lost` : ""}`);
    },
    lose(count) {
      lost += count;
    },
    lost: () => lost,
    reason: () => trouble,
  };
}
