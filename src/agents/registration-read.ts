/** How a settings file registers us, read back from the file itself, so that one more event can be registered in the same way. Pure. */
import type { Fields, Seconds } from "../core/event.ts";
import type { AgentAdapter } from "./adapter.ts";
import { isPort, ownAddress, readOwnCall, readOwnDoor } from "./own-call.ts";
import { commandFor, ownEntry } from "./registration.ts";
import { groupsIn } from "./settings-edit.ts";

export interface EntryOptions {
  /** The agent tells of this event over HTTP too. */
  overHttp: boolean;
  /** The agent is to refuse it where nobody answers. */
  blocks: boolean;
  /** As install writes it. */
  timeout: Seconds;
}

/** An entry of ours. */
export interface StandingEntry {
  event: string;
  handler: Fields;
}

/** Every one in the file, whoever wrote it. Throws settings_unusable. */
export const standingEntries = (text: string | undefined, { name }: AgentAdapter, file: string): StandingEntry[] =>
  groupsIn(text, file).flatMap(({ handlers }) =>
    handlers.flatMap((handler) => {
      const entry = ownEntry(handler, name);
      return entry ? [{ event: entry.event, handler: handler as Fields }] : []; // it was read from JSON
    }),
  );

/**
 * An entry for this event by the pattern of the others, with what install writes and nothing that a person has added to one of
 * them. Undefined: none stands as install writes it.
 */
export function entryLike(
  standing: readonly StandingEntry[],
  event: string,
  { overHttp, blocks, timeout }: EntryOptions,
): Fields | undefined {
  const isUntouched = (handler: Fields): boolean =>
    handler.timeout === timeout && Object.keys(handler).every((key) => written.has(key));
  const patterns = standing
    .map(({ handler }) => handler)
    .toSorted((a, b) => Number(isUntouched(b)) - Number(isUntouched(a)));
  const made = (make: typeof commandOf): Fields | undefined =>
    patterns.map((handler) => make(handler, event)).find((entry) => entry !== undefined);
  const told = overHttp ? made(toldOf) : undefined;
  return told ? { ...told, ...(blocks && { onFailure: "block" }) } : made(commandOf);
}
const written = new Set(["type", "command", "url", "headers", "timeout", "onFailure"]);

const limitOf = ({ timeout }: Fields): Fields => (timeout === undefined ? {} : { timeout });

/** A line that install would not write so is a shell's to read: variables, a tilde, words in front. It is left to its author. */
function commandOf(handler: Fields, event: string): Fields | undefined {
  const { type, command } = handler;
  const call = readOwnCall(command);
  if (type !== "command" || typeof command !== "string" || call?.by === undefined) return undefined;
  const program = wordsBefore(command).map((word) => word.replaceAll(/\\(.)/g, "$1"));
  const registration = { agent: call.agent, by: call.by, program };
  if (commandFor(registration, call.event) !== command) return undefined;
  return { type, command: commandFor(registration, event), ...limitOf(handler) };
}

/** Whether the agent refuses in place of a daemon is said of each event by itself. */
function toldOf(handler: Fields, event: string): Fields | undefined {
  const { type, url, headers } = handler;
  const door = readOwnDoor(url);
  if (type !== "http" || !door || !isPort(door.port) || headers === undefined) return undefined;
  return { type, url: ownAddress(door.port, { ...door, event }), headers, ...limitOf(handler) };
}

/** The words before `hook AGENT`, without the quotes around them; what is escaped in them still is. */
export function wordsBefore(line: string): string[] {
  const before = line.slice(0, line.lastIndexOf(" hook "));
  return [...before.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
}
