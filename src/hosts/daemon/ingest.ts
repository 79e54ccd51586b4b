/** Takes events from programs: each becomes an event of the engine, and is answered once it, and all that it set off, is on disk. */
import type { Engine } from "../../engine/engine.ts";
import { HooklineError } from "../../engine/error.ts";
import { deepest, depthField, type EventName, type Fields, type HookEvent, payloadAt } from "../../engine/event.ts";
import { eventNames, resolveEvent } from "../../engine/events.ts";
import { isThenable } from "../../engine/flow.ts";
import { nearest } from "../../engine/nearest.ts";
import type { Outcome } from "../../engine/outcome.ts";
import type { Caller } from "../../engine/ports.ts";
import { saysFull } from "../../engine/queue.ts";
import type { Run, Store } from "../../engine/record.ts";
import { isRecord, kindOf } from "../../engine/schema.ts";
import { type Line, textOf } from "../../files/lines.ts";
import { canBePath } from "../../files/paths.ts";
import { isApplicationEvent } from "../../formats/config/keys.ts";
import type { CallAnswer } from "./call.ts";
import { type RefusalCode, type Refused, refusalAnswer, refused, refusedBy } from "./refusals.ts";

interface IngestOptions extends Pick<HookEvent, "cwd"> {
  engine: Pick<Engine, "emit" | "committed">;
  caller: Pick<Caller, "environment" | "signal">;
  store: Pick<Store, "runs">;
  /** Whether an event that was decided at once has set runs off. Absent: the store is asked. */
  hasJustRun?(eventId: string): boolean;
  now(): number;
  id(): string;
}

/** What came of an event. */
interface Taken {
  event: string;
  outcome: Outcome;
  runs: readonly Run[];
}
/** Taken, or why not: a refusal of ours, or what the engine threw. */
export type Answer = { taken: Taken } | { refused: RefusalCode; message?: string } | { thrown: unknown };

export interface Ingest {
  /** The event that a line, or a value of JSON, means. Answers when it is on disk; never rejects. */
  take(sent: Line | { value: unknown }): Promise<Answer>;
  /** Events that have no answer yet, and those of them whose hooks are being waited for. */
  held(): { events: number; undecided: number };
  /** Settles when the hooks of an event have answered. */
  decision(): Promise<void>;
}

export function createIngest({ engine, caller, store, hasJustRun, cwd, now, id }: IngestOptions): Ingest {
  let [events, undecided] = [0, 0];
  let next = Promise.withResolvers<void>();

  async function decided(deciding: PromiseLike<Outcome>): Promise<Outcome> {
    undecided += 1;
    try {
      return await deciding;
    } finally {
      undecided -= 1;
      next.resolve();
      next = Promise.withResolvers();
    }
  }

  /** @throws what the engine and the store throw */
  async function answerTo(value: unknown): Promise<Answer> {
    const event = eventOfSent(value, { id: id(), at: now(), cwd });
    let unwritten: { because: unknown } | undefined;
    const emitted = engine.emit(event, {
      ...caller,
      unrecorded(because) {
        unwritten ??= { because };
      },
    });
    const isQuiet = !isThenable(emitted) && hasJustRun?.(event.id) === false;
    const outcome = isThenable(emitted) ? await decided(emitted) : emitted;
    if (unwritten) throw unwritten.because;
    const runs = isQuiet ? [] : await store.runs({ eventId: event.id, limit: 1000 });
    await engine.committed();
    const [first] = runs;
    if (!first || runs.some(({ reason }) => !saysFull(reason))) return { taken: { event: event.id, outcome, runs } };
    return { refused: "queue_full", ...(first.reason === undefined ? {} : { message: first.reason }) };
  }

  return {
    async take(sent) {
      if ("because" in sent) return { refused: sent.because };
      const value = "text" in sent ? jsonIn(sent.text) : sent.value;
      if (value === undefined) return { refused: "input_invalid" };
      events += 1;
      try {
        return await answerTo(value);
      } catch (thrown) {
        return { thrown };
      } finally {
        events -= 1;
      }
    },
    held: () => ({ events, undecided }),
    decision: () => next.promise,
  };
}

const json = { "content-type": "application/json" };
const jsonLines = { "content-type": "application/x-ndjson" };

/** To `POST /events` with one event. */
export function answerToOne(answer: Answer): CallAnswer {
  if (!("taken" in answer)) return refusalAnswer(refusedOf(answer));
  const { event, outcome, runs } = answer.taken;
  const body = saysNothing(outcome)
    ? `{"event":"${event}","outcome":{},"runs":${runs.length === 0 ? "[]" : JSON.stringify(runs.map(brief))}}` // an id of ours: [0-9a-z]
    : JSON.stringify({ event, outcome, runs: runs.map(brief) });
  return { status: 200, headers: json, body };
}

function saysNothing(outcome: Outcome): boolean {
  for (const _name in outcome) return false;
  return true;
}

/** What stands in the body of many is each one's own: that one was refused is no failure of the others. */
export const answerToMany = (body: string, form: "list" | "lines"): CallAnswer => ({
  status: 200,
  headers: form === "list" ? json : jsonLines,
  body,
});

/** To one line among many, as JSON without a line break. */
export function lineOf(answer: Answer): string {
  if ("taken" in answer) return `{"ok":true,"event":"${answer.taken.event}"}`; // an id of ours: [0-9a-z]
  return JSON.stringify({ ok: false, error: refusedOf(answer).error });
}

const refusedOf = (answer: Exclude<Answer, { taken: unknown }>): Refused =>
  "thrown" in answer ? refusedBy(answer.thrown) : refused(answer.refused, answer.message);

export const brief = ({ id, hook, status, reason }: Run): object => ({ id, hook, status, reason: reason ?? null });

/** What was sent to `POST /events`, or as a line. */
interface Sent {
  event: string;
  data?: Fields;
  cwd?: string;
  session?: string;
  /** What a program of a hook finds in HOOKLINE_DEPTH: so hooks that answer each other by this door come to an end, too. */
  depth?: number;
}

/** Of one event. */
export const largestInBytes: number = 1024 * 1024;
/** SQLite reads no JSON that is nested deeper than 1,000, and what is recorded wraps it. */
export const deepestInLevels = 500;

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
function eventOfSent(sent: unknown, given: Pick<HookEvent, "id" | "at" | "cwd">): HookEvent {
  const { event, data = {}, cwd = given.cwd, session, depth = 0 } = checked(sent);
  const made: HookEvent = {
    id: given.id,
    name: applicationEvent(event),
    at: given.at,
    cwd,
    data: payloadAt(depth, data, event),
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

const needs = (name: string, expected: string, found: string): HooklineError =>
  new HooklineError("parameters_invalid", { name, expected, found, where });

const known: ReadonlySet<string> = new Set(["event", "data", "cwd", "session", "depth"]);

function checked(sent: unknown): Sent {
  if (!isRecord(sent)) throw needs("an event", "a JSON object", kindOf(sent));
  const other = Object.keys(sent).find((name) => !known.has(name));
  if (other !== undefined) throw needs("an event", `no other fields than ${[...known].join(", ")}`, kindOf(other));
  const { event, data, cwd, session, depth } = sent;
  if (typeof event !== "string") throw needs("event", "the name of an application event", kindOf(event));
  if (data !== undefined && !isRecord(data)) throw needs("data", "a JSON object", kindOf(data));
  if (cwd !== undefined && !(typeof cwd === "string" && cwd.startsWith("/") && isWithinLimits(cwd)))
    throw needs("cwd", `an absolute path ${folderLimit}`, kindOf(cwd));
  if (session !== undefined && !(typeof session === "string" && session !== "" && canBePath(session)))
    throw needs("session", "text of at most 4,096 characters without NUL", kindOf(session));
  if (depth !== undefined && !(typeof depth === "number" && Number.isInteger(depth) && depth >= 0 && depth <= deepest))
    throw needs(
      "depth",
      `an integer from 0 to ${deepest}: deeper than that hooks answer each other without end`,
      kindOf(depth),
    );
  return sent as unknown as Sent; // as was just looked at; it came as JSON
}

/** Of which folders a daemon looks up the hooks: a look asks about each folder on the way, and all other requests wait meanwhile. */

/** Those of people have some twenty. What a look costs grows with the square of it. */
const levelsAtMost = 64;

export const folderLimit: string = "of at most 64 levels and 4,096 characters, without NUL";

export function isWithinLimits(folder: string): boolean {
  if (!canBePath(folder)) return false;
  let levels = 0;
  for (let at = folder.indexOf("/"); at >= 0; at = folder.indexOf("/", at + 1)) levels += 1;
  return levels <= levelsAtMost;
}
