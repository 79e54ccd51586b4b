/**
 * Writes down each call of an ability (specification 001, 3.2): a record that people read, a line that programs read, and
 * how often each ability was used.
 */

import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { abilityOf } from "../../engine/ability.ts";
import { messageOf } from "../../engine/error.ts";
import type { Fields, HookEvent } from "../../engine/event.ts";
import { shortened } from "../../engine/one-line.ts";
import type { Handler, StepContext, StepResult } from "../../engine/ports.ts";
import {
  anything,
  integer,
  isRecord,
  type Mismatch,
  mapOf,
  number,
  object,
  type Schema,
  say,
  text,
} from "../../engine/schema.ts";
import { linesFrom } from "../../files/lines-of-file.ts";
import { pathInside } from "../../files/paths.ts";
import { readRegularFileSync } from "../../files/regular-file.ts";
import { writeWhole } from "../../files/write.ts";
import { writtenName } from "../command/protocols/endings.ts";
import { parseJson } from "../command/protocols/find-answer.ts";
import { contextOf } from "../command/protocols/registry-context.ts";
import { append, folderParameter, inspectFolder, placeToWrite, repositoryOf } from "../repository.ts";
import { failed, handler } from "../step.ts";

interface UsageTrackerParams {
  records?: string;
  log?: string;
  cache?: string;
  folder?: string;
}

const usual = {
  records: ".system/logs/tool_call.md",
  log: ".system/logs/hooks.log",
  cache: ".system/cache/ability_usage.json",
} as const;

const places = Object.keys(usual) as (keyof typeof usual)[]; // an object's own keys

export const usageTracker: Handler = handler({
  params: object(
    {},
    {
      records: say(text(), "where each call gets a few lines of Markdown, from the repository's root", usual.records),
      log: say(text(), "where each call gets one line of JSON", usual.log),
      cache: say(text(), "where the counts of each ability are; made from the log", usual.cache),
      folder: folderParameter,
    },
  ),
  builtin: {
    summary: "Writes down each call of an ability, and counts how often each was used.",
    role: () => "observe",
    events: ["PostAbilityCall"],
  },
  inspect: (params, _patterns, origin) => [
    ...places.flatMap((name) => inspectPlace(name, params[name])),
    ...inspectFolder(params.folder, origin),
  ],
  async run(params, context) {
    const { event, hook } = context;
    if (!abilityOf(event))
      return { ok: true, output: { usage_recorded: false }, notes: ["the event is about no ability"] };
    try {
      const clean = await withoutSecrets(event, context);
      return recordCall(contextOf(clean, writtenName(hook, event.name), hook), params, context);
    } catch (error) {
      return failed("error", messageOf(error), { usage_recorded: false });
    }
  },
});

/** Links are looked at when it is written. */
const inspectPlace = (name: string, path: unknown): Mismatch[] =>
  typeof path === "string" && !pathInside("/repository", path)
    ? [{ path: [name], expected: "a path inside of the repository", found: JSON.stringify(path) }]
    : [];

/** Before anything is cut: of a secret that lies across the cut, a part would stay that no longer looks like one. */
async function withoutSecrets(event: HookEvent, { ports }: StepContext): Promise<HookEvent> {
  if (!ports.redact) return event;
  const data: Fields = JSON.parse(await ports.redact(JSON.stringify(event.data)));
  return { ...event, data };
}

/** @param call as every hook of specification 001 reads it, without secrets */
function recordCall(call: Fields, params: UsageTrackerParams, context: StepContext): StepResult {
  const root = repositoryOf(context, params.folder);
  const [records, log, cache] = places.map((name) => placeToWrite(root, params[name] ?? usual[name]));
  if (records === undefined || log === undefined || cache === undefined) throw new Error("no place to write to"); // there are three
  append(records, markdownOf(call));
  append(log, `${JSON.stringify(lineOf(call, context))}\n`);
  foldUsage(log, cache);
  return { ok: true, output: { usage_recorded: true, ability_id: call.ability_id ?? null } };
}

const logged = ["event_type", "status", "duration_ms", "ability_id", "operation_key", "session_id"] as const;

const lineOf = (call: Fields, { hook, run }: StepContext): Fields => ({
  time: call.timestamp ?? null,
  recorded_by: recorder,
  hook_id: hook.name, // as its file calls it
  ...Object.fromEntries(logged.map((name) => [name, call[name] ?? null])),
  run_id: run,
});

const recorded = [
  ["operation", "operation_key"],
  ["status", "status"],
  ["duration in ms", "duration_ms"],
  ["session", "session_id"],
  ["input", "input_summary"],
  ["output", "output_summary"],
] as const;

function markdownOf(call: Fields): string {
  const lines = recorded.flatMap(([label, name]) => {
    const value = plainMarkdown(String(call[name] ?? ""));
    return value === "" ? [] : [`- ${label}: ${value}`];
  });
  const heading = [call.timestamp, call.ability_id].map((one) => plainMarkdown(String(one)));
  return `## ${heading.join(" ")}\n\n${lines.join("\n")}\n\n`;
}

const longestField = 400;

/** What Markdown gives a meaning to; at the end, what GitHub makes links of: addresses that begin so, and people. */
const special =
  /[\\`*[\]<>|~#&!]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|:(?=\/\/)|(?<=\bwww)\.|@|(?<=\b(?:mailto|xmpp)):/giu;

/** A text from elsewhere as one line that Markdown shows as it is: no link, no table, no heading of its own. */
function plainMarkdown(value: string): string {
  const line = shortened(value, longestField)
    .replaceAll(/\s*[\r\n\u2028\u2029]\s*/gu, " ⏎ ")
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, (one) => `\\u${(one.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`);
  return line.replaceAll(special, "\\$&").trim();
}

/** Stands in each line that counts: others may write to the same log. */
const recorder = "usage_tracker";

interface AbilityUsage {
  count: number;
  failures: number;
  total_duration_ms: number;
  /** Calls whose duration is known. */
  timed: number;
  mean_duration_ms: number | null;
  last_used: string;
}
interface Cache {
  /** Which file the log is, and how many bytes of it are in. */
  log: { file: number; read: number };
  abilities: Map<string, AbilityUsage>;
}

const largestCacheInBytes = 4 << 20;
const mostAbilities = 2000;
/** Each round reads further, so that many need a log that grows all the time. */
const mostRounds = 100;

/** Brings the cache up to the log's end. Who writes it meanwhile is read in another round. Throws what the file system says. */
function foldUsage(logFile: string, cacheFile: string): void {
  for (let round = 0; round < mostRounds; round++) {
    const cache = readCache(cacheFile);
    if (!readLog(logFile, cache)) return;
    const kept = Object.fromEntries([...cache.abilities].slice(-mostAbilities));
    writeWhole(cacheFile, `${JSON.stringify({ abilities: kept, log: cache.log }, null, 2)}\n`);
  }
}

const usageSchema: Schema<unknown> = object(
  { count: number(), failures: number(), total_duration_ms: number(), timed: number(), last_used: text() },
  { mean_duration_ms: anything },
);
const cacheSchema: Schema<unknown> = object({
  log: object({ file: number(), read: integer(undefined, 0) }),
  abilities: mapOf(usageSchema),
});

/** One that cannot be read is made anew from the log. */
function readCache(file: string): Cache {
  try {
    const found = readRegularFileSync(file, largestCacheInBytes);
    const value: unknown = "text" in found ? JSON.parse(found.text) : undefined;
    if (cacheSchema.check(value).length > 0) throw new Error("it is no cache");
    const { log, abilities } = value as Pick<Cache, "log"> & { abilities: Record<string, AbilityUsage> }; // its schema says so
    return { log, abilities: new Map(Object.entries(abilities)) };
  } catch {
    return { log: { file: 0, read: 0 }, abilities: new Map() }; // not there yet, or no cache
  }
}

/** Adds what is new in the log; says whether anything was. Only whole lines: who writes the rest will read it. */
function readLog(logFile: string, cache: Cache): boolean {
  const descriptor = openSync(logFile, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { size, ino } = fstatSync(descriptor);
    const before = cache.log.file === ino && cache.log.read <= size ? cache.log.read : 0; // else it was begun anew
    cache.log = { file: ino, read: before };
    for (const { bytes, end, isWhole } of linesFrom({ descriptor, size }, before)) {
      if (!isWhole) break;
      addLine(bytes.toString("utf8"), cache);
      cache.log.read = end;
    }
    return cache.log.read > before;
  } finally {
    closeSync(descriptor);
  }
}

function addLine(line: string, { abilities }: Cache): void {
  const value = parseJson(line);
  if (!isRecord(value) || value.recorded_by !== recorder) return; // another writer's
  const { ability_id: id, time, status, duration_ms: duration } = value;
  if (typeof id !== "string" || typeof time !== "string") return;
  const usage = abilities.get(id) ?? { ...unused };
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
}

const unused: AbilityUsage = {
  ...{ count: 0, failures: 0, total_duration_ms: 0, timed: 0 },
  ...{ mean_duration_ms: null, last_used: "" },
};
