/** Operations behind `GET` and `POST /operations/NAME`: which question is answered how. Pure; who listens mounts it. */
import type { Fields, Json } from "../engine/event.ts";
import type { Answer, Described, ServedOperations } from "./serve.ts";

export interface OperationRequest {
  method: "GET" | "POST";
  name: string;
  /** The body, or the parameters of a question. */
  input: Fields;
  signal: AbortSignal;
}
/** The result itself, or an error in the form of all others. */
export interface OperationReply {
  status: number;
  body: Json;
}

const refusals = {
  unknown: { status: 404, code: "operation_unknown", advice: "GET /operations lists them" },
  invalid: { status: 400, code: "input_invalid", advice: "GET /operations says what it takes" },
  refused: { status: 422, code: "operation_refused", advice: "see the message" },
  broken: { status: 507, code: "operation_failed", advice: "see the message" },
} as const satisfies { [K in Exclude<Answer["is"], "done">]: Refusal };
const changesSomething: Refusal = { status: 405, code: "method_not_allowed", advice: "use POST" };

interface Refusal {
  status: number;
  code: string;
  advice: string;
}

/** Never rejects. Only what changes nothing is done on `GET`: a link that somebody follows must not delete anything. */
export async function answerOverHttp(
  { method, name, input, signal }: OperationRequest,
  served: ServedOperations,
): Promise<OperationReply> {
  if (method === "GET" && served.list().some((one) => one.name === name && !one.readOnly))
    return refuse(changesSomething, `${name} changes something`);
  const answer = await served.call(name, input, { signal });
  if (answer.is === "done") return { status: 200, body: answer.result };
  return refuse(refusals[answer.is], answer.message);
}

const refuse = ({ status, code, advice }: Refusal, message: string): OperationReply => ({
  status,
  body: { error: { code, message, advice } },
});

/** `GET /operations`: what there is. */
export const listOverHttp = (served: ServedOperations): Json =>
  served.list().map(({ name, summary, input, readOnly, destructive }: Described) => ({
    name,
    summary,
    input,
    readOnly,
    destructive,
  }));
