/** A call that node:http has read: all that is not plain, whatever its form and however slowly it comes. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Call } from "./call.ts";

export function callOf(request: IncomingMessage, response: ServerResponse, isPrivate: boolean): Call {
  let gone: (() => void) | undefined;
  return {
    method: request.method ?? "",
    url: request.url ?? "",
    headers: request.headers,
    isPrivate,
    body: undefined,
    receive(piece, end) {
      request.on("data", piece);
      request.on("end", end);
      request.on("error", () => {}); // it ended in the middle: `close` comes behind it
    },
    isWhole: () => request.complete,
    processing: () => response.writeProcessing(),
    reply({ status, headers, body }) {
      if (response.headersSent || response.destroyed) return;
      const isText = typeof body === "string";
      response.writeHead(status, {
        ...headers,
        "content-length": isText ? Buffer.byteLength(body) : body.length,
      });
      response.end(body);
    },
    whenGone(callback) {
      if (!gone)
        response.once("close", () => {
          if (!response.writableEnded) gone?.();
        });
      gone = callback;
    },
  };
}
