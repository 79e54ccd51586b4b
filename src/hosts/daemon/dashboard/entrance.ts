/**
 * Who may see the dashboard: a link of the terminal lets one browser in, once; a cookie keeps it in until the daemon ends. Apart
 * from the pages, because `hookline up` makes a link before a browser asks for a page.
 */
import { createHash, randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { dropOldest } from "../../../engine/drop-oldest.ts";

export interface Entrance {
  /**
   * A link that works once, within an hour. It stands behind the #, which browsers do not send to servers.
   *
   * @param folder where the person works: its project is shown first
   */
  link(port: number, folder: string): string;
  /** The folder that the link was made for, and the cookie for the browser. Undefined: it was used, is too old, or was never made. */
  enter(code: string, port: number): { folder: string; cookie: string } | undefined;
  holdsCookie(request: Pick<IncomingMessage, "headers">, port: number): boolean;
}

const linksLast = 3_600_000;
const linksAtMost = 20;
const browsersAtMost = 50;

/** @param elapsed milliseconds on a monotonic clock */
export function createEntrance(elapsed: () => number): Entrance {
  const links = new Map<string, { folder: string; madeAt: number }>();
  const browsers = new Map<string, true>();

  return {
    link(port, folder) {
      const code = secret();
      links.set(nameOf(code), { folder, madeAt: elapsed() });
      dropOldest(links, linksAtMost);
      return `http://127.0.0.1:${port}/#enter=${code}`;
    },
    enter(code, port) {
      const name = nameOf(code);
      const found = links.get(name);
      links.delete(name);
      if (!found || elapsed() - found.madeAt > linksLast) return undefined;
      const value = secret();
      browsers.set(nameOf(value), true);
      dropOldest(browsers, browsersAtMost);
      return { folder: found.folder, cookie: `${cookieName(port)}=${value}; Path=/; HttpOnly; SameSite=Strict` };
    },
    holdsCookie({ headers }, port) {
      const start = `${cookieName(port)}=`;
      const cookies = (headers.cookie ?? "").split(";").map((one) => one.trim());
      return cookies.some((one) => one.startsWith(start) && browsers.has(nameOf(one.slice(start.length))));
    },
  };
}

/** 256 bits. */
const secret = (): string => randomBytes(32).toString("base64url");

/** Looked up by this: how long a look-up takes says nothing about the secret. */
const nameOf = (value: string): string => createHash("sha256").update(value).digest("base64");

/** Cookies do not tell ports apart: two daemons would log each other's browser out. */
const cookieName = (port: number): string => `hookline-${port}`;
