/** What a request brings, read whole and never beyond the limit, whether or not its sender says how much it is. */
import type { Fields } from "../core/event.ts";
import { isRecord } from "../core/schema.ts";
import { refuse } from "./refusals.ts";

type Sent = Pick<Request, "headers" | "body">;

const largestInBytes = 1024 * 1024;
/** SQLite reads no JSON that is nested deeper than 1,000, and what is recorded wraps it. */
const deepestInLevels = 500;

/** The bytes as they were sent, or the answer that refuses them. */
export async function readBody({ headers, body }: Sent): Promise<Uint8Array | Response> {
  if (Number(headers.get("content-length") ?? 0) > largestInBytes) return refuse("body_too_large");
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > largestInBytes) return refuse("body_too_large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The body as the JSON object that it has to be, or what is wrong with it. An empty one is an empty object. */
export async function readJson(request: Sent): Promise<Fields | Response> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json\s*(;|$)/i.test(type)) return refuse("unsupported_type");
  const bytes = await readBody(request);
  if (bytes instanceof Response) return bytes;
  return bytes.length === 0 ? {} : (objectIn(bytes) ?? refuse("input_invalid"));
}

/**
 * The JSON object that stands in these bytes; undefined: none does, or one so deep that nobody could write it down. A byte
 * order mark before it is no part of it.
 */
export function objectIn(bytes: Uint8Array): Fields | undefined {
  try {
    const read: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return isRecord(read) && !isDeep(read) ? (read as Fields) : undefined; // it was JSON
  } catch {
    return undefined;
  }
}

/** Level by level: what is nested without end would end the stack of whoever calls itself. */
function isDeep(read: unknown): boolean {
  let level = [read];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepestInLevels) return true;
    level = level.flatMap((one) => (one !== null && typeof one === "object" ? Object.values(one) : []));
  }
  return false;
}
