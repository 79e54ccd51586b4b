/**
 * How often each ability was used, folded from the lines of the usage log. The cache says how far it has read, so each of
 * its states is complete up to there: processes write it at once without a lock, and none of them can lose a line. Whoever
 * writes it looks again afterwards, so that the last one has read all.
 */
import { randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { isRecord } from "../core/schema.ts";
import { readRegularFileSync } from "../regular-file.ts";

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
  /** The file of the log, how many of its bytes are in, and when the last line was written that is. */
  log: { file: string; read: number; latest: string };
  abilities: Map<string, AbilityUsage>;
}

const largestCacheInBytes = 4 << 20;
const mostAbilities = 2000;
const chunkInBytes = 1 << 20;
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

const empty = (): Cache => ({ log: { file: "", read: 0, latest: "" }, abilities: new Map() });

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
  if (!isRecord(log) || typeof log.file !== "string" || typeof log.latest !== "string") return undefined;
  if (!Number.isSafeInteger(log.read) || !isRecord(abilities)) return undefined;
  const known = Object.entries(abilities).filter((entry): entry is [string, AbilityUsage] => isUsage(entry[1]));
  return { log: { file: log.file, read: Number(log.read), latest: log.latest }, abilities: new Map(known) };
}

const isUsage = (value: unknown): value is AbilityUsage =>
  isRecord(value) &&
  [value.count, value.failures, value.total_duration_ms, value.timed].every(Number.isFinite) &&
  typeof value.last_used === "string";

/** Adds what is new in the log; says whether anything was. Only whole lines: who writes the rest will read it. */
function readLog(logFile: string, cache: Cache): boolean {
  const file = openSync(logFile, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(file, { bigint: true });
    const name = `${found.dev}:${found.ino}`;
    const isSame = cache.log.file === name && cache.log.read <= Number(found.size);
    // Of another file under this name (rotated, or edited) only lines count that are newer than all that are in.
    const after = isSame ? "" : cache.log.latest;
    const before = isSame ? cache.log.read : 0;
    const read = readLines(file, before, (line) => addLine(line, cache, after));
    if (read === before && isSame) return false;
    cache.log = { ...cache.log, file: name, read };
    return true;
  } finally {
    closeSync(file);
  }
}

/** Calls for each whole line from an offset on; gives the offset behind the last. */
function readLines(file: number, from: number, use: (line: string) => void): number {
  const chunk = Buffer.allocUnsafe(chunkInBytes);
  for (let at = from; ; ) {
    const size = readSync(file, chunk, 0, chunk.length, at);
    const end = chunk.subarray(0, size).lastIndexOf(0x0a) + 1;
    if (end === 0 && size < chunk.length) return at;
    for (const line of chunk.toString("utf8", 0, end).split("\n")) if (line !== "") use(line);
    at += end === 0 ? size : end; // a line without an end in all of a chunk is none of ours
  }
}

function addLine(line: string, { log, abilities }: Cache, after: string): void {
  const value = parse(line);
  if (!isRecord(value) || value.recorded_by !== recorder) return;
  const { ability_id: id, time, status, duration_ms: duration } = value;
  if (typeof id !== "string" || typeof time !== "string" || time <= after) return;
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
  if (time > log.latest) log.latest = time;
}

const fresh = (): AbilityUsage => ({
  count: 0,
  failures: 0,
  total_duration_ms: 0,
  timed: 0,
  mean_duration_ms: null,
  last_used: "",
});

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // somebody else's line
  }
}

/** Readers see the old cache or the new one, never a part. */
function writeCache(file: string, { log, abilities }: Cache): void {
  const kept = [...abilities].slice(-mostAbilities);
  const beside = `${file}.${process.pid}.${randomBytes(4).toString("hex")}.new`;
  try {
    writeFileSync(beside, `${JSON.stringify({ abilities: Object.fromEntries(kept), log }, null, 2)}\n`, { flag: "wx" });
    renameSync(beside, file);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}
