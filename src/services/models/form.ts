/** The ways to ask for JSON, from the strictest that a provider takes to plain words. Apart because servers refuse some of them. */
import type { Fields } from "../../engine/event.ts";
import { isRecord } from "../../engine/schema.ts";
import type { Failure } from "./failure.ts";
import type { CallOptions } from "./providers.ts";

/** schema: the server keeps to it · json: it keeps to JSON · words: it is only told. */
export type Form = "schema" | "json" | "words";
const weaker: { readonly [F in Form]?: Form } = { schema: "json", json: "words" };

/** What to try next, if the server refused this form rather than the request. */
export const weakerForm = (form: Form, { status, reason }: Failure): Form | undefined =>
  (status === 400 || status === 422) && namesForm.test(reason) ? weaker[form] : undefined;

const namesForm =
  /response_?format|json_?(schema|object|mode)|output_?(format|config)|response_?(json_?)?schema|response_?mime|text\.format|structured[ _]?output/i;

type SchemaOfLibrary = Extract<NonNullable<CallOptions["responseFormat"]>, { type: "json" }>["schema"];

export function responseFormat(form: Form, schema: Fields): Pick<CallOptions, "responseFormat"> {
  if (form === "words") return {};
  const given = schema as SchemaOfLibrary; // JSON Schema, as the port asks for
  return { responseFormat: { type: "json", ...(form === "schema" && given ? { schema: given, name: "answer" } : {}) } };
}

export const inWords = (schema: Fields): string =>
  `Answer with one JSON object that fits this JSON Schema, and with nothing else around it:\n${JSON.stringify(schema)}`;

/** Whether OpenAI's strict mode takes it: every object closed, and every property required. */
export function isStrict(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict);
  if (!isRecord(schema)) return true;
  const { properties, required, additionalProperties } = schema;
  if (schema.type === "object") {
    const names = isRecord(properties) ? Object.keys(properties) : [];
    if (additionalProperties !== false || !Array.isArray(required)) return false;
    if (!names.every((name) => required.includes(name))) return false;
  }
  return Object.values(schema).every(isStrict);
}
