/** Answers of the plain lane, each as one piece for the socket, with all that is the same for many of them made once. */
import { STATUS_CODES } from "node:http";
import type { CallAnswer } from "./call.ts";

export const processing = "HTTP/1.1 102 Processing\r\n\r\n";

export interface Written {
  bytes: string | Buffer;
  /** Of a text. */
  encoding: "latin1" | "utf8";
  /** It says that the connection ends. */
  isLast: boolean;
}

/** @param keptFor seconds that a connection may say nothing */
export function createAnswerWriter(keptFor: number): (answer: CallAnswer, isLast: boolean) => Written {
  const kept = `\r\nconnection: keep-alive\r\nkeep-alive: timeout=${keptFor}\r\n\r\n`;
  const lines = new Map<number, string>();
  const heads = new WeakMap<CallAnswer["headers"], string>(); // most answers share theirs

  function lineOf(status: number): string {
    let line = lines.get(status);
    if (line === undefined) {
      line = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n`;
      lines.set(status, line);
    }
    return line;
  }

  /** Up to the number of the body's bytes. */
  function headOf(headers: CallAnswer["headers"]): string {
    let head = heads.get(headers);
    if (head === undefined) {
      head = "";
      for (const [name, value] of Object.entries(headers)) if (name !== "connection") head += `${name}: ${value}\r\n`;
      head += "content-length: ";
      heads.set(headers, head);
    }
    return head;
  }

  return ({ status, headers, body }, isAskedToEnd) => {
    const isLast = isAskedToEnd || headers.connection === "close";
    const length = Buffer.byteLength(body);
    const head = `${lineOf(status)}${headOf(headers)}${length}${isLast ? "\r\nconnection: close\r\n\r\n" : kept}`;
    if (typeof body !== "string")
      return { bytes: Buffer.concat([Buffer.from(head, "latin1"), body]), encoding, isLast };
    return { bytes: head + body, encoding: length === body.length ? encoding : "utf8", isLast };
  };
}

/** The quicker one, where each letter is one byte. */
const encoding = "latin1";
