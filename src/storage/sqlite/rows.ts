/** How events and runs lie in the tables, how they are read back, and the rules that every store shares: none of it needs a database. */
import { firstTurn, type HookEvent, type Instant, type Json, type SessionId, type Turn } from "../../engine/event.ts";
import type { HookSet } from "../../engine/hook.ts";
import { repeatable } from "../../engine/later.ts";
import type { Outcome } from "../../engine/outcome.ts";
import { followedKind, type Receipt, type ReceiptState } from "../../engine/receipt.ts";
import {
  addTokens,
  type Claim,
  type Found,
  type Refusal,
  type Run,
  type RunStatus,
  type Store,
  type StoredEvent,
  type Withheld,
} from "../../engine/record.ts";
import type { Keeper, Kept, Payload } from "./keep.ts";

/**
 * Foreign ids are opaque keys (D11). SQLite would replace lone surrogates, and so make two ids one, and Node 22 reads
 * texts only up to a NUL: such texts are written as JSON. So are texts that begin like JSON, so that no two are alike.
 */
export const written = (text: string): string =>
  text.isWellFormed() && !text.startsWith('"') && !text.includes("\0") ? text : JSON.stringify(text);
export const readBack = (text: string): string => (text.startsWith('"') ? JSON.parse(text) : text);

/** The places of so many values in a statement. */
export const places = (values: readonly unknown[]): string => values.map(() => "?").join(", ");

/** The text as it is written, or null for none. */
export const orNull = (text: string | undefined): string | null => (text === undefined ? null : written(text));

/** How a session stands: its turn, and whether receipts of it are there. */
export interface Standing {
  turn: Turn;
  hasReceipts: boolean;
}
export const newSession: Standing = { turn: firstTurn, hasReceipts: false };

export interface EventRow {
  id: string;
  at: number;
  name: string;
  session: string | null;
  cwd: string;
  sender: string;
  delivery: string | null;
  delivered_by: string | null;
  repeats: string | null;
  hook_set: string;
  payload: string;
  turn: string;
  outcome: string | null;
  ms: number | null;
  cut: number;
  redacted: number;
  receipt: ReceiptState | null;
  receipt_key: string | null;
  receipt_of: string | null;
}
export const eventFields: readonly (keyof EventRow)[] = [
  "id",
  "at",
  "name",
  "session",
  "cwd",
  "sender",
  "delivery",
  "delivered_by",
  "repeats",
  "hook_set",
  "payload",
  "turn",
  "outcome",
  "ms",
  "cut",
  "redacted",
  "receipt",
  "receipt_key",
  "receipt_of",
];

/** The columns of a receipt. */
export type ReceiptColumns = Pick<EventRow, "receipt" | "receipt_key" | "receipt_of">;
export const noReceipt: ReceiptColumns = { receipt: null, receipt_key: null, receipt_of: null };
export const receiptColumns = (receipt: Receipt): ReceiptColumns => ({
  receipt: receipt.is,
  receipt_key: written(receipt.key),
  receipt_of: JSON.stringify(receipt),
});

/** The payload is written before the transaction begins: it may be large. */
export function payloadOf(event: HookEvent, keeper: Keeper): Kept {
  const {
    id: _id,
    at: _at,
    name: _name,
    session: _session,
    cwd: _cwd,
    sender: _sender,
    delivery: _delivery,
    turn: _turn,
    ...rest
  } = event;
  return keeper.payload(rest);
}

interface Recording {
  event: HookEvent;
  set: HookSet;
  payload: Kept;
  /** The report that this event repeats. */
  first: Report | undefined;
  /** The turn of its session before it. */
  before: Turn;
  advance(event: HookEvent, before: Turn): Turn;
}

interface Recorded {
  row: EventRow;
  /** The session's turn, where the event has moved it on, and as its row keeps it. */
  moved?: { session: SessionId; turn: Turn; kept: Kept };
  answer: Omit<Awaited<ReturnType<Store["record"]>>, "paused">;
}

/** What an event does, by what its store holds of its session and of its happening: the rule of every store. */
export function recorded({ event, set, payload, first, before, advance }: Recording, keeper: Keeper): Recorded {
  const { session } = event;
  const after = first ? before : advance(event, before); // one happening moves the turn on once
  const turn = event.turn ?? after;
  const kept = keeper.turnThen(turn);
  const repeated = repeating(first);
  const row: EventRow = {
    id: written(event.id),
    at: event.at,
    name: written(event.name),
    session: orNull(session),
    cwd: written(event.cwd),
    sender: written(event.sender),
    delivery: orNull(event.delivery?.id),
    delivered_by: orNull(event.delivery?.by),
    repeats: orNull(first?.id),
    hook_set: written(set.id),
    payload: payload.text,
    turn: kept.text,
    outcome: repeated.given ? keeper.outcome(repeated.given).text : null,
    ms: null,
    cut: payload.cut || kept.cut ? 1 : 0,
    redacted: payload.redacted || kept.redacted ? 1 : 0,
    ...noReceipt,
  };
  const answer = { turn, ...repeated };
  if (session === undefined || after === before) return { row, answer };
  const isKept = turn === after && keeper.turn === keeper.turnThen; // nearly always: it is not made twice
  return { row, answer, moved: { session, turn: after, kept: isKept ? kept : keeper.turn(after) } };
}

export function eventOf(row: EventRow): StoredEvent {
  const payload: Payload = JSON.parse(row.payload); // payloadOf wrote it, and cutting keeps `data` an object
  const turn: Turn = JSON.parse(row.turn);
  const event: HookEvent = {
    ...payload,
    id: readBack(row.id),
    // an event name, as it was recorded
    name: readBack(row.name) as HookEvent["name"],
    at: row.at,
    cwd: readBack(row.cwd),
    sender: readBack(row.sender),
    ...(row.session !== null && { session: readBack(row.session) }),
    ...(row.delivery !== null &&
      row.delivered_by !== null && { delivery: { id: readBack(row.delivery), by: readBack(row.delivered_by) } }),
    turn,
  };
  return {
    event,
    set: readBack(row.hook_set),
    ...(row.outcome !== null && { outcome: JSON.parse(row.outcome) }),
    ...(row.ms !== null && { ms: row.ms }),
    ...(row.cut === 1 && { cut: true }),
    ...(row.redacted === 1 && { redacted: true }),
    ...(row.repeats !== null && { repeats: readBack(row.repeats) }),
    ...(row.receipt_of !== null && { receipt: JSON.parse(row.receipt_of) }),
  };
}

export interface RunRow {
  id: string;
  event: string;
  event_name: string;
  hook: string;
  hook_name: string;
  session: string | null;
  status: RunStatus;
  reason: string | null;
  cause: string;
  started: number;
  ms: number | null;
  outcome: string | null;
  withheld: string | null;
  steps: string;
  notes: string;
  asked: number;
  owner: string | null;
  /** Of its event, where it is read. */
  receipt_of?: string | null;
}
type RunField = Exclude<keyof RunRow, "receipt_of">;
export type Value = string | number | null;
const fixedFields: readonly RunField[] = ["id", "event", "event_name", "hook", "hook_name", "session", "cause"];
export const changingFields: readonly RunField[] = [
  "status",
  "reason",
  "started",
  "ms",
  "outcome",
  "withheld",
  "steps",
  "notes",
  "asked",
  "owner",
];
export const runFields: readonly RunField[] = [...fixedFields, ...changingFields];

/** Where the texts of a run lie, for who looks for one. */
export const textFields: readonly RunField[] = ["hook", "hook_name", "reason", "outcome", "withheld", "steps", "notes"];

export const listOf = (value: string | readonly string[]): readonly string[] =>
  typeof value === "string" ? [value] : value;

/** What stays while a run goes on, in the order of runFields. Lists, as they are bound as they are: this is on the hot path. */
export const fixedValues = (run: Run, keeper: Keeper): Value[] => [
  written(run.id),
  written(run.eventId),
  written(run.eventName),
  written(run.hook),
  written(keeper.text(run.hookName)), // of a hook without a name, its command line
  orNull(run.session),
  written(run.cause),
];

/** What changes, in the order of changingFields. */
export const changingValues = (run: Run, keeper: Keeper): Value[] => [
  run.status,
  run.reason === undefined ? null : written(keeper.text(run.reason)),
  run.startedAt,
  run.ms ?? null,
  run.outcome === undefined ? null : keeper.outcome(run.outcome).text,
  run.withheld === undefined ? null : withheldText(run.withheld, keeper),
  keeper.steps(run.steps).text,
  run.notes.length === 0 ? "[]" : keeper.whole(run.notes),
  run.asked,
  orNull(run.owner),
];

const withheldText = ({ because, outcome }: Withheld, keeper: Keeper): string =>
  `{"because":${JSON.stringify(because)},"outcome":${keeper.outcome(outcome).text}}`;

export function rowOfRun(run: Run, keeper: Keeper): RunRow {
  const values = [...fixedValues(run, keeper), ...changingValues(run, keeper)];
  return Object.fromEntries(runFields.map((field, index) => [field, values[index]])) as unknown as RunRow; // each field has its value
}

export function runOf(row: RunRow): Run {
  const run = asWritten(row);
  addTokens(run);
  return run;
}

const asWritten = (row: RunRow): Run => ({
  id: readBack(row.id),
  hook: readBack(row.hook),
  hookName: readBack(row.hook_name),
  eventId: readBack(row.event),
  eventName: readBack(row.event_name),
  ...(row.session !== null && { session: readBack(row.session) }),
  status: row.status,
  ...(row.reason !== null && { reason: readBack(row.reason) }),
  cause: readBack(row.cause),
  startedAt: row.started,
  ...(row.ms !== null && { ms: row.ms }),
  ...(row.outcome !== null && { outcome: JSON.parse(row.outcome) }),
  ...(row.withheld !== null && { withheld: JSON.parse(row.withheld) }),
  steps: JSON.parse(row.steps),
  notes: JSON.parse(row.notes),
  asked: row.asked,
  ...(row.owner !== null && { owner: readBack(row.owner) }),
  ...(row.receipt_of && isFollowed(row.outcome) && { receipt: JSON.parse(row.receipt_of) }),
});

/** Of several hooks of one event those that have decided share its receipt. */
const isFollowed = (outcome: string | null): boolean =>
  outcome !== null && followedKind(JSON.parse(outcome)) !== undefined;

/** What a store keeps of a key: how often it was claimed, and when last. */
export interface Claimed {
  count: number;
  last: Instant;
}

/**
 * Whether the claim has to wait. A stored time that lies in the future counts as now: the clock was set back, or
 * another process read it a moment later. The store then writes `now` in its place, so that no hook waits longer than
 * one gap from there (D16), and a race between two processes still has one winner.
 */
function refuses(claim: Claim, held: Claimed | undefined, now: Instant): Refusal | undefined {
  if (claim.max !== undefined && (held?.count ?? 0) >= claim.max) return claim;
  if (claim.gap === undefined || held === undefined) return undefined;
  const left = claim.gap * 1000 - (now - Math.min(held.last, now));
  return left > 0 ? { ...claim, left: Math.ceil(left / 1000) } : undefined;
}

/** Around the moment of a claim: what is known of its other moments. A clock that stood wrong by more leaves nothing behind. */
export const keptAround = 86_400_000;

/** The first claim that would refuse now. */
export function firstRefusal(
  claims: readonly Claim[],
  heldOf: (claim: Claim) => Claimed | undefined,
  now: Instant,
): Refusal | undefined {
  for (const claim of claims) {
    const refused = refuses(claim, heldOf(claim), claim.at ?? now);
    if (refused) return refused;
  }
  return undefined;
}

/** One registration's report of a delivery (R49). */
export interface Report {
  id: string;
  by: string;
  outcome?: Outcome;
}

/**
 * The report by another registration that this one repeats, an answered one if there is one. One registration may
 * report an id more than once (a tool call that was put off comes again): its second report is the same happening as
 * the other's second.
 */
export function firstReport(
  reports: readonly Report[],
  { by }: NonNullable<HookEvent["delivery"]>,
): Report | undefined {
  const counts = new Map<string, number>();
  const mine = reports.filter((one) => one.by === by).length;
  const same = reports.filter((one) => {
    const index = counts.get(one.by) ?? 0;
    counts.set(one.by, index + 1);
    return one.by !== by && index === mine;
  });
  return same.find((one) => one.outcome) ?? same[0];
}

/** What a delivery that repeats another one is given: the first answer, or whose answer it has to wait for (R36). */
export function repeating(first: Report | undefined): { given?: Outcome; unanswered?: string } {
  if (!first) return {};
  return first.outcome ? { given: repeatable(first.outcome) } : { unanswered: first.id };
}

/** A check that was pending before keeps both findings: lists are joined, so that no file is forgotten (R19). */
export function mergeFound(pending: Found, found: Found): Found {
  const merged: Found = { ...pending };
  for (const [key, value] of Object.entries(found)) {
    const held = merged[key];
    merged[key] = Array.isArray(held) && Array.isArray(value) ? joined(held, value) : value;
  }
  return merged;
}

function joined(left: readonly Json[], right: readonly Json[]): Json[] {
  const seen = new Set<string>();
  return [...left, ...right].filter((one) => {
    const key = JSON.stringify(one);
    return !seen.has(key) && seen.add(key);
  });
}

/** Why repair closed a run (R26). */
export const interruption = "the process that ran it ended before the run did";
