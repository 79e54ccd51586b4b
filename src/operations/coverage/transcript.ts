/** Reads on in one of an agent's own files, and holds the calls in it that have ended against those that reached Hookline. */
import { momentHash } from "../../agents/continuation.ts";
import {
  type CallBegun,
  type CallEnded,
  type CallResult,
  type RecordedEntry,
  type RecordedSessions,
  type RecordedSource,
  readRecorded,
} from "../../agents/recorded-calls.ts";
import type { Instant, SessionId } from "../../engine/event.ts";
import { oneLine } from "../../engine/one-line.ts";
import type { RecordedCall, Store, Transcript } from "../../engine/record.ts";
import { subjectOf } from "../call.ts";

/** The calls of a session that reached us: their ids, or where the agent gives none, when each was reported and what it was. */
export interface Reached {
  ids: ReadonlySet<string>;
  moments: { at: Instant; hash: string; isTaken?: true }[];
  /** Any call or prompt of the session. */
  isHeardOf: boolean;
}

export async function reachedOf(session: SessionId, store: Pick<Store, "deliveriesFrom">): Promise<Reached> {
  const all = await store.deliveriesFrom(`[${JSON.stringify(session)},`);
  const ids = new Set<string>();
  const moments: Reached["moments"] = [];
  for (const delivery of all) {
    const [, event, known]: string[] = JSON.parse(delivery); // as deliveryOf of agents/payload.ts wrote it
    if (event !== "PreToolUse" || known === undefined) continue;
    ids.add(known);
    const [at, hash = ""] = known.split(" ");
    if (/^\d+$/.test(at ?? "")) moments.push({ at: Number(at), hash });
  }
  return { ids, moments, isHeardOf: all.length > 0 };
}

/** A call that has ended, as it is told to who wants to know what came of it. */
export interface SettledCall extends RecordedCall, Pick<CallEnded, "result" | "reason"> {
  endedAt?: Instant;
  hash?: string;
}

interface ReadingOn {
  recorded: RecordedSessions;
  source: RecordedSource;
  /** As it was written last. */
  known: Transcript | undefined;
  sender: string;
  /** Calls before that are not counted: the agent did not call Hookline yet. */
  since: Instant;
  isOver(): boolean;
  reached(session: SessionId): Promise<Reached>;
  /** Told of each call that has ended since the last time. */
  settled(session: SessionId, call: SettledCall): void | Promise<void>;
}

/** Of calls that are held in memory at once. */
const settledAtOnce = 2_000;
const missedAtMost = 100;
const openAtMost = 1_000;
const recentAtMost = 200;
const toolsAtMost = 100;

/** The row of the source, as far as it could be read now. Never rejects but for the store. */
export async function readOn(given: ReadingOn): Promise<Transcript> {
  const { recorded, source, isOver } = given;
  let row = begun(given);
  for (;;) {
    const settled: SettledCall[] = [];
    const heard = createEar(row, recorded, settled);
    const { end, why } = await readRecorded(recorded, source, {
      from: row.read,
      hear: heard.entry,
      isOver: () => settled.length >= settledAtOnce || isOver(),
    });
    const isLast = settled.length < settledAtOnce;
    row = await judged({ ...row, ...heard.told(), read: end }, settled, given);
    if (why !== undefined) row = { ...row, unknown: row.unknown ?? why };
    if (isLast) return isOver() && row.read < row.end ? { ...row, isUnfinished: true } : row;
    if (isOver()) return { ...row, isUnfinished: true };
  }
}

/** A file that has become shorter was begun anew. */
function begun({ source, known, sender }: ReadingOn): Transcript {
  const { path, end, modified, session, cwd, subagent } = source;
  const now = { path, end, modified };
  if (known && known.read <= end) {
    const { isUnfinished: _before, ...rest } = known;
    return { ...rest, ...now };
  }
  return {
    ...{
      ...now,
      sender,
      read: 0,
      calls: 0,
      reached: 0,
      tools: [],
      missed: [],
      open: [],
      recent: [],
      isUnderstood: false,
    },
    ...(session !== undefined && { session }),
    ...(cwd !== undefined && { cwd }),
    ...(subagent && { subagent }),
  };
}

interface Open extends RecordedCall {
  hash?: string;
}

function createEar(row: Transcript, recorded: RecordedSessions, settled: SettledCall[]) {
  const open = new Map<string, Open>(row.open.map((call) => [call.id, call]));
  const recent = new Set(row.recent);
  const told: Partial<Transcript> = {};
  let hasTooMany = false;

  function begin(call: CallBegun, entry: RecordedEntry): void {
    if (open.has(call.id) || recent.has(call.id)) return;
    const { tool_name: tool, tool_input: input } = recorded.canonical?.(call) ?? {
      tool_name: call.tool,
      tool_input: call.input,
    };
    const session = told.session ?? row.session;
    const by = recorded.knownBy?.(call, { ...entry, ...(session !== undefined && { session }) });
    const subagent = row.subagent ?? told.subagent ?? entry.subagent;
    open.set(call.id, {
      ...{ id: call.id, tool, subject: oneLine(subjectOf({ tool_input: input }) || JSON.stringify(input)) },
      ...(subagent && { subagent: subagent.type ?? "" }),
      ...(entry.at !== undefined && { at: entry.at }),
      ...(by && { hash: momentHash(...by) }),
    });
    if (open.size <= openAtMost) return;
    hasTooMany = true;
    for (const oldest of open.keys()) if (open.size > openAtMost) open.delete(oldest);
  }

  function end({ id, result, reason, at }: CallEnded, entry: RecordedEntry): void {
    const call = open.get(id);
    if (!call) return;
    open.delete(id);
    recent.add(id);
    const endedAt = at ?? entry.at;
    settled.push({
      ...{ ...call, result },
      ...(reason !== undefined && { reason }),
      ...(endedAt !== undefined && { endedAt }),
    });
  }

  return {
    entry(entry: RecordedEntry): void {
      told.isUnderstood = true;
      const { session, cwd, subagent } = entry;
      if (session !== undefined && row.session === undefined) {
        told.session ??= session;
        if (subagent) told.subagent ??= subagent; // the whole file is its
      }
      if (cwd !== undefined && !row.isUnderstood) told.cwd ??= cwd;
      for (const call of entry.begun ?? []) begin(call, entry);
      for (const call of entry.ended ?? []) end(call, entry);
    },
    told: (): Partial<Transcript> => ({
      ...told,
      open: [...open.values()],
      recent: [...recent].slice(-recentAtMost),
      ...(hasTooMany && { unknown: row.unknown ?? `more than ${openAtMost} calls in it have no end` }),
    }),
  };
}

async function judged(row: Transcript, settled: readonly SettledCall[], given: ReadingOn): Promise<Transcript> {
  const { session } = row;
  if (session === undefined || settled.length === 0) return row;
  const { recorded, since } = given;
  const counted = settled.filter(({ at }) => at === undefined || at >= since);
  const reached = await given.reached(session);
  const came = recorded.knownBy ? byMoments(counted, reached) : byIds(counted, reached);
  const now = { ...row, missed: [...row.missed] };
  const tools = new Set(row.tools);
  for (const call of counted) {
    if (came.has(call.id)) {
      now.calls += 1;
      now.reached += 1;
      if (tools.size < toolsAtMost) tools.add(call.tool);
      if (call.at !== undefined) now.lastReached = call.at;
      delete now.silentSince;
    } else if (!mayBeUnasked.has(call.result)) {
      now.calls += 1;
      const { result: _result, reason: _reason, endedAt: _endedAt, hash: _hash, ...missed } = call;
      if (now.missed.length < missedAtMost) now.missed.push(missed);
      if (call.at !== undefined) now.silentSince ??= call.at;
    }
    await given.settled(session, call);
  }
  return { ...now, tools: [...tools] };
}

/** An agent asks no hook about what it refuses itself, and about what ends before it is its turn. */
const mayBeUnasked: ReadonlySet<CallResult> = new Set<CallResult>(["refused", "interrupted"]);

const byIds = (calls: readonly SettledCall[], { ids }: Reached): Set<string> =>
  new Set(calls.flatMap(({ id }) => (ids.has(id) ? id : [])));

/** The moments are the agent's own. */
const apart = 10;

/** A report within a call's time that is of the same input is that call's; then one that is of another, as hooks may have rewritten it. */
function byMoments(calls: readonly SettledCall[], { moments }: Reached): Set<string> {
  const came = new Set<string>();
  const take = (isIts: (call: SettledCall, hash: string) => boolean): void => {
    for (const call of calls) {
      const { id, at, endedAt = at } = call;
      if (came.has(id) || at === undefined || endedAt === undefined) continue;
      const own = moments.find(
        (one) => !one.isTaken && one.at >= at - apart && one.at <= endedAt + apart && isIts(call, one.hash),
      );
      if (!own) continue;
      own.isTaken = true;
      came.add(id);
    }
  };
  take(({ hash: wanted }, hash) => wanted === hash);
  const hashes = new Set(calls.map(({ hash }) => hash));
  take(({ result }, hash) => !hashes.has(hash) && !mayBeUnasked.has(result));
  return came;
}
