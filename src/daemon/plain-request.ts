/**
 * Reads a request of the plainest form, as programs send it that ask over and over: POST, its length said once, nothing that HTTP
 * can be argued about. Whatever else it is, is for node:http, so that nobody can make the two understand different things.
 */
import type { Head } from "./admission.ts";

export interface PlainHead {
  url: string;
  /** As node:http would give them. */
  headers: Head;
  /** Of the head itself, with its blank line. */
  size: number;
  /** Of the body. */
  length: number;
  isLast: boolean;
}

/** Gives the head that these bytes begin with, where they are it and all of its body, and nothing more. */
export type ReadPlain = (bytes: Buffer) => PlainHead | undefined;

/** Far below what node:http takes. */
const largestHeadInBytes = 8_192;
const headersAtMost = 64;
const blankLine = Buffer.from("\r\n\r\n");

/** No byte has two ways through it, so it takes linear time. Of a value, spaces and tabs around it are no part. */
const head = /^POST (\/[\w!$%&'()*+,\-./:;=?@~]*) HTTP\/1\.1\r\n((?:[\w!#$%&'*+\-.^`|~]+:[\t\x20-\x7e]*\r\n)+)\r\n$/;
const length = /^(?:0|[1-9][0-9]{0,6})$/;

/** Each of these says that the request is more than its bytes, or has a form of its own in what node:http gives. */
const leftToNode: ReadonlySet<string> = new Set([
  "transfer-encoding",
  "expect",
  "upgrade",
  "trailer",
  "te",
  "proxy-connection",
  "http2-settings",
  "set-cookie",
  "__proto__",
]);

/** Who asks again says the same head: it is read once. */
export function createPlainReader(): ReadPlain {
  let last = "";
  let read: PlainHead | undefined;
  return (bytes) => {
    if (!read || bytes.toString("latin1", 0, read.size) !== last) {
      const end = bytes.subarray(0, largestHeadInBytes).indexOf(blankLine);
      if (end < 0) return undefined;
      const text = bytes.toString("latin1", 0, end + blankLine.length);
      const found = plainHeadIn(text);
      if (!found) return undefined;
      read = found;
      last = text;
    }
    return bytes.length === read.size + read.length ? read : undefined;
  };
}

/** Undefined: it is none, or not a plain one. */
export function plainHeadIn(text: string): PlainHead | undefined {
  const [, url, lines] = head.exec(text) ?? [];
  if (url === undefined || lines === undefined) return undefined;
  const headers = headersIn(lines);
  const said = headers?.["content-length"];
  if (!headers || said === undefined || headers.host === undefined || !length.test(said)) return undefined;
  const connection = headers.connection?.toLowerCase() ?? "keep-alive";
  if (connection !== "keep-alive" && connection !== "close") return undefined;
  return { url, headers, size: text.length, length: Number(said), isLast: connection === "close" };
}

/** Undefined: one of them is there twice, or makes the request another than a plain one. */
function headersIn(lines: string): Record<string, string> | undefined {
  const headers: Record<string, string> = {};
  let count = 0;
  for (let at = 0; at < lines.length; ) {
    const end = lines.indexOf("\r\n", at);
    const colon = lines.indexOf(":", at);
    const name = lines.slice(at, colon).toLowerCase();
    count += 1;
    if (count > headersAtMost || leftToNode.has(name) || Object.hasOwn(headers, name)) return undefined;
    headers[name] = lines.slice(colon + 1, end).trim(); // the grammar leaves it no other white space than HTTP's
    at = end + 2;
  }
  return headers;
}
