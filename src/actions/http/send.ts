/** One request, without redirects: the guard is asked, then Node's own client connects to an address that was checked. */
import { lookup } from "node:dns";
import type { IncomingMessage } from "node:http";
import { pipeline, type Readable } from "node:stream";
import { addressFault, type Reach } from "../../engine/reach.ts";
import { checkedLookup, hostFault, kindOfAddress, type Resolve } from "./addresses.ts";

export interface OutgoingRequest {
  url: string;
  method: string;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array;
  reach: Reach;
}

export interface IncomingReply {
  status: number;
  statusText: string;
  headers: IncomingMessage["headers"];
  /** Decoded, as it comes. */
  body: Readable;
  /** Whether it came from this machine or its networks. */
  isInternal: boolean;
}

/** Rejects where nothing may be sent, on network failure, and when aborted. */
export type Send = (request: OutgoingRequest, signal: AbortSignal) => Promise<IncomingReply>;

interface SendOptions {
  resolve?: Resolve;
  connectWithinInMs?: number;
}

/**
 * A connection of its own for each request: one that was kept alive may close under a request that must not be sent twice, and
 * was checked for another. It goes to the server itself: no proxy that the environment names could be held to a checked address.
 */
export const createSend =
  ({ resolve = lookup, connectWithinInMs = 10_000 }: SendOptions = {}): Send =>
  ({ url, method, headers, body, reach }, signal) =>
    new Promise((settle, reject) => {
      const fault = addressFault(url) ?? hostFault(new URL(url), reach);
      if (fault !== undefined) throw new Error(fault);
      const address = new URL(url);
      const isSecure = address.protocol === "https:";
      const { request } = process.getBuiltinModule(isSecure ? "node:https" : "node:http");
      const length = body.length === 0 && method === "GET" ? {} : { "content-length": String(Buffer.byteLength(body)) };
      const outgoing = request(
        address,
        {
          ...{ method, signal, agent: false, lookup: checkedLookup(reach, resolve) },
          headers: { "accept-encoding": "identity", ...headers, ...length },
        },
        (reply) => {
          try {
            settle(replyOf(reply));
          } catch (error) {
            outgoing.destroy();
            reject(error);
          }
        },
      );
      const late = setTimeout(() => outgoing.destroy(tooLate(address.host, connectWithinInMs)), connectWithinInMs);
      outgoing.once("socket", (socket) =>
        socket.once(isSecure ? "secureConnect" : "connect", () => clearTimeout(late)),
      );
      outgoing.once("close", () => clearTimeout(late));
      outgoing.on("error", reject);
      outgoing.end(body);
    });

const tooLate = (host: string, limitInMs: number): Error =>
  Object.assign(new Error(`no connection to ${host} within ${limitInMs / 1000} s`), { code: "ETIMEDOUT" });

function replyOf(reply: IncomingMessage): IncomingReply {
  const { statusCode = 0, statusMessage = "", headers, socket } = reply;
  return {
    ...{ status: statusCode, statusText: statusMessage, headers },
    body: decoded(reply),
    isInternal: kindOfAddress(socket.remoteAddress ?? "") !== "public",
  };
}

/** No reply is asked for in another form, but some servers send one. It is decoded as it is read: a limit counts what comes out. */
function decoded(reply: IncomingMessage): Readable {
  const coding = reply.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  if (coding === "identity" || coding === "") return reply;
  const { createGunzip, createInflate, createBrotliDecompress } = process.getBuiltinModule("node:zlib");
  const makers = { gzip: createGunzip, "x-gzip": createGunzip, deflate: createInflate, br: createBrotliDecompress };
  if (!Object.hasOwn(makers, coding)) throw new Error(`the reply is encoded as "${coding.slice(0, 40)}"`);
  const make = makers[coding as keyof typeof makers]; // it is one of its keys
  return pipeline(reply, make(), () => {}); // the reader of the end gets the error
}
