/** What the daemon answers where it does not do what is asked: one table of codes, and one form for all of them. */
import { type ErrorCode, HooklineError, messageOf } from "../core/error.ts";

export type RefusalCode =
  | "forbidden_host"
  | "forbidden_origin"
  | "unauthorized"
  | "not_found"
  | "method_not_allowed"
  | "unsupported_type"
  | "body_too_large"
  | "input_invalid"
  | "webhook_unknown"
  | "signature_invalid"
  | "timestamp_invalid"
  | "webhook_repeated"
  | "queue_full"
  | "closing"
  | "failed";

interface Refusal {
  status: number;
  message: string;
  advice: string;
  headers?: Readonly<Record<string, string>>;
}

export const refusals: Readonly<Record<RefusalCode, Refusal>> = {
  forbidden_host: { status: 403, message: "this is not an address of the daemon", advice: "call 127.0.0.1 itself" },
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
  not_found: { status: 404, message: "there is nothing here", advice: "see docs/daemon.md for what there is" },
  method_not_allowed: { status: 405, message: "this is not the way to ask for it", advice: "see docs/daemon.md" },
  unsupported_type: { status: 415, message: "the body is not JSON", advice: "send Content-Type: application/json" },
  body_too_large: {
    status: 413,
    message: "the body is larger than 1 MB",
    advice: "send less",
    headers: { connection: "close" }, // the rest of it is on its way, and nobody reads it
  },
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
  webhook_repeated: { status: 409, message: "this message was taken before", advice: "do not send it again" },
  queue_full: {
    status: 429,
    message: "too much waits already",
    advice: "send it again later",
    headers: { "retry-after": "5" },
  },
  closing: { status: 503, message: "the daemon is being stopped", advice: "start it again: hookline up" },
  failed: { status: 500, message: "it could not be done", advice: "see the message" },
};

/** @param message instead of the usual one, where more is known */
export function refuse(code: RefusalCode, message?: string): Response {
  const { status, advice, headers = {}, ...usual } = refusals[code];
  return Response.json({ error: { code, message: message ?? usual.message, advice } }, { status, headers });
}

/** Codes of ours that mean wrong use; the others are the environment's. */
const statuses: Partial<Record<ErrorCode, number>> = {
  event_unknown: 400,
  usage: 400,
  input_invalid: 400,
  parameters_invalid: 400,
  tool_unknown: 404,
  hook_unknown: 404,
  run_unknown: 404,
  tool_failed: 422,
  store_locked: 503,
  store_unusable: 503,
};

/** What was thrown, as an answer. */
export function refuseWith(error: unknown): Response {
  if (!(error instanceof HooklineError)) return refuse("failed", messageOf(error));
  const [message = "", , advice = ""] = error.message.split(" — ");
  return Response.json({ error: { code: error.code, message, advice } }, { status: statuses[error.code] ?? 500 });
}
