/** Names one call as one hook refused it. Apart, because only a refusal needs it: it is loaded then. */
import { createHash } from "node:crypto";
import type { Fields, Json } from "../engine/event.ts";
import type { RefusedCall } from "../engine/ports.ts";
import { isRecord } from "../engine/schema.ts";

/**
 * The same for the same call. It is a digest, so that no other call can be made to have it; it is no secret, and opens nothing: a
 * person chooses what is lifted (R92).
 */
export const nameOfRefusal = (refused: RefusedCall): string =>
  createHash("sha256").update(textOf(refused)).digest("hex");

/** What a call says to the person who watches it does nothing, and agents word it anew each time. */
function textOf({ hook, session, cwd, tool, input }: RefusedCall): string {
  const { description: _said, ...does } = input;
  const isLine = typeof input.command === "string";
  return JSON.stringify([hook, session ?? null, cwd, tool, inOrder(isLine ? does : input)]);
}

/** The same for the same members, whatever their order. */
function inOrder(value: Json): Json {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isRecord(value)) return value;
  const members: Fields = {};
  for (const key of Object.keys(value).sort()) members[key] = inOrder((value as Fields)[key] ?? null);
  return members;
}
