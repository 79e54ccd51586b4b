/**
 * How often each ability was used, folded from the lines of the usage log. The cache says how far it has read, so each of
 * its states is complete up to there: processes write it at once without a lock, and none of them can lose a line. Whoever
 * writes it looks again afterwards, so that the last one has read all.
 */
import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { isRecord } from "../core/schema.ts";
import { linesFrom } from "../files/lines-of-file.ts";
import { readRegularFileSync } from "../files/regular-file.ts";
import { writeWhole } from "../files/write.ts";

/** Stands in each line that counts: others may write to the same log. */
export const recorder = "usage_tracker";

export interface AbilityUsage {
  count: number;
  failures: number;
  total_duration_ms: number;
  /** Calls whose duration is known. */
  timed: number;
  mean_duration_ms: number | null;
  last_used: string;
}
interface Cache {
  /** How many bytes of the log are in, a fingerprint of the last of them, and the runs of the last lines that are. */
  log: { read: number; tail: string; last: string[] };
  abilities: Map<string, AbilityUsage>;
}

const largestCacheInBytes = 4 << 20;
const mostAbilities = 2000;
/** The last one alone could have been taken out of the log. */
const runsRemembered = 20;
/** Each round reads further, so that many need a log that grows all the time. */
const mostRounds = 100;

/** Brings the cache up to the log's end. Throws what the file system says. */
export function foldUsage(logFile: string, cacheFile: string): void {
  for (let round = 0; round < mostRounds; round++) {
    const cache = readCache(cacheFile);
    if (!readLog(logFile, cache)) return;
    writeCache(cacheFile, cache);
  }
}

const empty = (): Cache => ({ log: { read: 0, tail: "", last: [] }, abilities: new Map() });

/** One that cannot be read is made anew from the log. */
function readCache(file: string): Cache {
  try {
    const read = readRegularFileSync(file, largestCacheInBytes);
    const value: unknown = "text" in read ? JSON.parse(read.text) : undefined;
    return (isRecord(value) && cacheOf(value)) || empty();
  } catch {
    return empty(); // not there yet, or no JSON
  }
}

function cacheOf({ log, abilities }: Record<string, unknown>): Cache | undefined {
  if (!isRecord(log) || typeof log.tail !== "string" || !Array.isArray(log.last)) return undefined;
  if (!Number.isSafeInteger(log.read) || Number(log.read) < 0 || !isRecord(abilities)) return undefined;
  const last = log.last.filter((run) => typeof run === "string");
  const known = Object.entries(abilities).filter((entry): entry is [string, AbilityUsage] => isUsage(entry[1]));
  return { log: { read: Number(log.read), tail: log.tail, last }, abilities: new Map(known) };
}

const isUsage = (value: unknown): value is AbilityUsage =>
  isRecord(value) &&
  [value.count, value.failures, value.total_duration_ms, value.timed].every(Number.isFinite) &&
  typeof value.last_used === "string";

/** Adds what is new in the log; says whether anything was. Only whole lines: who writes the rest will read it. */
function readLog(logFile: string, cache: Cache): boolean {
  const file = openSync(logFile, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const isSame = cache.log.tail === tailOf(file, cache.log.read);
    const before = isSame ? cache.log.read : endOfKnown(file, cache.log.last);
    const read = readLines(file, before, (line) => addLine(line, cache));
    if (read === before && isSame) return false;
    cache.log = { ...cache.log, read, tail: tailOf(file, read) };
    return true;
  } finally {
    closeSync(file);
  }
}

const tailInBytes = 256;

/** Of what stands before an offset: in another file, or one that was emptied and has grown again, something else does. */
function tailOf(file: number, end: number): string {
  const bytes = Buffer.alloc(Math.min(tailInBytes, end));
  const size = readSync(file, bytes, 0, bytes.length, end - bytes.length);
  return createHash("sha256").update(bytes.subarray(0, size)).digest("hex").slice(0, 16);
}

/**
 * Of another file under the log's name, what stands behind the lines that are in: an edited log still has them, and in one
 * that was begun anew all are new. Clocks tell nothing here: hosts say when a call was, and many are within a millisecond.
 */
function endOfKnown(file: number, last: readonly string[]): number {
  let end = 0;
  readLines(file, 0, (line, behind) => {
    const run = recordIn(line)?.run_id;
    if (typeof run === "string" && last.includes(run)) end = behind;
  });
  return end;
}

/** Calls for each whole line from an offset on, with the offset behind it; gives the one behind the last. */
function readLines(file: number, from: number, use: (line: string, behind: number) => void): number {
  let read = from;
  for (const { bytes, end, isWhole } of linesFrom({ descriptor: file, size: fstatSync(file).size }, from)) {
    if (!isWhole) break;
    use(bytes.toString("utf8"), end);
    read = end;
  }
  return read;
}

function addLine(line: string, { log, abilities }: Cache): void {
  const { ability_id: id, time, status, duration_ms: duration, run_id: run } = recordIn(line) ?? {};
  if (typeof id !== "string" || typeof time !== "string") return;
  const usage = abilities.get(id) ?? fresh();
  abilities.delete(id); // the one that was used last stands last
  abilities.set(id, usage);
  usage.count += 1;
  if (status === "failure") usage.failures += 1;
  if (typeof duration === "number" && duration >= 0) {
    usage.timed += 1;
    usage.total_duration_ms += duration;
    usage.mean_duration_ms = Math.round(usage.total_duration_ms / usage.timed);
  }
  if (time > usage.last_used) usage.last_used = time;
  if (typeof run === "string") log.last = [...log.last, run].slice(-runsRemembered);
}

const fresh = (): AbilityUsage => ({
  count: 0,
  failures: 0,
  total_duration_ms: 0,
  timed: 0,
  mean_duration_ms: null,
  last_used: "",
});

function recordIn(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) && value.recorded_by === recorder ? value : undefined;
  } catch {
    return undefined; // somebody else's line
  }
}

function writeCache(file: string, { log, abilities }: Cache): void {
  const kept = [...abilities].slice(-mostAbilities);
  writeWhole(file, `${JSON.stringify({ abilities: Object.fromEntries(kept), log }, null, 2)}\n`);
}
