/**
 * What hooks say to models and people, in one place for all formats (R90): no character of it hides or moves anything, it has an
 * end, and what a model must not take for the person's says whose it is (R97). What programs need exactly, such as a rewritten input, is
 * no such text.
 */
import type { Accepted } from "./accept.ts";
import type { HookEvent } from "./event.ts";
import type { Hook } from "./hook.ts";
import { bothEnds, oneLine, visible } from "./one-line.ts";
import { isEmpty, type Message, type Outcome, type OutcomeField, type OutcomeFields } from "./outcome.ts";
import type { Registry } from "./ports.ts";
import type { Found } from "./record.ts";

/** In characters: of all that one hook says in one answer, where the hook sets no other limit. */
export const usualTextLimit = 10_000;
/** Who speaks, and what has come of it so far. */
interface Speaker {
  hook: Hook;
  /** A text for a model that must not take it for the person's, with whose it is. */
  label: Label | undefined;
  isServer: boolean;
  /** So many characters may still be said. */
  room: number;
  /** All that the hook wanted to say. */
  length: number;
  isCut: boolean;
  notes: string[];
}
type Reader = "model" | "person";
type Label = (text: string) => string;
interface Heard {
  handlers?: Registry["handlers"];
  event?: Pick<HookEvent, "readBy">;
}

/**
 * An accepted answer as others may read it; its outcomes are changed in place. Never throws.
 *
 * @param heard the handlers of its steps, which say whether a server speaks through it, and the event that it answers
 */
export function inSafeWords(accepted: Accepted, hook: Hook, heard: Heard = {}): Accepted {
  const { now, later, notes } = accepted;
  if (isEmpty(now) && isEmpty(later)) return accepted;
  const room = hook.limits.text ?? usualTextLimit;
  const speaker: Speaker = {
    hook,
    label: labelOf(hook, heard),
    isServer: speaksForServer(hook, heard.handlers),
    room,
    length: 0,
    isCut: false,
    notes,
  };
  for (const field of spoken) {
    say(now, field, speaker);
    say(later, field, speaker);
  }
  if (speaker.isCut) notes.push(`it said ${speaker.length} characters, and was cut to ${room}: its text limit`);
  return accepted;
}

function say<F extends OutcomeField>(outcome: Outcome, field: F, speaker: Speaker): void {
  const value: OutcomeFields[F] | undefined = outcome[field];
  if (value !== undefined) outcome[field] = words[field]?.(value, speaker) as Outcome[F]; // the row of F gives F's type
}

/** A verdict that tightens is the model's to read: a deny as its reason, and an ask may become a deny. */
const words: { readonly [F in OutcomeField]?: (value: OutcomeFields[F], speaker: Speaker) => OutcomeFields[F] } = {
  verdict: (verdict, speaker) => {
    const tightens = verdict.is === "deny" || verdict.is === "ask";
    return withReason(verdict, speaker, tightens ? "model" : "person");
  },
  stop: (stop, speaker) => withReason(stop, speaker, "person"),
  context: (texts, speaker) => inRoom(texts, speaker, (text) => readBy("model", text, speaker)),
  messages: (messages, speaker) => inRoom(messages, speaker, (message) => messageIn(message, speaker)),
  firstMessage: (text, speaker) => readBy(speaker.isServer ? "model" : "person", text, speaker), // it is what the person would type
  sessionTitle: (text, speaker) => readBy("person", text, speaker),
};
/** In the order in which the room is given away: why something is refused comes first. */
const spoken = Object.keys(words) as OutcomeField[]; // the mapped type above has no other keys

function withReason<T extends { reason?: string }>(said: T, speaker: Speaker, reader: Reader): T {
  const { reason } = said;
  if (reason === undefined) return said;
  const safe = readBy(reader, reason, speaker);
  return safe === reason ? said : { ...said, reason: safe };
}

/** A stranger never speaks in the role of the system. */
function messageIn(message: Message, speaker: Speaker): Message {
  const { to, text, title, role } = message;
  const safe: Message = { ...message, text: readBy(to, text, speaker) };
  if (title !== undefined) safe.title = oneLine(title);
  if (to === "model" && role === "system" && speaker.hook.foreign) {
    safe.role = "user";
    speaker.notes.push(
      "its message to the model has the role of the user: no hook of a workspace speaks as the system",
    );
  }
  return safe;
}

/** Of a list, those for which there is room, and of the first other what still fits. An empty text always has room. */
function inRoom<T extends string | Message>(list: readonly T[], speaker: Speaker, read: (one: T) => T): T[] {
  const kept: T[] = [];
  let left = 0;
  for (const one of list) {
    const text = typeof one === "string" ? one : one.text;
    if (speaker.room > 0 || text === "") kept.push(read(one));
    else left += 1;
  }
  if (left === 0) return kept;
  speaker.isCut = true;
  speaker.notes.push(`${left} of its texts are left out`);
  return kept;
}

function readBy(reader: Reader, text: string, speaker: Speaker): string {
  const { label } = speaker;
  speaker.length += text.length;
  const safe = fit(text, speaker);
  speaker.room = Math.max(0, speaker.room - safe.length);
  return reader === "model" && label && safe !== "" ? label(safe) : safe;
}

/** Cut before it is looked through, so that a text without end costs no more than its limit, and after, as escapes are longer. */
function fit(text: string, speaker: Speaker): string {
  const { room } = speaker;
  const shown = text.length <= room ? visible(text) : undefined; // a plain text that fits stays the very same
  if (shown !== undefined && shown.length <= room) return shown;
  speaker.isCut = true;
  return shown === undefined ? bothEnds(text, room, visible) : bothEnds(shown, room);
}

const labelBegins = "[untrusted:";

/**
 * Text with the source that it has. The label stands behind it, as what specifications say a text begins with then still is its
 * beginning. A text cannot hold a label of its own, which could end it before its end.
 */
export const labelled = (text: string, source: string): string =>
  `${text.replaceAll(labelBegins, "(untrusted:")}\n${labelBegins} from ${source}]`;

function labelOf(hook: Hook, { handlers, event }: Heard): Label | undefined {
  if (event?.readBy === "person") return undefined;
  const called = oneLine(hook.name, longestName).replaceAll(/["[\]]/g, "");
  if (speaksForServer(hook, handlers)) return (text) => labelled(text, `the server of hook "${called}"`);
  if (!hook.foreign || hook.steps.every(({ uses }) => handlers?.get(uses)?.namesItself)) return undefined;
  const own = `the hook ${hook.name} `; // as failed guards begin: a sentence that names it already
  return (text) =>
    text.startsWith(`${own}failed (`)
      ? `${own}of this repository ${text.slice(own.length)}`
      : ofRepository(text, called);
}

const speaksForServer = ({ steps }: Hook, handlers: Registry["handlers"] | undefined): boolean =>
  steps.some(({ uses }) => handlers?.get(uses)?.isServer === true);

/** A person has trusted what it does: its name is enough. Behind lines that a program has printed it stands on its own. */
function ofRepository(text: string, called: string): string {
  const own = text.replaceAll(labelBegins, "(untrusted:");
  return `${own}${own.includes("\n") ? "\n" : " "}(from hook ${called} of this repository)`;
}
const longestName = 60;

// A hook may hold only because nobody can tell what a call does (R87). What is said then is the same for every kind of hook.

/** Why nobody can tell; undefined: what the condition found is sure. */
export const unsureIn = (match: Found | undefined): string | undefined =>
  typeof match?.unknown === "string" ? match.unknown : undefined;

/** What is unknown is a program of a line, or the tool's whole input, which the agent knows best. */
export const unsureSentence = (why: string): string =>
  `Hookline ${why}, so it cannot say whether a rule forbids that.${why.startsWith("cannot tell") ? " Write the program and its options out." : ""}`;

/** A refusal or a question begins with the true reason; the hook's own is about the call that it was written for. */
export function withTrueReason(outcome: Outcome, match: Found | undefined, { name }: Hook): Outcome {
  const why = unsureIn(match);
  const { verdict } = outcome;
  if (why === undefined || !verdict || (verdict.is !== "deny" && verdict.is !== "ask")) return outcome;
  const begin = unsureSentence(why);
  const { reason } = verdict;
  if (reason?.startsWith(begin)) return outcome;
  const own = reason === undefined ? "" : ` What "${name}" says of what it forbids: ${reason}`;
  return { ...outcome, verdict: { ...verdict, reason: `${begin}${own}` } };
}
