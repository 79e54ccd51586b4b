/** How install has registered us in a settings file, read back from the file itself, so that it can be added to. Pure. */
import { isRecord } from "../core/schema.ts";
import { readOwnAddress, readOwnCall } from "./own-call.ts";
import { type HttpRegistration, ownEntry } from "./registration.ts";
import { groupsIn } from "./settings-edit.ts";

export interface StandingRegistration {
  events: readonly string[];
  /** The words before `hook AGENT`. */
  command: readonly string[];
  http?: HttpRegistration;
}

/** Undefined: the file does not register us, or not in a form that install writes. Throws settings_unusable. */
export function readRegistration(
  text: string | undefined,
  agent: string,
  file: string,
): StandingRegistration | undefined {
  const own = groupsIn(text, file).flatMap(({ handlers }) =>
    handlers.flatMap((handler) => {
      const entry = ownEntry(handler, agent);
      return entry ? [{ handler, event: entry.event }] : [];
    }),
  );
  const command = own.map(({ handler }) => wordsBefore(handler.command)).find((words) => words !== undefined);
  if (!command) return undefined;
  const events = own.map(({ event }) => event);
  const told = own.filter(({ handler }) => readOwnAddress(handler.url) !== undefined);
  const [first] = told;
  if (!first) return { events, command };
  const { url, headers } = first.handler;
  const token = isRecord(headers) ? /^Bearer (\S+)$/.exec(String(headers.authorization))?.[1] : undefined;
  if (token === undefined) return undefined;
  const blocking = new Set(told.flatMap(({ handler, event }) => (handler.onFailure === "block" ? [event] : [])));
  const takes = (event: string): boolean => told.some((one) => one.event === event);
  return {
    events,
    command,
    http: { port: Number(new URL(String(url)).port), token, takes, blocks: (event) => blocking.has(event) },
  };
}

/** The words as they were before they were quoted for a shell. */
function wordsBefore(line: unknown): string[] | undefined {
  if (typeof line !== "string" || readOwnCall(line) === undefined) return undefined;
  const before = line.slice(0, line.lastIndexOf(" hook "));
  return [...before.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll(/\\(.)/g, "$1") ?? plain ?? "",
  );
}
