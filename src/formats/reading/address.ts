/** Why a text is no address that a request can be sent to, and what to write. One answer for every format that holds one. */
import { type Schema, text } from "../../engine/schema.ts";

export interface AddressFault {
  /** Stands behind the address. */
  reason: string;
  example: string;
}

const lastPort = 65_535;
const local = /^(?:localhost|127\.|0\.0\.0\.0|\[::1\])/i;

/** Variables in an address are filled in when it is used. */
export function addressFault(url: string): AddressFault | undefined {
  const schemed = /^https?:\/\//i.test(url);
  if (schemed && (url.includes("$") || URL.canParse(url))) return undefined;
  const [, before = "", port = ""] = /^(https?:\/\/[^/:]+):(\d+)/i.exec(url) ?? [];
  if (Number(port) > lastPort)
    return {
      reason: `has the port ${port}, and ports end at ${lastPort}`,
      example: `"${before}:8080…", with the real port`,
    };
  const host = /^[\w.-]+(?::\d+)?(?:\/.*)?$/.test(url) && /[.:]|^localhost/.test(url);
  const example = host ? `"${local.test(url) ? "http" : "https"}://${url}"` : '"https://…"';
  return { reason: "is no http or https address", example };
}

const anAddress = "an http or https address";

/** Variables may stand for all of it. */
export const address = (description: string): Schema<string> => {
  const { json, check } = text(description);
  return {
    json,
    check(value, path = []) {
      const isWrong = typeof value === "string" && !value.includes("$") && addressFault(value) !== undefined;
      return isWrong ? [{ path, expected: anAddress, found: JSON.stringify(value) }] : check(value, path);
    },
  };
};

/** What to write in the place of such a text. */
export function addressInstead(expected: string, written: string): string | undefined {
  return expected === anAddress ? addressFault(written)?.example : undefined;
}
