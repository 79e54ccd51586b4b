/** The events that an agent's own program lists, compared with our table of them: an event that is new there is found before anybody reads of it. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentAdapter } from "../../src/agents/adapter.ts";

/** So many of the names that we know have to stand in a list before it is one of events. */
const knownAtLeast = 5;
const list = /\[(?:"[A-Za-z]{3,40}",?){5,100}\]/g;

/**
 * The longest list of quoted names that holds names of this agent's events.
 *
 * @param text of a program, its bytes as Latin-1
 * @returns undefined: there is none
 */
export function eventsListedIn(text: string, known: ReadonlySet<string>): readonly string[] | undefined {
  let longest: readonly string[] | undefined;
  for (const [found] of text.matchAll(list)) {
    const names = [...found.matchAll(/"([A-Za-z]+)"/g)].map(([, name = ""]) => name);
    const isLonger = names.length > (longest?.length ?? 0);
    if (isLonger && names.filter((name) => known.has(name)).length >= knownAtLeast) longest = names;
  }
  return longest;
}

/** What the agent itself calls the events that we know of it. */
export function knownEvents({ sends, settings: { editor, events } }: AgentAdapter): ReadonlySet<string> {
  const names = editor.is === "JSON groups" ? (editor.names ?? {}) : {};
  return new Set([...sends, ...events, ...Object.values(names)]);
}

/** @param program what starts the agent: a program, or a script among others of its package */
export function newEvents(agent: AgentAdapter, program: string): readonly string[] | undefined {
  const known = knownEvents(agent);
  const texts = program.endsWith(".js") ? scriptsBeside(program) : [program];
  const lists = texts.flatMap((file) => eventsListedIn(readFileSync(file, "latin1"), known) ?? []);
  return lists.length === 0 ? undefined : [...new Set(lists)].filter((name) => !known.has(name));
}

const scriptsBeside = (program: string): string[] =>
  readdirSync(join(program, ".."), { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile() && /\.m?js$/.test(one.name))
    .map((one) => join(one.parentPath, one.name));
