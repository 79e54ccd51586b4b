/** How a settings file registers us, read back from the file itself, so that one more event can be registered in the same way. Pure. */
import type { Fields } from "../core/event.ts";
import type { AgentAdapter } from "./adapter.ts";
import { ownAddress, readOwnAddress, readOwnCall } from "./own-call.ts";
import { commandFor, ownEntry } from "./registration.ts";
import { groupsIn } from "./settings-edit.ts";

export interface EntryOptions {
  /** The agent tells of this event over HTTP too. */
  overHttp: boolean;
  /** The agent is to refuse it where nobody answers. */
  blocks: boolean;
}

export interface StandingRegistration {
  events: readonly string[];
  /** The entry of another event with this one's word in it, and nothing else changed. Undefined: none stands as install writes it. */
  entryFor(event: string, options: EntryOptions): Fields | undefined;
}

/** Undefined: the file does not register us. Throws settings_unusable. */
export function readRegistration(
  text: string | undefined,
  { name, settings }: AgentAdapter,
  file: string,
): StandingRegistration | undefined {
  const own = groupsIn(text, file).flatMap(({ handlers }) =>
    handlers.flatMap((handler) => {
      const entry = ownEntry(handler, name);
      return entry ? [{ event: entry.event, handler: handler as Fields }] : []; // it was read from JSON
    }),
  );
  if (own.length === 0) return undefined;
  const isUntouched = (handler: Fields): boolean =>
    handler.timeout === settings.timeout && Object.keys(handler).every((key) => written.has(key));
  return {
    events: own.map(({ event }) => event),
    entryFor(event, { overHttp, blocks }) {
      const entries = own
        .map(({ handler }) => handler)
        .toSorted((a, b) => Number(isUntouched(b)) - Number(isUntouched(a)));
      const made = (make: typeof commandOf): Fields | undefined =>
        entries.map((handler) => make(handler, event)).find((entry) => entry !== undefined);
      const told = overHttp ? made(toldOf) : undefined;
      return told ? { ...told, ...(blocks && { onFailure: "block" }) } : made(commandOf);
    },
  };
}
const written = new Set(["type", "command", "url", "headers", "timeout", "onFailure"]);

/** A line that install would not write so is a shell's to read: variables, a tilde, words in front. It is left to its author. */
function commandOf(handler: Fields, event: string): Fields | undefined {
  const { type, command } = handler;
  const call = readOwnCall(command);
  if (type !== "command" || typeof command !== "string" || call?.by === undefined) return undefined;
  const registration = { agent: call.agent, by: call.by, program: wordsBefore(command) };
  if (commandFor(registration, call.event) !== command) return undefined;
  return { ...handler, command: commandFor(registration, event) };
}

/** Whether the agent refuses in place of a daemon is said of each event by itself. */
function toldOf({ onFailure: _, ...handler }: Fields, event: string): Fields | undefined {
  const call = readOwnAddress(handler.url);
  if (handler.type !== "http" || call?.by === undefined) return undefined;
  const { agent, by } = call;
  return { ...handler, url: ownAddress(Number(new URL(String(handler.url)).port), { agent, by, event }) };
}

/** The words before `hook AGENT`, as they were before they were quoted for a shell, if install has quoted them. */
function wordsBefore(line: string): string[] {
  const before = line.slice(0, line.lastIndexOf(" hook "));
  return [...before.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll(/\\(.)/g, "$1") ?? plain ?? "",
  );
}
