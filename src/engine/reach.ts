/**
 * Which addresses a request may lead to: it depends on who has written the address, and on nothing that the address says of
 * itself. Apart, because hooks, tool servers and models all ask, before anything is sent.
 */
import type { Fields, Json } from "./event.ts";
import type { Hook, Origin } from "./hook.ts";
import { isFields } from "./schema.ts";

/**
 * What a request may lead to beside public addresses. "loopback": this machine, as the address itself says. "internal": any
 * place, because a person wrote it in a file of his own.
 */
export type Reach = "public" | "loopback" | "internal";

interface Writing {
  /** In a file of the user or above, not of a project. */
  isOwn: boolean;
  /** Addresses as they were written, before any data was put in. */
  written: readonly string[];
}

/** @param url as it is asked for: where data says its host, that is no place that a person has written */
export function reachOf(url: string, { isOwn, written }: Writing): Reach {
  const same = written.filter((one) => originOf(one) === originOf(url));
  if (isOwn && same.length > 0) return "internal";
  return same.some(showsLoopback) ? "loopback" : "public";
}

/** What the address of a hook's step may lead to. */
export const reachOfHook = (url: string, { origin, steps }: Pick<Hook, "origin" | "steps">): Reach =>
  reachOf(url, { isOwn: isOwn(origin), written: steps.flatMap((step) => addressesIn(step.with)) });

/** Whether a person wrote the hook for himself, or the program that embeds Hookline did: it comes from no workspace. */
export const isOwn = ({ layer, root }: Pick<Origin, "layer" | "root">): boolean =>
  layer === "managed" || layer === "user" || (layer !== "project" && root === undefined);

/** Whether an address is one of this machine as people write it: not a number that means the same. */
export const showsLoopback = (address: string): boolean =>
  /^https?:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?([/?#]|$)/i.test(address.trim()) &&
  URL.canParse(address) &&
  /^(localhost|127\..*|\[::1\])$/.test(new URL(address).hostname);

/** Why no request goes there, in any layer; undefined: one may. */
export function addressFault(url: string): string | undefined {
  if (!URL.canParse(url)) return `"${url}" is not an address`;
  const { protocol, username, password } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:") return `"${url}" is neither http nor https`;
  return username || password ? "the address holds a user name or password: send it as a header" : undefined;
}

const originOf = (address: string): string | undefined => (URL.canParse(address) ? new URL(address).origin : undefined);

function addressesIn(value: Fields | Json): string[] {
  if (typeof value === "string") return /^\s*https?:/i.test(value) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap(addressesIn);
  return isFields(value) ? Object.values(value).flatMap(addressesIn) : [];
}
