/** What the daemon answers where it does not do what is asked: one table of codes, and one form for all of them. */
import { type ErrorCode, HooklineError, messageOf } from "../../engine/error.ts";

export type RefusalCode =
  | "forbidden_host"
  | "forbidden_origin"
  | "unauthorized"
  | "not_entered"
  | "not_found"
  | "method_not_allowed"
  | "unsupported_type"
  | "body_too_large"
  | "head_too_large"
  | "not_http"
  | "input_invalid"
  | "webhook_unknown"
  | "signature_invalid"
  | "timestamp_invalid"
  | "queue_full"
  | "intake_full"
  | "line_too_large"
  | "answers_unread"
  | "closing"
  | "version_differs"
  | "places_differ"
  | "too_deep"
  | "too_late"
  | "failed";

interface Refusal {
  status: number;
  message: string;
  advice: string;
  headers?: Readonly<Record<string, string>>;
}

/** Of what is not said to be larger. */
const usualBody = 1024 * 1024;
const megabytes = (bytes: number): string => `${bytes / (1024 * 1024)} MB`;

export const refusals: Readonly<Record<RefusalCode, Refusal>> = {
  forbidden_host: {
    status: 403,
    message: "the Host header is not the daemon's address and port",
    advice: "call 127.0.0.1 and the daemon's port itself",
  },
  forbidden_origin: {
    status: 403,
    message: "requests of web pages are refused",
    advice: "call from a program, without an Origin header",
  },
  unauthorized: {
    status: 401,
    message: "the token is missing or wrong",
    advice: "send Authorization: Bearer and the token of daemon.json beside the store",
  },
  not_entered: {
    status: 401,
    message:
      "this browser is not let in: its link was used already, is older than an hour, or is of a daemon that has ended",
    advice: "run `hookline open` in a terminal, and follow the link that it prints",
  },
  not_found: { status: 404, message: "there is nothing here", advice: "see docs/daemon.md for what there is" },
  method_not_allowed: { status: 405, message: "this is not the way to ask for it", advice: "see docs/daemon.md" },
  unsupported_type: { status: 415, message: "the body is not JSON", advice: "send Content-Type: application/json" },
  body_too_large: {
    status: 413,
    message: `the body is larger than ${megabytes(usualBody)}`,
    advice: "send less",
    headers: { connection: "close" }, // the rest of it is on its way and is not read
  },
  head_too_large: {
    status: 431,
    message: "the head of the request is larger than 16 kB",
    advice: "send fewer headers",
  },
  not_http: { status: 400, message: "this is no request of HTTP/1.1", advice: "see docs/daemon.md for what there is" },
  input_invalid: {
    status: 400,
    message: "the body is no JSON object in UTF-8, or is nested deeper than 500 levels",
    advice: "send one JSON object",
  },
  webhook_unknown: {
    status: 404,
    message: "no webhook has this name",
    advice: "name it under webhooks in your own config.yaml",
  },
  signature_invalid: {
    status: 401,
    message: "the signature does not fit",
    advice: "compare the secrets of both sides",
  },
  timestamp_invalid: {
    status: 401,
    message: "the message is older or newer than five minutes",
    advice: "set the clock of the sender",
  },
  queue_full: {
    status: 429,
    message: "too much waits already",
    advice: "send it again later",
    headers: { "retry-after": "5" },
  },
  intake_full: {
    status: 429,
    message: "more is being sent than can be taken",
    advice: "send it again later",
    headers: { "retry-after": "1" },
  },
  line_too_large: { status: 413, message: "the line is larger than 1 MB", advice: "send less in one event" },
  answers_unread: {
    status: 408,
    message: "the answers were not read for 30 seconds",
    advice: "read an answer for each line",
  },
  closing: { status: 503, message: "the daemon is being stopped", advice: "start it again: hookline up" },
  version_differs: {
    status: 409,
    message: "this daemon is of another version",
    advice: "do the work without it",
  },
  places_differ: {
    status: 409,
    message: "the sender keeps its settings or its store elsewhere than this daemon",
    advice: "do the work without it",
  },
  too_deep: {
    status: 409,
    message: "the sender's folder is more than 64 levels deep, or its path is longer than 4,096 characters",
    advice: "do the work without it",
  },
  too_late: {
    status: 409,
    message: "its sender may have gone on without an answer",
    advice: "do the work without it",
  },
  failed: { status: 500, message: "it could not be done", advice: "see the message" },
};

/** A refusal before it is sent, by whatever way. */
export interface Refused {
  status: number;
  headers: Readonly<Record<string, string>>;
  error: { code: string; message: string; advice: string };
}

/** @param message instead of the usual one, where more is known */
export function refused(code: RefusalCode, message?: string): Refused {
  const { status, advice, headers = {}, ...usual } = refusals[code];
  return { status, headers, error: { code, message: message ?? usual.message, advice } };
}

export const tooLarge = (atMost: number): Refused =>
  refused("body_too_large", `the body is larger than ${megabytes(atMost)}`);

/** As the answer to a call. */
export const refusalAnswer = ({
  status,
  headers,
  error,
}: Refused): { status: number; headers: Readonly<Record<string, string>>; body: string } => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify({ error }),
});

/** Codes of ours that mean wrong use; the others are the environment's. */
const statuses: Partial<Record<ErrorCode, number>> = {
  event_unknown: 400,
  usage: 400,
  input_invalid: 400,
  parameters_invalid: 400,
  agent_unknown: 404,
  tool_unknown: 404,
  hook_unknown: 404,
  run_unknown: 404,
  tool_failed: 422,
  store_locked: 507,
  store_unusable: 507,
};

/** What was thrown, as a refusal. */
export function refusedBy(thrown: unknown): Refused {
  if (!(thrown instanceof HooklineError)) return refused("failed", messageOf(thrown));
  const [message = "", , advice = ""] = thrown.message.split(" — ");
  return { status: statuses[thrown.code] ?? 500, headers: {}, error: { code: thrown.code, message, advice } };
}
