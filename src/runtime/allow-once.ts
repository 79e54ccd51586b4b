/** The code by which a person names one refused call. Apart, because only a refusal needs it: it is loaded then. */
import { createHmac, randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Fields, Json } from "../engine/event.ts";
import type { RefusedCall } from "../engine/ports.ts";
import { isRecord } from "../engine/schema.ts";
import { makePrivateFolder } from "../files/write.ts";

/** Letters and digits that nobody takes for one another: without i, l, o and u. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const length = 8;

export const isCode = (text: string): boolean =>
  text.length === length && [...text].every((one) => alphabet.includes(one));

/** A code as a person may write it. */
export const codeIn = (written: string): string => written.trim().toLowerCase();

/** Undefined: the secret of this state folder can be neither read nor made, so nothing can be allowed. Never throws. */
export function allowOnceCode(stateFolder: string, refused: RefusedCall): string | undefined {
  const secret = secretOf(stateFolder);
  if (!secret) return undefined;
  const bytes = createHmac("sha256", secret).update(textOf(refused)).digest();
  return [...bytes.subarray(0, length)].map((byte) => alphabet[byte % alphabet.length]).join("");
}

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

function secretOf(stateFolder: string): Buffer | undefined {
  const file = join(stateFolder, "allow-once.key");
  return readSecret(file) ?? (madeSecret(stateFolder, file) ? readSecret(file) : undefined);
}

/** One that is cut off is none. */
function readSecret(file: string): Buffer | undefined {
  try {
    const secret = readFileSync(file);
    return secret.length >= 32 ? secret : undefined;
  } catch {
    return undefined; // it is not there, or is another user's
  }
}

/** Another process may be faster: its secret counts. */
function madeSecret(stateFolder: string, file: string): boolean {
  try {
    makePrivateFolder(stateFolder);
    writeFileSync(file, randomBytes(32), { mode: 0o600, flag: "wx" });
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EEXIST";
  }
}
