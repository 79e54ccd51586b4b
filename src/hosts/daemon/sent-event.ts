/** What programs of this machine send to the line, however it comes in: one JSON object, which means one application event. */

import { HooklineError } from "../../engine/error.ts";
import { depthField, type EventName, type Fields, type HookEvent } from "../../engine/event.ts";
import { eventNames, resolveEvent } from "../../engine/events.ts";
import { nearest } from "../../engine/nearest.ts";
import { isRecord } from "../../engine/schema.ts";
import { textOf } from "../../files/lines.ts";
import { isApplicationEvent } from "../../formats/config/keys.ts";

/** What was sent to `POST /events`, or as a line. */
export interface Sent {
  event: string;
  data?: Fields;
  cwd?: string;
  session?: string;
}

/** Of one event. */
export const largestInBytes: number = 1024 * 1024;
/** SQLite reads no JSON that is nested deeper than 1,000, and what is recorded wraps it. */
const deepestInLevels = 500;

/**
 * The JSON value that stands in this text; undefined: none does, or it is too deep to be written down. A byte
 * order mark before it is no part of it.
 */
export function jsonIn(text: string): unknown {
  try {
    const read: unknown = JSON.parse(text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text);
    return text.length > 2 * deepestInLevels && isDeep(read) ? undefined : read; // a level takes two characters
  } catch {
    return undefined;
  }
}
const byteOrderMark = 0xfeff;

/** The JSON object that stands in these bytes; undefined: none does, or it is too deep to be written down. */
export function objectIn(bytes: Buffer): Fields | undefined {
  const text = textOf(bytes);
  const read = text === undefined ? undefined : jsonIn(text);
  return isRecord(read) ? (read as Fields) : undefined; // it was JSON
}

/** Level by level: what is nested without end would end the stack of a recursive reader. */
function isDeep(read: unknown): boolean {
  let level: unknown[] = [read];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepestInLevels) return true;
    const next: unknown[] = [];
    for (const one of level)
      if (one !== null && typeof one === "object") for (const value of Object.values(one)) pushNested(next, value);
    level = next;
  }
  return false;
}

function pushNested(next: unknown[], value: unknown): void {
  if (value !== null && typeof value === "object") next.push(value);
}

/** @throws HooklineError event_unknown, parameters_invalid */
export function eventOfSent(sent: unknown, given: Pick<HookEvent, "id" | "at" | "cwd">): HookEvent {
  const { event, data = {}, cwd = given.cwd, session } = checked(sent);
  const made: HookEvent = {
    id: given.id,
    name: applicationEvent(event),
    at: given.at,
    cwd,
    data: withoutDepthField(data),
    sender: "http",
  };
  if (session !== undefined) made.session = session;
  return made;
}

/** Only hooks count how deep they are. */
export function withoutDepthField(data: Fields): Fields {
  if (!Object.hasOwn(data, depthField)) return data;
  const { [depthField]: _given, ...payload } = data;
  return payload;
}

const where = "POST /events";

function applicationEvent(written: string): EventName {
  if (isApplicationEvent(written)) return written as EventName; // it holds a dot
  const near = resolveEvent(written) ? undefined : nearest(written, eventNames);
  const advice = resolveEvent(written) ? `${where} — agents report it themselves` : where;
  throw new HooklineError("event_unknown", { name: written, where: advice, ...(near ? { near } : {}) });
}

const needs = (name: string, expected: string): HooklineError =>
  new HooklineError("parameters_invalid", { name, expected, found: "something else", where });

const known: ReadonlySet<string> = new Set(["event", "data", "cwd", "session"]);

function checked(sent: unknown): Sent {
  if (!isRecord(sent)) throw needs("the body", "a JSON object");
  for (const name of Object.keys(sent))
    if (!known.has(name)) throw needs("the body", `event, data, cwd and session; "${name}" is unknown,`);
  const { event, data, cwd, session } = sent;
  if (typeof event !== "string") throw needs("event", "the name of an application event");
  if (data !== undefined && !isRecord(data)) throw needs("data", "a JSON object");
  if (cwd !== undefined && !(typeof cwd === "string" && cwd.startsWith("/") && isWithinLimits(cwd)))
    throw needs("cwd", `an absolute path ${folderLimit}`);
  if (session !== undefined && !(typeof session === "string" && session !== "")) throw needs("session", "text");
  return sent as unknown as Sent; // as was just looked at; it came as JSON
}

/** Of which folders a daemon looks up the hooks: each folder on the way is asked about, and everybody else waits meanwhile. */

/** As agents' payloads may name; no system opens a longer path. */
const longest = 4_096;
/** Those of people have some twenty. What a look costs grows with the square of it. */
const levelsAtMost = 64;

export const folderLimit: string = "of at most 64 levels and 4,096 characters";

export function isWithinLimits(folder: string): boolean {
  if (folder.length > longest) return false;
  let levels = 0;
  for (let at = folder.indexOf("/"); at >= 0; at = folder.indexOf("/", at + 1)) levels += 1;
  return levels <= levelsAtMost;
}
