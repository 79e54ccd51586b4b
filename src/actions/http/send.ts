/** One request, without redirects: the guard is asked, then Node's own client connects to an address that was checked. */
import { type LookupAddress, type LookupAllOptions, lookup } from "node:dns";
import type { IncomingMessage } from "node:http";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { pipeline, type Readable } from "node:stream";
import { addressFault, type Reach } from "../../engine/reach.ts";

interface OutgoingRequest {
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

// The one guard of all that Hookline sends by HTTP: which addresses are public, which are of this machine or its networks, and which of them a request may lead to. Names are looked up here too, so that no connection goes to an address that was not checked.

/** Anything that is no public address of the internet, by IANA's registries of special purposes. */
const special4 = blockList("ipv4", [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32", // Azure's own
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
]);
/** All global addresses; what lies elsewhere is local, translated, or not given out. */
const global6 = blockList("ipv6", ["2000::/3"]);
/** In it: protocols such as Teredo, documentation, 6to4. */
const special6 = blockList("ipv6", ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"]);
const loopback4 = blockList("ipv4", ["127.0.0.0/8"]);

/** Where clouds hand out the keys of their machines. */
const metadata4 = blockList("ipv4", ["169.254.0.0/16", "168.63.129.16/32", "100.100.100.200/32", "192.0.0.192/32"]);
const metadata6 = blockList("ipv6", ["fe80::a9fe:a9fe/128", "fd00:ec2::/32", "fd20:ce::/32"]);

/** Names that mean something on this machine and its networks alone. A name of one word is one of them. */
const localNames =
  /^[^.]*$|\.(localhost|local|internal|intranet|localdomain|lan|home|corp|private)$|\.home\.arpa$|^metadata\.goog$/;

function blockList(family: "ipv4" | "ipv6", subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [address = "", bits] = subnet.split("/");
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}

type Kind = "public" | "loopback" | "metadata" | "internal";

/** What an IP address is, in whatever form; what is none is internal: nothing is known of it. */
export function kindOfAddress(written: string): Kind {
  const address = plainAddress(written);
  if (isIP(address) === 4) {
    if (metadata4.check(address)) return "metadata";
    if (loopback4.check(address)) return "loopback";
    return special4.check(address) ? "internal" : "public";
  }
  if (isIP(address) !== 6) return "internal";
  if (address === "::1") return "loopback";
  if (metadata6.check(address, "ipv6")) return "metadata";
  return global6.check(address, "ipv6") && !special6.check(address, "ipv6") ? "public" : "internal";
}

/** The shortest form, without a zone; an IPv4 address that is mapped into IPv6 is one of IPv4. */
function plainAddress(written: string): string {
  const [address = ""] = written.split("%");
  if (isIP(address) !== 6) return address;
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(short) ?? [];
  if (high === undefined || low === undefined) return short;
  const [left, right] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [left >> 8, left & 255, right >> 8, right & 255].join(".");
}

/** What each reach allows of an address that a name stands for, or that a redirect leads to. */
const allowed: { readonly [R in Reach]: readonly Kind[] } = {
  public: ["public"],
  loopback: ["loopback"],
  internal: ["public", "loopback", "internal"],
};

const names: { readonly [K in Kind]: string } = {
  public: "not of this machine",
  loopback: "of this machine",
  metadata: "where a cloud keeps the keys of its machines",
  internal: "of this machine's networks, or not public",
};

const advice: { readonly [R in Reach]: string } = {
  public: "only a hook or a setting of your own may lead there",
  loopback: "only a hook or a setting of your own may lead there",
  internal: "write the address itself if you mean it",
};

/** Why no request is sent there, before anything is looked up; undefined: it may be, where its name leads to an address that may. */
export function hostFault({ hostname }: URL, reach: Reach): string | undefined {
  const host = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  if (isIP(host) !== 0) {
    const kind = kindOfAddress(host);
    const isAllowed = reach === "internal" || allowed[reach].includes(kind); // a literal is what its author has seen
    return isAllowed ? undefined : `${host} is ${names[kind]}: ${advice[reach]}`;
  }
  if (reach !== "public" || !localNames.test(host)) return undefined;
  return `${host} is a name of this machine or its networks: ${advice[reach]}`;
}

const leadsTo = (host: string, address: string, reach: Reach): string =>
  `${host} leads to ${address}, which is ${names[kindOfAddress(address)]}: ${advice[reach]}`;

/** As Node's own, asked for all addresses. */
export type Resolve = (
  host: string,
  options: LookupAllOptions,
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

/** Looks a name up, and gives no address at all unless every one of its addresses may be reached. */
export const checkedLookup =
  (reach: Reach, resolve: Resolve): LookupFunction =>
  (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, "");
      const refused = addresses.find(({ address }) => !allowed[reach].includes(kindOfAddress(address)));
      if (refused) return callback(new Error(leadsTo(host, refused.address, reach)), "");
      const [first] = addresses;
      if (!first) return callback(new Error(`${host} has no address`), "");
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
